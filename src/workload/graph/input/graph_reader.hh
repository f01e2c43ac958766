#pragma once

#include "input_files/input_file.hh"
#include "workload/graph/input/csr.hh"

namespace memsim::workload {

using input_files::InputFile;

/// Limits vertices without edges, which need memory but no bytes in a file. Up to 2^24 vertices are
/// accepted as stated by a header, more only if the file has an edge per 16 vertices. Otherwise
/// throws ConfigError.
void check_vertices(const InputFile& file, std::uint64_t vertices, std::uint64_t edges);

/// Reads a graph in any of the formats below, detected from its first bytes (not its name), plain
/// or compressed by gzip or xz. All arcs are kept, including repeated ones; columns ascend (except
/// for Rodinia's).
Csr read_graph(const std::string& path);

/// SNAP: `#` comments, then lines `source<TAB>target` or `source target weight` (the weight is
/// checked and ignored). Numbers may have gaps: vertices are renumbered from 0 in ascending order.
/// A comment `# Nodes: n Edges: m` must be correct.
Csr read_edge_list(InputFile& file);

/// DIMACS: `c` comments; `p sp n m` and m lines `a u v w` (9th challenge, arcs; the length w is
/// checked and ignored), or `p tw n m` and m lines `u v` (PACE, edges: arcs in both directions).
/// Vertices are numbered from 1.
Csr read_dimacs(InputFile& file);

/// MatrixMarket: square coordinate matrices, pattern, real, integer or complex, general or
/// symmetric (or skew-symmetric, hermitian). Entry (i, j) is an arc from i to j, and back if
/// symmetric. Values must be present and are ignored.
Csr read_matrix_market(InputFile& file);

/// METIS: `%` comments, `vertices edges [format [weights]]`, then a line of neighbours for each
/// vertex, numbered from 1; each edge is listed at both of its vertices. Weights are checked and
/// ignored. Without a comment, lines of different lengths distinguish the file from an edge list.
bool is_metis(std::string_view head);
Csr read_metis(InputFile& file);

/// Rodinia's bfs: `n`, n lines `start count`, the source, `m`, m lines `target weight` (checked and
/// ignored). Arcs keep the order of the file.
bool is_rodinia(std::string_view head); ///< the only format whose first line holds one number
Csr read_rodinia(InputFile& file, std::uint32_t* source = nullptr);

/// `CSR1`, u32 n, u32 m, u32 row[n+1], u32 col[m], little endian.
Csr read_csr_file(InputFile& file);

} // namespace memsim::workload
