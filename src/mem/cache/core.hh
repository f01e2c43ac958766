#pragma once

#include "mem/cache/banked_slots.hh"
#include "mem/cache/mshr_use.hh"
#include "mem/cache/outlet.hh"
#include "mem/cache/stats.hh"
#include "protocol/cache_event.hh"

namespace memsim::mem {

/// The cause that stalls the first request of the queue.
enum class CacheStall : std::uint8_t { none, mshrs, targets, mem_side, set, bank, flush };

} // namespace memsim::mem

namespace memsim::mem::cache {

using Observers = Many<Out<protocol::CacheEvent>>;

/// What the stages of a cache share. All arguments outlive it.
struct Core {
    /// State, statistics and ports of the cache.
    struct Of {
        SimulationRef sim;
        const Policy<parts::SetHash>& set_hash;
        parts::TagArray& tags;
        Mshrs& mshrs;
        MshrUse::State& mshr_use;
        BankedSlotsState& slots;
        Outlet::State& outlet;
        Requester<protocol::Mem>& below;
        Stats& stat;
        Observers& observers;
        std::uint32_t& reserved;
        std::uint64_t& owed;
        std::uint64_t& fetching;
    };
    Core(const Params& p, bool victims, const parts::Interleave& interleave, const Of& of);
    Core(const Core&) = delete;

    Config config;
    Map map;
    SimulationRef sim;
    Lines lines;
    MshrUse mshr_use;
    BankedSlots slots;
    Outlet outlet;
    Stats& stat;
    Observers& observers;
    std::uint32_t& reserved; ///< ways for written lines
    std::uint64_t& owed;     ///< requests without a response
    std::uint64_t& fetching; ///< bytes requested from the next level and not yet received

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
        for (std::uint32_t i = 0; i < observers.size(); ++i) observers[i].send(e);
    }
};

} // namespace memsim::mem::cache
