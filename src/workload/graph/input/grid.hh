#pragma once

#include "workload/graph/input/csr.hh"

namespace memsim::workload {

/// A road-like graph: crossings on a grid, with 7 of 8 streets between neighbours and few diagonals
/// (1 of 16), so that degrees are small and the diameter is large [A]. Vertices are numbered row by
/// row. Only integers are used: a seed gives the same graph on every machine.
struct GridOptions {
    std::uint32_t scale = 16; ///< 2^scale vertices, 2^(scale / 2) of them per row
    std::uint64_t seed = 1;
};

Csr grid_graph(const GridOptions& options);

/// The five-point stencil on a grid of 2^scale vertices, numbered row by row: each vertex has an
/// arc to its neighbour above, below, left and right. Pannotia's input ecology1 is this matrix on a
/// grid of 1000 x 1000; its diagonal, which represents no arc, is omitted.
Csr mesh_graph(std::uint32_t scale);

} // namespace memsim::workload
