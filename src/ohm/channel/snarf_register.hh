#pragma once

#include "core/state/fifo.hh"
#include "xpoint/device.hh"

namespace memsim::ohm {

/// The register in front of an XPoint device for lines that its controller snarfs (Ohm-GPU IV-B).
/// The controller compares the tags of DRAM lines that pass on the channel with that of the request
/// and takes over dirty lines with another tag. Lines wait here, oldest first, until the write
/// buffer has room; commands to these lines wait for them. A value for State.
struct SnarfRegister {
    Fifo<protocol::DdrtCommand> lines; ///< as writes

    bool has(std::uint64_t line) const {
        for (std::uint32_t i = 0; i < lines.size(); ++i)
            if (lines[i].address / xpoint::line_bytes == line) return true;
        return false;
    }
    /// Takes over a passing line if it is to be evicted. Requires that the controller reserved
    /// space.
    bool snarf(const protocol::DdrtCommand& c, std::uint64_t bytes) {
        if (!c.evicts()) return false;
        protocol::DdrtCommand victim = c;
        victim.address = c.other;
        victim.snarf = false;
        victim.write = victim.migration = true;
        lines.push(victim);
        MEMSIM_ASSERT(lines.size() * c.bytes <= bytes, "the register of snarfed lines overflows");
        return true;
    }
    /// Calls f(bytes) with the data that lines hold of a sector of the module, oldest first.
    template <class F>
    void for_each_of(std::uint64_t sector, Contents& contents, F&& f) const {
        for (std::uint32_t i = 0; i < lines.size(); ++i)
            for (Contents::Piece& p : contents[lines[i].contents].pieces)
                if (lines[i].address / SectorBytes::size + p.sector == sector) f(p.data);
    }
};

} // namespace memsim::ohm
