#pragma once

#include "device_parts/tag_policy.hh"

#include <algorithm>

namespace memsim::device_parts {

/// The common part of LRU and FIFO: a line's word is the time of its last use, or of its insertion,
/// by a private clock, and 0 while it is empty. The line with the least word is evicted.
struct ClockOrder {
    static std::uint32_t least(TagWords words, const TagCandidates& c) {
        // Word and line form one number, so that the minimum is found without branches, which would
        // be mispredicted.
        std::uint64_t least = ~std::uint64_t {0};
        for (std::uint32_t i = c.from; i < c.to; ++i) {
            const std::uint64_t rank = std::uint64_t {words[i]} << 32 | i;
            least = std::min(least, c.may(i) ? rank : ~std::uint64_t {0});
        }
        return static_cast<std::uint32_t>(least); // none if there is no candidate
    }
    static std::uint32_t tick(std::uint32_t& clock, TagWords words) {
        if (clock == ~std::uint32_t {0}) renumber(clock, words);
        return ++clock;
    }

  private:
    /// The clock has reached its maximum: renumbers the lines of each set in their order.
    [[gnu::noinline]] static void renumber(std::uint32_t& clock, TagWords words) {
        std::vector<std::uint32_t> lines(words.ways);
        for (std::uint64_t s = 0; s < words.sets; ++s) {
            const auto first = static_cast<std::uint32_t>(s * words.stride);
            for (std::uint32_t w = 0; w < words.ways; ++w) lines[w] = first + w;
            std::sort(lines.begin(), lines.end(),
                      [&](std::uint32_t a, std::uint32_t b) { return words[a] < words[b]; });
            for (std::uint32_t w = 0; w < words.ways; ++w)
                if (words[lines[w]]) words[lines[w]] = w + 1;
        }
        clock = words.ways;
    }
};

} // namespace memsim::device_parts
