#pragma once

#include "cmd/tables/block.hh"
#include "core/kernel/contents.hh"

namespace memsim::cmd {

/// The known bytes of a block, by sector, as in messages.
using Sectors = std::array<SectorBytes, block_sectors>;

inline std::uint32_t sector_in_block(std::uint64_t sector) {
    return static_cast<std::uint32_t>(sector % block_sectors);
}
/// The sectors of its block that a message names.
template <class M>
std::uint8_t sectors_of_block(const M& m) {
    std::uint32_t mask = 0;
    for_each_sector(
        m, [&](std::uint64_t sector, std::uint32_t) { mask |= 1u << sector_in_block(sector); });
    return static_cast<std::uint8_t>(mask);
}
/// The block as one array; unknown bytes have the value stored in their sector.
inline BlockBytes joined(const Sectors& sectors) {
    BlockBytes block;
    for (std::uint32_t s = 0; s < block_sectors; ++s)
        std::memcpy(block.data() + s * sector_bytes, sectors[s].bytes.data(), sector_bytes);
    return block;
}
/// A sector of a block with all bytes known.
inline SectorBytes sector_of(const BlockBytes& block, std::uint32_t sector) {
    SectorBytes s;
    std::memcpy(s.bytes.data(), block.data() + sector * sector_bytes, sector_bytes);
    s.known = SectorBytes::all;
    return s;
}
/// A sector that repeats a 4-byte word.
inline SectorBytes sector_of_word(std::uint32_t word) {
    SectorBytes s;
    for (std::uint32_t i = 0; i < SectorBytes::size; i += sizeof word)
        std::memcpy(s.bytes.data() + i, &word, sizeof word);
    s.known = SectorBytes::all;
    return s;
}

} // namespace memsim::cmd
