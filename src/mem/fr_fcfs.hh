#pragma once

#include "core/fifo.hh"
#include "core/stats.hh"
#include "mem/dram_device.hh"
#include "parts/data_bus.hh"

#include <array>
#include <vector>

namespace memsim::mem {

/// What happens to a row after an access.
enum class PagePolicy : std::uint8_t {
    open,          ///< it stays open until another row or a refresh needs the bank
    open_adaptive, ///< it is closed when another row is waited for and no access to this one
    closed,        ///< it is closed when no access to it waits
};
constexpr std::array<std::string_view, 3> names_of(PagePolicy) {
    return {"open", "open_adaptive", "closed"};
}

/// Demand goes before migration wherever both could issue the same kind of command at once, and
/// `hold` keeps back demand alone.
enum class DramPriority : std::uint8_t { demand, migration };

/// One request to the scheduler: `bursts` column commands to consecutive columns of one row.
struct DramAccess {
    std::uint32_t context = 0; ///< the owner's; comes back in DramDone
    std::uint32_t bank = 0;    ///< DramDevice's number
    std::uint32_t row = 0;
    std::uint32_t column = 0; ///< the first one, in bursts
    std::uint16_t bursts = 1;
    bool write = false;
    DramPriority priority = DramPriority::demand;
};

/// A request whose last byte has been moved.
struct DramDone {
    Tick at = 0;      ///< when that byte is at its end of the channel
    Tick started = 0; ///< when the first command for it was issued; stages: queue until then
    std::uint32_t context = 0;
    bool write = false;
};

/// What a FrFcfs counts, bound by its owner to counters of its own Stats.
struct DramCounters {
    Counter &activates, &precharges, &refreshes, &row_hits, &row_misses, &row_conflicts, &forwarded,
        &bus_bytes, &bus_busy;
};

/// The values of a FrFcfs, for State.
struct FrFcfsState {
    enum class Action : std::uint8_t {
        nothing,
        column,
        activate,
        precharge,
        precharge_all,
        refresh,
        refresh_due
    };
    /// A command that may be issued at `at`; of two, the better one comes first in the order of
    /// (time, column before row commands, demand before migration, age).
    struct Command {
        Tick at = never;
        std::uint64_t order = 0; ///< among commands of one time: see order_of()
        std::uint32_t bank = 0;
        Action action = Action::nothing;
    };
    /// What a bank needs for the request that is next there, by its own constraints alone.
    struct Candidate {
        Tick at = never;
        std::uint64_t order = 0;
        Action action = Action::nothing;
        std::uint16_t entry = 0xffff; ///< for whom
        std::uint16_t limit = 0;      ///< which of the limits in plan() is its group's and action's
    };
    struct Entry {
        DramAccess access;
        std::uint16_t next = 0; ///< younger, of the same bank and direction
        std::uint16_t left = 0; ///< column commands not yet issued
        bool held = false;
        bool started = false;
        std::uint64_t age = 0;
        Tick first_command = 0;
    };
    struct List {
        std::uint16_t head = 0xffff, tail = 0xffff;
    };
    struct Bank {
        std::array<List, 2> waiting; ///< reads, writes; oldest first
        std::uint32_t held_row = DramBank::closed;
        std::uint32_t accesses = 0; ///< column commands since the row was opened
        bool conflict = false;      ///< closed for the sake of another row
        bool first_access = false;  ///< the row was opened and not used yet
    };
    std::vector<Entry> entries;
    std::vector<std::uint16_t> free;
    std::vector<Bank> banks;
    std::vector<Candidate> candidates;                    ///< one a bank
    std::array<std::vector<std::uint64_t>, 2> used_banks; ///< a bit a bank with something waiting
    std::array<std::uint32_t, 2> queued {};               ///< reads, writes
    std::array<std::uint32_t, 2> eligible {};             ///< of them, not held
    std::vector<Tick> refresh_at;                         ///< when each rank's next refresh is due
    std::vector<std::uint8_t> refreshing;                 ///< due, not yet issued
    std::uint32_t ranks_refreshing = 0;
    Tick next_refresh = never;
    bool draining = false;        ///< writes are issued now, not reads
    std::uint64_t age = 0;        ///< requests accepted
    std::uint32_t migrations = 0; ///< waiting
    Command plan;
    Tick bus_seen = 0; ///< when the bus was free as the plan was made
    Fifo<DramDone> done;
};

/// First-ready, first-come first-served (Rixner et al., ISCA 2000) for the DRAM of one channel.
///
/// Reads and writes wait in two queues. Reads are served until the writes reach `write_high` or no
/// read is left; then writes, until they are down to `write_low` and a read waits. Of what may be
/// issued at the earliest time, a column command goes first, then demand before migration, then the
/// oldest. A row is not closed while an access to it waits in the queue being served. A refresh
/// that is due stops its rank until it is done. A read of bytes that wait to be written is answered
/// from the queue.
///
/// Nothing ticks: next_action() is the earliest time at which anything can be done, and the owner
/// sleeps until then; run() at any other time changes nothing. An idle rank's refreshes are caught
/// up with when it is next used. The data bus may be shared: whoever reserves it, the next run()
/// plans anew.
/// Not modelled: postponed refreshes, merging of writes.
class FrFcfs {
  public:
    struct Figures {
        std::uint32_t read_queue = 32, write_queue = 32; ///< capacities
        std::uint32_t write_high = 28, write_low = 16;
        PagePolicy page = PagePolicy::open;
        std::uint32_t most_accesses = 0; ///< of a row before it is closed; 0: no limit
        /// Requests accepted after a migration until it counts as demand (some may be added: it is
        /// looked at every 64). An assumption: no source; without it migrations could starve.
        std::uint32_t patience = 256;
        std::uint16_t first_user = 0; ///< number of rank 0 at the data bus
    };
    /// The states belong to a component's State and outlive the scheduler.
    FrFcfs(const Figures& figures, DramDevice& device, parts::DataBus& bus, FrFcfsState& state,
           DramCounters count);
    void init(); ///< sizes the state, and the device's

    bool can_accept(bool write) const {
        return state_.queued[write] < (write ? figures_.write_queue : figures_.read_queue);
    }
    /// Precondition: can_accept(access.write).
    void enqueue(const DramAccess& access, Tick now);
    /// When run() has something to do; `never` if nothing waits.
    Tick next_action() const { return state_.plan.at; }
    /// Issues all commands that may be issued now.
    void run(Tick now);

    /// Requests done, in order of time; the time may lie ahead of now.
    Tick next_done() const { return state_.done.empty() ? never : state_.done.front().at; }
    DramDone pop_done() { return state_.done.pop(); }

    /// Keeps demand for this row back (a swap moves it) until release(); migration passes, and so
    /// does demand whose commands have begun. A bank holds back one row at a time.
    void hold(std::uint32_t bank, std::uint32_t row, Tick now);
    void release(std::uint32_t bank, Tick now);
    bool holds(std::uint32_t bank, std::uint32_t row) const {
        return state_.banks[bank].held_row == row;
    }
    /// Whether demand of this row that is not held still has commands to issue: after hold(), what
    /// had begun before.
    bool in_progress(std::uint32_t bank, std::uint32_t row) const;

    std::uint32_t reads() const { return state_.queued[0]; }
    std::uint32_t writes() const { return state_.queued[1]; }
    /// Nothing waits and all that is done was taken.
    bool idle() const { return reads() + writes() == 0 && state_.done.empty(); }

  private:
    using Action = FrFcfsState::Action;
    using Command = FrFcfsState::Command;
    using Entry = FrFcfsState::Entry;
    using Bank = FrFcfsState::Bank;

    bool forward(const DramAccess& access, Tick now);
    void finish(const DramDone& done);
    void catch_up(Tick now);
    void choose(std::uint32_t bank);
    void choose_all();
    void limits_of(std::uint32_t group, Tick floor, Tick* limit) const;
    Command refresh_of(std::uint32_t rank, Tick floor) const;
    void plan(Tick now);
    bool set_direction();
    void issue(const Command& command, Tick now);
    void column(std::uint32_t bank, Tick now);
    void remove(std::uint32_t bank, std::uint16_t entry);
    bool urgent(const Entry& e) const {
        return e.access.priority == DramPriority::demand || state_.age - e.age > figures_.patience;
    }
    std::uint16_t user(std::uint32_t rank) const {
        return static_cast<std::uint16_t>(figures_.first_user + rank);
    }

    Figures figures_;
    DramDevice& device_;
    parts::DataBus& bus_;
    FrFcfsState& state_;
    DramCounters count_;
};

} // namespace memsim::mem
