#pragma once

#include "core/fifo.hh"
#include "core/free_list.hh"
#include "core/stats.hh"
#include "mem/dram_device.hh"
#include "parts/data_bus.hh"

#include <array>
#include <bit>
#include <functional>
#include <optional>
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

/// Which of the commands that requests wait for goes next.
enum class DramOrder : std::uint8_t {
    first_ready,   ///< what can go first; at one time column commands, then the oldest request's
    oldest_ready,  ///< what can go first; at one time the oldest request's, those that have opened
                   ///< their row before all; a row is closed for a request older than its hits
    bank_rotation, ///< the banks take turns, one command each
    committed,     ///< bursts in an order that is fixed tRP + tRCD before the bus is free
};
constexpr std::array<std::string_view, 4> names_of(DramOrder) {
    return {"first_ready", "oldest_ready", "bank_rotation", "committed"};
}

enum class DramRefresh : std::uint8_t {
    ranks_in_turn, ///< all banks of a rank, the ranks spread over tREFI
    all_ranks,     ///< all banks of all ranks at once
    single_banks,  ///< bank by bank, spread over tREFI
};
constexpr std::array<std::string_view, 3> names_of(DramRefresh) {
    return {"ranks_in_turn", "all_ranks", "single_banks"};
}

/// Demand goes before migration wherever both could issue the same kind of command at once.
enum class DramPriority : std::uint8_t { demand, migration };

/// What an access's data crosses.
enum class DramWires : std::uint8_t {
    data, ///< the data bus
    side, ///< a second bus beside it: DramSide
    none, ///< nothing: it is already in, or stays in, a register in front of the device
};

/// One request to the scheduler: `bursts` column commands to consecutive columns of one row.
struct DramAccess {
    std::uint32_t context = 0; ///< the owner's; comes back in DramDone
    std::uint32_t bank = 0;    ///< DramDevice's number
    std::uint32_t row = 0;
    std::uint32_t column = 0; ///< the first one, in bursts
    std::uint16_t bursts = 1;
    bool write = false;
    DramPriority priority = DramPriority::demand;
    DramWires wires = DramWires::data; ///< else only with DramOrder::first_ready
};

/// A request whose last byte has been moved.
struct DramDone {
    Tick at = 0;      ///< when that byte is at its end of its wires
    Tick started = 0; ///< when the first command for it was issued; stages: queue until then
    std::uint32_t context = 0;
    bool write = false;
};

/// What a FrFcfs counts, bound by its owner to counters of its own Stats.
struct DramCounters {
    Counter &activates, &precharges, &refreshes, &row_hits, &row_misses, &row_conflicts, &forwarded,
        &bus_bytes, &bus_busy;
};

/// Wires beside the data bus that lead to the same devices: one more transfer at a time.
struct DramSide {
    parts::DataBus& bus;
    Counter& busy;
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
        refresh_due,
        commit,
        activate_2
    };
    /// A command that may be issued at `at`; of two, the better one comes first in the order of
    /// (time, column before row commands, demand before migration, age).
    struct Command {
        Tick at = never;
        std::uint64_t order = 0; ///< among commands of one time: see order_of()
        std::uint32_t bank = 0;
        Action action = Action::nothing;
        std::uint16_t entry = 0xffff; ///< for whom
    };
    /// What a bank needs for the request that is next there, by its own constraints alone.
    struct Candidate {
        Tick at = never;
        std::uint64_t order = ~std::uint64_t {0};
        Action action = Action::nothing;
        bool data = false;            ///< a column command whose data crosses the data bus
        std::uint16_t entry = 0xffff; ///< for whom
        std::uint16_t limit = 0;      ///< which of its group's limits it keeps: see limits_of()
    };
    struct Entry {
        DramAccess access;
        std::uint16_t next = 0; ///< younger, of the same bank and direction
        std::uint16_t left = 0; ///< column commands not yet issued
        bool held = false;
        bool started = false;
        bool opened = false; ///< its row was opened for it
        std::uint64_t age = 0;
        Tick first_command = 0;
    };
    struct List {
        std::uint16_t head = 0xffff, tail = 0xffff;
    };
    struct Bank {
        std::array<List, 2> waiting; ///< reads, writes; oldest first
        std::array<std::uint16_t, 2> count {};
        std::uint32_t held_row = DramBank::closed; ///< somebody else's: see hold()
        std::uint32_t accesses = 0;                ///< column commands since the row was opened
        bool conflict = false;                     ///< closed for the sake of another row
        bool first_access = false;                 ///< the row was opened and not used yet
        std::uint16_t opener = 0xffff;             ///< for whom it was opened, until he is served
    };
    std::vector<Entry> entries;
    FreeList free;
    std::vector<Bank> banks;
    std::vector<Candidate> candidates; ///< one a bank
    std::vector<Candidate> second;     ///< a row closed for an older request; not with first_ready
    std::array<std::vector<std::uint64_t>, 2> used_banks; ///< a bit a bank with something waiting
    std::vector<std::uint64_t> held_banks;                ///< a bit a bank that is somebody else's
    std::vector<std::uint64_t> data_banks;    ///< a bit a bank whose candidate has `data`
    std::vector<std::uint64_t> other_banks;   ///< and one whose candidate is of the other direction
    std::uint32_t others = 0;                 ///< how many those are
    std::uint32_t holds = 0;                  ///< how many are
    std::array<std::uint32_t, 2> queued {};   ///< reads, writes
    std::array<std::uint32_t, 2> eligible {}; ///< of them, not held
    std::array<std::uint32_t, 2> opened {};   ///< of those queued, a bank's opener
    std::array<std::uint32_t, 2> beyond {};   ///< of those queued, not yet in their bank's queue
    std::vector<Tick> refresh_at;             ///< when each rank's (or bank's) next refresh is due
    std::vector<std::uint8_t> refreshing;     ///< due, not yet issued
    std::uint32_t units_refreshing = 0;       ///< ranks or banks
    Tick next_refresh = never;
    bool draining = false;        ///< writes are issued now, not reads
    std::uint32_t served = 0;     ///< column commands since that changed
    std::uint32_t last_bank = 0;  ///< that had its turn
    Tick next_burst = 0;          ///< the first column command that leaves no gap (committed)
    std::uint64_t age = 0;        ///< requests accepted
    std::uint32_t migrations = 0; ///< waiting
    bool bus_lent = false;
    Command plan;
    Tick bus_seen = 0;      ///< when the buses were free as the plan was made, as a sum
    Tick others_at = never; ///< nothing goes earlier but bursts over the data bus
    Tick first_until = 0;   ///< the planned burst's request goes first until then: see goes_on()
    Fifo<DramDone> done;
};

/// First-ready, first-come first-served (Rixner et al., ISCA 2000) for the DRAM of one channel.
///
/// Reads and writes wait in two queues. Reads are served until the writes reach `write_high` or no
/// read is left; then writes, until they are down to `write_low` and a read waits. A row that was
/// opened for a request serves it first, whatever the direction is by then. Of what may be
/// issued at the earliest time, a column command goes first, then demand before migration, then the
/// oldest. A row is not closed while an access to it waits in the queue being served. A refresh
/// that is due stops its rank (or bank) until it is done. A read of bytes that wait to be written
/// is answered from the queue. The other orders (DramOrder) are what other simulators do; they know
/// no priorities.
///
/// Nothing ticks: next_action() is the earliest time at which anything can be done, and the owner
/// sleeps until then; run() at any other time changes nothing. An idle rank's refreshes are caught
/// up with when it is next used. The data bus may be shared: whoever reserves it, the next run()
/// plans anew. So may the side bus be, if there is one; each has its own turnaround, the device's
/// own constraints know no difference.
/// Not modelled: postponed refreshes, merging of writes.
class FrFcfs {
  public:
    struct Figures {
        std::uint32_t read_queue = 32, write_queue = 32; ///< capacities
        std::uint32_t write_high = 28, write_low = 16;
        std::uint32_t read_batch = 0;  ///< reads before a drain begins, while any wait
        std::uint32_t write_batch = 0; ///< writes after which reads go on; 0: at write_low
        PagePolicy page = PagePolicy::open;
        std::uint32_t most_accesses = 0; ///< of a row before it is closed; 0: no limit
        DramOrder order = DramOrder::first_ready;
        DramRefresh refresh = DramRefresh::ranks_in_turn;
        /// Requests of a bank and direction that are looked at; what is beyond waits in the read or
        /// write queue, whose capacity counts those alone. 0: all are looked at.
        std::uint32_t bank_queue = 0;
        /// Accesses to an open row after which a request older than the hits that wait closes it;
        /// 0: never. With bank_rotation.
        std::uint32_t row_limit = 0;
        /// Requests accepted after a migration until it counts as demand (some may be added: it is
        /// looked at every 64). An assumption: no source; without it migrations could starve.
        std::uint32_t patience = 256;
        std::uint16_t first_user = 0; ///< number of rank 0 at the data bus
    };
    /// The states belong to a component's State and outlive the scheduler.
    FrFcfs(const Figures& figures, DramDevice& device, parts::DataBus& bus, FrFcfsState& state,
           DramCounters count, std::optional<DramSide> side = {});
    void init(); ///< sizes the state, and the device's
    /// Of a state that was loaded; `context` refuses the number of no request of the owner's.
    void check_loaded(Loader& l, const std::function<void(std::uint32_t)>& context) const;

    bool can_accept(bool write) const {
        const std::uint32_t most = write ? figures_.write_queue : figures_.read_queue;
        if (figures_.bank_queue) return state_.beyond[write] < most;
        // In a committed order a read keeps its place until its data has come.
        const bool on_the_way = figures_.order == DramOrder::committed && !write;
        // With oldest_ready a request leaves its queue as its row is opened.
        const bool leaves = figures_.order == DramOrder::oldest_ready;
        return state_.queued[write] + (on_the_way ? state_.done.size() : 0) -
                   (leaves ? state_.opened[write] : 0) <
               most;
    }
    /// Requests that can wait in it, both directions together.
    std::uint32_t places() const {
        const std::uint32_t beside =
            figures_.order == DramOrder::oldest_ready ? 1 : 2 * figures_.bank_queue;
        return figures_.read_queue + figures_.write_queue + beside * device_.banks();
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

    /// While the data bus is lent to somebody who does not say how long, no column command is
    /// issued whose data would cross it; all others are.
    void lend_bus(bool lent, Tick now);

    /// Gives a bank to somebody else, who issues column commands to `row` by himself, until
    /// release(): all that waits for the bank is kept back. What has begun there goes on; then the
    /// row is opened, and opened again after a refresh. Only with DramOrder::first_ready.
    void hold(std::uint32_t bank, std::uint32_t row, Tick now);
    void release(std::uint32_t bank, Tick now);
    bool held(std::uint32_t bank) const { return state_.banks[bank].held_row != DramBank::closed; }
    /// Nothing of its own goes on in a held bank, and the row is open.
    bool preset(std::uint32_t bank) const {
        return device_.row(bank) == state_.banks[bank].held_row && !in_progress(bank);
    }
    /// Writes are being served, not reads.
    bool draining() const { return state_.draining; }

    std::uint32_t reads() const { return state_.queued[0]; }
    std::uint32_t writes() const { return state_.queued[1]; }
    /// Nothing waits and all that is done was taken.
    bool idle() const { return reads() + writes() == 0 && state_.done.empty(); }

  private:
    using Action = FrFcfsState::Action;
    using Command = FrFcfsState::Command;
    using Entry = FrFcfsState::Entry;
    using Bank = FrFcfsState::Bank;
    using Limits = std::array<Tick, 9>; ///< see limits_of()
    struct Floor {                      ///< when the command buses are free
        Tick column, row, activate;
    };
    Floor floor_of(Tick now) const {
        const Tick row = std::max(now, device_.next_command(false));
        return {std::max(now, device_.next_command(true)), row,
                device_.half_activated() ? never : row};
    }
    static constexpr std::uint16_t none = 0xffff; ///< entry
    /// Of a group's limits those of column commands over the data bus, the side bus and no wires:
    /// beside one each Action (nothing, column, activate, precharge), then of the direction that is
    /// not served.
    static constexpr std::array<std::uint16_t, 3> own_columns {1, 4, 5}, other_columns {6, 7, 8};
    static constexpr std::uint16_t column_limit(DramWires wires, bool other) {
        return (other ? other_columns : own_columns)[static_cast<std::size_t>(wires)];
    }

    /// Smaller is better: row commands after column commands, migration after demand, young after
    /// old. Refreshes have 0: they go before anything. The bank, in the last bits, decides nothing.
    static constexpr std::uint64_t order_of(bool column, bool urgent, std::uint64_t age,
                                            std::uint32_t bank) {
        return std::uint64_t {!column} << 63 | std::uint64_t {!urgent} << 62 | age << 8 | bank;
    }
    static constexpr std::uint32_t bank_of(std::uint64_t order) { return order & 0xff; }

    bool in_progress(std::uint32_t bank) const;
    FrFcfsState::Candidate opening(std::uint32_t bank) const;
    bool busy() const { return state_.queued[0] + state_.queued[1] + state_.holds != 0; }
    bool forward(const DramAccess& access, Tick now);
    void finish(const DramDone& done);
    void catch_up(Tick now);
    void choose(std::uint32_t bank);
    void choose_next(std::uint32_t bank);
    /// The request of the direction that is not served for which the row was opened, if it still
    /// waits: closing the row now would waste an activate.
    std::uint16_t unserved_opener(std::uint32_t bank) const {
        if (state_.opened[!state_.draining] == 0) return none;
        const std::uint16_t e = state_.banks[bank].opener;
        return e != none && state_.entries[e].access.write != state_.draining ? e : none;
    }
    void set_opener(std::uint32_t bank, std::uint16_t entry);
    void choose_all();
    Limits limits_of(std::uint32_t bank, const Floor& floor) const;
    void columns(Limits& all, const std::array<std::uint16_t, 3>& places, bool write,
                 std::uint32_t group, std::uint16_t of, Tick floor) const;
    template <class F>
    void for_each_used_bank(std::uint64_t also_held, const Floor& floor, F&& f) const;
    Command first_ready(const Floor& floor);
    Tick first_until(const Command& planned) const;
    Tick lets_pass(const FrFcfsState::Candidate& burst, std::uint32_t bank,
                   const Command& planned) const;
    Command refresh_of(std::uint32_t unit, const Floor& floor) const;
    Command second_half(const Command& other, const Floor& floor) const;
    void plan(Tick now);
    bool goes_on(const Command& issued, Tick now);
    bool set_direction();
    void issue(const Command& command, Tick now);
    void column(std::uint32_t bank, std::uint16_t entry, Tick now);
    void row_command(std::uint32_t bank, std::uint16_t entry, bool open, Tick now);
    void refresh_due(Tick now);
    void refresh_done(std::uint32_t unit);

    // The orders of other simulators: dram_orders.cc.
    void choose_pair(std::uint32_t bank);
    Command next_in_order(const Floor& floor) const;
    Command next_commit(Tick now) const;
    std::uint16_t choose_burst(Tick now) const;
    Tick column_allowed(std::uint32_t bank) const;
    void commit(Tick now);

    bool singly() const { return figures_.refresh == DramRefresh::single_banks; }
    std::uint32_t unit_of(std::uint32_t bank) const {
        return singly() ? bank : device_.rank_of(bank);
    }
    std::uint32_t first_bank(std::uint32_t unit) const {
        return singly() ? unit : unit * device_.timing().banks();
    }
    template <class F>
    void for_each_bank(std::uint32_t unit, F&& f) {
        const std::uint32_t first = first_bank(unit);
        const std::uint32_t banks = singly() ? 1 : device_.timing().banks();
        for (std::uint32_t b = first; b < first + banks; ++b) f(b);
    }
    void choose_unit(std::uint32_t unit) {
        for_each_bank(unit, [this](std::uint32_t b) { choose(b); });
    }
    void remove(std::uint32_t bank, std::uint16_t entry);
    bool urgent(const Entry& e) const {
        return e.access.priority == DramPriority::demand || state_.age - e.age > figures_.patience;
    }
    Tick move(DramWires wires, std::uint32_t bank, Tick data, bool write);
    /// Grows with every reservation of either bus.
    Tick buses_free() const { return bus_.free_at() + (side_ ? side_->bus.free_at() : 0); }
    std::uint16_t user(std::uint32_t rank) const {
        return static_cast<std::uint16_t>(figures_.first_user + rank);
    }

    Figures figures_;
    DramDevice& device_;
    parts::DataBus& bus_;
    FrFcfsState& state_;
    DramCounters count_;
    std::optional<DramSide> side_;
    Tick burst_time_; ///< between a device and the register in front of it
};

/// The earliest column commands over the data bus, the side bus and no wires.
[[gnu::always_inline]] inline void FrFcfs::columns(Limits& all,
                                                   const std::array<std::uint16_t, 3>& places,
                                                   bool write, std::uint32_t group,
                                                   std::uint16_t of, Tick floor) const {
    const Tick latency = device_.latency(write);
    const Tick column =
        std::max(floor, device_.group_ready(write ? DramCommand::write : DramCommand::read, group));
    all[places[0]] = state_.bus_lent ? never : std::max(column, bus_.earliest(of, write) - latency);
    all[places[1]] = side_ ? std::max(column, side_->bus.earliest(of, write) - latency) : never;
    all[places[2]] = column;
}

/// The earliest times of each action in a bank's group, as far as banks have no say.
[[gnu::always_inline]] inline FrFcfs::Limits FrFcfs::limits_of(std::uint32_t bank,
                                                               const Floor& floor) const {
    const std::uint32_t group = device_.group_of(bank);
    const std::uint16_t of = user(device_.rank_of(bank));
    Limits all; // what is of the other direction stays undefined while no candidate has it
    all[0] = never;
    columns(all, own_columns, state_.draining, group, of, floor.column);
    all[2] = std::max(floor.activate, device_.group_ready(DramCommand::activate, group));
    all[3] = std::max(floor.row, device_.group_ready(DramCommand::precharge, group));
    if (state_.others) [[unlikely]]
        columns(all, other_columns, !state_.draining, group, of, floor.column);
    return all;
}

/// Calls f(bank, limits of its group) for every bank with something waiting in the queue that is
/// served or with a row opened for the other, and for those that are held, if asked for. Banks are
/// numbered group by group.
template <class F>
inline void FrFcfs::for_each_used_bank(std::uint64_t also_held, const Floor& floor, F&& f) const {
    Limits limit;
    std::uint32_t group = ~0u;
    const auto& words = state_.used_banks[state_.draining];
    for (std::uint32_t w = 0; w < words.size(); ++w)
        for (std::uint64_t bits =
                 words[w] | state_.other_banks[w] | (state_.held_banks[w] & also_held);
             bits; bits &= bits - 1) {
            const std::uint32_t b = w * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
            if (device_.group_of(b) != group) {
                group = device_.group_of(b);
                limit = limits_of(b, floor);
            }
            f(b, limit);
        }
}

/// The last time at which another bank's command cannot take the place of a burst, if the burst's
/// request has the data bus: commands for younger requests over the same bus never do, nor do those
/// of another rank, for which the bus has a gap.
inline Tick FrFcfs::lets_pass(const FrFcfsState::Candidate& burst, std::uint32_t bank,
                              const Command& planned) const {
    const bool before = burst.order < planned.order;
    const bool near = device_.rank_of(bank) == device_.rank_of(planned.bank) || !bus_.gap();
    return before && near ? burst.at - 1 : never;
}

} // namespace memsim::mem
