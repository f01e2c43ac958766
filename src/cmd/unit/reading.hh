#pragma once

#include "cmd/unit/actions.hh"
#include "core/declare/param.hh"

#include <functional>

namespace memsim::cmd {

struct ReadingParams {
    using group = void;
    Param<bool> assisted_read {true, "Inter-duplicates are copied from the L2", stated("CMD IV-C")};
    Param<unsigned> copy_cycles {20,
                                 {0, 10000},
                                 "Cycles to look for a sector in the L2 and copy it",
                                 assumed("no source gives it; range 10-60")};
    Param<bool> look_takes_bank {
        false,
        "A look for a sector in the L2 takes its bank, as a read does (the paper does not say)"};
};
struct ReadingStats {
    using group = void;
    Counter reads_never_written {Unit::count, "Reads of blocks that were never written back (00)"};
    Counter reads_of_intra {Unit::count, "Reads of intra-duplicates (01)"};
    Counter reads_of_inter {Unit::count, "Reads of blocks mapped to another place (10)"};
    Counter reads_of_own {Unit::count, "Reads of blocks written to their own place (11)"};
    Counter intra_sectors {Unit::count, "Sectors read that came from map entries"};
    Counter copied_sectors {Unit::count, "Sectors read that were copied from the L2"};
    Counter looked_sectors {Unit::count, "Sectors that were looked for in the L2"};
};

/// How a block is read (CMD, section IV-C): the type first and, if there is need, map entry and
/// mask. Sectors outside of the mask are read in the block's own place, all others where they are:
/// the map entry, the L2's line of the reference if it is clean and that block is still its own, or
/// memory. A part.
class Reading {
  public:
    /// The sector at an address of the machine, as the L2 has it: known if it is valid and clean.
    using Look = std::function<SectorBytes(std::uint64_t address)>;
    Reading(const ReadingParams& p, const BlockMap& map, const Shared& shared, ReadClasses& classes,
            Look look, ReadingStats& stat)
        : params_(p), map_(map), s_(shared), classes_(classes), look_(std::move(look)),
          stat_(stat) {}

    void step(std::uint32_t id);

  private:
    Counter& reads_of(BlockType type) const;
    void find_sectors(std::uint32_t id, Job& j);
    void copy_from_caches(std::uint32_t id, Job& j);
    void fetch(std::uint32_t id, const Job& j, std::uint32_t place, std::uint32_t sectors) {
        const bool read_only = s_.placement.table().type(j.block) == BlockType::read_only;
        s_.act.fetch(id, place, sectors, classes_.of(j.block, read_only));
    }

    const ReadingParams& params_;
    const BlockMap& map_;
    const Shared s_;
    ReadClasses& classes_;
    Look look_;
    ReadingStats& stat_;
};

} // namespace memsim::cmd
