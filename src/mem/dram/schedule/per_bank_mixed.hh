#pragma once

#include "mem/dram/schedule/order.hh"

namespace memsim::mem {

using namespace memsim::literals;

/// One queue a bank for reads and writes, as DRAMsim3 has them. Requests wait for a place there in
/// the read queue or the write queue, and one of them enters a tCK: a read, or, once `write_high`
/// writes wait or more than `write_low` while the banks' queues are empty, all writes that wait by
/// then. The banks take turns. Of a bank goes what can go first, at one time what entered first; a
/// row is closed only for the request that entered first. Writes at or below `write_low` enter when
/// no request has come for `idle`; DRAMsim3 lets them wait for ever.
/// Not modelled: that a write does not enter before an older read of its bytes.
class PerBankMixed final : public PolicyModel<PerBankMixed, DramOrder> {
  public:
    struct Params {
        Param<unsigned> row_limit {4,
                                   {0, 1u << 20},
                                   "Accesses to a row after which the first request of the bank "
                                   "closes it before hits that wait; 0: no limit"};
        Param<Time> idle {
            1_us,
            {1_fs, 1_ms},
            "Time without a new request after which write_low writes or fewer are written",
            assumed()};
    };
    struct State {
        std::array<Fifo<std::uint16_t>, 2> outside; ///< reads, writes, in the order they came
        std::vector<std::uint64_t> turns; ///< of each request: its number at entry; 0: outside
        std::vector<std::array<DramCandidate, 3>> candidates; ///< of each bank: read, write, row
        std::vector<std::uint32_t> entered;                   ///< requests in each bank's queue
        std::uint32_t inside = 0;                             ///< in all of them
        std::uint32_t drain = 0; ///< writes that enter before the next read
        std::uint64_t turn = 0;  ///< requests that have entered
        Tick next_entry = 0, newest = 0;
        std::uint32_t last_bank = 0; ///< that had its turn
    };
    explicit PerBankMixed(const Params& p) : params(p) {}
    Traits traits() const override { return {.mixed = true}; }
    void init(std::uint32_t banks) override;
    using DramOrder::check_loaded;
    void check_loaded(Loader& l, const DramParts& parts) const override;
    DramCandidate choose(const DramParts& parts, std::uint32_t bank) override;
    Choice next(const DramParts& parts, Tick now) override;
    void issued(std::uint32_t bank) override { state.last_bank = bank; }

    std::uint32_t outside(bool write) const override { return state.outside[write].size(); }
    void arrived(std::uint16_t entry, bool write, Tick now) override;
    std::uint32_t enter(const DramParts& parts, std::uint32_t high, std::uint32_t low,
                        Tick now) override;

    const Params params;
    State state;
};

} // namespace memsim::mem
