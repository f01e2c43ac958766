#pragma once

#include "cmd/tables/reference_store.hh"

namespace memsim::cmd {

/// Replaces the reference with the lowest count; among equals, the least recently used.
struct LeastReferenced {
    template <class Node>
    static std::uint32_t choose(const std::vector<Node>& nodes,
                                const device_parts::ListEnds& ends) {
        std::uint32_t least = ends.oldest;
        for (std::uint32_t i = least; i != device_parts::no_link; i = nodes[i].newer)
            if (nodes[i].is.count < nodes[least].is.count) least = i;
        return least;
    }
};

/// ESD's fingerprint store (HPCA 2023), on chip only: references with high counts stay. The digest
/// is the block's check bits (ecc_of), so a match must be verified by a read. An insertion always
/// finds room.
///
/// A replaced reference may have other blocks mapped to it. Therefore leave() of a place that the
/// store does not know does not imply that the place is free. The caller must count users itself,
/// starting with the victim's count.
using FingerprintStore = ReferenceStore<LeastReferenced>;

} // namespace memsim::cmd
