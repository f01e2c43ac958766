#pragma once

#include "core/base/bits.hh"
#include "protocol/ddrt.hh"

/// The 256-byte line of the media, and masks of the sectors that a command accesses.
namespace memsim::xpoint {

inline constexpr std::uint32_t line_bytes = 256; ///< access unit of the media (assumption)
inline constexpr std::uint32_t line_sectors = line_bytes / protocol::sector_bytes;

/// The sectors that a command touches.
inline std::uint8_t sectors_touched(const protocol::DdrtCommand& c) {
    const auto at = static_cast<unsigned>(c.address % line_bytes);
    const unsigned first = at / protocol::sector_bytes;
    const unsigned end = (at + c.bytes + protocol::sector_bytes - 1) / protocol::sector_bytes;
    const unsigned all = low_bits<std::uint8_t>(end) & ~low_bits<std::uint8_t>(first);
    return static_cast<std::uint8_t>(c.sectors ? all & c.sectors << first : all);
}
/// The sectors that a write covers completely.
inline std::uint8_t sectors_covered(const protocol::DdrtCommand& c) {
    const auto at = static_cast<unsigned>(c.address % line_bytes);
    const unsigned first = (at + protocol::sector_bytes - 1) / protocol::sector_bytes;
    const unsigned end = (at + c.bytes) / protocol::sector_bytes;
    if (end <= first) return 0;
    const unsigned partial = unsigned {c.partial} << at / protocol::sector_bytes;
    return static_cast<std::uint8_t>(sectors_touched(c) & low_bits<std::uint8_t>(end) &
                                     ~low_bits<std::uint8_t>(first) & ~partial);
}

} // namespace memsim::xpoint
