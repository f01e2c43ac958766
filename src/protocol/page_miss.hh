#pragma once

#include "core/kernel/port.hh"

namespace memsim::protocol {

/// A miss in a cache of pages: the cache reads a page that an access needs. Reported to a
/// prefetcher; may be dropped. The prefetcher requests further pages by hints (Command::hint).
struct PageMiss {
    std::uint64_t address = 0; ///< of the page's first byte
    std::uint32_t bytes = 0;   ///< of the page
    std::uint16_t application = 0;

    static constexpr bool is_hint = true;
    static constexpr std::uint32_t largest_wire_bytes = 16;
    std::uint32_t wire_bytes() const { return largest_wire_bytes; }
};

} // namespace memsim::protocol
