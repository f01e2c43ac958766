#pragma once

#include "workload/graph/input/csr.hh"

namespace memsim::workload {

/// Per cent of arcs in each quadrant of the adjacency matrix, at each level of the recursion.
struct Initiator {
    std::uint32_t a, b, c, d;
};
constexpr Initiator graph500 {57, 19, 19, 5};
/// Less skewed: of 2^20 vertices, one has at most 10,000 arcs; with Graph500's values 65,000. These
/// are PaRMAT's usual values. (Degrees on Facebook, which are at most 5,000, are the model of
/// LDBC's generator and thus of GraphBIG's graphs.)
constexpr Initiator social {45, 22, 22, 11};

/// A Kronecker graph: the R-MAT recursion (Chakrabarti, Zhan and Faloutsos, SDM'04), with or
/// without Graph500's random renumbering of vertices. Only integers are used: a seed gives the same
/// graph on every machine.
struct KroneckerOptions {
    std::uint32_t scale = 16;       ///< 2^scale vertices; 1 to 28
    std::uint32_t edge_factor = 16; ///< edges drawn per vertex (Graph500's default)
    std::uint64_t seed = 1;
    bool directed = false; ///< false: each edge becomes two arcs, as in Graph500's searches
    Initiator initiator = graph500;
    bool renumber = true; ///< false: neighbours tend to have numbers with equal first bits, and
                          ///< vertices with many arcs low ones
};

/// Loops and repeated arcs are removed, so the graph has fewer arcs than were drawn.
Csr kronecker_graph(const KroneckerOptions& options);

} // namespace memsim::workload
