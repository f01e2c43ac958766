#pragma once

#include "device_parts/links.hh"

namespace memsim::device_parts {

/// Neighbours in a ring.
struct RingLinks {
    std::uint32_t next = no_link, before = no_link;
};

/// A ring of elements of a table, linked by their member `Links`, with their number. Users refer to
/// an element by its index; no_link for an empty ring. A value for State.
template <auto Links>
struct Ring {
    static constexpr std::string_view archived_as = "Ring";
    template <class Archive>
    void archive(Archive& a) {
        a(size);
    }

    /// Inserts an element before the one at `at`, or as the only one.
    template <class T>
    void insert(std::vector<T>& all, std::uint32_t at, std::uint32_t i) {
        if (size++ == 0) {
            all[i].*Links = {i, i};
            return;
        }
        const std::uint32_t before = (all[at].*Links).before;
        all[i].*Links = {at, before};
        (all[before].*Links).next = (all[at].*Links).before = i;
    }
    template <class T>
    void remove(std::vector<T>& all, std::uint32_t i) {
        const RingLinks links = all[i].*Links;
        (all[links.before].*Links).next = links.next;
        (all[links.next].*Links).before = links.before;
        --size;
    }
    /// The element after one; no_link if it is the only one.
    template <class T>
    std::uint32_t after(const std::vector<T>& all, std::uint32_t i) const {
        return size == 1 ? no_link : (all[i].*Links).next;
    }
    /// Refuses a loaded ring that is inconsistent from `at` on, or contains other elements than
    /// those for which `holds` is true.
    template <class T, class Holds>
    void check_loaded(Loader& l, std::string_view field, const std::vector<T>& all,
                      std::uint32_t at, Holds&& holds) const {
        std::size_t held = 0;
        for (const T& e : all) held += holds(e) ? 1u : 0u;
        l.within(field, [&] {
            l.check(held == size, "has a wrong length");
            l.check((at == no_link) == (size == 0), "has no beginning");
        });
        std::uint32_t i = at;
        for (std::uint32_t n = 0; n < size; ++n) {
            l.index(field, i, all.size());
            const std::uint32_t next = (all[i].*Links).next;
            l.index(field, next, all.size());
            l.within(field, [&] {
                l.check(holds(all[i]) && (all[next].*Links).before == i &&
                            (next == at) == (n + 1 == size),
                        "is not a ring");
            });
            i = next;
        }
    }

    std::uint32_t size = 0;
};

} // namespace memsim::device_parts
