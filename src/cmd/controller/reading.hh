#pragma once

#include "cmd/controller/actions.hh"
#include "cmd/tables/read_classes.hh"
#include "core/declare/param.hh"

#include <functional>

namespace memsim::cmd {

struct ReadingParams {
    using group = void;
    Param<bool> assisted_read {true, "Copy inter-duplicates from the L2", stated("CMD IV-C")};
    Param<unsigned> copy_cycles {20,
                                 {0, 10000},
                                 "Cycles to look up a sector in the L2 and copy it",
                                 assumed("no source gives it; range 10-60")};
    Param<bool> look_takes_bank {
        false,
        "A look-up of a sector in the L2 occupies its bank like a read (not stated in the paper)",
        assumed("beside the L2's own accesses")};
};
struct ReadingStats {
    using group = void;
    Counter reads_never_written {Unit::count, "Reads of blocks that were never written back (00)"};
    Counter reads_of_intra {Unit::count, "Reads of intra-duplicates (01)"};
    Counter reads_of_inter {Unit::count, "Reads of blocks mapped to another place (10)"};
    Counter reads_of_own {Unit::count, "Reads of blocks written to their own place (11)"};
    Counter intra_sectors {Unit::count, "Sectors read from map entries"};
    Counter copied_sectors {Unit::count, "Sectors copied from the L2"};
    Counter looked_sectors {Unit::count, "Sectors looked up in the L2"};
};

/// The steps of a read (CMD, section IV-C): look up the type and, if needed, map entry and mask.
/// Sectors outside the mask are read from the block's own place. The others come from the map
/// entry, from the L2 line of the reference (if it is clean and that block still uses its own
/// place), or from memory. A part.
class Reading {
  public:
    /// The sector at a machine address in the L2; its bytes are known if the line is valid and
    /// clean.
    using Look = std::function<SectorBytes(std::uint64_t address)>;
    Reading(const ReadingParams& p, const BlockMap& map, const Shared& shared, ReadClasses& classes,
            Look look, ReadingStats& stat)
        : params_(p), map_(map), shared_(shared), classes_(classes), look_up_(std::move(look)),
          stat_(stat) {}

    /// Takes the next step of a job. Returns what it waits for, or that it is complete.
    Actions step(std::uint32_t id);

  private:
    Counter& reads_of(BlockType type) const;
    Actions find_sectors(std::uint32_t id, Job& j);
    Actions copy_from_caches(std::uint32_t id, Job& j);
    action::Fetch fetch(const Job& j, std::uint32_t place, std::uint32_t sectors) {
        const BlockType type = shared_.placement.table().type(j.block);
        return {place, sectors, &classes_.of(j.block, type, bits_set(sectors))};
    }

    const ReadingParams& params_;
    const BlockMap& map_;
    const Shared shared_;
    ReadClasses& classes_;
    Look look_up_;
    ReadingStats& stat_;
};

} // namespace memsim::cmd
