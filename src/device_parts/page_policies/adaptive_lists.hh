#pragma once

#include "device_parts/page_policies/ghosts.hh"
#include "device_parts/page_policy.hh"

#include <algorithm>

namespace memsim::device_parts {

/// The data of ARC and CAR, with the papers' symbols in brackets: pages accessed once recently (T1)
/// and more than once (T2), keys of pages evicted from each (B1, B2), the size of the memory (c),
/// and the target size of T1 (p). A page evicted from T1 that returns raises the target; one
/// evicted from T2 lowers it. A value for State.
///
/// Neither paper defines the treatment of pinned pages and of pages without an access. Here a
/// pinned page keeps its place, and the next page of its list is evicted, or one of the other list
/// if there is none. A prefetched page enters T1 as a new page, and its first access leaves it
/// there. Its ghost is discarded without moving the target, because a prefetch is not a use.
struct AdaptiveLists {
    struct Place {
        std::uint32_t newer = no_link, older = no_link;
        std::uint8_t list = Ghosts::unused;
        bool accessed = false;   ///< since its arrival
        bool referenced = false; ///< and again, since the last pass of CAR's hand
    };
    std::vector<Place> places; ///< by frame
    CountedList recents, frequents;
    Ghosts ghosts;
    std::uint32_t target = 0; ///< in pages

    using List = Ghosts::List;
    CountedList& list(std::uint8_t which) { return which == Ghosts::recent ? recents : frequents; }
    /// A page arrives, or returns, and enters the list where it belongs.
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
    /// Evicts the page of a frame and remembers it.
    void leave(std::uint32_t frame, const ResidentPages& pages) {
        ghosts.add(static_cast<List>(places[frame].list), pages[frame].key);
        remove(frame);
    }
    /// The oldest page of a list that can be evicted; no_link if there is none.
    std::uint32_t oldest(const CountedList& from, const ResidentPage& incoming,
                         const ResidentPages& pages) const {
        std::uint32_t f = from.ends.oldest;
        while (f != no_link && (pages[f].pins || pages[f].key == incoming.key)) f = places[f].newer;
        return f;
    }
    /// The ghost of an arriving page, if its return counts.
    Ghosts::Ghost* returns(const ResidentPage& incoming) {
        Ghosts::Ghost* const g = ghosts.find(incoming.key);
        if (!g || incoming.asked == AskedBy::demand) return g;
        ghosts.forget(*g);
        return nullptr;
    }
    /// Counts the return of a page once: the target moves by the ratio of the other list's ghosts
    /// to its own list's (rounded down), at least by one page.
    void count(Ghosts::Ghost& g, std::uint32_t capacity) {
        if (std::exchange(g.counted, true)) return;
        const std::uint32_t b1 = ghosts.recents.size, b2 = ghosts.frequents.size;
        if (g.list == Ghosts::recent)
            target += std::min(capacity - target, std::max(1u, b2 / b1));
        else
            target -= std::min(target, std::max(1u, b1 / b2));
    }
    /// For a page that is not remembered: limits T1 and B1 to `capacity` pages, and all four lists
    /// to twice as many.
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

} // namespace memsim::device_parts
