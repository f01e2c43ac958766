#pragma once

#include "core/state/hash_map.hh"
#include "device_parts/page_policies/ring.hh"

namespace memsim::device_parts {

/// The clock of CLOCK-Pro, with its pages and hands: hot pages, cold pages, and cold pages evicted
/// during their test period. The head of the list is directly behind HANDhot. Cold pages also form
/// a ring of their own in the clock's order, so that HANDcold need not pass the others. A value for
/// State.
struct HotColdClock {
    enum Kind : std::uint8_t { unused, hot, cold, gone };
    struct Entry {
        RingLinks all, colds;
        std::uint64_t key = 0; ///< of an evicted page
        std::uint32_t frame = no_link;
        std::uint8_t kind = unused;
        bool test = false;       ///< in its test period
        bool accessed = false;   ///< since its arrival
        bool referenced = false; ///< and again, since the last pass of a hand
    };
    std::vector<Entry> entries;
    std::vector<std::uint32_t> free;
    std::vector<std::uint32_t> places; ///< entries, by frame
    HashMap<std::uint32_t> ghosts;     ///< entries of evicted pages, by key
    Ring<&Entry::all> clock;
    Ring<&Entry::colds> colds;
    std::uint32_t hand_hot = no_link, hand_test = no_link, hand_cold = no_link;
    std::uint32_t last_cold = no_link; ///< cold page nearest behind HANDhot
    std::uint32_t hots = 0;

    Entry& operator[](std::uint32_t i) { return entries[i]; }
    /// Allocates an entry for the page of a frame, outside the clock.
    std::uint32_t create(std::uint32_t frame) {
        std::uint32_t i = static_cast<std::uint32_t>(entries.size());
        if (free.empty())
            entries.emplace_back();
        else
            i = free.back(), free.pop_back();
        entries[i].frame = frame;
        if (frame >= places.size()) places.resize(frame + 1, no_link);
        places[frame] = i;
        return i;
    }
    /// Adds a page at the head. Requires: it is not in the clock. A cold page begins its test.
    void put_at_head(std::uint32_t i, Kind kind) {
        Entry& e = entries[i];
        e.kind = kind;
        e.test = kind == cold;
        if (clock.size == 0) hand_hot = hand_test = i;
        clock.insert(entries, hand_hot, i);
        if (kind == cold)
            add_cold(i);
        else
            ++hots;
    }
    void take_out(std::uint32_t i) {
        for (std::uint32_t* const hand : {&hand_hot, &hand_test})
            if (*hand == i) *hand = clock.after(entries, i);
        clock.remove(entries, i);
        if (entries[i].kind == cold) take_cold(i);
        if (entries[i].kind == hot) --hots;
    }
    void forget(std::uint32_t i) {
        take_out(i);
        if (entries[i].kind == gone) ghosts.erase(entries[i].key);
        if (entries[i].frame != no_link) places[entries[i].frame] = no_link;
        entries[i] = {};
        free.push_back(i);
    }
    /// Evicts a cold page; its entry remains.
    void leave(std::uint32_t i, std::uint64_t key) {
        Entry& e = entries[i];
        take_cold(i);
        places[std::exchange(e.frame, no_link)] = no_link;
        e.kind = gone;
        e.key = key;
        ghosts[key] = i;
    }
    /// HANDhot passes its page, which is then at the head of the list. With `demote`, a hot page
    /// becomes cold.
    void pass_hot(bool demote) {
        const std::uint32_t i = hand_hot;
        Entry& e = entries[i];
        hand_hot = e.all.next;
        if (e.kind == cold) last_cold = i;
        if (!demote) return;
        e.kind = cold;
        --hots;
        add_cold(i);
    }
    void check_loaded(Loader& l) const {
        clock.check_loaded(l, "clock", entries, hand_hot,
                           [](const Entry& e) { return e.kind != unused; });
        colds.check_loaded(l, "colds", entries, hand_cold,
                           [](const Entry& e) { return e.kind == cold; });
        const auto is = [this](std::uint32_t i, auto&& holds) {
            return i < entries.size() && holds(entries[i]);
        };
        const bool test = is(hand_test, [](const Entry& e) { return e.kind != unused; });
        const bool last = is(last_cold, [](const Entry& e) { return e.kind == cold; });
        l.within("hand_test", [&] { l.check(test || !clock.size, "is outside the clock"); });
        l.within("last_cold", [&] { l.check(last || !colds.size, "is not a cold page"); });
        std::size_t hot_ones = 0, tests = 0, here = 0;
        for (const std::uint32_t i : places) here += i != no_link;
        l.within("entries", [&] {
            for (std::uint32_t i = 0; i < entries.size(); ++i) {
                const Entry& e = entries[i];
                const bool resident = e.kind == hot || e.kind == cold;
                l.check(!resident || (e.frame < places.size() && places[e.frame] == i),
                        "differ from the frames' entries");
                hot_ones += e.kind == hot;
                tests += e.kind == gone && e.test;
            }
            l.check(hot_ones == hots && here == hots + colds.size, "have a wrong count");
        });
        std::vector<bool> seen(entries.size());
        l.indices("free", free, entries.size());
        l.within("free", [&] {
            l.check(free.size() + clock.size == entries.size(),
                    "is not the complement of the clock");
            for (const std::uint32_t i : free) {
                l.check(entries[i].kind == unused && !seen[i], "has an entry that is not free");
                seen[i] = true;
            }
        });
        l.within("ghosts", [&] {
            l.check(tests == ghosts.size() && tests + here == clock.size &&
                        ghosts.all([&](std::uint64_t key, std::uint32_t i) {
                            return i < entries.size() && entries[i].kind == gone &&
                                   entries[i].key == key;
                        }),
                    "differ from the evicted pages");
        });
    }

  private:
    void add_cold(std::uint32_t i) {
        colds.insert(entries, colds.size ? entries[last_cold].colds.next : i, i);
        if (colds.size == 1) hand_cold = i;
        last_cold = i;
    }
    void take_cold(std::uint32_t i) {
        if (hand_cold == i) hand_cold = colds.after(entries, i);
        if (last_cold == i) last_cold = entries[i].colds.before;
        colds.remove(entries, i);
    }
};

} // namespace memsim::device_parts
