#pragma once

#include "core/base/bits.hh"
#include "core/base/rng.hh"

#include <bit>
#include <cstdint>

namespace memsim::device_parts {

/// A permutation of 0 to n - 1, selected by a key and computed in both directions without a table.
/// A Feistel network over the next even power of two; results beyond n pass through it again (cycle
/// walking: Black and Rogaway, CT-RSA 2002). Plain value.
class Shuffle {
  public:
    explicit Shuffle(std::uint64_t n = 1, std::uint64_t key = 0)
        : size_(n), key_(key),
          half_(static_cast<unsigned>(std::bit_width(n > 1 ? n - 1 : 1) + 1) / 2),
          mask_(low_bits(half_)) {}

    std::uint64_t place_of(std::uint64_t x) const {
        do
            for (unsigned round = 0; round < rounds; ++round)
                x = (x & mask_) << half_ | ((x >> half_) ^ mixed(x & mask_, round));
        while (x >= size_);
        return x;
    }
    /// The inverse: the element at this place.
    std::uint64_t at(std::uint64_t x) const {
        do
            for (unsigned round = rounds; round-- > 0;)
                x = ((x & mask_) ^ mixed(x >> half_, round)) << half_ | x >> half_;
        while (x >= size_);
        return x;
    }

  private:
    static constexpr unsigned rounds = 6;
    std::uint64_t mixed(std::uint64_t x, unsigned round) const {
        std::uint64_t seed = key_ ^ (x << 8 | round);
        return split_mix(seed) & mask_;
    }

    std::uint64_t size_, key_;
    unsigned half_;
    std::uint64_t mask_;
};

} // namespace memsim::device_parts
