#pragma once

#include "cmd/compress/packing.hh"
#include "cmd/tables/block_map.hh"
#include "core/machine/functional.hh"
#include "core/state/fifo.hh"

namespace memsim::cmd {

/// The contents of places in memory: raw, compressed or coded blocks. Creates the messages that
/// read and write them and queues them in `out`. A part.
class BlockMemory {
  public:
    /// `below`: the port to memory.
    BlockMemory(const BlockMap& map, Packing& packing, Fifo<protocol::MemRequest>& out,
                const PortBase& below, Contents& contents)
        : map_(map), packing_(packing), out_(out), below_(below), contents_(contents) {}

    /// Creates a read of sectors of a place. A compressed block is read as a whole. Returns the
    /// sectors that the read moves: 0, without a read, if the block is on chip.
    unsigned read(std::uint32_t place, std::uint32_t sectors, protocol::MemRequest& r) const;
    /// Writes the sectors of a mask, or their code, to a place and replaces its contents. Returns
    /// false if the block is now on chip. `complete`: unknown bytes are written, too.
    bool write(std::uint32_t place, const Sectors& data, std::uint32_t mask, bool complete,
               std::uint16_t application);

    // Functional accesses, which include messages in `out`.

    /// Reads or writes a sector of a place, coded or not.
    void access_sector(std::uint32_t place, std::uint32_t sector, bool write, SectorBytes& data);
    /// The block whose code is in a place. Requires coded(place).
    BlockBytes decoded(std::uint32_t place);
    /// Stores the block in its place without a code.
    void make_raw(std::uint32_t place);

  private:
    const BlockMap& map_;
    Packing& packing_;
    Fifo<protocol::MemRequest>& out_;
    const PortBase& below_;
    Contents& contents_;
};

} // namespace memsim::cmd
