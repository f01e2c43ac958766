#pragma once

#include "core/base/units.hh"
#include "core/state/fifo.hh"
#include "protocol/page_fault.hh"

namespace memsim::host {

/// A page to transfer to the device.
struct WantedPage {
    protocol::PageFault fault;
    bool prefetch = false; ///< without a fault
};

/// The driver of page faults. The first fault interrupts it; then it takes a batch of faults and
/// processes their pages one after another. The owner provides the times. A value for State.
struct FaultDriver {
    enum class Phase : std::uint8_t { idle, interrupted, working };
    Phase phase = Phase::idle;
    Tick interrupt = 0;     ///< time of this batch's interrupt
    Tick free_at = 0;       ///< end of the current step
    Fifo<WantedPage> batch; ///< pages not started

    bool idle() const { return phase == Phase::idle; }
    bool busy(Tick now) const { return phase != Phase::idle && free_at > now; }
    void interrupted(Tick now, Time latency) {
        phase = Phase::interrupted;
        interrupt = now;
        free_at = now + latency.raw;
    }
    /// Whether it may fetch a batch of faults now.
    bool takes_batch(Tick now) const { return phase == Phase::interrupted && free_at <= now; }
    /// The batch is queued; the first page takes this time.
    void begin(Time first) {
        phase = Phase::working;
        free_at += first.raw;
    }
    /// Whether the next page of the batch has been processed.
    bool has_page(Tick now) const {
        return phase == Phase::working && !batch.empty() && free_at <= now;
    }
    /// Removes that page; cost(page): the time for the page after it.
    template <class Cost>
    WantedPage next_page(Tick now, Cost&& cost) {
        const WantedPage page = batch.pop();
        free_at = now + (batch.empty() ? Time {} : cost(batch.front())).raw;
        return page;
    }
    /// Whether all pages of the batch were started; the owner completes them.
    bool begun() const { return phase == Phase::working && batch.empty(); }
};

} // namespace memsim::host
