#pragma once

#include "core/base/clock.hh"

namespace memsim::device_parts {

/// A resource that serves a fixed number of requests per cycle: slots of the cycle [edge n, edge n
/// + 1), exact for any clock. A request that arrives within a cycle with a free slot is served at
/// once. A plain value for State.
struct CycleSlots {
    ClockEdge next; ///< end of the cycle that `used` counts
    std::uint32_t used = 0;

    bool free(const Clock& clock, Tick now, std::uint32_t per_cycle) {
        if (next.tick <= now) {
            next = clock.at_or_after(next, now + 1);
            used = 0;
        }
        return used < per_cycle;
    }
    void take() { ++used; }
};

} // namespace memsim::device_parts
