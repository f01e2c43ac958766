#pragma once

#include "core/kernel/port.hh"

/// What a drive tells of its own work, to who can plan with it.
namespace memsim::protocol {

enum class DriveTaskKind : std::uint8_t { collection, levelling };
constexpr std::array<std::string_view, 2> names_of(DriveTaskKind) {
    return {"collection", "levelling"};
}

/// The drive is about to move pages of a block and to erase it, which keeps the block's plane from
/// other work: at least for `expected`, since reads and programs of the host come in between. Said
/// when the task begins; dropped where nobody takes it in.
struct DriveTask {
    Tick expected = 0;       ///< duration
    std::uint32_t pages = 0; ///< to be moved
    std::uint32_t plane = 0; ///< of all of the drive
    DriveTaskKind kind = DriveTaskKind::collection;

    static constexpr bool is_hint = true;
    static constexpr std::uint32_t largest_wire_bytes = 16;
    std::uint32_t wire_bytes() const { return largest_wire_bytes; }
};

} // namespace memsim::protocol
