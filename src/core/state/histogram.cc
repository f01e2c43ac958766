#include "core/state/histogram.hh"

#include <algorithm>

namespace memsim {

std::uint64_t Histogram::low_of(std::uint32_t b) {
    const std::uint32_t half = 1u << sub_bits;
    if (b < 2 * half) return b;
    const unsigned octave = (b >> sub_bits) - 1;
    return (static_cast<std::uint64_t>((b & (half - 1)) | half)) << octave;
}

void Histogram::grow(std::size_t buckets) { buckets_.resize(buckets); }

std::uint64_t Histogram::percentile(unsigned percent) const {
    if (count_ == 0) return 0;
    const auto wanted =
        static_cast<std::uint64_t>((static_cast<Uint128>(count_) * percent + 99) / 100);
    std::uint64_t seen = 0;
    for (std::uint32_t b = 0; b < buckets_.size(); ++b) {
        seen += buckets_[b];
        if (seen >= wanted && buckets_[b]) return std::min(most_, low_of(b + 1) - 1);
    }
    return most_;
}

} // namespace memsim
