#pragma once

#include "core/state/fifo.hh"
#include "mem/dram/schedule/order.hh"
#include "mem/dram/schedule/row_policy.hh"

namespace memsim::mem {

/// The same of each bank, where the owner has such statistics.
struct DramBankCounters {
    Each<Counter>&reads, &writes, &activates, &row_hits;
};

/// What a DramScheduler counts, bound by its owner to counters of its own Stats.
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
        0;             ///< the planned burst's request goes first until then: see burst_continues()
    Tick bus_seen = 0; ///< how far the buses were reserved as the plan was made
    Fifo<DramDone> done;
};

/// The DRAM of one channel: DramParts, and policies that say which command goes next (DramOrder),
/// when a row is closed (RowPolicy), and what is refreshed together (RefreshPolicy).
///
/// Reads and writes wait in two queues, which are served in turn (WriteDrain). A row that was
/// opened for a request serves it first, whatever the direction is by then. A refresh that is due
/// stops its rank (or bank) until it is done. A read of bytes that wait to be written is answered
/// from the queue.
///
/// Nothing ticks: next_action() is the earliest time at which anything can be done, and the owner
/// sleeps until then; run() at any other time changes nothing. An idle rank's refreshes are caught
/// up with when it is next used. Whoever reserves a bus, the next run() plans anew.
/// Not modelled: merging of writes.
class DramScheduler {
  public:
    struct Config {
        std::uint32_t read_queue = 32, write_queue = 32; ///< capacities
        std::uint32_t write_high = 28, write_low = 16;
        std::uint32_t read_batch = 0;  ///< reads before a drain begins, while any wait
        std::uint32_t write_batch = 0; ///< writes after which reads go on; 0: at write_low
        PolicyName<RowPolicy> page = "open";
        std::uint32_t most_accesses = 0; ///< of a row before it is closed; 0: no limit
        PolicyName<DramOrder> order = "first_ready";
        PolicyName<RefreshPolicy> refresh = "ranks_in_turn";
        /// Requests of a bank and direction that are looked at; what is beyond waits in the read or
        /// write queue, whose capacity counts those alone. 0: all are looked at.
        std::uint32_t bank_queue = 0;
        /// Requests accepted after a migration until it counts as demand (some may be added: it is
        /// looked at every 64). An assumption: no source; without it migrations could starve.
        std::uint32_t patience = 256;
        std::uint16_t first_user = 0; ///< number of rank 0 at the data bus
    };
    /// The states belong to a component's State and outlive the scheduler.
    DramScheduler(const Config& figures, DramDevice& device, DramDataBuses buses,
                  DramSchedulerState& state, DramCounters count, std::optional<DramSide> side = {},
                  std::optional<DramBankCounters> bank_counts = {});
    DramScheduler(const DramScheduler&) = delete;
    /// Makes the policies, sizes the state, and the device's. `place` is the owner's path.
    void init(const std::string& place, std::uint64_t machine_seed);
    const DramOrder::Traits& traits() const { return traits_; }
    /// Of a state that was loaded; `context` refuses the number of no request of the owner's.
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
    /// Requests that can wait in it, both directions together.
    std::uint32_t places() const {
        const std::uint32_t beside = traits_.leaves_when_opened ? 1 : 2 * figures_.bank_queue;
        return figures_.read_queue + figures_.write_queue + beside * parts_.device.banks();
    }
    /// Precondition: can_accept(access.write).
    /// False if a write in the queue has the data: nothing crosses a bus.
    bool enqueue(const DramAccess& access, Tick now);
    /// When run() has something to do; `never` if nothing waits.
    Tick next_action() const { return state_.plan.at; }
    /// Issues all commands that may be issued now.
    void run(Tick now);

    /// Requests done, in order of time; the time may lie ahead of now.
    Tick next_done() const { return state_.done.empty() ? never : state_.done.front().at; }
    DramDone pop_done() { return state_.done.pop(); }

    /// While the data bus is lent to somebody who does not say how long, no column command is
    /// issued whose data would cross it; all others are.
    void lend_bus(bool lent, Tick now);

    /// Banks may be reserved for this one, with an order that knows priorities.
    void set_user(DramBankUser& user) { user_ = &user; }
    void reserve(std::uint32_t bank, Tick now);
    void give_back(std::uint32_t bank, Tick now);
    bool reserved(std::uint32_t bank) const { return parts_.queue.reserved(bank); }
    /// Nothing that has started in a reserved bank goes on.
    bool quiet(std::uint32_t bank) const { return parts_.queue.empty(bank); }
    /// Whether its user may issue row commands there.
    bool granted(std::uint32_t bank) const { return quiet(bank) && !parts_.refresh.stopped(bank); }
    /// A row command of the user of a bank.
    void user_command(std::uint32_t bank, std::uint32_t row, bool open, Tick now);

    /// Writes are being served, not reads.
    bool draining() const { return parts_.draining(); }
    std::uint32_t reads() const { return parts_.queue.queued(false); }
    std::uint32_t writes() const { return parts_.queue.queued(true); }
    /// Nothing waits and all that is done was taken.
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
    bool set_direction();
    void reservation_changed(std::uint32_t bank, Tick now);
    void issue(const DramPlan& plan, Tick now);
    void row_command(std::uint32_t bank, std::uint16_t entry, bool open, Tick now);
    void column(std::uint32_t bank, std::uint16_t entry, Tick now);
    bool closes(std::uint32_t bank);
    void close_unused(std::uint32_t bank, Tick now);
    void commit(Tick now);

    Config figures_;
    DramSchedulerState& state_;
    DramOrder::Traits traits_;
    RowPolicy::Traits row_traits_;
    DramParts parts_;
    DramCounters count_;
    std::optional<DramBankCounters> bank_count_;
    DramBankUser* user_ = nullptr;
};

} // namespace memsim::mem
