#pragma once

#include "parts/page_policies/ghosts.hh"
#include "parts/page_policy.hh"

#include <algorithm>

namespace memsim::parts {

/// What ARC and CAR keep, whose symbols stand here in brackets: pages that were accessed once
/// lately (T1) and more than once (T2), the keys of pages that left each (B1, B2), the memory's
/// size (c), and how many pages T1 shall have (p). A page that returns to where it left T1 raises
/// the target, one that left T2 lowers it. A value for State.
///
/// Both papers say nothing of pages that may not go, and of those that nobody has accessed yet. A
/// pinned page keeps its place, and the next one of its list is taken; from the other list, if
/// there is none. A page that is brought ahead comes to T1 as a new one, and its first access
/// leaves it there. What was remembered of it is forgotten, and moves no target: a prefetch shows
/// no use.
struct AdaptiveLists {
    struct Place {
        std::uint32_t newer = no_link, older = no_link;
        std::uint8_t list = Ghosts::unused;
        bool accessed = false;   ///< since it came
        bool referenced = false; ///< and again, since CAR's hand passed
    };
    std::vector<Place> places; ///< by frame
    CountedList recents, frequents;
    Ghosts ghosts;
    std::uint32_t target = 0; ///< pages

    using List = Ghosts::List;
    CountedList& list(std::uint8_t which) { return which == Ghosts::recent ? recents : frequents; }
    /// A page comes, or comes back, to the list where it belongs.
    void insert(std::uint32_t frame, const ResidentPage& page, std::uint32_t capacity) {
        List to = Ghosts::recent;
        if (Ghosts::Ghost* const g = ghosts.find(page.key)) {
            if (page.asked == AskedBy::demand) {
                count(*g, capacity);
                to = Ghosts::frequent;
            }
            ghosts.forget(*g);
        }
        if (frame >= places.size()) places.resize(frame + 1);
        places[frame] = {};
        append(frame, to);
    }
    void move(std::uint32_t frame, List to) {
        remove(frame);
        append(frame, to);
    }
    void remove(std::uint32_t frame) {
        list(std::exchange(places[frame].list, Ghosts::unused)).take(places, frame);
    }
    /// The page of a frame goes, and is remembered.
    void leave(std::uint32_t frame, const ResidentPages& pages) {
        ghosts.add(static_cast<List>(places[frame].list), pages[frame].key);
        remove(frame);
    }
    /// The oldest page of a list that can make room for another; no_link if there is none.
    std::uint32_t oldest(const CountedList& from, const ResidentPage& incoming,
                         const ResidentPages& pages) const {
        std::uint32_t f = from.ends.oldest;
        while (f != no_link && (pages[f].pins || pages[f].key == incoming.key)) f = places[f].newer;
        return f;
    }
    /// The ghost of a page that is to come, if its return counts.
    Ghosts::Ghost* returns(const ResidentPage& incoming) {
        Ghosts::Ghost* const g = ghosts.find(incoming.key);
        if (!g || incoming.asked == AskedBy::demand) return g;
        ghosts.forget(*g);
        return nullptr;
    }
    /// A page returns: the target moves by a page, or by as many as there are ghosts of the other
    /// list for one of its own (rounded down). Once for a return.
    void count(Ghosts::Ghost& g, std::uint32_t capacity) {
        if (std::exchange(g.counted, true)) return;
        const std::uint32_t b1 = ghosts.recents.size, b2 = ghosts.frequents.size;
        if (g.list == Ghosts::recent)
            target += std::min(capacity - target, std::max(1u, b2 / b1));
        else
            target -= std::min(target, std::max(1u, b1 / b2));
    }
    /// For a page that is not remembered: T1 and B1 have at most `capacity` pages, all four lists
    /// twice as many.
    void bound_ghosts(std::uint64_t capacity) {
        while (recents.size + ghosts.recents.size >= capacity && ghosts.recents.size)
            ghosts.forget_oldest(Ghosts::recent);
        while (recents.size + frequents.size + ghosts.size() >= 2 * capacity &&
               ghosts.frequents.size)
            ghosts.forget_oldest(Ghosts::frequent);
    }
    void check_loaded(Loader& l, std::uint32_t capacity) const {
        if (capacity) l.index("target", target, std::uint64_t {capacity} + 1);
        const auto in = [](std::uint8_t which) {
            return [which](const Place& p) { return p.list == which; };
        };
        recents.check_loaded(l, "recents", places, in(Ghosts::recent));
        frequents.check_loaded(l, "frequents", places, in(Ghosts::frequent));
        ghosts.check_loaded(l);
    }

  private:
    void append(std::uint32_t frame, List to) {
        places[frame].list = to;
        list(to).append(places, frame);
    }
};

} // namespace memsim::parts
