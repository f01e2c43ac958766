#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace memsim::workload {

/// A directed graph in compressed sparse rows: the arcs of vertex v lead to col[row[v]] up to
/// col[row[v + 1]] (excluded). Arcs may be repeated and may lead back to v.
struct Csr {
    std::uint32_t vertices = 0;
    std::vector<std::uint32_t> row {0}; ///< vertices + 1 entries, from 0 to the number of arcs
    std::vector<std::uint32_t> col;

    bool operator==(const Csr&) const = default;
};

using Arc = std::pair<std::uint32_t, std::uint32_t>;

/// Throws a ConfigError that begins with `where` unless the graph is as described above.
void validate(const Csr& graph, const std::string& where);

/// Rows from arcs in any order; each row's columns ascend. All ends are below `vertices`.
Csr rows_of(std::uint32_t vertices, const std::vector<Arc>& arcs);

/// The same without arcs from a vertex to itself and with one of several equal arcs.
Csr simplified(const Csr& graph);

/// The same with each arc back, and simplified.
Csr symmetric(const Csr& graph);

/// The vertex with the most arcs; of several, the lowest. A traversal starts there by default.
std::uint32_t widest_vertex(const Csr& graph);

/// A hash of the whole graph, by which a checkpoint knows its input again.
std::uint64_t digest_of(const Csr& graph);
std::uint64_t digest_of(const std::vector<std::uint32_t>& values, std::uint64_t seed = 0);

} // namespace memsim::workload
