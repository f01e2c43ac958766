#pragma once

#include "cmd/tables/block.hh"
#include "core/base/bits.hh"

#include <optional>

namespace memsim::cmd {

/// The common value of all 4-byte words in the mask's sectors if the block is an intra-duplicate
/// (CMD, section IV-A). Empty if two words differ or the mask is empty.
inline std::optional<std::uint32_t> intra_value(Block block, std::uint32_t mask) {
    if ((mask & all_sectors) == 0) return {};
    constexpr std::uint32_t words = sector_bytes / 4;
    const auto first = static_cast<std::uint32_t>(std::countr_zero(mask)) * words;
    const auto value = element<std::uint32_t>(block, first);
    std::uint32_t different = 0;
    for_each_bit(mask & all_sectors, [&](std::uint32_t sector) {
        for (std::uint32_t w = 0; w < words; ++w)
            different |= value ^ element<std::uint32_t>(block, sector * words + w);
    });
    if (different) return {};
    return value;
}

} // namespace memsim::cmd
