#pragma once

#include "workload/graph/input/csr.hh"

namespace memsim::workload {

/// A random graph like Rodinia's inputs of bfs: each vertex draws 1 to 5 edges [A] to uniformly
/// chosen vertices. An edge has both directions, so a vertex has 6 arcs on average, at least 1,
/// with a variance of 5. (graph65536: 6.0, 1 and 6.0, at most 19.) Repeated edges and loops are
/// possible. The arcs of a vertex ascend; in the original they keep the order in which they were
/// drawn.
struct UniformOptions {
    std::uint32_t scale = 16; ///< 2^scale vertices; 1 to 28
    std::uint64_t seed = 1;
};

Csr uniform_graph(const UniformOptions& options);

} // namespace memsim::workload
