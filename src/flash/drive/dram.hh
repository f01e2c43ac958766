#pragma once

#include "core/base/clock.hh"
#include "core/state/fifo.hh"

namespace memsim::flash {

/// Sectors on their way over a drive's DRAM.
struct DramTransfer {
    Tick done = 0;
    std::uint32_t command = 0;
    std::uint32_t sectors = 0;
};

/// Plain values for State.
struct DriveDramState {
    Fifo<DramTransfer> transfers; ///< by their ends
    Tick free = 0;
    std::int64_t remainder = 0; ///< of bytes / rate
};

/// The DRAM of a drive as a resource: an access takes its latency and bytes / rate, one after the
/// other. A part.
class DriveDram {
  public:
    DriveDram(Time latency, Rate rate, DriveDramState& state)
        : latency_(latency), wire_(rate), s_(state) {}

    void use(std::uint32_t command, std::uint32_t sectors, std::uint32_t bytes, Tick now) {
        if (s_.free < now) s_.free = now, s_.remainder = 0;
        s_.free += latency_.raw + wire_.take(bytes, s_.remainder);
        s_.transfers.push({s_.free, command, sectors});
    }
    /// Calls done(transfer) for those that have ended.
    template <class F>
    void finish(Tick now, F&& done) {
        while (!s_.transfers.empty() && s_.transfers.front().done <= now) done(s_.transfers.pop());
    }
    /// When the next one ends; 0: none is on its way.
    Tick next() const { return s_.transfers.empty() ? 0 : s_.transfers.front().done; }

  private:
    Time latency_;
    WireTime wire_;
    DriveDramState& s_;
};

} // namespace memsim::flash
