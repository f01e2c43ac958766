#pragma once

#include "mem/dram/schedule/order.hh"

namespace memsim::mem {

/// Bursts in an order that is fixed ahead, as gem5's MemCtrl has it (docs/models/dram.md): one is
/// chosen so early that a precharge and an activate for it delay nothing, and its commands are
/// fixed then.
class Committed final : public PolicyModel<Committed, DramOrder> {
  public:
    struct Params {};
    struct State {
        Tick next_burst = 0; ///< the first column command that leaves no gap
    };
    explicit Committed(const Params&) {}
    Traits traits() const override { return {.stays_until_done = true, .plans_ahead = true}; }
    /// What the request that is next in the bank needs decides whether its row is closed.
    DramCandidate choose(const DramParts& parts, std::uint32_t bank) override;
    Choice next(const DramParts& parts, Tick now) override;
    /// The oldest hit that leaves no gap on the bus; without one the oldest request whose row can
    /// be opened behind other data; without one the oldest hit; else one whose row can be opened
    /// first.
    std::uint16_t burst(const DramParts& parts, Tick now) override;
    Tick column_at(const DramParts& parts, std::uint32_t bank, Tick now) override;

    State state;
};

} // namespace memsim::mem
