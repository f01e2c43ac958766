#pragma once

#include "workload/csr.hh"

namespace memsim::workload {

/// A Kronecker graph: the R-MAT recursion (Chakrabarti, Zhan and Faloutsos, SDM'04) with Graph500's
/// initiator A, B, C = 0.57, 0.19, 0.19 (D = 0.05) and its random renumbering of vertices. Integers
/// only: a seed names the same graph on every machine.
struct KroneckerOptions {
    std::uint32_t scale = 16;       ///< 2^scale vertices; 1 to 28
    std::uint32_t edge_factor = 16; ///< edges drawn per vertex (Graph500's default)
    std::uint64_t seed = 1;
    bool directed = false; ///< false: each edge becomes two arcs, as Graph500's searches take it
};

/// Loops and all but one of equal arcs are removed, so the graph has fewer than drawn.
Csr kronecker_graph(const KroneckerOptions& options);

} // namespace memsim::workload
