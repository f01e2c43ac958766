#pragma once

#include "cmd/tables/block.hh"

#include <algorithm>

namespace memsim::cmd {

/// Bit-Plane Compression of a block (Kim, Sullivan, Choukse and Erez, ISCA 2016). The first of its
/// 32 words of 32 bits is the base. The 31 differences between neighbours, 33 bits each, form 33
/// planes of 31 bits (DBP), highest first. Each plane is combined with the plane above it by
/// exclusive or (DBX). Codes of the base and the planes:
///
///     base 0                           000
///     base of 4, 8, 16 bits, signed    001, 010, 011 and these bits
///     any other base                   1 and 32 bits
///     2 to 33 planes with DBX = 0      01 and 5 bits: their number less 2
///     one plane with DBX = 0           001
///     DBX all ones                     00000
///     DBX not 0, but DBP = 0           00001
///     two adjacent ones in DBX         00010 and 5 bits: place of the lower one
///     a single one in DBX              00011 and 5 bits: its place
///     any other DBX                    1 and 31 bits
///
/// The first matching code is used; those of planes are tested in the order 0, DBP = 0, all ones,
/// two ones, one.
namespace bit_planes {

inline constexpr std::uint32_t most_bits = 33 + 33 * 32;

struct Packed {
    std::array<std::uint8_t, (most_bits + 7) / 8> bits {}; ///< each byte's highest bit first
    std::uint32_t bit_count = 0;
};
Packed encode(Block block);
/// Requires a result of encode().
BlockBytes decode(const Packed& packed);

inline std::uint32_t packed_bytes(Block block) { return (encode(block).bit_count + 7) / 8; }
/// Sectors that hold the block. A block that needs all of them is stored without codes.
inline std::uint32_t packed_sectors(Block block) {
    const std::uint32_t bytes = packed_bytes(block);
    return std::min((bytes + sector_bytes - 1) / sector_bytes, block_sectors);
}

} // namespace bit_planes
} // namespace memsim::cmd
