#pragma once

#include "core/clock.hh"

namespace memsim::parts {

/// The first edge at or after t, from an earlier edge, however long ago that was.
inline ClockEdge edge_at_or_after(const Clock& clock, ClockEdge from, Tick t) {
    constexpr Tick near = 1'000'000'000; // 1 us: stepping is cheaper; past it, the exact way
    return t - from.tick < near ? clock.at_or_after(from, t) : clock.at_or_after(t);
}

/// A resource that serves so many a cycle: slots of the cycle [edge n, edge n + 1), exact for any
/// clock. A plain value for State. What comes in the middle of a cycle with a free slot is served
/// at once.
struct CycleSlots {
    ClockEdge next; ///< end of the cycle that `used` counts
    std::uint32_t used = 0;

    bool free(const Clock& clock, Tick now, std::uint32_t per_cycle) {
        if (next.tick <= now) {
            next = edge_at_or_after(clock, next, now + 1);
            used = 0;
        }
        return used < per_cycle;
    }
    void take() { ++used; }
};

} // namespace memsim::parts
