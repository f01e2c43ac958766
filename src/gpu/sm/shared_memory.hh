#pragma once

#include "core/base/units.hh"
#include "core/state/fifo.hh"

#include <algorithm>

namespace memsim::gpu {

/// The port of an SM's shared memory and its outstanding loads. An access occupies the port for as
/// many cycles as its bank conflicts require. Loads complete in order. Matrix operations may read
/// their operands through the port without an instruction for that. A value for State.
struct SharedMemory {
    struct Load {
        Tick ready = 0;
        std::uint32_t warp = 0;
        std::uint32_t result = 0; ///< place in the warp's scoreboard
    };
    std::int64_t free_at = 0; ///< cycle in which the port accepts the next access
    Fifo<Load> loads;

    bool free(std::int64_t cycle) const { return free_at <= cycle; }
    void access(std::int64_t cycle, std::uint32_t passes) { free_at = cycle + passes; }
    /// Reads the operands of a matrix operation that is issued in this cycle, once the port is
    /// free. Returns the cycles until the tensor core has performed it; `cycles`: those that the
    /// operation takes with its operands there. The core multiplies while operands arrive.
    std::uint32_t operands(std::int64_t cycle, std::uint32_t passes, std::uint32_t cycles) {
        if (passes == 0) return cycles;
        const std::int64_t start = std::max(cycle, free_at);
        access(start, passes);
        return static_cast<std::uint32_t>(start - cycle) + std::max(passes, cycles);
    }
    void load(const Load& l) { loads.push(l); }
    /// Calls done(warp, result) for the completed loads.
    template <class F>
    void finish(Tick now, F&& done) {
        while (!loads.empty() && loads.front().ready <= now) {
            const Load l = loads.pop();
            done(l.warp, l.result);
        }
    }
    /// When the next load completes.
    Tick next() const { return loads.empty() ? never : loads.front().ready; }
    template <class Archive>
    void check_loaded(Archive& l, std::size_t warps, std::size_t places) const {
        for (std::uint32_t i = 0; i < loads.size(); ++i) {
            l.index("shared_loads", loads[i].warp, warps);
            l.index("shared_loads", loads[i].result, places);
        }
    }
};

} // namespace memsim::gpu
