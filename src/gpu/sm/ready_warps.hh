#pragma once

#include "gpu/sm/issue_slots.hh"
#include "gpu/sm/warp_set.hh"
#include "gpu_program/warp_stream.hh"

namespace memsim::gpu {

/// The warps of an SM that may issue, by the kind of their next operation, and those that sleep
/// until their last operation has ended. Sets have a bit for each warp. A value for State.
struct ReadyWarps {
    struct Sets {
        WarpSet compute;    ///< other operations
        WarpSet memory;     ///< accesses to memory
        WarpSet shared;     ///< accesses to shared memory
        WarpSet matrix;     ///< operations for a tensor core
        WarpSet arithmetic; ///< instructions for an arithmetic unit (arithmetic_units.hh)
        WarpSet asleep;
        bool operator==(const Sets&) const = default;
        /// Whether a warp may issue something else than an access to memory.
        bool beside_memory() const { return bool(compute | shared | matrix | arithmetic); }
    };
    Sets sets;
    std::int64_t first_awake = 0; ///< first cycle in which a sleeping warp wakes
    std::array<std::int64_t, WarpSet::most> awake_at {}; ///< of each warp, as set by sleep()

    bool any() const {
        return bool(sets.asleep | sets.compute | sets.memory | sets.shared | sets.matrix |
                    sets.arithmetic);
    }
    void add(std::uint32_t warp, gpu_program::WarpOpKind next) {
        (gpu_program::touches_shared(next)             ? sets.shared
         : next == gpu_program::WarpOpKind::matrix     ? sets.matrix
         : next == gpu_program::WarpOpKind::arithmetic ? sets.arithmetic
         : gpu_program::touches_memory(next)           ? sets.memory
                                                       : sets.compute)
            .add(warp);
    }
    /// Removes a warp that issues.
    void take(std::uint32_t warp) {
        sets.compute.remove(warp);
        sets.memory.remove(warp);
        sets.shared.remove(warp);
        sets.matrix.remove(warp);
        sets.arithmetic.remove(warp);
    }
    void sleep(std::uint32_t warp, std::int64_t until) {
        awake_at[warp] = until;
        first_awake = sets.asleep ? std::min(first_awake, until) : until;
        sets.asleep.add(warp);
    }
    void sleep(const WarpSet& warps, std::int64_t until) {
        warps.for_each([&](std::uint32_t w) { sleep(w, until); });
    }
    /// Calls wake(warp) for the warps whose sleep ends by this cycle.
    template <class F>
    void wake(std::int64_t cycle, F&& wake) {
        if (!sets.asleep || first_awake > cycle) return;
        first_awake = IssueSlots::never;
        sets.asleep.for_each([&](std::uint32_t w) {
            if (awake_at[w] > cycle) {
                first_awake = std::min(first_awake, awake_at[w]);
                return;
            }
            sets.asleep.remove(w);
            wake(w);
        });
    }
    void check_loaded(Loader& l, std::size_t warps) const {
        for (const WarpSet& set :
             {sets.compute, sets.memory, sets.shared, sets.matrix, sets.arithmetic, sets.asleep})
            set.check_loaded(l, "ready", warps);
    }
    /// When the first warp wakes.
    std::int64_t next_awake() const { return sets.asleep ? first_awake : IssueSlots::never; }
};

} // namespace memsim::gpu
