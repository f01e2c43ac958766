#pragma once

#include "workload/graph/input/csr.hh"

namespace memsim::workload {

/// Hundredths of arcs in each quadrant of the adjacency matrix, at each level of the recursion.
struct Initiator {
    std::uint32_t a, b, c, d;
};
constexpr Initiator graph500 {57, 19, 19, 5};
/// Of a milder skew: of 2^20 vertices one has 10,000 arcs at most, where Graph500's have 65,000.
/// (PaRMAT's usual values. Nobody has more than 5,000 friends on Facebook, whose degrees LDBC's
/// generator, and by it GraphBIG's graphs, follow.)
constexpr Initiator social {45, 22, 22, 11};

/// A Kronecker graph: the R-MAT recursion (Chakrabarti, Zhan and Faloutsos, SDM'04), with
/// Graph500's random renumbering of vertices or without. Integers only: a seed names the same graph
/// on every machine.
struct KroneckerOptions {
    std::uint32_t scale = 16;       ///< 2^scale vertices; 1 to 28
    std::uint32_t edge_factor = 16; ///< edges drawn per vertex (Graph500's default)
    std::uint64_t seed = 1;
    bool directed = false; ///< false: each edge becomes two arcs, as Graph500's searches take it
    Initiator initiator = graph500;
    bool renumber = true; ///< false: neighbours tend to have numbers with the same first bits, and
                          ///< those with many arcs low ones
};

/// Loops and all but one of equal arcs are removed, so the graph has fewer than drawn.
Csr kronecker_graph(const KroneckerOptions& options);

} // namespace memsim::workload
