#pragma once

#include "core/state/archive.hh"

#include <array>
#include <bit>
#include <cstdint>

namespace memsim::gpu {

/// A set of warp slots of an SM, one bit each. A value for State.
struct WarpSet {
    static constexpr std::uint32_t most = 128;
    std::array<std::uint64_t, most / 64> words {};

    bool operator==(const WarpSet&) const = default;
    explicit operator bool() const { return words[0] | words[1]; }
    bool has(std::uint32_t warp) const { return words[warp / 64] >> warp % 64 & 1; }
    void add(std::uint32_t warp) { words[warp / 64] |= std::uint64_t {1} << warp % 64; }
    void remove(std::uint32_t warp) { words[warp / 64] &= ~(std::uint64_t {1} << warp % 64); }
    friend WarpSet operator|(const WarpSet& a, const WarpSet& b) {
        return {{a.words[0] | b.words[0], a.words[1] | b.words[1]}};
    }
    friend WarpSet operator&(const WarpSet& a, const WarpSet& b) {
        return {{a.words[0] & b.words[0], a.words[1] & b.words[1]}};
    }
    /// The lowest slot. Requires: the set is not empty.
    std::uint32_t first() const {
        const std::uint32_t word = words[0] ? 0 : 1;
        return word * 64 + static_cast<std::uint32_t>(std::countr_zero(words[word]));
    }
    /// The lowest slot from this one on, else the lowest of all. Requires: the set is not empty.
    std::uint32_t first_from(std::uint32_t slot) const {
        WarpSet ahead = *this;
        for (std::uint32_t w = 0; w < ahead.words.size(); ++w)
            if (slot >= 64 * w + 64)
                ahead.words[w] = 0;
            else if (slot > 64 * w)
                ahead.words[w] &= ~std::uint64_t {0} << (slot - 64 * w);
        return ahead ? ahead.first() : first();
    }
    /// Calls f(slot) for each slot, the lowest first; f may change the set.
    template <class F>
    void for_each(F&& f) const {
        const auto all = words;
        for (std::uint32_t w = 0; w < all.size(); ++w)
            for (std::uint64_t rest = all[w]; rest; rest &= rest - 1)
                f(64 * w + static_cast<std::uint32_t>(std::countr_zero(rest)));
    }
    void check_loaded(Loader& l, std::string_view field, std::size_t slots) const {
        l.bits(field, words[0], std::min<std::size_t>(slots, 64));
        l.bits(field, words[1], slots > 64 ? slots - 64 : 0);
    }
};

} // namespace memsim::gpu
