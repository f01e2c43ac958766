#pragma once

#include "mem/cache/banked_slots.hh"
#include "mem/cache/mshr_use.hh"
#include "mem/cache/outlet.hh"
#include "mem/cache/stats.hh"
#include "protocol/cache_event.hh"

namespace memsim::mem {

/// Why the first request of the queue cannot be served.
enum class CacheStall : std::uint8_t { none, mshrs, targets, mem_side, set, bank, flush };

} // namespace memsim::mem

namespace memsim::mem::cache {

using Observers = Many<Out<protocol::CacheEvent>>;

/// What the stages of a cache work on. All that it is given outlives it.
struct Core {
    /// State, statistics and ports of the cache's.
    struct Of {
        Simulation& sim;
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
    Simulation& sim;
    Lines lines;
    MshrUse mshr_use;
    BankedSlots slots;
    Outlet outlet;
    Stats& stat;
    Observers& observers;
    std::uint32_t& reserved; ///< ways for lines that are written
    std::uint64_t& owed;     ///< answers not yet given
    std::uint64_t& fetching; ///< bytes asked for below and not yet here

    void occupy(std::uint32_t bank, std::int64_t cycles) {
        slots.occupy(bank, cycles);
        stat.bank_busy += static_cast<std::uint64_t>(cycles);
    }
    /// Counts an access that is served, and tells it.
    void count(const Access& a);
    /// Counts an eviction, and tells it.
    void count_eviction(std::uint32_t line);
    /// A write stays here under another policy than write-back.
    void keep(std::uint32_t line) {
        if (config.write_back()) return;
        lines.tags.set_kept(line, true);
        ++stat.kept_writes;
    }
    /// Sectors of a line are written and stay here; who keeps copies of them below must know. There
    /// is room below for so many messages.
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
