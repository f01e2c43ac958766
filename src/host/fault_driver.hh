#pragma once

#include "core/base/units.hh"
#include "core/state/fifo.hh"
#include "protocol/page_fault.hh"

namespace memsim::host {

/// A page to be brought.
struct WantedPage {
    protocol::PageFault fault;
    bool prefetch = false; ///< nobody faulted on it
};

/// The driver of page faults: interrupted by the first fault, it takes a batch and goes from page
/// to page, one after the other. Times are the owner's. A value for State.
struct FaultDriver {
    enum class Phase : std::uint8_t { idle, interrupted, working };
    Phase phase = Phase::idle;
    Tick interrupt = 0;     ///< of this batch
    Tick free_at = 0;       ///< when it has done what it does
    Fifo<WantedPage> batch; ///< not yet begun

    bool idle() const { return phase == Phase::idle; }
    bool busy(Tick now) const { return phase != Phase::idle && free_at > now; }
    void interrupted(Tick now, Time latency) {
        phase = Phase::interrupted;
        interrupt = now;
        free_at = now + latency.raw;
    }
    /// It may look at the faults now.
    bool takes_batch(Tick now) const { return phase == Phase::interrupted && free_at <= now; }
    /// The batch is in its queue; it deals with the first page for so long.
    void begin(Time first) {
        phase = Phase::working;
        free_at += first.raw;
    }
    /// It has dealt with the next page of the batch.
    bool has_page(Tick now) const {
        return phase == Phase::working && !batch.empty() && free_at <= now;
    }
    /// Takes that page; cost(page): the time for the one behind it.
    template <class Cost>
    WantedPage take(Tick now, Cost&& cost) {
        const WantedPage page = batch.pop();
        free_at = now + (batch.empty() ? Time {} : cost(batch.front())).raw;
        return page;
    }
    /// All of its batch is begun; the owner sees to the rest.
    bool begun() const { return phase == Phase::working && batch.empty(); }
};

} // namespace memsim::host
