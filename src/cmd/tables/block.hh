#pragma once

#include "core/base/bits.hh"

#include <array>
#include <cstdint>
#include <cstring>
#include <span>

/// Basic types of CMD and the schemes compared with it: blocks of 128 bytes in sectors of 32 bytes.
/// Bit i of a mask selects sector i.
namespace memsim::cmd {

inline constexpr std::uint32_t block_bytes = 128, sector_bytes = 32;
inline constexpr std::uint32_t block_sectors = block_bytes / sector_bytes;
inline constexpr std::uint32_t all_sectors = low_bits<std::uint32_t>(block_sectors);

using Block = std::span<const std::uint8_t, block_bytes>;
using BlockBytes = std::array<std::uint8_t, block_bytes>;

/// The i-th value of type T in a block.
template <class T>
T element(Block block, std::uint32_t i) {
    T value;
    std::memcpy(&value, block.data() + i * sizeof value, sizeof value);
    return value;
}

} // namespace memsim::cmd
