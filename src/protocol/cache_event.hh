#pragma once

#include "core/kernel/port.hh"

/// What a cache tells a prefetcher beside it.
namespace memsim::protocol {

/// A read looked up, which found all that it asks for or not, or a line that made room.
enum class CacheEventKind : std::uint8_t { read_hit, read_miss, eviction };
constexpr std::array<std::string_view, 3> names_of(CacheEventKind) {
    return {"read_hit", "read_miss", "eviction"};
}

/// A cache says at most two for each slot of a cycle, and never waits: who takes them has room for
/// that many and takes them in when they come.
struct CacheEvent {
    std::uint64_t address = 0;
    std::uint32_t pc = 0;     ///< of the load; 0 when unknown, and of an eviction
    std::uint16_t source = 0; ///< as in the request: which input of a crossbar
    std::uint16_t warp = 0;   ///< of that source
    std::uint16_t application = 0;
    CacheEventKind kind = CacheEventKind::read_hit;
    bool unused = false; ///< of an eviction: prefetched, and no access asked for it since

    static constexpr std::uint32_t largest_wire_bytes = 16;
};

} // namespace memsim::protocol
