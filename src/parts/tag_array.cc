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
    // An empty line comes before the least by order: as one number with the way in its last bits it
    // is found without branches, which would be guessed wrong.
    constexpr std::uint64_t all_locked = ~std::uint64_t {0}, used = std::uint64_t {1} << 62;
    const std::uint32_t first = line(set, 0);
    std::uint64_t least = all_locked;
    std::uint32_t unlocked = 0;
    for (std::uint32_t w = from; w < to; ++w) {
        const std::uint64_t rank =
            empty(first + w) ? 0 : used | std::uint64_t {order(first + w)} << 16;
        least = std::min(least, locked(first + w) ? all_locked : rank | w);
        unlocked += !locked(first + w);
    }
    if (least == all_locked) return none;
    if (policy_ != Replacement::random || unlocked < 2 || least < used)
        return first + static_cast<std::uint32_t>(least & 0xffff);
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
