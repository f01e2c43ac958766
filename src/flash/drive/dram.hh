#pragma once

#include "core/base/clock.hh"
#include "core/state/fifo.hh"

#include <algorithm>

namespace memsim::flash {

/// A transfer of sectors over a drive's DRAM.
struct DramTransfer {
    Tick done = 0;
    std::uint32_t command = 0;
    std::uint32_t sectors = 0;
};

/// Plain values for State.
struct DriveDramState {
    Fifo<DramTransfer> transfers; ///< in order of their end
    Tick free = 0;
    std::int64_t remainder = 0; ///< of bytes / rate
};

/// The DRAM of a drive as a resource: accesses take their latency plus bytes / rate, one after
/// another. A part.
class DriveDram {
  public:
    DriveDram(Time latency, Rate rate, DriveDramState& state)
        : latency_(latency), wire_(rate), state_(state) {}

    void use(std::uint32_t command, std::uint32_t sectors, std::uint32_t bytes, Tick now) {
        wire_.occupy(std::max(now, state_.free), bytes, state_.free, state_.remainder);
        state_.free += latency_.raw;
        state_.transfers.push({state_.free, command, sectors});
    }
    /// Calls done(transfer) for each completed transfer.
    template <class F>
    void finish(Tick now, F&& done) {
        while (!state_.transfers.empty() && state_.transfers.front().done <= now)
            done(state_.transfers.pop());
    }
    /// End of the next transfer; 0 if there is none.
    Tick next() const { return state_.transfers.empty() ? 0 : state_.transfers.front().done; }

  private:
    Time latency_;
    WireTime wire_;
    DriveDramState& state_;
};

} // namespace memsim::flash
