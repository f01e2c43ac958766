#pragma once

#include "mem/cache/banked_slots.hh"
#include "mem/cache/lines/lines.hh"

#include <algorithm>
#include <vector>

namespace memsim::mem::cache {

/// The sectors that atomics of the last cycles change. An atomic reads, changes and writes its
/// sectors in a pipeline; the next atomic that changes one of them starts `interval` cycles later.
class ChangingSectors {
  public:
    struct Change {
        std::uint64_t line = 0;
        SectorMask sectors = 0;
        std::int64_t end = 0; ///< first cycle in which another atomic may start
    };
    using State = std::vector<Change>;

    /// Both references outlive it. An interval of 1 cycle never delays an atomic.
    ChangingSectors(unsigned interval, const BankedSlots& slots, State& state)
        : interval_(interval), slots_(slots), state_(state) {}

    /// The tick at which an atomic may start; `now` if it may start now, in the current cycle.
    Tick free(const Access& a, Tick now) const {
        std::int64_t cycle = 0;
        for (const Change& c : state_)
            if (c.line == a.place.line && (c.sectors & a.touched)) cycle = std::max(cycle, c.end);
        return slots_.begin_of(cycle, now);
    }
    /// An atomic starts in the current cycle.
    void begin(const Access& a) {
        if (interval_ == 1) return;
        const std::int64_t cycle = slots_.cycle();
        std::erase_if(state_, [&](const Change& c) { return c.end <= cycle; });
        state_.push_back({a.place.line, a.touched, cycle + interval_});
    }

  private:
    std::int64_t interval_;
    const BankedSlots& slots_;
    State& state_;
};

} // namespace memsim::mem::cache
