#pragma once

#include "cmd/compress/compressor.hh"
#include "core/declare/stats.hh"

namespace memsim::cmd {

struct PackingStats {
    using group = void;
    Counter packed {Unit::count, "Blocks written in fewer than four sectors"};
    Counter saved_sectors {Unit::count, "Sectors that were not written, as blocks are smaller"};
    Counter on_chip {Unit::count, "Blocks written of which all is on chip, by bcd"};
};

/// Which blocks a compressor keeps small, and what is moved for them; counts it. A part.
class Packing {
  public:
    Packing(Compressor& compressor, PackingStats& stat) : compressor_(compressor), stat_(stat) {}

    bool compresses() const { return compressor_.compresses(); }
    bool compressed(std::uint32_t place) const { return compressor_.compressed(place); }
    /// Sectors that a compressed block takes in memory, from the place's first on.
    std::uint32_t sectors(std::uint32_t place) const { return compressor_.sectors(place); }
    /// What memory holds are codes, to be decoded.
    bool coded(std::uint32_t place) const { return compressor_.codes() && compressed(place); }
    BlockBytes decode(std::uint32_t place, const BlockBytes& code) const {
        MEMSIM_ASSERT(coded(place), "a block is decoded that is no code");
        return compressor_.decode(place, code);
    }
    /// A block is written to a place: raw, or, if it is whole and that saves a sector, compressed.
    /// `data` holds its bytes, and gets what memory is to hold.
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
