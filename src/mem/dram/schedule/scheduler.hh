#pragma once

#include "core/state/fifo.hh"
#include "mem/dram/schedule/order.hh"
#include "mem/dram/schedule/row_policy.hh"

namespace memsim::mem {

/// The same counters for each bank, if the owner has such statistics.
struct DramBankCounters {
    Each<Counter>&reads, &writes, &activates, &row_hits;
};

/// The counters of a DramScheduler, bound by its owner to its Stats.
struct DramCounters {
    Counter &activates, &precharges, &refreshes, &row_hits, &row_misses, &row_conflicts, &forwarded,
        &bus_bytes;
    ElapsedTime& bus_busy;
    DramKinds* kinds = nullptr;
};

/// The values of a DramScheduler, for State.
struct DramSchedulerState {
    Policy<DramOrder> order;
    Policy<RowPolicy> page;
    Policy<RefreshPolicy> refresh;
    DramPartsState parts;
    DramPlan plan;
    Tick first_until =
        0;             ///< until then the planned burst's request goes first: see burst_continues()
    Tick bus_seen = 0; ///< reservations of the buses when the plan was made
    Fifo<DramDone> done;
};

/// The DRAM of one channel: DramParts, and policies that select the next command (DramOrder), when
/// a row is closed (RowPolicy), and which banks are refreshed together (RefreshPolicy).
///
/// Models        Reads and writes wait in two queues, which are served alternately (WriteDrain). A
///               row that was opened for a request serves it first, even if the direction has
///               changed since. A refresh that is due stops its rank (or bank) until it is
///               complete. A read of bytes in a waiting write is answered from the queue.
///
/// There is no clock tick: next_action() is the earliest time at which a command can issue, and the
/// owner sleeps until then. run() at any other time has no effect. Refreshes of an idle rank are
/// added at its next use. After a reservation of a bus by another user, the next run() plans anew.
///
/// Not modelled  Merging of writes.
class DramScheduler {
  public:
    struct Config {
        std::uint32_t read_queue = 32, write_queue = 32; ///< capacities
        std::uint32_t write_high = 28, write_low = 16;
        std::uint32_t read_batch = 0;  ///< reads served before a drain begins, while any wait
        std::uint32_t write_batch = 0; ///< writes after which reads resume; 0: at write_low
        Tick write_idle = 0; ///< time without data after which fewer than write_high are written
        PolicyName<RowPolicy> page = "open";
        std::uint32_t most_accesses = 0; ///< accesses to a row before it is closed; 0: no limit
        PolicyName<DramOrder> order = "first_ready";
        PolicyName<RefreshPolicy> refresh = "ranks_in_turn";
        /// Requests of a bank and direction that the order considers. Further ones wait in the read
        /// or write queue, whose capacity then counts only those. 0: all are considered.
        std::uint32_t bank_queue = 0;
        /// Requests accepted after a migration until it counts as demand. The age is checked every
        /// 64 requests, so the number may be slightly larger. Assumption without a source: prevents
        /// starvation of migrations.
        std::uint32_t patience = 256;
        std::uint16_t first_user = 0; ///< user number of rank 0 at the data bus
    };
    /// The states belong to a component's State and outlive the scheduler.
    DramScheduler(const Config& figures, DramDevice& device, DramDataBuses buses,
                  DramSchedulerState& state, DramCounters count, std::optional<DramSide> side = {},
                  std::optional<DramBankCounters> bank_counts = {});
    DramScheduler(const DramScheduler&) = delete;
    /// Creates the policies and sizes the states of scheduler and device. `place`: the owner's
    /// path.
    void init(const std::string& place, std::uint64_t machine_seed);
    const DramOrder::Traits& traits() const { return traits_; }
    /// Checks a loaded state. `context` rejects a number that is not a request of the owner.
    void check_loaded(Loader& l, const std::function<void(std::uint32_t)>& context) const;

    bool can_accept(bool write) const {
        const std::uint32_t most = write ? figures_.write_queue : figures_.read_queue;
        const DramQueue& queue = parts_.queue;
        if (traits_.mixed) [[unlikely]]
            return state_.order->outside(write) < most;
        if (figures_.bank_queue) return queue.beyond(write) < most;
        return queue.queued(write) + (traits_.stays_until_done && !write ? state_.done.size() : 0) -
                   (traits_.leaves_when_opened ? queue.opened(write) : 0) <
               most;
    }
    /// Maximum number of requests in it, both directions together.
    std::uint32_t places() const {
        const std::uint32_t beside = traits_.leaves_when_opened ? 1 : 2 * figures_.bank_queue;
        return figures_.read_queue + figures_.write_queue + beside * parts_.device.banks();
    }
    /// Requires: can_accept(access.write). Returns false if a queued write contains the data; then
    /// no bus is used.
    bool enqueue(const DramAccess& access, Tick now);
    /// When run() must be called; `never` if no request waits.
    Tick next_action() const { return state_.plan.at; }
    /// Issues all commands that may be issued now.
    void run(Tick now);

    /// Completed requests, in order of time; the time may lie in the future.
    Tick next_done() const { return state_.done.empty() ? never : state_.done.front().at; }
    DramDone pop_done() { return state_.done.pop(); }

    /// While the data bus is lent for an unknown time, column commands that use it are not issued.
    void lend_bus(bool lent, Tick now);

    /// Sets the user that can reserve banks. Requires an order with priorities.
    void set_user(DramBankUser& user) { user_ = &user; }
    void reserve(std::uint32_t bank, Tick now);
    void give_back(std::uint32_t bank, Tick now);
    bool reserved(std::uint32_t bank) const { return parts_.queue.reserved(bank); }
    /// Whether no started request remains in a reserved bank.
    bool quiet(std::uint32_t bank) const { return parts_.queue.empty(bank); }
    /// Whether the user may issue row commands to the bank.
    bool granted(std::uint32_t bank) const { return quiet(bank) && !parts_.refresh.stopped(bank); }
    /// Records a row command of the user of a bank.
    void user_command(std::uint32_t bank, std::uint32_t row, bool open, Tick now);

    /// Whether writes are served, not reads.
    bool draining() const { return parts_.draining(); }
    std::uint32_t reads() const { return parts_.queue.queued(false); }
    std::uint32_t writes() const { return parts_.queue.queued(true); }
    /// Whether no request waits and all completed ones were taken.
    bool idle() const { return reads() + writes() == 0 && state_.done.empty(); }

  private:
    bool busy() const { return reads() + writes() + parts_.queue.reservations() != 0; }
    void admit(const DramAccess& access, Tick now);
    void finish(const DramDone& done);
    void choose(std::uint32_t bank) {
        parts_.set_candidate(bank, state_.order->choose(parts_, bank));
    }
    void choose_all();
    void plan(Tick now);
    DramPlan second_half(const DramPlan& other, const DramFloor& floor) const;
    bool burst_continues(const DramPlan& issued, Tick now);
    /// The reads, or the writes, that determine the direction.
    std::uint32_t waiting(bool write) const {
        return parts_.queue.eligible(write) -
               (traits_.leaves_when_opened ? parts_.queue.opened(write) : 0);
    }
    bool set_direction();
    void reservation_changed(std::uint32_t bank, Tick now);
    void issue(const DramPlan& plan, Tick now);
    void row_command(std::uint32_t bank, std::uint16_t entry, bool open, Tick now);
    void column(std::uint32_t bank, std::uint16_t entry, Tick now);
    bool closes(std::uint32_t bank);
    void close_unused(std::uint32_t bank, Tick now);
    void commit(Tick now);

    Config figures_;
    WriteDrain::Limits limits_;
    DramSchedulerState& state_;
    DramOrder::Traits traits_;
    RowPolicy::Traits row_traits_;
    DramParts parts_;
    DramCounters count_;
    std::optional<DramBankCounters> bank_count_;
    DramBankUser* user_ = nullptr;
};

} // namespace memsim::mem
