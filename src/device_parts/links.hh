#pragma once

#include "core/state/archive.hh"

#include <cstdint>
#include <string_view>
#include <vector>

namespace memsim::device_parts {

inline constexpr std::uint32_t no_link = ~0u;

/// A list of elements of a vector, linked by index; `newer` and `older` are members of the element.
/// Plain values for State.
struct ListEnds {
    std::uint32_t newest = no_link, oldest = no_link;
};

template <class T>
void link_newest(std::vector<T>& all, ListEnds& ends, std::uint32_t i) {
    all[i].older = ends.newest;
    all[i].newer = no_link;
    (ends.newest == no_link ? ends.oldest : all[ends.newest].newer) = i;
    ends.newest = i;
}
/// Refuses a loaded list with an invalid index or without an end.
template <class T>
void check_list(Loader& l, std::string_view field, const std::vector<T>& all,
                const ListEnds& ends) {
    std::uint32_t before = no_link, at = ends.oldest;
    for (std::size_t left = all.size(); at != no_link; before = at, at = all[at].newer, --left) {
        l.index(field, at, left ? all.size() : 0);
        l.within(field, [&] { l.check(all[at].older == before, "is not a list"); });
    }
    l.within(field, [&] { l.check(before == ends.newest, "has a wrong end"); });
}
template <class T>
void unlink(std::vector<T>& all, ListEnds& ends, std::uint32_t i) {
    const T& e = all[i];
    (e.newer == no_link ? ends.newest : all[e.newer].older) = e.older;
    (e.older == no_link ? ends.oldest : all[e.older].newer) = e.newer;
}

} // namespace memsim::device_parts
