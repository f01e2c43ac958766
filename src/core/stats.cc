#include "core/stats.hh"

#include <algorithm>
#include <cmath>

namespace memsim {

std::string_view unit_name(Unit u) {
    static constexpr std::array<std::string_view, 10> names {
        "Count", "Byte", "ns", "Cycle", "nJ", "Ratio", "Byte/s", "1/s", "mW", "dBm"};
    return names[static_cast<std::size_t>(u)];
}

double unit_scale(Unit u) { return u == Unit::time || u == Unit::energy ? 1e-6 : 1.0; }

Uint128 Growth::of(const void* total, Uint128 value) {
    const auto [place, fresh] = places_.try_emplace(total, seen_.size());
    if (fresh) {
        seen_.push_back(0);
        before_.resize(seen_.size()); // it began at 0
    }
    seen_[place->second] = value;
    return value - before_[place->second];
}

std::uint64_t Distribution::low_of(std::uint32_t b) {
    const std::uint32_t half = 1u << sub_bits;
    if (b < 2 * half) return b;
    const unsigned octave = (b >> sub_bits) - 1;
    return (static_cast<std::uint64_t>((b & (half - 1)) | half)) << octave;
}

void Distribution::grow(std::size_t buckets) { buckets_.resize(buckets); }

std::uint64_t Distribution::percentile(unsigned percent) const {
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

void Distribution::read(StatReader& r, Window w) const {
    const auto n = static_cast<double>(w.grown(count_)), sum = static_cast<double>(w.grown(sum_));
    const auto squares = static_cast<double>(w.grown(squares_));
    r.integer("count", count_, Unit::count);
    r.integer("sum", static_cast<Int128>(sum_), unit());
    if (count_ == 0) return;
    r.integer("min", least_, unit());
    r.integer("max", most_, unit());
    for (unsigned p : {50u, 90u, 99u}) r.integer("p" + std::to_string(p), percentile(p), unit());
    if (n > 0) {
        const double mean = sum / n, variance = squares / n - mean * mean;
        r.derived("mean", mean * unit_scale(unit()), unit());
        r.derived("stdev", std::sqrt(std::max(0.0, variance)) * unit_scale(unit()), unit());
    }
    for (std::uint32_t b = 0; b < buckets_.size(); ++b)
        if (buckets_[b]) r.bucket(low_of(b), low_of(b + 1) - 1, buckets_[b]);
}

} // namespace memsim
