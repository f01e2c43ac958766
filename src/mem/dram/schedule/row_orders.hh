#pragma once

#include "mem/dram/schedule/order.hh"

/// Orders in which an older request may close a row that other requests need, as in Ramulator 2.1
/// and DRAMsim3 (docs/models/dram.md). They allow comparisons with these simulators in which only
/// the order differs.
namespace memsim::mem {

/// The common part of the orders: each bank has a second candidate, a precharge for a request that
/// is older than the hits. `Self` defines when that is allowed (`may_close`), and which of the
/// candidates that can issue at the same time goes first (the least `turn`).
template <class Self>
class RowOrder : public PolicyModel<Self, DramOrder> {
  public:
    using Choice = DramOrder::Choice;
    struct State {
        std::vector<DramCandidate> second; ///< one per bank
        std::uint32_t last_bank = 0;       ///< the last to have its turn
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

/// At equal times the request for which the row was opened goes first, then the oldest.
class OldestReady final : public RowOrder<OldestReady> {
  public:
    struct Params {};
    explicit OldestReady(const Params&) {}
    Traits traits() const override { return {.leaves_when_opened = true}; }
    bool may_close(const DramParts& parts, std::uint32_t bank) const {
        return !parts.rows().fresh(bank); // after the request that opened the row
    }
    std::uint64_t turn(const DramParts&, const DramCandidate& c, std::uint32_t) const {
        return c.order;
    }
};

/// Banks take turns, one command each.
class BankRotation final : public RowOrder<BankRotation> {
  public:
    struct Params {
        Param<unsigned> row_limit {0,
                                   {0, 1u << 20},
                                   "Accesses to a row after which an older request closes it, even "
                                   "if row hits wait; 0: no limit"};
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
