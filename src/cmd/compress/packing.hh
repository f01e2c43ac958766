#pragma once

#include "cmd/compress/compressor.hh"
#include "core/declare/stats.hh"

namespace memsim::cmd {

struct PackingStats {
    using group = void;
    Counter packed {Unit::count, "Blocks written in fewer than four sectors"};
    Counter saved_sectors {Unit::count, "Sectors not written because blocks were compressed"};
    Counter on_chip {Unit::count, "Blocks written that bcd holds on chip entirely"};
};

/// Decides which blocks are compressed and which sectors are transferred for them, and counts
/// these. A part.
class Packing {
  public:
    Packing(Compressor& compressor, PackingStats& stat) : compressor_(compressor), stat_(stat) {}

    bool compresses() const { return compressor_.compresses(); }
    bool compressed(std::uint32_t place) const { return compressor_.compressed(place); }
    /// Sectors that a compressed block occupies in memory, from the first of its place.
    std::uint32_t sectors(std::uint32_t place) const { return compressor_.sectors(place); }
    /// Whether memory holds a code that must be decoded.
    bool coded(std::uint32_t place) const { return compressor_.codes() && compressed(place); }
    BlockBytes decode(std::uint32_t place, const BlockBytes& code) const {
        MEMSIM_ASSERT(coded(place), "a block is decoded that is not a code");
        return compressor_.decode(place, code);
    }
    /// Writes a block to a place: raw, or compressed if it is whole and this saves a sector. `data`
    /// holds its bytes and receives the bytes to store in memory.
    void write(std::uint32_t place, bool whole, BlockBytes& data) {
        if (!whole) return set_raw(place);
        compressor_.write(place, data);
        if (!compressed(place)) return;
        ++stat_.packed;
        stat_.saved_sectors += block_sectors - sectors(place);
        stat_.on_chip += sectors(place) == 0;
    }
    void set_raw(std::uint32_t place) { compressor_.set_raw(place); }

  private:
    Compressor& compressor_;
    PackingStats& stat_;
};

} // namespace memsim::cmd
