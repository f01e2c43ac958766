#pragma once

#include "cmd/tables/reference_store.hh"

namespace memsim::cmd {

/// The least recently used reference that no other block is mapped to makes room.
struct LeastRecentlyUsedAlone {
    template <class Node>
    static std::uint32_t choose(const std::vector<Node>& nodes, const parts::ListEnds& ends) {
        std::uint32_t i = ends.oldest;
        while (i != parts::no_link && nodes[i].is.count > 1) i = nodes[i].newer;
        return i;
    }
};

/// CMD's hash store (section IV-B), on chip and nowhere else. The digest is the block's hash, by
/// which the set is found. What was evicted had no other block mapped to it, so a place in use that
/// the store does not know has one block: leave() says of it, too, that it is free.
using HashStore = ReferenceStore<LeastRecentlyUsedAlone>;

} // namespace memsim::cmd
