#pragma once

#include "mem/dram_order.hh"

/// Orders in which an older request may close a row that others wait for, as Ramulator 2.1 and
/// DRAMsim3 have them (docs/models/dram.md), so that theirs and ours can be compared with nothing
/// but the order in between.
namespace memsim::mem {

/// What both have in common: beside its candidate a bank has a second one, a precharge for a
/// request that is older than the hits.
class RowOrder : public DramOrder {
  public:
    struct State {
        std::vector<DramCandidate> second; ///< one a bank
        std::uint32_t last_bank = 0;       ///< that had its turn
    };
    /// `bank_queue`: requests of a bank and direction that are looked at; 0: all. The state
    /// outlives the order.
    RowOrder(State& state, std::uint32_t bank_queue)
        : state_(state), bank_queue_(bank_queue ? bank_queue : DramQueue::none) {}
    void init(std::uint32_t banks) final { state_.second.assign(banks, {}); }
    void check_loaded(Loader& l, const DramParts& parts) const final;
    DramCandidate choose(const DramParts& parts, std::uint32_t bank) final;
    Choice next(const DramParts& parts, Tick now) final;
    void issued(std::uint32_t bank) final { state_.last_bank = bank; }

  protected:
    /// Whether the row may be closed although hits wait.
    virtual bool may_close(const DramParts& parts, std::uint32_t bank) const = 0;
    /// Among the candidates that can go at one time the least goes first.
    virtual std::uint64_t turn(const DramParts& parts, const DramCandidate& c,
                               std::uint32_t bank) const = 0;
    std::uint32_t last_bank() const { return state_.last_bank; }

  private:
    State& state_;
    std::uint32_t bank_queue_;
};

/// Ramulator 2.1's FRFCFS-RowHit: at one time the request that its row was opened for, then the
/// oldest; a row is closed for a request that is older than its hits.
class OldestReady final : public RowOrder {
  public:
    using RowOrder::RowOrder;
    Traits traits() const override { return {.leaves_when_opened = true}; }

  private:
    bool may_close(const DramParts& parts, std::uint32_t bank) const override {
        return !parts.rows().fresh(bank); // not before it has served whom it was opened for
    }
    std::uint64_t turn(const DramParts&, const DramCandidate& c, std::uint32_t) const override {
        return c.order;
    }
};

/// DRAMsim3's: the banks take turns, one command each; an older request closes a row after so many
/// accesses.
class BankRotation final : public RowOrder {
  public:
    BankRotation(State& state, std::uint32_t bank_queue, std::uint32_t row_limit)
        : RowOrder(state, bank_queue), row_limit_(row_limit) {}

  private:
    bool may_close(const DramParts& parts, std::uint32_t bank) const override {
        return row_limit_ && parts.rows().accesses(bank) >= row_limit_;
    }
    std::uint64_t turn(const DramParts& parts, const DramCandidate&,
                       std::uint32_t b) const override {
        const std::uint32_t banks = parts.device.banks();
        return 1 + (b + banks - 1 - last_bank()) % banks;
    }
    std::uint32_t row_limit_;
};

} // namespace memsim::mem
