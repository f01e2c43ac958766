#pragma once

#include "core/kernel/port.hh"

/// Internal tasks of a drive, reported to components that use the information for planning.
namespace memsim::protocol {

enum class DriveTaskKind : std::uint8_t { collection, levelling };
constexpr std::array<std::string_view, 2> names_of(DriveTaskKind) {
    return {"collection", "levelling"};
}

/// The drive starts to move the pages of a block and to erase it. This occupies the block's plane
/// for at least `expected`; reads and programs of the host may extend it. Sent when the task
/// begins; dropped if the receiver is full.
struct DriveTask {
    Tick expected = 0;       ///< duration
    std::uint32_t pages = 0; ///< number of pages to move
    std::uint32_t plane = 0; ///< numbered over the drive
    DriveTaskKind kind = DriveTaskKind::collection;

    static constexpr bool is_hint = true;
    static constexpr std::uint32_t largest_wire_bytes = 16;
    std::uint32_t wire_bytes() const { return largest_wire_bytes; }
};

} // namespace memsim::protocol
