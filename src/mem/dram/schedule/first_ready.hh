#pragma once

#include "mem/dram/schedule/order.hh"

namespace memsim::mem {

/// First-ready, first-come first-served (Rixner et al., ISCA 2000). Of the commands that can issue
/// at the earliest time, column commands go first, then demand before migration, then the oldest. A
/// row is not closed while the active queue holds an access to it.
class FirstReady final : public PolicyModel<FirstReady, DramOrder> {
  public:
    struct Params {};
    struct State {};
    explicit FirstReady(const Params&) {}
    Traits traits() const override { return {.priorities = true, .steady = true}; }
    DramCandidate choose(const DramParts& parts, std::uint32_t bank) override;
    Choice next(const DramParts& parts, Tick now) override;
    Effect accepted(const DramParts& parts, std::uint32_t bank, const DramCandidate& before,
                    Choice& choice, Tick now) override;

    State state;

  private:
    static Tick first_until(const DramParts& parts, const DramPlan& planned, Tick others_at);
};

} // namespace memsim::mem
