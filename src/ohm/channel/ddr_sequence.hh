#pragma once

#include "core/kernel/contents.hh"
#include "core/kernel/port.hh"

namespace memsim::ohm {

/// A request of a module's DDR sequence generator to the DRAM over the memory route: column
/// commands to one row, which the memory controller has opened. Data crosses the route with DDR
/// timing, after the commands.
struct SequenceAccess {
    std::uint64_t address = 0; ///< in the DRAM
    std::uint32_t bytes = 0;   ///< within one XPoint line
    std::uint32_t id = 0;
    Contents::Id contents; ///< of a write, if the machine carries contents
    bool write = false;

    static constexpr std::uint32_t largest_wire_bytes = 8;
};

/// The last bit of an access has left the DRAM or arrived there.
struct SequenceDone {
    std::uint32_t id = 0;
    Contents::Id contents; ///< data read, if the machine carries contents

    static constexpr std::uint32_t largest_wire_bytes = 256;
};

struct DdrSequence : MessageFamily<SequenceAccess, SequenceDone> {};

} // namespace memsim::ohm
