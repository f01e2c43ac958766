#pragma once

#include "core/state/hash_map.hh"
#include "device_parts/links.hh"
#include "device_parts/named.hh"
#include "device_parts/page_policy.hh"

#include <bit>

namespace memsim::flash {

using namespace memsim::literals;

/// Parameters of a drive's DRAM cache.
struct DriveCacheParams {
    using group = void;
    Param<Bytes> cache {
        256_MiB, {512_B, 1_GiB * 1024}, "DRAM cache", cited("MQSim, ssdconfig.xml")};
    Param<bool> cache_reads {false, "Keep read and written data in the cache", switched_off()};
    Param<PolicyName<device_parts::PagePolicy>> cache_replacement {
        "lru", "Policy that selects the clean page of the cache to evict; a use is a read hit",
        usual_policy()};
    Param<Bytes> write_buffer {
        1_MiB,
        {512_B, 1_GiB * 1024},
        "Maximum amount of data that is dirty in the cache or being written to the flash",
        cited("MQSim, SSD_Device.cpp: back-pressure at a page a plane, 1 MiB")};
    Param<unsigned> dirty_pages {0,
                                 {0, 1u << 28},
                                 "Dirty pages kept in the cache; 0: all are written at once",
                                 switched_off()};
    Param<bool> keep_rewritten {false,
                                "Keep a page that is rewritten while it is being written to "
                                "the flash in the cache until its space is needed",
                                assumed("none is kept; MQSim keeps one up to a second")};
    Param<Time> dram_latency {26_ns,
                              {0_fs, 1_us},
                              "Latency of an access to the DRAM",
                              cited("MQSim, ssdconfig.xml: tRCD + tCL, 13 ns each")};
    Param<Rate> dram_rate {Rate {200'000'000},
                           {1_MBps, 1000_GBps},
                           "Rate of the DRAM",
                           cited("MQSim, ssdconfig.xml: 1 byte x 100 MHz, two a cycle")};
};

using device_parts::check_list, device_parts::link_newest, device_parts::ListEnds,
    device_parts::no_link, device_parts::unlink;

/// A logical page in the drive's DRAM. Sectors are bits: `valid` ones are present; `dirty` ones
/// wait to be written to the flash; `flying` ones are being written.
struct CachedPage {
    std::uint32_t lpn = 0;
    std::uint32_t valid = 0, dirty = 0, flying = 0;
    std::uint32_t void_ = 0;                        ///< flying sectors trimmed meanwhile
    std::uint32_t newer = no_link, older = no_link; ///< in the list of dirty or hot pages
    bool hot = false;                               ///< rewritten while it was being written
    enum class List : std::uint8_t { none, clean, dirty, hot } list = List::none;
};

/// Plain values for State.
struct PageCacheState {
    std::vector<CachedPage> pages;
    std::vector<std::uint32_t> free;
    HashMap<std::uint32_t> page_of; ///< by logical page
    device_parts::ResidentPages
        residents; ///< the same pages, for the policy, which sees the clean ones
    Policy<device_parts::PagePolicy> replacement;
    ListEnds dirty, hot; ///< pages that are not flying, in order of entry
    std::uint32_t clean_pages = 0, dirty_pages = 0, hot_pages = 0;
    std::uint32_t flying_pages = 0;
    std::uint64_t buffered = 0; ///< sectors dirty or flying, without dirty ones of hot pages
};

/// The drive's DRAM cache: the pages that it contains and the state of their sectors. It grows up
/// to its capacity; then a page policy selects clean pages to evict. A part: its owner moves the
/// data.
class PageCache {
  public:
    /// `keep_hot`: a page that is rewritten while it is being written becomes hot; its new sectors
    /// wait until the owner asks for oldest_hot().
    PageCache(std::uint32_t capacity, bool keep_hot, PageCacheState& state)
        : capacity_(capacity), keep_hot_(keep_hot), state_(state) {}

    std::uint32_t find(std::uint32_t lpn) const {
        const std::uint32_t* const i = state_.page_of.find(lpn);
        return i ? *i : no_link;
    }
    void check_loaded(Loader& l) const {
        l.indices("cache.free", state_.free, state_.pages.size());
        state_.page_of.all([&](std::uint64_t, std::uint32_t i) {
            l.index("cache.page_of", i, state_.pages.size());
            return true;
        });
        l.within("cache.residents", [&] {
            l.check(state_.residents.size() == state_.pages.size(), "differs in length from pages");
            state_.replacement->check_frames(l, state_.residents);
        });
        check_list(l, "cache.dirty", state_.pages, state_.dirty);
        check_list(l, "cache.hot", state_.pages, state_.hot);
        for (const CachedPage& p : state_.pages)
            for (const std::uint32_t link : {p.newer, p.older})
                if (link != no_link) l.index("cache.pages", link, state_.pages.size());
    }
    CachedPage& operator[](std::uint32_t i) { return state_.pages[i]; }

    /// Allocates an entry for a page that is not cached. Returns no_link if all pages are dirty or
    /// flying.
    std::uint32_t create(std::uint32_t lpn) {
        std::uint32_t i = no_link;
        if (!state_.free.empty()) {
            i = state_.free.back();
            state_.free.pop_back();
        } else if (state_.pages.size() < capacity_) {
            i = static_cast<std::uint32_t>(state_.pages.size());
            state_.pages.emplace_back(), state_.residents.emplace_back();
        } else if (state_.clean_pages) {
            i = state_.replacement->evict({lpn}, state_.residents);
            forget(i);
        } else
            return no_link;
        state_.pages[i].lpn = lpn;
        state_.residents[i] = {};
        state_.residents[i].key = lpn, state_.residents[i].here = true;
        state_.page_of[lpn] = i;
        return i;
    }
    /// The entry to write `lpn` to; no_link if the write must wait.
    std::uint32_t place(std::uint32_t lpn) {
        const std::uint32_t i = find(lpn);
        return i != no_link ? i : create(lpn);
    }
    void write(std::uint32_t i, std::uint32_t sectors) {
        CachedPage& p = state_.pages[i];
        if (keep_hot_ && p.flying) p.hot = true;
        if (!p.hot) state_.buffered += static_cast<unsigned>(std::popcount(sectors & ~p.dirty));
        p.valid |= sectors;
        p.dirty |= sectors;
        relist(i);
    }
    /// Adds a copy of sectors in the flash.
    void fill(std::uint32_t i, std::uint32_t sectors) {
        state_.pages[i].valid |= sectors;
        relist(i);
    }
    void touch(std::uint32_t i) {
        if (state_.pages[i].list != CachedPage::List::clean) return;
        state_.residents[i].used = true;
        state_.replacement->use(i, state_.residents[i]);
    }
    /// The page written first among those that may be written to the flash; no_link if there is
    /// none.
    std::uint32_t oldest_dirty() const { return state_.dirty.oldest; }
    std::uint32_t oldest_hot() const { return state_.hot.oldest; }
    /// Whether create() would fail.
    bool full() const {
        return state_.free.empty() && state_.pages.size() >= capacity_ && state_.clean_pages == 0;
    }
    bool all_written() const {
        return state_.dirty_pages + state_.hot_pages + state_.flying_pages == 0;
    }
    std::uint32_t dirty_pages() const { return state_.dirty_pages; }
    std::uint32_t flying_pages() const { return state_.flying_pages; }
    std::uint64_t buffered() const { return state_.buffered; }
    std::size_t size() const { return state_.pages.size() - state_.free.size(); }

    /// Starts to write the dirty sectors; later writes make sectors dirty again.
    void take_off(std::uint32_t i) {
        CachedPage& p = state_.pages[i];
        if (std::exchange(p.hot, false))
            state_.buffered += static_cast<unsigned>(std::popcount(p.dirty));
        p.flying = std::exchange(p.dirty, 0);
        ++state_.flying_pages;
        relist(i);
    }
    /// The sectors have been written. `keep`: keep the page as a clean one.
    void land(std::uint32_t i, bool keep) {
        CachedPage& p = state_.pages[i];
        state_.buffered -= static_cast<unsigned>(std::popcount(p.flying));
        p.flying = p.void_ = 0;
        --state_.flying_pages;
        relist(i);
        if (!keep && p.list == CachedPage::List::clean) drop(i);
    }
    void trim(std::uint32_t i, std::uint32_t sectors) {
        CachedPage& p = state_.pages[i];
        if (!p.hot) state_.buffered -= static_cast<unsigned>(std::popcount(p.dirty & sectors));
        p.dirty &= ~sectors;
        p.valid &= ~sectors;
        p.void_ |= p.flying & sectors;
        relist(i);
        if (p.list == CachedPage::List::clean && p.valid == 0) drop(i);
    }

  private:
    /// Removes a clean page from the index.
    void forget(std::uint32_t i) {
        state_.page_of.erase(device_parts::named(state_.pages, i).lpn);
        state_.pages[i] = {};
        --state_.clean_pages;
    }
    void drop(std::uint32_t i) {
        state_.replacement->remove(i);
        forget(i);
        state_.free.push_back(i);
    }
    ListEnds& ends(CachedPage::List l) {
        return l == CachedPage::List::hot ? state_.hot : state_.dirty;
    }
    /// Moves the page to the list that matches its state.
    void relist(std::uint32_t i) {
        using List = CachedPage::List;
        CachedPage& p = state_.pages[i];
        if (!p.dirty) p.hot = false;
        const List to = p.flying   ? List::none
                        : !p.dirty ? List::clean
                        : p.hot    ? List::hot
                                   : List::dirty;
        if (p.list == to) return;
        state_.dirty_pages += (to == List::dirty) - (p.list == List::dirty);
        state_.hot_pages += (to == List::hot) - (p.list == List::hot);
        state_.clean_pages += (to == List::clean) - (p.list == List::clean);
        if (p.list == List::clean)
            state_.replacement->remove(i);
        else if (p.list != List::none)
            unlink(state_.pages, ends(p.list), i);
        if (to == List::clean)
            state_.replacement->insert(i, state_.residents[i]);
        else if (to != List::none)
            link_newest(state_.pages, ends(to), i);
        p.list = to;
    }

    std::uint32_t capacity_;
    bool keep_hot_;
    PageCacheState& state_;
};

} // namespace memsim::flash
