#pragma once

#include "mem/cache/lines/lines.hh"
#include "mem/cache/stats.hh"
#include "protocol/cache_event.hh"

namespace memsim::mem::cache {

using Observers = Many<Out<protocol::CacheEvent>>;

/// Counts served accesses and evictions, and reports them to the observers. All arguments outlive
/// it.
class Accounting {
  public:
    Accounting(const Config& config, const Map& map, Lines& lines, Observers& observers,
               Stats& stat)
        : config_(config), map_(map), lines_(lines), observers_(observers), stat_(stat) {}

    void count(const Access& a);
    void count_eviction(std::uint32_t line);

  private:
    void report(const protocol::CacheEvent& e) {
        for (std::uint32_t i = 0; i < observers_.size(); ++i) observers_[i].send(e);
    }

    const Config& config_;
    const Map& map_;
    Lines& lines_;
    Observers& observers_;
    Stats& stat_;
};

} // namespace memsim::mem::cache
