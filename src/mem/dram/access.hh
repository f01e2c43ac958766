#pragma once

#include "core/base/units.hh"

#include <cstdint>

namespace memsim::mem {

/// If two commands of the same kind can issue at the same time, demand precedes migration.
enum class DramPriority : std::uint8_t { demand, migration };

/// The wires that carry an access's data.
enum class DramWires : std::uint8_t {
    data, ///< the data bus
    side, ///< a second bus in addition to the data bus
    none, ///< none: the data stay in a register in front of the device
};

/// One request to the scheduler: `bursts` column commands to consecutive columns of one row.
struct DramAccess {
    std::uint32_t context = 0; ///< chosen by the owner, returned in DramDone
    std::uint32_t bank = 0;    ///< as numbered by DramDevice
    std::uint32_t row = 0;
    std::uint32_t column = 0; ///< the first one, in bursts
    std::uint16_t bursts = 1;
    bool write = false;
    DramPriority priority = DramPriority::demand;
    DramWires wires = DramWires::data; ///< other wires require an order that supports them
    bool migration = false;            ///< how the access is counted
};

/// A request whose last byte has been moved.
struct DramDone {
    Tick at = 0;      ///< when that byte reaches the end of its wires
    Tick started = 0; ///< when its first command was issued; until then it was queued
    std::uint32_t context = 0;
    bool write = false;
};

} // namespace memsim::mem
