#pragma once

#include "device_parts/interleave.hh"

namespace memsim::mem {

/// An interleave that may select by a hash. A round consists of `ways` consecutive chunks, one for
/// each way. With `hashed`, a hash of the round's number selects the way of its first chunk, and
/// the following chunks belong to the following ways. Addresses at a stride of many chunks then use
/// all ways about equally, and a round still has one chunk in each way, so that `within` does not
/// change.
class HashedInterleave {
  public:
    HashedInterleave() = default;
    HashedInterleave(std::uint64_t granularity, std::uint64_t ways, bool hashed)
        : interleave_(granularity, ways), round_(granularity * ways), ways_(ways), hashed_(hashed) {
    }

    /// The way of this address.
    std::uint32_t way(std::uint64_t address) const {
        const std::uint32_t in_round = interleave_.way(address);
        if (!hashed_) return in_round;
        return static_cast<std::uint32_t>(
            ways_.remainder(in_round + hash(round_.quotient(address))));
    }
    /// The address within its way, in which chunks are contiguous.
    std::uint64_t within(std::uint64_t address) const { return interleave_.within(address); }
    /// The address of a position within a way. Ascends with the position.
    std::uint64_t address(std::uint32_t way, std::uint64_t within) const {
        if (!hashed_) return interleave_.address(way, within);
        const std::uint64_t first = interleave_.address(0, within);
        const std::uint64_t moved = ways_.remainder(hash(round_.quotient(first)));
        const std::uint64_t n = ways_.value();
        const auto chunk = static_cast<std::uint32_t>(ways_.remainder(way + n - moved));
        return interleave_.address(chunk, within);
    }

  private:
    /// The upper half of a product with 2^64 / the golden ratio depends on all bits below it.
    static constexpr std::uint64_t hash(std::uint64_t round) {
        return round * 0x9e37'79b9'7f4a'7c15 >> 32;
    }

    device_parts::Interleave interleave_;
    device_parts::Divider round_, ways_;
    bool hashed_ = false;
};

} // namespace memsim::mem
