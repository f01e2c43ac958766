#include "device_parts/dealt_ways.hh"

#include "core/base/rng.hh"

#include <map>
#include <mutex>
#include <utility>

namespace memsim::device_parts {

const DealtWays& DealtWays::of(std::uint32_t ways) {
    static std::mutex mutex;
    static std::map<std::uint32_t, DealtWays> tables;
    const std::lock_guard lock(mutex);
    return tables.try_emplace(ways, ways).first->second;
}

DealtWays::DealtWays(std::uint32_t ways)
    : way_(rounds * ways), position_(rounds * ways), chunk_(rounds * ways) {
    for (std::uint64_t i = 0; i < way_.size(); ++i) way_[i] = static_cast<std::uint16_t>(i % ways);
    Rng random(0, "dealt ways"); // a property of the hardware, so the same with every seed
    for (std::uint64_t left = way_.size(); left > 1; --left)
        std::swap(way_[left - 1], way_[random.below(left)]);
    std::vector<std::uint16_t> dealt(ways, 0);
    for (std::uint32_t i = 0; i < way_.size(); ++i) {
        position_[i] = dealt[way_[i]]++;
        chunk_[way_[i] * rounds + position_[i]] = i;
    }
}

} // namespace memsim::device_parts
