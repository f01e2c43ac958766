#include "sap/recency.hh"

#include <algorithm>
#include <numeric>

namespace memsim::sap {

void Recency::renumber() {
    std::vector<std::uint32_t> order(units_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, {}, [&](std::uint32_t n) { return units_[n].time; });
    places_ = std::bit_ceil(std::max(2 * size(), 1024u));
    for (std::uint32_t i = 0; i < size(); ++i) units_[order[i]].time = i + 1;
    mark();
}

bool Recency::mark() {
    marks_.assign(places_, 0), by_time_.assign(places_, never);
    now_ = 0;
    for (std::uint32_t n = 0; n < size(); ++n) {
        const std::uint32_t time = units_[n].time;
        if (time == 0 || time >= places_ || by_time_[time] != never) return false;
        by_time_[time] = n;
        add(time, 1);
        now_ = std::max(now_, time);
    }
    return true;
}

} // namespace memsim::sap
