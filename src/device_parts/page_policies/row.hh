#pragma once

#include "device_parts/links.hh"
#include "device_parts/page_policy.hh"

namespace memsim::device_parts {

/// A queue of pages; the oldest is evicted next. State of a policy.
struct PageRow {
    struct Place {
        std::uint32_t newer = no_link, older = no_link;
    };
    std::vector<Place> places; ///< by frame
    ListEnds ends;

    void append(std::uint32_t frame) {
        if (frame >= places.size()) places.resize(frame + 1);
        link_newest(places, ends, frame);
    }
    void renew(std::uint32_t frame) {
        if (ends.newest == frame) return;
        unlink(places, ends, frame);
        link_newest(places, ends, frame);
    }
    /// Removes the oldest page that is not pinned.
    std::uint32_t take_oldest(const ResidentPages& pages) {
        std::uint32_t frame = ends.oldest;
        while (frame != no_link && pages[frame].pins) frame = places[frame].newer;
        if (frame != no_link) unlink(places, ends, frame);
        return frame;
    }
    void remove(std::uint32_t frame) { unlink(places, ends, frame); }
    void check_loaded(Loader& l) const { check_list(l, "row", places, ends); }
};

} // namespace memsim::device_parts
