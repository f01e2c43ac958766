#pragma once

#include "mem/dram/schedule/order.hh"

namespace memsim::mem {

/// Issues bursts in an order that is fixed ahead, like gem5's MemCtrl (docs/models/dram.md). A
/// burst is chosen so early that its precharge and activate cause no delay, and its commands are
/// fixed at that time.
class Committed final : public PolicyModel<Committed, DramOrder> {
  public:
    struct Params {};
    struct State {
        Tick next_burst = 0; ///< first column command that leaves no gap
    };
    explicit Committed(const Params&) {}
    Traits traits() const override { return {.stays_until_done = true, .plans_ahead = true}; }
    /// The next request of the bank determines whether its row is closed.
    DramCandidate choose(const DramParts& parts, std::uint32_t bank) override;
    Choice next(const DramParts& parts, Tick now) override;
    /// The first of these that exists: the oldest hit that leaves no gap on the bus; the oldest
    /// request whose row can be opened behind other data; the oldest hit; a request whose row can
    /// be opened first.
    std::uint16_t burst(const DramParts& parts, Tick now) override;
    Tick column_at(const DramParts& parts, std::uint32_t bank, Tick now) override;

    State state;
};

} // namespace memsim::mem
