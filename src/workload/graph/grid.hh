#pragma once

#include "workload/graph/csr.hh"

namespace memsim::workload {

/// A road-like graph: crossings on a grid, 7 of 8 streets between neighbours kept, and few diagonal
/// ones (1 of 16), so that degrees stay small and the diameter is large [A]. Vertices are numbered
/// row by row. Integers only: a seed names the same graph on every machine.
struct GridOptions {
    std::uint32_t scale = 16; ///< 2^scale vertices, 2^(scale / 2) of them in a row
    std::uint64_t seed = 1;
};

Csr grid_graph(const GridOptions& options);

} // namespace memsim::workload
