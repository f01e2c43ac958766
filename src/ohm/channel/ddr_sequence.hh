#pragma once

#include "core/kernel/contents.hh"
#include "core/kernel/port.hh"

namespace memsim::ohm {

/// What the DDR sequence generator of a module asks of the DRAM over the memory route: column
/// commands to one row, which the memory controller has opened. Data crosses the route at DDR's
/// times, behind the commands.
struct SequenceAccess {
    std::uint64_t address = 0; ///< in the DRAM
    std::uint32_t bytes = 0;   ///< within one XPoint line
    std::uint32_t id = 0;
    Contents::Id contents; ///< of a write, where a machine carries them
    bool write = false;

    static constexpr std::uint32_t largest_wire_bytes = 8;
};

/// Its last bit has left the DRAM, or is there.
struct SequenceDone {
    std::uint32_t id = 0;
    Contents::Id contents; ///< what was read, where a machine carries contents

    static constexpr std::uint32_t largest_wire_bytes = 256;
};

struct DdrSequence : MessageFamily<SequenceAccess, SequenceDone> {};

} // namespace memsim::ohm
