#pragma once

#include "cmd/tables/reference_store.hh"

namespace memsim::cmd {

/// Replaces the least recently used reference to which no other block is mapped.
struct LeastRecentlyUsedAlone {
    template <class Node>
    static std::uint32_t choose(const std::vector<Node>& nodes,
                                const device_parts::ListEnds& ends) {
        std::uint32_t i = ends.oldest;
        while (i != device_parts::no_link && nodes[i].is.count > 1) i = nodes[i].newer;
        return i;
    }
};

/// CMD's hash store (section IV-B), on chip only. The digest is the block's hash, which selects the
/// set. A replaced reference has no other block mapped to it. Therefore a place in use that the
/// store does not know has one block, and leave() reports it as free, too.
using HashStore = ReferenceStore<LeastRecentlyUsedAlone>;

} // namespace memsim::cmd
