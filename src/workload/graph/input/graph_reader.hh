#pragma once

#include "files/input_file.hh"
#include "workload/graph/input/csr.hh"

namespace memsim::workload {

using files::InputFile;

/// Vertices without edges cost memory and take no byte of a file. So up to 2^24 of them are taken
/// as a header announces them, and more if the file holds an edge for every 16 vertices; otherwise
/// it is refused.
void check_vertices(const InputFile& file, std::uint64_t vertices, std::uint64_t edges);

/// Reads a graph in any of the formats below, told by its first bytes (not by its name), packed by
/// gzip, xz or not at all. Arcs, repeated ones too, are kept as the file has them; columns ascend
/// (but for Rodinia's).
Csr read_graph(const std::string& path);

/// SNAP: `#` comments, then `source<TAB>target` a line, or `source target weight` on each (the
/// weight is checked and dropped). The numbers may have gaps: vertices are
/// renumbered from 0 in ascending order. A comment `# Nodes: n Edges: m` must be right.
Csr read_edge_list(InputFile& file);

/// DIMACS: `c` comments; `p sp n m` and m lines `a u v w` (9th challenge, arcs; the length w is
/// checked and dropped), or `p tw n m` and m lines `u v` (PACE, edges: both directions are arcs).
/// Vertices count from 1.
Csr read_dimacs(InputFile& file);

/// MatrixMarket: square coordinate matrices, pattern, real, integer or complex, general or
/// symmetric (or skew-symmetric, hermitian); entry (i, j) is an arc from i to j, and back where
/// symmetric. Values are checked to be there and dropped.
Csr read_matrix_market(InputFile& file);

/// METIS: `%` comments, `vertices edges [format [weights]]`, then a line of neighbours for each
/// vertex, counted from 1; each edge is listed at both of its vertices. Weights are checked and
/// dropped. A file without a comment is told from an edge list by lines of different lengths.
bool is_metis(std::string_view head);
Csr read_metis(InputFile& file);

/// Rodinia's bfs: `n`, n lines `start count`, the source, `m`, m lines `target weight` (checked and
/// dropped). Arcs keep the order of the file.
bool is_rodinia(std::string_view head); ///< only there does the first line hold one number
Csr read_rodinia(InputFile& file, std::uint32_t* source = nullptr);

/// `CSR1`, u32 n, u32 m, u32 row[n+1], u32 col[m], little endian.
Csr read_csr_file(InputFile& file);

} // namespace memsim::workload
