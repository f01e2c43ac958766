#pragma once

#include "core/archive.hh"
#include "mem/dram_timing.hh"

#include <array>
#include <vector>

namespace memsim::mem {

/// `precharge_all` and `refresh` are of the whole rank that the bank belongs to.
enum class DramCommand : std::uint8_t {
    activate,
    read,
    write,
    precharge,
    precharge_all,
    refresh,
    refresh_bank
};

struct DramBank {
    static constexpr std::uint32_t closed = ~std::uint32_t {0};
    std::uint32_t row = closed; ///< the open one
    Tick next_activate = 0, next_read = 0, next_write = 0, next_precharge = 0;
};
/// What binds all banks of a group: its own constraints and those of its rank.
struct DramGroup {
    Tick next_activate = 0, next_read = 0, next_write = 0, next_precharge = 0;
};
struct DramRank {
    std::array<Tick, 32> activates {}; ///< the last ones, in a ring
    std::uint32_t next = 0;            ///< where the next one goes
};
/// A command as it went to the device, for tests and traces.
struct DramIssued {
    Tick at = 0;
    DramCommand command = DramCommand::activate;
    std::uint32_t bank = 0, row = 0;
    bool close = false;
    bool unused = false; ///< a refresh that was only caught up with
};

/// The values of a DramDevice, for State.
struct DramDeviceState {
    std::vector<DramBank> banks;
    std::vector<DramGroup> groups;
    std::vector<DramRank> ranks;
    Tick next_command = 0; ///< of the command bus
};

/// The DRAM behind one channel: which commands are legal when. Banks are numbered through all ranks
/// and groups: (rank x groups + group) x banks_per_group + bank. Commands may be issued at any
/// femtosecond, tCK apart; the data bus between ranks and directions is parts::DataBus's affair.
/// Without a command bus, commands may be planned ahead, those of different banks in any order.
/// Not modelled: power-down, self-refresh, on-die ECC, refresh of one bank in every group at once
/// (DDR5), contents.
class DramDevice {
  public:
    /// `transfer` is the time of a burst on the wires that it is connected to. The state belongs to
    /// a component's State and outlives the device.
    DramDevice(const DramTiming& timing, Time transfer, DramDeviceState& state,
               bool command_bus = true);
    void init();
    void check_loaded(Loader& l) const {
        for (const DramRank& r : state_.ranks)
            l.index("ranks.next", r.next, timing_.t32AW.raw ? r.activates.size() : 4);
    } ///< sizes the state

    /// The first tick at which the command meets every constraint; `never` if the bank is not in
    /// the state for it (a read of a closed bank, a refresh of a rank with an open one).
    Tick earliest(DramCommand command, std::uint32_t bank) const;
    /// Precondition: now >= earliest(command, bank). With `close`, a column command precharges its
    /// bank as soon as that is legal.
    void issue(DramCommand command, std::uint32_t bank, std::uint32_t row, Tick now,
               bool close = false);
    /// What a rank (or `single` bank) that nobody used in between has done by `now`: n refreshes,
    /// at `due` and every tREFI after it.
    void refresh_unused(std::uint32_t bank, bool single, Tick due, std::int64_t n);
    /// Every command is noted there from now on.
    void log_to(std::vector<DramIssued>* log) { log_ = log; }

    /// What `earliest` is the latest of, for a scheduler that looks at many banks at once: the
    /// bank's own constraints on activate, read, write or precharge, its group's, the bus's.
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
    Tick next_command() const { return state_.next_command; }

    const DramTiming& timing() const { return timing_; }
    std::uint32_t banks() const { return timing_.ranks * timing_.banks(); }
    std::uint32_t rank_of(std::uint32_t bank) const { return place_[bank].rank; }
    std::uint32_t group_of(std::uint32_t bank) const { return place_[bank].group; }
    std::uint32_t row(std::uint32_t bank) const { return state_.banks[bank].row; }
    bool any_open(std::uint32_t rank) const;

  private:
    struct Place {
        std::uint16_t rank, group; ///< groups numbered through all ranks
    };
    void activate(std::uint32_t bank, std::uint32_t row, Tick now);
    void column(bool write, std::uint32_t bank, Tick now, bool close);
    void precharged(std::uint32_t rank, Tick now);
    Tick all_precharged(std::uint32_t rank) const;
    Tick all_activatable(std::uint32_t rank) const;

    DramTiming timing_;
    Tick transfer_;
    DramDeviceState& state_;
    std::vector<Place> place_;
    bool command_bus_;
    std::vector<DramIssued>* log_ = nullptr;
};

} // namespace memsim::mem
