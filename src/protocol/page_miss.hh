#pragma once

#include "core/kernel/port.hh"

namespace memsim::protocol {

/// A cache of pages has sent for one that an access needs: told to who prefetches, and may be lost.
/// Which further pages to bring is said by hints (Command::hint).
struct PageMiss {
    std::uint64_t address = 0; ///< of the page's first byte
    std::uint32_t bytes = 0;   ///< of the page
    std::uint16_t application = 0;

    static constexpr bool is_hint = true;
    static constexpr std::uint32_t largest_wire_bytes = 16;
    std::uint32_t wire_bytes() const { return largest_wire_bytes; }
};

} // namespace memsim::protocol
