#pragma once

#include "device_parts/tag_policy.hh"

namespace memsim::device_parts {

/// Pseudo-LRU by a binary tree over the ways: each node points to the half used longer ago. If the
/// number of ways is not a power of two, the tree is truncated. Halves without an evictable line
/// are skipped.
class TreePlru final : public PolicyModel<TreePlru, TagPolicy> {
  public:
    struct Params {};
    struct State {};
    explicit TreePlru(const Params& p) : params(p) {}
    void touch(TagWords words, std::uint32_t line) override {
        const std::uint32_t first = words.first(line), way = line - first;
        std::uint32_t node = 1;
        for (std::uint32_t half = std::bit_ceil(words.ways) / 2; half; half /= 2) {
            const bool right = way & half;
            std::uint32_t& word = words[first + node / 32];
            const std::uint32_t bit = 1u << node % 32;
            word = right ? word & ~bit : word | bit; // points to the other half
            node = 2 * node + right;
        }
    }
    void insert(TagWords words, std::uint32_t line, bool) override { touch(words, line); }
    std::uint32_t victim(TagWords words, const TagCandidates& c) override {
        const std::uint32_t first = words.first(c.from);
        std::uint32_t node = 1, way = 0, half = std::bit_ceil(words.ways) / 2;
        if (!any(c, first, first + 2 * std::max(half, 1u))) return none;
        for (; half; half /= 2) {
            bool right = words[first + node / 32] >> node % 32 & 1;
            const std::uint32_t begin = first + way + right * half;
            if (!any(c, begin, begin + half)) right = !right;
            way += right * half;
            node = 2 * node + right;
        }
        return first + way;
    }
    const Params params;
    State state;

  private:
    static bool any(const TagCandidates& c, std::uint32_t from, std::uint32_t to) {
        for (std::uint32_t i = std::max(from, c.from); i < std::min(to, c.to); ++i)
            if (c.may(i)) return true;
        return false;
    }
};

} // namespace memsim::device_parts
