#pragma once

#include "core/state/archive.hh"

#include <bit>
#include <cstdint>
#include <vector>

namespace memsim {

/// Counts of sampled values in log-linear buckets, 16 per octave: a percentile is exact within 1/16
/// of its value, whatever the range.
class Histogram {
  public:
    static constexpr std::string_view archived_as = "Histogram";
    template <class Archive>
    void archive(Archive& a) {
        a(count_), a(sum_), a(squares_), a(least_), a(most_), a(buckets_);
        if constexpr (Loading<Archive>)
            a.check(buckets_.size() <= bucket_of(~std::uint64_t {0}) + 1, "has too many buckets");
    }

    void sample(std::uint64_t v) {
        ++count_;
        sum_ += v;
        squares_ += static_cast<Uint128>(v) * v;
        least_ = v < least_ ? v : least_;
        most_ = v > most_ ? v : most_;
        const std::uint32_t b = bucket_of(v);
        if (b >= buckets_.size()) [[unlikely]]
            grow(b + 1);
        ++buckets_[b];
    }
    // References, because a series identifies a total by its address.
    const std::uint64_t& count() const { return count_; }
    const Uint128& sum() const { return sum_; }
    const Uint128& squares() const { return squares_; }
    std::uint64_t least() const { return least_; }
    std::uint64_t most() const { return most_; }
    double mean() const {
        return count_ ? static_cast<double>(sum_) / static_cast<double>(count_) : 0.0;
    }
    /// The smallest v such that at least `percent` of the samples are at most v.
    std::uint64_t percentile(unsigned percent) const;
    /// Calls f(low, high, count) for each non-empty bucket; both limits are inclusive.
    template <class F>
    void for_each_bucket(F&& f) const {
        for (std::uint32_t b = 0; b < buckets_.size(); ++b)
            if (buckets_[b]) f(low_of(b), low_of(b + 1) - 1, buckets_[b]);
    }

  private:
    static constexpr unsigned sub_bits = 4;
    static std::uint32_t bucket_of(std::uint64_t v) {
        if (v < (1u << sub_bits)) return static_cast<std::uint32_t>(v);
        const unsigned octave = 63 - static_cast<unsigned>(std::countl_zero(v)) - sub_bits;
        return (octave << sub_bits) + static_cast<std::uint32_t>(v >> octave);
    }
    static std::uint64_t low_of(std::uint32_t b);
    void grow(std::size_t buckets);

    std::uint64_t count_ = 0;
    Uint128 sum_ = 0;
    Uint128 squares_ = 0;
    std::uint64_t least_ = ~std::uint64_t {0};
    std::uint64_t most_ = 0;
    std::vector<std::uint64_t> buckets_;
};

} // namespace memsim
