#pragma once

#include "core/base/units.hh"

#include <cstdint>

namespace memsim::mem {

/// Demand goes before migration wherever both could issue the same kind of command at once.
enum class DramPriority : std::uint8_t { demand, migration };

/// What an access's data crosses.
enum class DramWires : std::uint8_t {
    data, ///< the data bus
    side, ///< a second bus beside it
    none, ///< nothing: it is already in, or stays in, a register in front of the device
};

/// One request to the scheduler: `bursts` column commands to consecutive columns of one row.
struct DramAccess {
    std::uint32_t context = 0; ///< the owner's; comes back in DramDone
    std::uint32_t bank = 0;    ///< DramDevice's number
    std::uint32_t row = 0;
    std::uint32_t column = 0; ///< the first one, in bursts
    std::uint16_t bursts = 1;
    bool write = false;
    DramPriority priority = DramPriority::demand;
    DramWires wires = DramWires::data; ///< else only with an order that knows other wires
    bool migration = false;            ///< what it is counted as
};

/// A request whose last byte has been moved.
struct DramDone {
    Tick at = 0;      ///< when that byte is at its end of its wires
    Tick started = 0; ///< when the first command for it was issued; stages: queue until then
    std::uint32_t context = 0;
    bool write = false;
};

} // namespace memsim::mem
