#pragma once

#include "core/base/units.hh"

#include <array>
#include <cstdint>
#include <string>

namespace memsim::device_parts {

/// The channel, bank and position of an address.
struct DramPlace {
    std::uint32_t channel = 0;
    std::uint32_t rank = 0;
    std::uint32_t group = 0;
    std::uint32_t bank = 0; ///< within its group
    std::uint32_t row = 0;
    std::uint32_t column = 0; ///< in units
};

/// Decomposes an address into digits, one per field, in mixed radix; counts such as 6 channels or
/// 384 rows need not be powers of two. The order lists the fields from the highest digit to the
/// lowest, two letters each:
///
///     Ro row   Ra rank   Bg bank group   Ba bank   Co column   Ch channel   Cl column, low digit
///
/// such as 'RoRaBaCoCh'; case does not matter. Without Bg, Ba counts all banks of a rank, and
/// consecutive banks lie in different groups. Cl is the part of the column below `interleave`.
class AddressMap {
  public:
    struct Geometry {
        std::uint32_t channels = 1, ranks = 1, groups = 1, banks_per_group = 1, rows = 1;
        std::uint32_t columns = 1;     ///< units in a row
        std::uint32_t unit = 64;       ///< bytes that are never split: a burst
        std::uint32_t low_columns = 1; ///< units in one interleave granule
    };
    /// Throws ConfigError (the end of a sentence) if the order does not match the geometry.
    AddressMap(const std::string& order, const Geometry& geometry);

    std::uint64_t capacity() const { return capacity_; }
    /// Whether both maps agree on all addresses of this one; the highest digit of the other may
    /// count further.
    bool within(const AddressMap& other) const;
    /// Requires: the address is below capacity().
    DramPlace place(std::uint64_t address) const;
    /// The inverse: the first address of the unit at a place.
    std::uint64_t address(const DramPlace& place) const;
    /// Number of consecutive bytes in the same channel from the start of a chunk.
    std::uint64_t channel_chunk() const;
    /// Number of consecutive bytes from `address` in the same row and channel, at most `most`.
    std::uint32_t contiguous(std::uint64_t address, std::uint32_t most) const;

  private:
    enum Field : std::uint8_t { row, rank, group, bank, column, channel, low_column, fields };
    struct Digit {
        Field field = row;
        std::uint32_t radix = 1;
        std::uint8_t shift = 0;
        bool power = true; ///< radix is 1 << shift
    };
    std::array<Digit, fields> digits_; ///< lowest first
    unsigned used_ = 0;
    bool whole_bank_ = false; ///< Ba counts all banks of a rank
    std::uint32_t groups_, low_columns_, unit_;
    std::uint32_t run_ = 1; ///< consecutive units in a row
    std::uint64_t capacity_ = 0;
};

/// Implemented by memories that decompose addresses, for components that compose addresses.
class HasAddressMap {
  public:
    static constexpr bool constant = true;
    virtual ~HasAddressMap() = default;
    /// Available before init(). Throws ConfigError if there is none.
    virtual AddressMap address_map() const = 0;
};

} // namespace memsim::device_parts
