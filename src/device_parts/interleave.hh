#pragma once

#include <bit>
#include <cstdint>

namespace memsim::device_parts {

/// Division by a number fixed at set-up; a shift for powers of two.
class Divider {
  public:
    explicit Divider(std::uint64_t n = 1)
        : divisor_(n), shift_(std::has_single_bit(n) ? std::countr_zero(n) : -1) {}
    std::uint64_t quotient(std::uint64_t x) const {
        return shift_ >= 0 ? x >> shift_ : x / divisor_;
    }
    std::uint64_t remainder(std::uint64_t x) const {
        return shift_ >= 0 ? x & (divisor_ - 1) : x % divisor_;
    }
    std::uint64_t value() const { return divisor_; }

  private:
    std::uint64_t divisor_;
    int shift_;
};

/// Distributes addresses in chunks of `granularity` over `ways` in turn. Neither needs to be a
/// power of two (mixed radix). The mapping from addresses to (way, within) is one to one.
class Interleave {
  public:
    Interleave() = default;
    Interleave(std::uint64_t granularity, std::uint64_t ways) : chunk_(granularity), ways_(ways) {}

    /// The way of this address.
    std::uint32_t way(std::uint64_t address) const {
        return static_cast<std::uint32_t>(ways_.remainder(chunk_.quotient(address)));
    }
    /// The address within its way, in which chunks are contiguous.
    std::uint64_t within(std::uint64_t address) const {
        const std::uint64_t chunk = chunk_.quotient(address);
        return ways_.quotient(chunk) * chunk_.value() + chunk_.remainder(address);
    }
    /// The address of a position within a way.
    std::uint64_t address(std::uint32_t way, std::uint64_t within) const {
        const std::uint64_t chunk = chunk_.quotient(within) * ways_.value() + way;
        return chunk * chunk_.value() + chunk_.remainder(within);
    }
    std::uint32_t ways() const { return static_cast<std::uint32_t>(ways_.value()); }

  private:
    Divider chunk_, ways_;
};

} // namespace memsim::device_parts
