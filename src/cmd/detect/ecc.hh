#pragma once

#include "cmd/tables/block.hh"

namespace memsim::cmd {

inline constexpr std::uint32_t ecc_words = block_bytes / 8;

/// Check bits of a 64-bit word: Hsiao's code (72,64) of minimum odd-weight columns (IBM Journal of
/// Research and Development, 1970), which corrects one error and detects two.
std::uint8_t check_bits(std::uint64_t word);

/// The check bits of the words in the mask's sectors, and 0 for other words. They are ESD's
/// fingerprint of a block (HPCA 2023) and free in a memory with ECC. The fingerprint is weak: 2^56
/// words share each value.
std::array<std::uint8_t, ecc_words> ecc_of(Block block, std::uint32_t mask);

} // namespace memsim::cmd
