#pragma once

#include "cmd/tables/sectors.hh"
#include "core/base/bits.hh"
#include "device_parts/interleave.hh"
#include "protocol/mem.hh"

#include <bit>

namespace memsim::cmd {

/// Selects the machine addresses that belong to one controller and numbers its blocks.
class BlockMap {
  public:
    BlockMap() = default;
    BlockMap(const device_parts::Interleave& interleave, std::uint32_t channel,
             std::uint32_t blocks)
        : interleave_(interleave), channel_(channel), blocks_(blocks) {}

    std::uint32_t blocks() const { return blocks_; }
    std::uint64_t address(std::uint64_t block) const {
        return interleave_.address(channel_, block * block_bytes);
    }
    std::uint64_t block_of(std::uint64_t address) const {
        return interleave_.within(address) / block_bytes;
    }
    bool has(std::uint64_t address) const {
        return interleave_.way(address) == channel_ && block_of(address) < blocks_;
    }
    /// Whether a request lies within one block, which all requests must satisfy.
    static bool within_block(const protocol::MemRequest& r) {
        return r.bytes && r.bytes <= block_bytes &&
               r.address / block_bytes == (r.address + r.bytes - 1) / block_bytes;
    }
    /// A message for sectors of a block, at least one.
    protocol::MemRequest over(std::uint64_t block, std::uint32_t sectors) const {
        MEMSIM_ASSERT(sectors, "a message has no sector");
        protocol::MemRequest r;
        const auto first = static_cast<std::uint32_t>(std::countr_zero(sectors));
        const auto n = static_cast<std::uint32_t>(std::bit_width(sectors)) - first;
        r.address = address(block) + std::uint64_t {first} * sector_bytes;
        r.bytes = n * sector_bytes;
        if (sectors >> first != low_bits(n))
            r.sectors = static_cast<std::uint16_t>(sectors >> first);
        return r;
    }

  private:
    device_parts::Interleave interleave_;
    std::uint32_t channel_ = 0, blocks_ = 0;
};

} // namespace memsim::cmd
