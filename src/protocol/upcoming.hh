#pragma once

#include "core/base/error.hh"
#include "core/kernel/port.hh"

#include <array>
#include <span>

/// The next accesses of an SM's warps, queried by a prefetcher from time to time.
namespace memsim::protocol {

/// Requests the next `operations` memory operations of each warp. The answer consists of several
/// UpcomingAccesses, the last of which is marked.
struct UpcomingQuery {
    std::uint32_t operations = 1;
    /// Answered only when the SM has a block, and not while all warps of the SM wait for memory and
    /// nothing has changed since its last answer.
    bool when_busy = false;

    static constexpr std::uint32_t largest_wire_bytes = 5;
    std::uint32_t wire_bytes() const { return largest_wire_bytes; }
};

/// Some of the lines of one warp's operation, by their first address. An operation with many lines
/// takes several messages; an SM without any sends one message without lines.
struct UpcomingAccesses {
    static constexpr std::uint32_t most_lines = 6;

    std::array<std::uint64_t, most_lines> lines {};
    std::uint32_t pc = 0;
    std::uint16_t warp = 0;
    std::uint16_t application = 0;
    std::uint8_t operation = 0; ///< of the warp; 0: the next one
    std::uint8_t count = 0;     ///< number of lines
    bool write = false;         ///< a store, atomic or reduction
    bool last = false;          ///< last message of the answer

    /// A forged checkpoint can announce more lines than there is room for.
    std::span<const std::uint64_t> announced() const {
        MEMSIM_ASSERT(count <= most_lines, "a message announces more lines than it has");
        return {lines.data(), count};
    }

    static constexpr std::uint32_t largest_wire_bytes = 60;
    std::uint32_t wire_bytes() const { return 12 + 8 * std::uint32_t {count}; }
};

} // namespace memsim::protocol
