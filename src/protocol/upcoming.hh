#pragma once

#include "core/kernel/port.hh"

#include <array>

/// What the warps of an SM will access next: asked by who prefetches by it, from time to time.
namespace memsim::protocol {

/// Asks for the next `operations` memory operations of each warp. Answered by as many
/// UpcomingAccesses as it takes; the last one says so.
struct UpcomingQuery {
    std::uint32_t operations = 1;
    /// Not answered before the SM has a block. Not answered either while all warps of the SM wait
    /// for memory and nothing has changed since the SM's last answer.
    bool when_busy = false;

    static constexpr std::uint32_t largest_wire_bytes = 5;
    std::uint32_t wire_bytes() const { return largest_wire_bytes; }
};

/// Some of the lines of one warp's operation, each by its first address. One of many lines takes
/// several messages; an SM that has none to tell sends one without lines.
struct UpcomingAccesses {
    static constexpr std::uint32_t most_lines = 6;

    std::array<std::uint64_t, most_lines> lines {};
    std::uint32_t pc = 0;
    std::uint16_t warp = 0;
    std::uint16_t application = 0;
    std::uint8_t operation = 0; ///< of the warp: 0 is its next one
    std::uint8_t count = 0;     ///< of lines
    bool write = false;         ///< a store, atomic or reduction
    bool last = false;          ///< of the query's answer

    static constexpr std::uint32_t largest_wire_bytes = 60;
    std::uint32_t wire_bytes() const { return 12 + 8 * std::uint32_t {count}; }
};

} // namespace memsim::protocol
