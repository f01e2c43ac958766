#pragma once

#include "core/state/archive.hh"
#include "mem/dram/device/timing.hh"

#include <algorithm>
#include <array>
#include <vector>

namespace memsim::mem {

/// `precharge_all` and `refresh` apply to the whole rank of the bank.
enum class DramCommand : std::uint8_t {
    activate, ///< ACT-1 if the table has a tAAD
    read,
    write,
    precharge,
    precharge_all,
    refresh,
    refresh_bank,
    activate_2 ///< second half of the activate before it
};

struct DramBank {
    static constexpr std::uint32_t closed = ~std::uint32_t {0};
    std::uint32_t row = closed; ///< the open row
    bool written = false;       ///< the row was written since it was opened
    Tick next_activate = 0, next_read = 0, next_write = 0, next_precharge = 0;
};
/// Constraints on all banks of a group: those of the group and of its rank.
struct DramGroup {
    Tick next_activate = 0, next_read = 0, next_write = 0, next_precharge = 0;
};
struct DramRank {
    std::array<Tick, 32> activates {}; ///< the latest, in a ring
    std::uint32_t next = 0;            ///< index of the next entry
};
/// An issued command, for tests and traces.
struct DramIssued {
    Tick at = 0;
    DramCommand command = DramCommand::activate;
    std::uint32_t bank = 0, row = 0;
    bool close = false;
    bool unused = false; ///< a refresh of an unused rank, added later
};

/// The values of a DramDevice, for State.
struct DramDeviceState {
    std::vector<DramBank> banks;
    std::vector<DramGroup> groups;
    std::vector<DramRank> ranks;
    std::array<Tick, 2>
        next_command {}; ///< free times of the command buses: row and column commands
    std::uint32_t half_activated = ~std::uint32_t {0}; ///< bank that waits for its ACT-2
    Tick second_by = 0;                                ///< deadline of the ACT-2
};

/// The DRAM of one channel: determines when each command is legal. Banks are numbered through all
/// ranks and groups: (rank x groups + group) x banks_per_group + bank.
///
/// Models        Commands may be issued at any femtosecond, separated by the time that they occupy
///               the command bus. Constraints count from the end of one command to the end of the
///               other. An activate of two commands (tAAD) counts from the first. DataBus models
///               the data bus.
/// Not modelled  Power-down, self-refresh, on-die ECC, refresh of one bank in every group at once
///               (DDR5), contents.
class DramDevice {
  public:
    /// `transfer`: the time of a burst on the attached wires. The state belongs to a component's
    /// State and outlives the device.
    DramDevice(const DramTiming& timing, Time transfer, DramDeviceState& state);
    void init(); ///< sizes the state
    /// Disables the command bus: from now on commands may be issued ahead of their time, those of
    /// different banks in any order.
    void plan_ahead() { command_bus_ = false; }
    void check_loaded(Loader& l) const {
        for (const DramRank& r : state_.ranks)
            l.index("ranks.next", r.next, timing_.t32AW.raw ? r.activates.size() : 4);
    }

    /// The first tick at which the command meets every constraint. `never` if the bank is in the
    /// wrong state (a read of a closed bank, a refresh of a rank with an open one).
    Tick earliest(DramCommand command, std::uint32_t bank) const;
    /// Requires: now >= earliest(command, bank). With `close`, a column command precharges its bank
    /// as soon as that is legal.
    void issue(DramCommand command, std::uint32_t bank, std::uint32_t row, Tick now,
               bool close = false);
    /// Adds n refreshes of a rank (or `single` bank) that was unused since: at `due` and every
    /// tREFI after it.
    void refresh_unused(std::uint32_t bank, bool single, Tick due, std::int64_t n);
    /// Closes the row of a bank that was unused since, at `at` or as soon as that was legal.
    void precharge_unused(std::uint32_t bank, Tick at);
    /// Appends every later command to this log.
    void log_to(std::vector<DramIssued>* log) { log_ = log; }

    /// The terms of which `earliest` is the maximum, for a scheduler that compares many banks: the
    /// constraints of the bank on activate, read, write or precharge, those of its group, and those
    /// of the bus.
    Tick bank_ready(DramCommand command, std::uint32_t bank) const {
        const DramBank& b = state_.banks[bank];
        switch (command) {
        case DramCommand::activate:
        case DramCommand::refresh_bank:
            return b.next_activate;
        case DramCommand::read:
            return b.next_read;
        case DramCommand::write:
            return b.next_write;
        default:
            return b.next_precharge;
        }
    }
    Tick group_ready(DramCommand command, std::uint32_t group) const {
        const DramGroup& g = state_.groups[group];
        switch (command) {
        case DramCommand::activate:
            return g.next_activate;
        case DramCommand::read:
            return g.next_read;
        case DramCommand::write:
            return g.next_write;
        case DramCommand::refresh_bank:
            return g.next_activate;
        default:
            return g.next_precharge;
        }
    }
    /// When the command bus is free, for a column command or for any other.
    Tick next_command(bool column) const { return state_.next_command[column]; }
    /// From the start of a column command to the first bit of its data.
    Tick latency(bool write) const { return write ? write_latency_ : read_latency_; }
    /// An activate lacks its second half, due at `second_by`. No other activate may start.
    bool half_activated() const { return state_.half_activated != no_bank; }
    std::uint32_t half_activated_bank() const { return state_.half_activated; }
    Tick second_by() const { return state_.second_by; }
    /// The longest time that any command occupies its bus.
    Tick longest_command() const { return *std::max_element(taken_.begin(), taken_.end()); }

    const DramTiming& timing() const { return timing_; }
    std::uint32_t banks() const { return timing_.ranks * timing_.banks(); }
    std::uint32_t rank_of(std::uint32_t bank) const { return place_[bank].rank; }
    std::uint32_t group_of(std::uint32_t bank) const { return place_[bank].group; }
    std::uint32_t row(std::uint32_t bank) const { return state_.banks[bank].row; }
    bool any_open(std::uint32_t rank) const;

  private:
    static constexpr std::uint32_t no_bank = ~std::uint32_t {0};
    enum Kind : std::uint8_t { row_command, column_command, activation }; ///< by time on the bus
    static constexpr Kind kind(DramCommand c) {
        return c == DramCommand::activate                          ? activation
               : c == DramCommand::read || c == DramCommand::write ? column_command
                                                                   : row_command;
    }
    void count_from_the_begin();
    struct Place {
        std::uint16_t rank, group; ///< groups are numbered through all ranks
    };
    void activate(std::uint32_t bank, std::uint32_t row, Tick now);
    void column(bool write, std::uint32_t bank, Tick now, bool close);
    void precharged(std::uint32_t rank, Tick now);
    /// From the precharge until the bank may open another row.
    Tick closing_time(const DramBank& b) const { return (b.written ? gap_.tRPW : gap_.tRP).raw; }
    Tick all_precharged(std::uint32_t rank) const;
    Tick all_activatable(std::uint32_t rank) const;

    DramTiming timing_;
    DramTiming gap_; ///< the same, from the start of one command to the start of the other
    std::array<Tick, 3> taken_;   ///< time on the command bus, by Kind
    Tick refresh_after_activate_; ///< minimum delay of a refresh after an activate
    Tick read_latency_, write_latency_;
    Tick transfer_;
    DramDeviceState& state_;
    std::vector<Place> place_;
    bool command_bus_ = true;
    std::vector<DramIssued>* log_ = nullptr;
};

} // namespace memsim::mem
