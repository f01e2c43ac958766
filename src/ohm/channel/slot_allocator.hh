#pragma once

#include "core/base/error.hh"
#include "core/base/units.hh"
#include "core/state/archive.hh"

#include <bit>
#include <cstdint>
#include <vector>

namespace memsim::ohm {

/// Which of a number of slots are taken. The lowest free one is taken next, so that those in use,
/// and what their owner keeps for each, stay close together. A value for State.
struct SlotAllocator {
    std::vector<std::uint64_t> free; ///< a bit each
    std::uint32_t taken = 0;

    static constexpr std::string_view archived_as = "SlotAllocator";
    template <class Archive>
    void archive(Archive& a) {
        const std::size_t slots = count();
        a(free), a(taken);
        if constexpr (Loading<Archive>) // after resize(): else it is only looked at
            a.check(slots == 0 || count() == slots, "has another number of slots");
    }
    std::size_t count() const {
        std::size_t n = taken;
        for (const std::uint64_t word : free) n += static_cast<std::size_t>(std::popcount(word));
        return n;
    }

    void resize(std::uint32_t n) {
        free.assign((n + 63) / 64, ~std::uint64_t {0});
        if (n % 64) free.back() = (std::uint64_t {1} << n % 64) - 1;
        taken = 0;
    }
    /// Precondition: not all are taken.
    std::uint32_t take() {
        std::size_t w = 0;
        while (free[w] == 0) ++w;
        const auto bit = static_cast<std::uint32_t>(std::countr_zero(free[w]));
        free[w] &= free[w] - 1;
        ++taken;
        return static_cast<std::uint32_t>(w) * 64 + bit;
    }
    void give_back(std::uint32_t slot) {
        MEMSIM_ASSERT(has(slot), "a slot is given back that nobody has taken");
        free[slot / 64] |= std::uint64_t {1} << slot % 64;
        --taken;
    }
    /// Whether it is a slot, and taken.
    bool has(std::uint32_t slot) const {
        return slot / 64 < free.size() && !(free[slot / 64] >> slot % 64 & 1);
    }
    /// Calls f(slot) for each that is taken, lowest first.
    template <class F>
    void for_each_taken(F&& f) const {
        std::uint32_t left = taken; // behind the last one there may be no slots
        for (std::uint32_t w = 0; left; ++w)
            for (std::uint64_t bits = ~free[w]; bits && left; bits &= bits - 1, --left)
                f(w * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
    }
};

} // namespace memsim::ohm
