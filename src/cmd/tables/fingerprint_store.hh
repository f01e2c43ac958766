#pragma once

#include "cmd/tables/reference_store.hh"

namespace memsim::cmd {

/// The reference with the least count makes room; among equals, the least recently used.
struct LeastReferenced {
    template <class Node>
    static std::uint32_t choose(const std::vector<Node>& nodes, const parts::ListEnds& ends) {
        std::uint32_t least = ends.oldest;
        for (std::uint32_t i = least; i != parts::no_link; i = nodes[i].newer)
            if (nodes[i].is.count < nodes[least].is.count) least = i;
        return least;
    }
};

/// ESD's store of fingerprints (HPCA 2023), on chip and nowhere else: those of high reference count
/// stay. The digest is the block's check bits (ecc_of), so that what is found must still be read
/// and compared. An insertion always finds room.
///
/// What makes room may have other blocks mapped to it. So leave() of a place that the store does
/// not know does not say that the place is free: who maps blocks must count for itself, beginning
/// with the victim's count.
using FingerprintStore = ReferenceStore<LeastReferenced>;

} // namespace memsim::cmd
