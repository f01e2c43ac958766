#pragma once

#include "core/base/bits.hh"
#include "core/kernel/contents.hh"

#include <algorithm>
#include <bit>
#include <cstdint>

/// Which bytes a message is about. It spans [address, address + bytes); bit i of `sectors` says
/// that it needs the i-th sector of 32 bytes, counted from the one that holds `address`, so that
/// nobody on the way needs to know how long a line is. 0 stands for all of them. A mask that is not
/// 0 has the bits of the first and of the last sector set: the span is no longer than it must be.
///
/// A write's `partial` has a bit, counted alike, for each sector of which it writes only a part of
/// the bytes; those at the ends of an unaligned span show by themselves.
///
/// A warp's accesses to one line are so one request, looked up once, that moves what is needed.
namespace memsim::protocol {

inline constexpr std::uint32_t sector_bytes =
    SectorBytes::size;                            ///< NVIDIA's since Fermi; peers count in these
inline constexpr std::uint32_t most_sectors = 16; ///< so a mask spans up to 512 bytes

/// The bytes of a message's sectors that lie in its span.
template <class M>
std::uint32_t payload(const M& m) {
    if (m.sectors == 0) return m.bytes;
    const auto before = static_cast<std::uint32_t>(m.address % sector_bytes);
    const auto behind = static_cast<std::uint32_t>(-(m.address + m.bytes) % sector_bytes);
    return bits_set(m.sectors) * sector_bytes - before - behind;
}

/// How many sectors it touches: what Accel-Sim counts as accesses.
template <class M>
std::uint32_t sectors_of(const M& m) {
    if (m.sectors) return bits_set(m.sectors);
    const std::uint64_t end = m.address + m.bytes + sector_bytes - 1;
    return static_cast<std::uint32_t>(end / sector_bytes - m.address / sector_bytes);
}

/// Whether a mask is one of this span: 0, or up to 16 bits of which the first and the last are set.
inline bool fits(std::uint32_t mask, std::uint64_t address, std::uint32_t bytes) {
    if (mask == 0) return true;
    const std::uint64_t last = (address % sector_bytes + bytes - 1) / sector_bytes;
    return last < most_sectors && mask & 1 && mask >> last == 1;
}

/// A piece of a message's span as a message of its own: cut to the sectors that it needs.
struct Piece {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0; ///< 0: the piece needs none
    std::uint16_t sectors = 0;
};

/// The piece of the first `bytes` of a message, whose mask fits its span.
template <class M>
Piece first_piece(const M& m, std::uint32_t bytes) {
    if (m.sectors == 0) return {m.address, bytes, 0};
    const std::uint64_t first = m.address / sector_bytes;
    const std::uint64_t last = (m.address + bytes - 1) / sector_bytes;
    const std::uint32_t mask = m.sectors & ((2u << (last - first)) - 1);
    if (mask == 0) return {m.address, 0, 0};
    const auto low = static_cast<std::uint32_t>(std::countr_zero(mask));
    const std::uint64_t begin = std::max(m.address, (first + low) * sector_bytes);
    const std::uint64_t end =
        std::min(m.address + bytes,
                 (first + static_cast<std::uint32_t>(std::bit_width(mask))) * sector_bytes);
    return {begin, static_cast<std::uint32_t>(end - begin),
            static_cast<std::uint16_t>(mask >> low)};
}

/// A stretch of a message's span.
struct Part {
    std::uint32_t offset = 0, bytes = 0;
};

/// The first stretch at or behind offset `from` (< bytes) that is needed, over holes that leave
/// out no whole block of `grain` bytes (a burst, which is moved as a whole).
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
