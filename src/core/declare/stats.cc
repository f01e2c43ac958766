#include "core/declare/stats.hh"

#include <algorithm>
#include <cmath>

namespace memsim {

std::string_view unit_name(Unit u) {
    static constexpr std::array<std::string_view, 10> names {
        "Count", "Byte", "ns", "Cycle", "nJ", "Ratio", "Byte/s", "1/s", "mW", "dBm"};
    return names[static_cast<std::size_t>(u)];
}

double unit_scale(Unit u) { return u == Unit::time || u == Unit::energy ? 1e-6 : 1.0; }

void Growth::next_sample() { before_ = seen_; }

void Growth::reset() { std::fill(seen_.begin(), seen_.end(), 0); }

bool Growth::resume(const Growth& saved) {
    if (saved.seen_.size() != places_.size()) return false;
    seen_ = saved.seen_;
    return true;
}

Uint128 Growth::of(const void* total, Uint128 value) {
    const auto [place, fresh] = places_.try_emplace(total, seen_.size());
    if (fresh) {
        seen_.push_back(0);
        before_.resize(seen_.size()); // a new total was 0
    }
    seen_[place->second] = value;
    return value - before_[place->second];
}

void Each<Ratio>::resize(const void*, const void*) {
    ratios_.clear();
    for (unsigned i = 0; i < size_(*part_); ++i)
        ratios_.push_back(make_(*part_, *whole_, i, doc()));
}

void Distribution::read(StatReader& r, Window w) const {
    const Histogram& h = samples_;
    const auto n = static_cast<double>(w.grown(h.count())),
               sum = static_cast<double>(w.grown(h.sum()));
    const auto squares = static_cast<double>(w.grown(h.squares()));
    r.integer("count", h.count(), Unit::count);
    r.integer("sum", static_cast<Int128>(h.sum()), unit());
    if (h.count() == 0) return;
    r.integer("min", h.least(), unit());
    r.integer("max", h.most(), unit());
    for (unsigned p : {50u, 90u, 99u}) r.integer("p" + std::to_string(p), percentile(p), unit());
    if (n > 0) {
        const double mean = sum / n, variance = squares / n - mean * mean;
        r.derived("mean", mean * unit_scale(unit()), unit());
        r.derived("stdev", std::sqrt(std::max(0.0, variance)) * unit_scale(unit()), unit());
    }
    h.for_each_bucket([&](auto low, auto high, auto count) { r.bucket(low, high, count); });
}

} // namespace memsim
