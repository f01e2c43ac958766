#pragma once

#include "core/kernel/contents.hh"
#include "core/kernel/port.hh"
#include "core/kernel/stamps.hh"

/// A flit of CXL on the wires between a root port and a device port.
namespace memsim::protocol {

/// The simulator's own bookkeeping of one message, which travels beside the flit that has the
/// message's header and takes no room in it. Values are those of the flit; a record of contents
/// says which of them are known and by which stores they came.
struct Aside {
    Contents::Id contents;
    Stamps::Id stamps;
    bool operator==(const Aside&) const = default;
};

struct CxlFlit {
    static constexpr std::uint32_t largest_wire_bytes = 1024;

    /// A record: as `raw` all of the flit's bytes, and behind them the asides of its headers.
    Contents::Id bytes;
    std::uint32_t wire = 0; ///< bytes on the wires: its own and those of an ordered set
    bool flipped = false;   ///< some of its bits were flipped on the way

    std::uint32_t wire_bytes() const { return wire; }
};

static_assert(sizeof(CxlFlit) <= max_message);

} // namespace memsim::protocol
