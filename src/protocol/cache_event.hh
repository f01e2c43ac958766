#pragma once

#include "core/kernel/port.hh"

/// Events that a cache reports to a prefetcher.
namespace memsim::protocol {

/// A read that was looked up and hit or missed, or an evicted line.
enum class CacheEventKind : std::uint8_t { read_hit, read_miss, eviction };
constexpr std::array<std::string_view, 3> names_of(CacheEventKind) {
    return {"read_hit", "read_miss", "eviction"};
}

/// A cache reports at most two events per slot of a cycle, and never waits: the receiver has space
/// for them and accepts them on arrival.
struct CacheEvent {
    std::uint64_t address = 0;
    std::uint32_t pc = 0;     ///< of the load; 0 if unknown, and for an eviction
    std::uint16_t source = 0; ///< as in the request: the input of a crossbar
    std::uint16_t warp = 0;   ///< in that source
    std::uint16_t application = 0;
    CacheEventKind kind = CacheEventKind::read_hit;
    bool unused = false; ///< of an eviction: prefetched and never requested

    static constexpr std::uint32_t largest_wire_bytes = 16;
};

} // namespace memsim::protocol
