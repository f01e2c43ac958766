#include "parts/tag_array.hh"

#include <algorithm>

namespace memsim::parts {

void TagArray::resize(std::uint64_t sets, std::uint32_t ways, Replacement policy) {
    ways_ = ways;
    policy_ = policy;
    stride_ = (4 * ways + row_words - 1) / row_words * row_words;
    rows_.assign(sets * stride_ / row_words, Row {});
    for (std::uint64_t s = 0; s < sets; ++s)
        for (std::uint32_t w = 0; w < ways; ++w) drop(line(s, w));
}

std::uint32_t TagArray::victim(std::uint64_t set, std::uint32_t from, std::uint32_t to,
                               Rng& rng) const {
    std::uint32_t best = none, unlocked = 0;
    for (std::uint32_t i = line(set, from); i < line(set, to); ++i) {
        if (locked(i)) continue;
        if (empty(i)) return i;
        ++unlocked;
        if (best == none || order(i) < order(best)) best = i;
    }
    if (policy_ != Replacement::random || unlocked < 2) return best;
    std::uint64_t skip = rng.below(unlocked);
    for (std::uint32_t i = line(set, from);; ++i)
        if (!locked(i) && skip-- == 0) return i;
}

/// The clock has come to its end: the lines of each set keep their order in small numbers.
void TagArray::renumber() {
    std::vector<std::uint32_t> lines(ways_);
    for (std::uint64_t s = 0; s < sets(); ++s) {
        for (std::uint32_t w = 0; w < ways_; ++w) lines[w] = line(s, w);
        std::sort(lines.begin(), lines.end(),
                  [this](std::uint32_t a, std::uint32_t b) { return order(a) < order(b); });
        for (std::uint32_t w = 0; w < ways_; ++w) order(lines[w]) = w;
    }
    clock_ = ways_;
}

} // namespace memsim::parts
