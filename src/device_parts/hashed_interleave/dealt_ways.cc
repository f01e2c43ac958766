#include "device_parts/hashed_interleave/dealt_ways.hh"

#include "core/base/rng.hh"

#include <map>
#include <mutex>
#include <utility>

namespace memsim::device_parts {

const DealtWays& DealtWays::of(std::uint32_t ways, std::uint32_t rounds) {
    static std::mutex mutex;
    static std::map<std::pair<std::uint32_t, std::uint32_t>, DealtWays> tables;
    const std::lock_guard lock(mutex);
    return tables.try_emplace({ways, rounds}, ways, rounds).first->second;
}

DealtWays::DealtWays(std::uint32_t ways, std::uint32_t rounds)
    : rounds_(rounds), way_(std::size_t {rounds} * ways), position_(way_.size()),
      chunk_(way_.size()) {
    for (std::uint64_t i = 0; i < way_.size(); ++i) way_[i] = static_cast<std::uint16_t>(i % ways);
    Rng random(0, "dealt ways"); // a property of the hardware, so the same with every seed
    for (std::uint64_t left = rounds > 1 ? way_.size() : 0; left > 1; --left)
        std::swap(way_[left - 1], way_[random.below(left)]);
    std::vector<std::uint16_t> dealt(ways, 0);
    for (std::uint32_t i = 0; i < way_.size(); ++i) {
        position_[i] = dealt[way_[i]]++;
        chunk_[way_[i] * rounds_ + position_[i]] = i;
    }
}

} // namespace memsim::device_parts
