#pragma once

#include "mem/cache/state.hh"
#include "protocol/cache_event.hh"

namespace memsim::mem::cache {

using Observers = Many<Out<protocol::CacheEvent>>;

/// What the stages of a cache share: its declared structures and the parts that operate on them.
/// The structures outlive it.
struct Core {
    struct NextLevel {
        Requester<protocol::Mem>& port;
        bool victims; ///< whether it accepts victims
    };
    Core(const Params& p, const parts::Interleave& interleave, const NextLevel& below,
         Observers& observers, SimulationRef sim, Stats& stat, State& state);
    Core(const Core&) = delete;

    Config config;
    Map map;
    SimulationRef sim;
    Stats& stat;
    State& state;
    Lines lines;
    MshrUse mshr_use;
    BankedSlots slots;
    Outlet outlet;

    void occupy(std::uint32_t bank, std::int64_t cycles) {
        slots.occupy(bank, cycles);
        stat.bank_busy += static_cast<std::uint64_t>(cycles);
    }
    /// Counts a served access and reports it to the observers.
    void count(const Access& a);
    /// Counts an eviction and reports it to the observers.
    void count_eviction(std::uint32_t line);
    /// Marks a written line that stays in the cache although the policy is not write-back.
    void keep(std::uint32_t line) {
        if (config.write_back()) return;
        lines.tags.set_kept(line, true);
        ++stat.kept_writes;
    }
    /// Number of claim messages that a write to these sectors sends: a level below that keeps
    /// copies must know of it. The caller has checked that the outlet has space for them.
    std::uint32_t claims(const Access& a) const {
        return config.victims && without(a.touched, a.written);
    }
    void claim(const Access& a);

  private:
    void tell(const protocol::CacheEvent& e) {
        for (std::uint32_t i = 0; i < observers_.size(); ++i) observers_[i].send(e);
    }

    Observers& observers_;
};

} // namespace memsim::mem::cache
