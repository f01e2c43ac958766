#pragma once

#include "core/base/bits.hh"
#include "core/base/error.hh"
#include "core/base/units.hh"
#include "core/state/archive.hh"

#include <bit>
#include <cstdint>
#include <vector>

namespace memsim::ohm {

/// Allocates numbered slots. It returns the lowest free slot, so that slots in use, and the data
/// that owners keep for them, stay close together. A value for State.
struct SlotAllocator {
    std::vector<std::uint64_t> free; ///< one bit per slot; set if free
    std::uint32_t taken = 0;

    static constexpr std::string_view archived_as = "SlotAllocator";
    template <class Archive>
    void archive(Archive& a) {
        const std::size_t slots = count();
        a(free), a(taken);
        if constexpr (Loading<Archive>) // loading after resize(); otherwise the state is only
                                        // inspected
            a.check(slots == 0 || count() == slots, "has another number of slots");
    }
    std::size_t count() const {
        std::size_t n = taken;
        for (const std::uint64_t word : free) n += static_cast<std::size_t>(std::popcount(word));
        return n;
    }

    void resize(std::uint32_t n) {
        free.assign((n + 63) / 64, ~std::uint64_t {0});
        if (n % 64) free.back() = low_bits(n % 64);
        taken = 0;
    }
    /// Requires a free slot.
    std::uint32_t take() {
        std::size_t w = 0;
        while (free[w] == 0) ++w;
        const auto bit = static_cast<std::uint32_t>(std::countr_zero(free[w]));
        free[w] &= free[w] - 1;
        ++taken;
        return static_cast<std::uint32_t>(w) * 64 + bit;
    }
    void give_back(std::uint32_t slot) {
        MEMSIM_ASSERT(has(slot), "a slot is released that is not in use");
        free[slot / 64] |= std::uint64_t {1} << slot % 64;
        --taken;
    }
    /// Whether it is a slot and in use.
    bool has(std::uint32_t slot) const {
        return slot / 64 < free.size() && !(free[slot / 64] >> slot % 64 & 1);
    }
    /// Calls f(slot) for each slot in use, in ascending order.
    template <class F>
    void for_each_taken(F&& f) const {
        std::uint32_t left = taken; // the last word may contain bits without slots
        for (std::uint32_t w = 0; left; ++w)
            for (std::uint64_t bits = ~free[w]; bits && left; bits &= bits - 1, --left)
                f(w * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
    }
};

} // namespace memsim::ohm
