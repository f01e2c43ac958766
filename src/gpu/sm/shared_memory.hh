#pragma once

#include "core/base/units.hh"
#include "core/state/fifo.hh"

namespace memsim::gpu {

/// The port of an SM's shared memory and its outstanding loads. An access occupies the port for as
/// many cycles as its bank conflicts require. Loads complete in order. A value for State.
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
};

} // namespace memsim::gpu
