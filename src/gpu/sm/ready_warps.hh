#pragma once

#include "gpu/issue_slots.hh"
#include "program/warp_stream.hh"

namespace memsim::gpu {

/// The warps of an SM that may issue, by what their next operation does, and those that sleep until
/// their last operation is over. Sets have a bit for each warp. A value for State.
struct ReadyWarps {
    struct Sets {
        std::uint64_t compute = 0; ///< neither of the next two
        std::uint64_t memory = 0;  ///< accesses memory
        std::uint64_t shared = 0;  ///< accesses shared memory
        std::uint64_t asleep = 0;
        bool operator==(const Sets&) const = default;
    };
    Sets sets;
    std::int64_t first_awake = 0;             ///< the first cycle in which one of them wakes
    std::array<std::int64_t, 64> awake_at {}; ///< of each warp, as it was told last

    bool any() const { return sets.asleep | sets.compute | sets.memory | sets.shared; }
    void add(std::uint32_t warp, program::WarpOpKind next) {
        (next == program::WarpOpKind::shared ? sets.shared
         : program::touches_memory(next)     ? sets.memory
                                             : sets.compute) |= bit(warp);
    }
    /// It issues.
    void take(std::uint32_t warp) {
        sets.compute &= ~bit(warp);
        sets.memory &= ~bit(warp);
        sets.shared &= ~bit(warp);
    }
    void sleep(std::uint32_t warp, std::int64_t until) {
        awake_at[warp] = until;
        first_awake = sets.asleep ? std::min(first_awake, until) : until;
        sets.asleep |= bit(warp);
    }
    /// Calls wake(warp) for those that sleep no longer in this cycle.
    template <class F>
    void wake(std::int64_t cycle, F&& wake) {
        if (!sets.asleep || first_awake > cycle) return;
        first_awake = IssueSlots::never;
        for (std::uint64_t rest = sets.asleep; rest; rest &= rest - 1) {
            const auto w = static_cast<std::uint32_t>(std::countr_zero(rest));
            if (awake_at[w] > cycle) {
                first_awake = std::min(first_awake, awake_at[w]);
                continue;
            }
            sets.asleep &= ~bit(w);
            wake(w);
        }
    }
    /// When the first one wakes.
    std::int64_t next_awake() const { return sets.asleep ? first_awake : IssueSlots::never; }

    static constexpr std::uint64_t bit(std::uint32_t warp) { return std::uint64_t {1} << warp; }
};

} // namespace memsim::gpu
