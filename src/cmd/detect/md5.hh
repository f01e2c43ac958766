#pragma once

#include "cmd/tables/block.hh"
#include "cmd/tables/reference_store.hh"

namespace memsim::cmd {

/// MD5 of the sectors in the mask, concatenated, as in CMD's hash unit.
Reference::Digest md5(Block block, std::uint32_t mask);

/// Rounds of 64 bytes for this many sectors: the message, one bit, and its length.
constexpr std::uint32_t md5_rounds(std::uint32_t sectors) {
    return (sectors * sector_bytes + 1 + 8 + 63) / 64;
}
static_assert(md5_rounds(4) == 3 && md5_rounds(1) == 1);

} // namespace memsim::cmd
