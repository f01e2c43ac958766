#pragma once

#include "mem/dram/schedule/order.hh"

namespace memsim::mem {

using namespace memsim::literals;

/// One queue per bank for reads and writes, as in DRAMsim3. Requests first wait in the read queue
/// or the write queue, and one of them enters a bank's queue per tCK. Reads enter, until
/// `write_high` writes wait, or more than `write_low` wait while the banks' queues are empty; then
/// all writes that wait at that time enter. The banks take turns. Within a bank the command that
/// can issue first goes first; at equal times the one that entered first. A row is closed only for
/// the request that entered first. If no request arrives for `idle`, writes at or below `write_low`
/// enter; DRAMsim3 lets them wait for ever. Not modelled: a write may enter before an older read of
/// its bytes.
class PerBankMixed final : public PolicyModel<PerBankMixed, DramOrder> {
  public:
    struct Params {
        Param<unsigned> row_limit {4,
                                   {0, 1u << 20},
                                   "Accesses to a row after which the oldest request of the bank "
                                   "closes it, even if row hits wait; 0: no limit"};
        Param<Time> idle {
            1_us,
            {1_fs, 1_ms},
            "Time without a new request after which the last write_low writes are written",
            assumed()};
    };
    struct State {
        std::array<Fifo<std::uint16_t>, 2> outside; ///< reads, writes, in order of arrival
        std::vector<std::uint64_t> turns; ///< of each request: its number of entry; 0: outside
        std::vector<std::array<DramCandidate, 3>> candidates; ///< of each bank: read, write, row
        std::vector<std::uint32_t> entered; ///< requests in the queue of each bank
        std::uint32_t inside = 0;           ///< requests in all banks' queues
        std::uint32_t drain = 0;            ///< writes that enter before the next read
        std::uint64_t turn = 0;             ///< number of requests that have entered
        Tick next_entry = 0, newest = 0;
        std::uint32_t last_bank = 0; ///< the last to have its turn
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
