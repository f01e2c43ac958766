#pragma once

#include "core/base/bits.hh"
#include "core/kernel/contents.hh"

#include <algorithm>
#include <bit>
#include <cstdint>

/// The bytes that a message accesses. It spans [address, address + bytes). Bit i of `sectors`
/// selects the i-th sector of 32 bytes, counted from the sector of `address`, so that components
/// need not know the size of a line. 0 selects all sectors. In any other mask the bits of the first
/// and of the last sector are set: the span is as short as possible.
///
/// For a write, a bit of `partial`, with the same numbering, marks a sector of which only some
/// bytes are written; sectors at the ends of an unaligned span are implied.
///
/// A warp's accesses to one line thus form one request, which is looked up once and transfers only
/// what is needed.
namespace memsim::protocol {

inline constexpr std::uint32_t sector_bytes =
    SectorBytes::size; ///< NVIDIA's since Fermi; other simulators use it as well
inline constexpr std::uint32_t most_sectors = 16; ///< a mask spans up to 512 bytes

/// The number of bytes of a message's sectors within its span.
template <class M>
std::uint32_t payload(const M& m) {
    if (m.sectors == 0) return m.bytes;
    const auto before = static_cast<std::uint32_t>(m.address % sector_bytes);
    const auto behind = static_cast<std::uint32_t>(-(m.address + m.bytes) % sector_bytes);
    return bits_set(m.sectors) * sector_bytes - before - behind;
}

/// The number of sectors touched, which Accel-Sim counts as accesses.
template <class M>
std::uint32_t sectors_of(const M& m) {
    if (m.sectors) return bits_set(m.sectors);
    const std::uint64_t end = m.address + m.bytes + sector_bytes - 1;
    return static_cast<std::uint32_t>(end / sector_bytes - m.address / sector_bytes);
}

/// Whether a mask fits this span: 0, or up to 16 bits with the first and the last set.
inline bool fits(std::uint32_t mask, std::uint64_t address, std::uint32_t bytes) {
    if (mask == 0) return true;
    const std::uint64_t last = (address % sector_bytes + bytes - 1) / sector_bytes;
    return last < most_sectors && mask & 1 && mask >> last == 1;
}

/// A piece of a message's span as a message of its own, reduced to the sectors that it needs.
struct Piece {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0; ///< 0: no sector is needed
    std::uint16_t sectors = 0;
};

/// The piece with the first `bytes` of a message. Requires: the mask fits the span.
template <class M>
Piece first_piece(const M& m, std::uint32_t bytes) {
    if (m.sectors == 0) return {m.address, bytes, 0};
    const std::uint64_t first = m.address / sector_bytes;
    const std::uint64_t last = (m.address + bytes - 1) / sector_bytes;
    const std::uint32_t mask = m.sectors & low_bits<std::uint32_t>(last - first + 1);
    if (mask == 0) return {m.address, 0, 0};
    const auto low = static_cast<std::uint32_t>(std::countr_zero(mask));
    const std::uint64_t begin = std::max(m.address, (first + low) * sector_bytes);
    const std::uint64_t end =
        std::min(m.address + bytes,
                 (first + static_cast<std::uint32_t>(std::bit_width(mask))) * sector_bytes);
    return {begin, static_cast<std::uint32_t>(end - begin),
            static_cast<std::uint16_t>(mask >> low)};
}

/// A contiguous part of a message's span.
struct Part {
    std::uint32_t offset = 0, bytes = 0;
};

/// The first needed part at or after offset `from` (< bytes). It includes gaps that contain no
/// whole block of `grain` bytes (a burst, which is transferred as a whole).
template <class M>
Part next_part(const M& m, std::uint32_t from, std::uint32_t grain) {
    if (m.sectors == 0) return {from, m.bytes - from};
    const std::uint32_t mask = m.sectors;
    const std::uint64_t base = m.address & ~std::uint64_t {sector_bytes - 1};
    const auto lead = static_cast<std::uint32_t>(m.address - base);
    auto zeros = [&](std::uint32_t i) {
        return i + static_cast<std::uint32_t>(std::countr_zero(mask >> i));
    };
    auto ones = [&](std::uint32_t i) {
        return i + static_cast<std::uint32_t>(std::countr_one(mask >> i));
    };
    const std::uint32_t first = zeros((from + lead) / sector_bytes);
    std::uint32_t end = ones(first);
    while (mask >> end) {
        const std::uint32_t next = zeros(end);
        const std::uint64_t left = (base + end * sector_bytes - 1) / grain;
        if ((base + next * sector_bytes) / grain > left + 1) break;
        end = ones(next);
    }
    const std::uint32_t begin = std::max(from + lead, first * sector_bytes) - lead;
    return {begin, std::min(m.bytes, end * sector_bytes - lead) - begin};
}

} // namespace memsim::protocol
