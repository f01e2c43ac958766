#pragma once

#include "cmd/base_delta.hh"
#include "cmd/bit_planes.hh"
#include "core/param.hh"
#include "core/stats.hh"

#include <string_view>
#include <vector>

namespace memsim::cmd {

/// How the data of whole blocks are made smaller on their way to memory and back.
enum class Compression : std::uint8_t { none, bpc, bcd };
constexpr std::array<std::string_view, 3> names_of(Compression) { return {"none", "bpc", "bcd"}; }

struct PackingParams {
    using group = void;
    Param<Compression> compression {
        Compression::none,
        "Of blocks that are written whole: bpc (bit planes) or bcd (base, difference and partial "
        "deduplication); not of what the host copies"};
    Param<unsigned> pack_cycles {11, {0, 10000}, "To compress a block (BPC; BCD: 5, assumption)"};
    Param<unsigned> unpack_cycles {11, {0, 10000}, "To expand one (BPC; BCD: 5, assumption)"};
    Param<unsigned> bases {128, {1, 1u << 20}, "Of BCD, on chip (assumption: CMD's area)"};
    Param<unsigned> differences {320, {1, 1u << 20}, "Of BCD, on chip (assumption)"};
    Param<unsigned> bcd_ways {16, {1, 1024}, "Of both (assumption)"};
    Param<unsigned> cluster_bits {
        16, {1, 31}, "High bits of each word that tell a block's cluster (assumption)"};
};
struct PackingStats {
    using group = void;
    Counter packed {Unit::count, "Blocks written in fewer than four sectors"};
    Counter saved_sectors {Unit::count, "Sectors that were not written, as blocks are smaller"};
    Counter on_chip {Unit::count, "Blocks written of which base and difference are on chip"};
};
struct PackingState {
    std::vector<std::uint8_t> sectors; ///< BPC: that a place's block takes; 0: it is raw
    std::vector<BaseDelta> how;        ///< BCD: by block
    BaseDeltaStores stores;
};

/// Which blocks are kept compressed, and what is moved for them. A compressed block is moved as a
/// whole, in as many sectors as it takes, whatever is asked of it: its bits belong to all of it.
/// With BPC memory holds the block's bytes (the encoder and its inverse are tested for
/// themselves); with BCD it holds the difference. A part.
class Packing {
  public:
    Packing(const PackingParams& p, PackingState& state, PackingStats& stat)
        : kind_(p.compression()), s_(state), stat_(stat) {}
    static void resize(const PackingParams& p, PackingState& s, std::uint32_t blocks);

    bool compresses() const { return kind_ != Compression::none; }
    bool compressed(std::uint32_t place) const {
        return kind_ == Compression::bpc   ? s_.sectors[place] != 0
               : kind_ == Compression::bcd ? s_.how[place].kind != BaseDelta::Kind::raw
                                           : false;
    }
    /// Sectors that a compressed block takes in memory, from the place's first on.
    std::uint32_t sectors(std::uint32_t place) const {
        return kind_ == Compression::bpc ? s_.sectors[place] : s_.how[place].moved() / sector_bytes;
    }
    /// What memory holds are codes, to be decoded.
    bool coded(std::uint32_t place) const { return kind_ == Compression::bcd && compressed(place); }
    BlockBytes decode(std::uint32_t place, const BlockBytes& data) const {
        MEMSIM_ASSERT(coded(place), "a block is decoded that is no code");
        return s_.stores.decode(s_.how[place], data);
    }
    /// A block is written to a place: whole, and compressed if that saves a sector, or raw. `data`
    /// gets what memory is to hold, in sectors(place) sectors if it is compressed.
    void write(std::uint32_t place, Block block, bool whole, BlockBytes& data);
    void set_raw(std::uint32_t place);
    void check_loaded(Loader& l) const;

  private:
    Compression kind_;
    PackingState& s_;
    PackingStats& stat_;
};

} // namespace memsim::cmd
