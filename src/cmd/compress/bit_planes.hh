#pragma once

#include "cmd/tables/block.hh"

#include <algorithm>

namespace memsim::cmd {

/// Bit-Plane Compression of a block (Kim, Sullivan, Choukse and Erez, ISCA 2016). Of its 32 words
/// of 32 bits the first is the base; the 31 differences of neighbours, 33 bits each, are turned
/// into 33 planes of 31 bits (DBP), the highest first, and each plane is taken modulo 2 with the
/// one above it (DBX). The base and the planes have codes:
///
///     base 0                           000
///     base of 4, 8, 16 bits, signed    001, 010, 011 and these bits
///     any other base                   1 and 32 bits
///     2 to 33 planes with DBX = 0      01 and 5 bits: their number less 2
///     one plane with DBX = 0           001
///     DBX all ones                     00000
///     DBX not 0, but DBP = 0           00001
///     two ones side by side in DBX     00010 and 5 bits: place of the lower one
///     a single one in DBX              00011 and 5 bits: its place
///     any other DBX                    1 and 31 bits
///
/// The first code that fits is taken, those of planes in the order 0, DBP = 0, all ones, two, one.
namespace bit_planes {

inline constexpr std::uint32_t most_bits = 33 + 33 * 32;

struct Packed {
    std::array<std::uint8_t, (most_bits + 7) / 8> bits {}; ///< each byte's highest bit first
    std::uint32_t bit_count = 0;
};
Packed encode(Block block);
/// Precondition: encode() made it.
BlockBytes decode(const Packed& packed);

inline std::uint32_t packed_bytes(Block block) { return (encode(block).bit_count + 7) / 8; }
/// How many sectors hold the block. If it takes all of them it is kept as it is, without codes.
inline std::uint32_t packed_sectors(Block block) {
    const std::uint32_t bytes = packed_bytes(block);
    return std::min((bytes + sector_bytes - 1) / sector_bytes, block_sectors);
}

} // namespace bit_planes
} // namespace memsim::cmd
