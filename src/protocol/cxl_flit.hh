#pragma once

#include "core/contents.hh"
#include "core/port.hh"
#include "core/stamps.hh"

#include <array>

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
    static constexpr std::uint32_t most_headers = 5; ///< 3 DRS and 2 NDR
    static constexpr std::uint32_t largest_wire_bytes = 1024;

    Contents::Id bytes;     ///< a record with all of the flit's bytes as `raw`
    std::uint32_t wire = 0; ///< bytes on the wires: its own and those of an ordered set
    bool flipped = false;   ///< some of its bits were flipped on the way
    std::array<Aside, most_headers> asides {}; ///< of its headers, in their order

    std::uint32_t wire_bytes() const { return wire; }
};

static_assert(sizeof(CxlFlit) <= max_message);

} // namespace memsim::protocol
