#pragma once

#include "device_parts/hashed_interleave/dealt_ways.hh"
#include "device_parts/interleave.hh"

namespace memsim::device_parts {

/// An interleave that may select by a hash. Chunks are then dealt to the ways, so many rounds at a
/// time (dealt_ways.hh), and a hash of the number of this range turns its ways, so that strides of
/// many chunks use all ways.
class HashedInterleave {
  public:
    HashedInterleave() = default;
    HashedInterleave(std::uint64_t granularity, std::uint32_t ways, std::uint32_t hash_rounds)
        : interleave_(granularity, ways), chunk_(granularity), ways_(ways),
          dealt_(hash_rounds && ways > 1 ? &DealtWays::of(ways, hash_rounds) : nullptr),
          range_(dealt_ ? dealt_->chunks() : 1), rounds_(hash_rounds ? hash_rounds : 1) {}

    /// The way of this address.
    std::uint32_t way(std::uint64_t address) const {
        if (!dealt_) return interleave_.way(address);
        const std::uint64_t chunk = chunk_.quotient(address), range = range_.quotient(chunk);
        return static_cast<std::uint32_t>(
            ways_.remainder(dealt_->way(range_.remainder(chunk)) + hash(range)));
    }
    /// The address within its way, in which chunks are contiguous.
    std::uint64_t within(std::uint64_t address) const {
        if (!dealt_) return interleave_.within(address);
        const std::uint64_t chunk = chunk_.quotient(address);
        const std::uint64_t position =
            range_.quotient(chunk) * rounds_.value() + dealt_->position(range_.remainder(chunk));
        return position * chunk_.value() + chunk_.remainder(address);
    }
    /// The address of a position within a way. Ascends with the position.
    std::uint64_t address(std::uint32_t way, std::uint64_t within) const {
        if (!dealt_) return interleave_.address(way, within);
        const std::uint64_t position = chunk_.quotient(within), range = rounds_.quotient(position);
        const std::uint64_t turned = ways_.remainder(way + ways_.value() - hash(range));
        const std::uint64_t chunk =
            range * range_.value() + dealt_->chunk(turned, rounds_.remainder(position));
        return chunk * chunk_.value() + chunk_.remainder(within);
    }
    std::uint32_t ways() const { return static_cast<std::uint32_t>(ways_.value()); }

  private:
    /// Below the number of ways. The upper half of a product with 2^64 / the golden ratio depends
    /// on all bits below it.
    std::uint64_t hash(std::uint64_t range) const {
        return ways_.remainder(range * 0x9e37'79b9'7f4a'7c15 >> 32);
    }

    Interleave interleave_;
    Divider chunk_, ways_;
    const DealtWays* dealt_ = nullptr; ///< with a hash
    Divider range_, rounds_;           ///< chunks of the table, of a way
};

} // namespace memsim::device_parts
