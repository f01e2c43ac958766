#pragma once

#include "core/state/hash_map.hh"
#include "device_parts/links.hh"

namespace memsim::device_parts {

/// A list of elements of a table, with their number. A value for State.
struct CountedList {
    ListEnds ends;
    std::uint32_t size = 0;

    template <class T>
    void append(std::vector<T>& all, std::uint32_t i) {
        link_newest(all, ends, i);
        ++size;
    }
    template <class T>
    void take(std::vector<T>& all, std::uint32_t i) {
        unlink(all, ends, i);
        --size;
    }
    /// Refuses a loaded list that is inconsistent, or contains other elements than those for which
    /// `holds` is true.
    template <class T, class Holds>
    void check_loaded(Loader& l, std::string_view field, const std::vector<T>& all,
                      Holds&& holds) const {
        check_list(l, field, all, ends);
        std::size_t listed = 0, held = 0;
        for (std::uint32_t i = ends.oldest; i != no_link; i = all[i].newer, ++listed)
            l.within(field, [&] { l.check(holds(all[i]), "has an element of another list"); });
        for (const T& e : all) held += holds(e) ? 1u : 0u;
        l.within(field, [&] { l.check(listed == size && held == size, "has a wrong length"); });
    }
};

/// Keys of evicted pages, in two lists: B1 and B2 of ARC and CAR. A value for State.
struct Ghosts {
    enum List : std::uint8_t { recent, frequent, unused };
    struct Ghost {
        std::uint64_t key = 0;
        std::uint32_t newer = no_link, older = no_link;
        std::uint8_t list = unused;
        bool counted = false; ///< its return has moved the target
    };
    std::vector<Ghost> all;
    CountedList recents, frequents, free;
    HashMap<std::uint32_t> by_key;

    CountedList& list(std::uint8_t which) {
        return which == recent ? recents : which == frequent ? frequents : free;
    }
    Ghost* find(std::uint64_t key) {
        const std::uint32_t* const i = by_key.find(key);
        return i ? &all[*i] : nullptr;
    }
    bool holds(std::uint64_t key) const { return by_key.find(key); }
    std::uint32_t size() const { return recents.size + frequents.size; }
    void add(List to, std::uint64_t key) {
        std::uint32_t i = free.ends.newest;
        if (i != no_link)
            free.take(all, i);
        else
            i = static_cast<std::uint32_t>(all.size()), all.emplace_back();
        all[i].key = key;
        all[i].counted = false;
        move(i, to);
        by_key[key] = i;
    }
    void forget(const Ghost& g) { forget(static_cast<std::uint32_t>(&g - all.data())); }
    void forget_oldest(List from) { forget(list(from).ends.oldest); }
    void check_loaded(Loader& l) const {
        const auto in = [](std::uint8_t which) {
            return [which](const Ghost& g) { return g.list == which; };
        };
        recents.check_loaded(l, "ghosts.recents", all, in(recent));
        frequents.check_loaded(l, "ghosts.frequents", all, in(frequent));
        free.check_loaded(l, "ghosts.free", all, in(unused));
        l.within("ghosts.by_key", [&] {
            l.check(by_key.size() == size() && by_key.all([&](std::uint64_t key, std::uint32_t i) {
                return i < all.size() && all[i].key == key && all[i].list != unused;
            }) && size() + free.size == all.size(),
                    "has a wrong index of ghosts");
        });
    }

  private:
    void move(std::uint32_t i, List to) {
        all[i].list = to;
        list(to).append(all, i);
    }
    void forget(std::uint32_t i) {
        by_key.erase(all[i].key);
        list(all[i].list).take(all, i);
        move(i, unused);
    }
};

} // namespace memsim::device_parts
