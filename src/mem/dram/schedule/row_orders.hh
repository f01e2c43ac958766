#pragma once

#include "mem/dram/schedule/order.hh"

/// Orders in which an older request may close a row that others wait for, as Ramulator 2.1 and
/// DRAMsim3 have them (docs/models/dram.md), so that theirs and ours can be compared with nothing
/// but the order in between.
namespace memsim::mem {

/// What both have in common: beside its candidate a bank has a second one, a precharge for a
/// request that is older than the hits. `Self` says when that is allowed (`may_close`), and which
/// candidate goes first of those that can go at one time (the least `turn`).
template <class Self>
class RowOrder : public PolicyModel<Self, DramOrder> {
  public:
    using Choice = DramOrder::Choice;
    struct State {
        std::vector<DramCandidate> second; ///< one a bank
        std::uint32_t last_bank = 0;       ///< that had its turn
    };
    void init(std::uint32_t banks) override { state.second.assign(banks, {}); }
    using DramOrder::check_loaded;
    void check_loaded(Loader& l, const DramParts& parts) const override {
        l.index("last_bank", state.last_bank, state.second.size());
        for (std::uint32_t b = 0; b < state.second.size(); ++b)
            parts.check_candidate(l, b, state.second[b]);
    }
    DramCandidate choose(const DramParts& parts, std::uint32_t bank) override;
    Choice next(const DramParts& parts, Tick now) override;
    void issued(std::uint32_t bank) override { state.last_bank = bank; }

    State state;

  private:
    const Self& self() const { return static_cast<const Self&>(*this); }
};

/// At one time the request that its row was opened for, then the oldest.
class OldestReady final : public RowOrder<OldestReady> {
  public:
    struct Params {};
    explicit OldestReady(const Params&) {}
    Traits traits() const override { return {.leaves_when_opened = true}; }
    bool may_close(const DramParts& parts, std::uint32_t bank) const {
        return !parts.rows().fresh(bank); // not before it has served whom it was opened for
    }
    std::uint64_t turn(const DramParts&, const DramCandidate& c, std::uint32_t) const {
        return c.order;
    }
};

/// The banks take turns, one command each.
class BankRotation final : public RowOrder<BankRotation> {
  public:
    struct Params {
        Param<unsigned> row_limit {0,
                                   {0, 1u << 20},
                                   "Accesses to a row after which an older request closes it "
                                   "before hits that wait; 0: none"};
    };
    explicit BankRotation(const Params& p) : params(p) {}
    bool may_close(const DramParts& parts, std::uint32_t bank) const {
        return params.row_limit && parts.rows().accesses(bank) >= params.row_limit;
    }
    std::uint64_t turn(const DramParts& parts, const DramCandidate&, std::uint32_t b) const {
        const std::uint32_t banks = parts.device.banks();
        return 1 + (b + banks - 1 - state.last_bank) % banks;
    }
    const Params params;
};

} // namespace memsim::mem
