#pragma once

#include "core/state/hash_map.hh"
#include "device_parts/links.hh"
#include "device_parts/named.hh"
#include "device_parts/page_policy.hh"

#include <utility>

namespace memsim::flash {

using device_parts::no_link;

struct CachedMapping {
    std::uint32_t dirty_next = no_link;   ///< next dirty entry of its translation page
    std::uint32_t first_job = no_link;    ///< first of the jobs that wait for it
    std::uint32_t next_awaited = no_link; ///< next awaited entry of its translation page
    bool changed = false;                 ///< while it was being read
};

/// Plain values for State.
struct MapCacheState {
    std::vector<CachedMapping> entries;
    device_parts::ResidentPages
        pages; ///< logical pages, by entry; here: not being read from the flash
    Policy<device_parts::PagePolicy> replacement;
    std::vector<std::uint32_t> free;
    HashMap<std::uint32_t> entry_of; ///< by logical page
    HashMap<std::uint32_t> awaited;  ///< first entry, by translation page being read
    HashMap<std::uint32_t> dirty;    ///< first dirty entry + 1, by translation page
    HashMap<std::uint8_t> leaving;   ///< translation pages being written back
    std::uint32_t here = 0;
    std::uint32_t last = 0; ///< the entry added last
};

/// The part of the map in the controller's memory: entries of logical pages (called CMT by MQSim).
/// A page policy selects the entries to evict. Entries being read do not count. It stores only
/// which entries are present, not the mappings. A part: its owner reads and writes translation
/// pages.
class MapCache {
  public:
    MapCache(std::uint32_t capacity, std::uint32_t entries_per_page, MapCacheState& state)
        : capacity_(capacity), per_page_(entries_per_page), state_(state) {}

    /// `jobs`: number of jobs of the owner.
    void check_loaded(Loader& l, std::size_t jobs) const {
        const std::size_t n = state_.entries.size();
        l.indices("map.free", state_.free, n);
        const auto entry = [&](std::uint64_t, std::uint32_t i) {
            l.index("map.entry_of", i, n);
            return true;
        };
        state_.entry_of.all(entry), state_.awaited.all(entry);
        state_.dirty.all([&](std::uint64_t, std::uint32_t i) { return entry(0, i ? i - 1 : 0); });
        l.within("map.pages", [&] {
            l.check(state_.pages.size() == n, "differs in length from entries");
            state_.replacement->check_frames(l, state_.pages);
        });
        if (n) l.index("map.last", state_.last, n);
        for (const CachedMapping& e : state_.entries) {
            for (const std::uint32_t link : {e.dirty_next, e.next_awaited})
                if (link != no_link) l.index("map.entries", link, n);
            if (e.first_job != no_link) l.index("map.first_job", e.first_job, jobs);
        }
    }
    std::uint32_t page_of(std::uint32_t lpn) const { return lpn / per_page_; }

    enum class Found : std::uint8_t { here, awaited, nothing };
    /// Looks up an entry; if present, it counts as used.
    Found use(std::uint32_t lpn) {
        const std::uint32_t* const i = state_.entry_of.find(lpn);
        if (!i) return Found::nothing;
        if (!state_.pages[*i].here) return Found::awaited;
        state_.pages[*i].used = true;
        state_.replacement->use(*i, state_.pages[*i]);
        return Found::here;
    }
    /// Adds a job to the list of those that wait for the entry. Returns the previous head of the
    /// list, which the job links to. Sets `read` if the translation page must be read.
    std::uint32_t await(std::uint32_t lpn, std::uint32_t job, bool& read) {
        read = false;
        std::uint32_t i;
        if (const std::uint32_t* const known = state_.entry_of.find(lpn)) {
            i = *known;
        } else {
            i = create(lpn);
            std::uint32_t* const first = state_.awaited.find(page_of(lpn));
            state_.entries[i].next_awaited = first ? *first : no_link;
            read = !first;
            state_.awaited[page_of(lpn)] = i;
        }
        return std::exchange(state_.entries[i].first_job, job);
    }
    /// The translation page was read: calls resume(job) for each list of waiting jobs.
    template <class F>
    void arrived(std::uint32_t page, F&& resume) {
        const std::uint32_t* const first = state_.awaited.find(page);
        std::uint32_t i = first ? *first : no_link;
        state_.awaited.erase(page);
        while (i != no_link) {
            const std::uint32_t next = state_.entries[i].next_awaited;
            const std::uint32_t job = std::exchange(state_.entries[i].first_job, no_link);
            add_arrived(i);
            if (job != no_link) resume(job);
            i = next;
        }
    }
    /// Adds an entry without a read: it is new, or its page is still in memory.
    void insert(std::uint32_t lpn) {
        if (!state_.entry_of.find(lpn)) add_arrived(create(lpn));
    }
    /// Marks the entry as changed; it is added if it was evicted meanwhile. An entry being read
    /// becomes dirty when it arrives, because its translation page was read before the change.
    void change(std::uint32_t lpn) {
        const std::uint32_t* const known = state_.entry_of.find(lpn);
        const std::uint32_t i = known ? *known : create(lpn);
        if (!known) add_arrived(i);
        if (state_.pages[i].here)
            make_dirty(i);
        else
            state_.entries[i].changed = true;
    }
    bool too_full() const { return state_.here > capacity_; }
    /// Evicts an entry in favour of the one added last. Returns the translation page to write back,
    /// or no_link. All dirty entries of that page are then clean.
    std::uint32_t evict() {
        const std::uint32_t i = state_.replacement->evict(state_.pages[state_.last], state_.pages);
        const auto lpn = static_cast<std::uint32_t>(device_parts::named(state_.pages, i).key);
        const bool dirty = state_.pages[i].dirty;
        if (dirty) clean(page_of(lpn));
        state_.entry_of.erase(lpn);
        state_.entries[i] = {};
        state_.pages[i] = {};
        state_.free.push_back(i);
        --state_.here;
        return dirty ? page_of(lpn) : no_link;
    }
    std::size_t size() const { return state_.here; }

  private:
    std::uint32_t create(std::uint32_t lpn) {
        std::uint32_t i = static_cast<std::uint32_t>(state_.entries.size());
        if (state_.free.empty())
            state_.entries.emplace_back(), state_.pages.emplace_back();
        else
            i = state_.free.back(), state_.free.pop_back();
        state_.pages[i].key = lpn;
        state_.entry_of[lpn] = i;
        return i;
    }
    void add_arrived(std::uint32_t i) {
        state_.pages[i].here = true;
        state_.entries[i].next_awaited = no_link;
        state_.replacement->insert(i, state_.pages[i]);
        state_.last = i;
        ++state_.here;
        if (std::exchange(state_.entries[i].changed, false)) make_dirty(i);
    }
    void make_dirty(std::uint32_t i) {
        device_parts::ResidentPage& page = state_.pages[i];
        if (std::exchange(page.dirty, true)) return;
        std::uint32_t& first = state_.dirty[page_of(static_cast<std::uint32_t>(page.key))];
        state_.entries[i].dirty_next = first ? first - 1 : no_link;
        first = i + 1; // index + 1
    }
    void clean(std::uint32_t page) {
        std::uint32_t i = *state_.dirty.find(page) - 1;
        state_.dirty.erase(page);
        while (i != no_link) {
            state_.pages[i].dirty = false;
            i = std::exchange(state_.entries[i].dirty_next, no_link);
        }
    }

    std::uint32_t capacity_, per_page_;
    MapCacheState& state_;
};

} // namespace memsim::flash
