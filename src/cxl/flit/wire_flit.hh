#pragma once

#include "core/kernel/contents.hh"
#include "core/kernel/port.hh"
#include "core/kernel/stamps.hh"

/// A CXL flit on the wires between a root port and a device port.
namespace memsim::cxl {

/// The simulator's data for one message. They travel with the flit, together with the message's
/// header, and use no space in it. Values are those of the flit; a record of contents marks which
/// of them are known, and by which stores.
struct Aside {
    Contents::Id contents;
    Stamps::Id stamps;
    bool operator==(const Aside&) const = default;
};

struct CxlFlit {
    static constexpr std::uint32_t largest_wire_bytes = 1024;
    static constexpr bool names_records = true;

    /// A record: `raw` holds all bytes of the flit, followed by the asides of its headers.
    Contents::Id bytes;
    std::uint32_t wire = 0; ///< bytes on the wires, including an ordered set
    bool flipped = false;   ///< some of its bits were flipped in transit

    std::uint32_t wire_bytes() const { return wire; }
};

static_assert(sizeof(CxlFlit) <= max_message);

} // namespace memsim::cxl
