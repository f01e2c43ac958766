#pragma once

#include "cmd/compress/packing.hh"
#include "cmd/tables/block_map.hh"
#include "core/machine/functional.hh"
#include "core/state/fifo.hh"

namespace memsim::cmd {

/// Blocks as they lie in the places of memory: raw, compressed, or as a code. Makes the messages
/// that read and write them, which wait in `out` until memory takes them. A part.
class BlockMemory {
  public:
    /// `below`: the port to memory.
    BlockMemory(const BlockMap& map, Packing& packing, Fifo<protocol::MemRequest>& out,
                const PortBase& below, Contents& contents)
        : map_(map), packing_(packing), out_(out), below_(below), contents_(contents) {}

    /// A read of sectors of a place. A compressed block is read as a whole; nothing is read of one
    /// that is on chip, and false is returned.
    bool read(std::uint32_t place, std::uint32_t sectors, protocol::MemRequest& r) const;
    /// Writes the sectors of a mask to a place, whatever lay there, or the code of them. False if
    /// it is on chip now. `complete`: bytes that are not known are written, too.
    bool write(std::uint32_t place, const Sectors& data, std::uint32_t mask, bool complete,
               std::uint16_t application);

    // Without time; what waits in `out` is seen, too.

    /// Reads or writes a sector of what lies in memory, coded or not.
    void look(std::uint32_t place, std::uint32_t sector, bool write, SectorBytes& data);
    /// The block whose code lies there. Precondition: coded(place).
    BlockBytes decoded(std::uint32_t place);
    /// The block is as it is from now on, without a code.
    void make_raw(std::uint32_t place);

  private:
    const BlockMap& map_;
    Packing& packing_;
    Fifo<protocol::MemRequest>& out_;
    const PortBase& below_;
    Contents& contents_;
};

} // namespace memsim::cmd
