#pragma once

#include "flash/hbf/params.hh"
#include "flash/hbf/read_disturb.hh"
#include "flash/nand/nand.hh"

#include <string>

namespace memsim::flash {

struct HbfCellStats {
    using group = void;
    Counter senses {Unit::count, "Pages sensed, retries not counted"};
    Counter retries {Unit::count, "Senses again of a page that the ECC could not correct"};
    Counter programs {Unit::count, "Pages programmed"};
    Counter erases {Unit::count, "Blocks erased"};
    Counter worn {Unit::count, "Erases of blocks beyond their endurance"};
    Level most_erases {Unit::count, "Erases of the block erased most (peak)"};
    Counter refresh_requests {Unit::count, "Blocks whose refresh was requested"};
    Counter cell_energy {Unit::energy, "Energy of senses and programs"};
    ElapsedTime sense_time {"Time of all banks spent sensing, retries included"};
    PerSecond erase_rate {erases, "Blocks erased a second of simulated time"};
};

/// Plain values for State.
struct HbfCellState {
    NandArrayState array;
    ReadDisturb disturb;
    Rng random;
};

/// The cells of all banks of a stack: what pages hold, ECC and its retries, wear, read disturb. A
/// part: the owner keeps the time.
class HbfCells {
  public:
    struct Config {
        HbfGeometry geometry;
        const HbfTimes& times;
        const HbfReliability& reliability;
        const HbfEnergies& energies;
        bool written = true;   ///< blocks that nothing has touched hold data
        bool contents = false; ///< the machine carries contents
        bool reports = false;  ///< the host is asked to refresh blocks
        std::string owner;     ///< path, for errors
    };
    HbfCells(const Config& config, HbfCellStats& stats, HbfCellState& state);

    /// Senses a page; returns how long that takes.
    Tick sense(const HbfPlace& at, Tick now);
    /// Programs a page, whose contents are `data` if the machine carries any.
    Tick program(const HbfPlace& at, const Contents::Record* data);
    Tick erase(const HbfPlace& at, Tick now);
    /// So many pages of the block were written before the run began.
    void written_before(const HbfPlace& at, std::uint32_t pages) {
        array_.written_before(at.bank, at.block, pages);
    }

    SectorBytes read(const HbfPlace& at, std::uint32_t sector) const {
        return array_.contents().read(config_.geometry.page_number(at), sector);
    }
    /// The whole page.
    void read(const HbfPlace& at, Contents& contents, Contents::Id to) const {
        array_.contents().read(config_.geometry.page_number(at), 0, PageContents::most_sectors,
                               contents, to, 0);
    }
    void functional(const HbfPlace& at, FunctionalAccess& access) {
        array_.contents().functional(config_.geometry.page_number(at), access);
    }

    /// The next block whose refresh the host is to be asked for.
    bool refresh_due() const { return !state_.disturb.due.empty(); }
    HbfPlace next_refresh() { return config_.geometry.block(state_.disturb.due.pop()); }
    std::uint64_t senses_of(const HbfPlace& at) const {
        const auto* n = state_.disturb.senses.find(config_.geometry.block_number(at));
        return n ? *n : 0;
    }
    void check_loaded(Loader& l) const;

  private:
    const NandBlock& block_of(const HbfPlace& at);
    [[noreturn]] void refuse(const HbfPlace& at, const std::string& what) const;
    void spend(std::uint64_t pages, Energy of_bit);

    Config config_;
    HbfCellStats& stats_;
    HbfCellState& state_;
    NandArray array_;
};

} // namespace memsim::flash
