#pragma once

#include "workload/graph/input/csr.hh"

namespace memsim::workload {

/// A random graph like Rodinia's inputs of bfs: each vertex draws 1 to 5 edges [A] to uniformly
/// chosen vertices, and an edge leads both ways, so a vertex has 6 arcs on average, at least 1,
/// with a variance of 5. (graph65536 has 6.0, 1 and 6.0, and its most arcs are 19.) Edges may be
/// repeated and may be loops. The arcs of a vertex ascend; in the original they stand as they were
/// drawn.
struct UniformOptions {
    std::uint32_t scale = 16; ///< 2^scale vertices; 1 to 28
    std::uint64_t seed = 1;
};

Csr uniform_graph(const UniformOptions& options);

} // namespace memsim::workload
