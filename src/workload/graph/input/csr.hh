#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace memsim::workload {

/// A directed graph in compressed sparse rows: the arcs of vertex v lead to col[row[v]] up to
/// col[row[v + 1]] (excluded). Repeated arcs and arcs to v itself are allowed.
struct Csr {
    std::uint32_t vertices = 0;
    std::vector<std::uint32_t> row {0}; ///< vertices + 1 entries, from 0 to the number of arcs
    std::vector<std::uint32_t> col;

    bool operator==(const Csr&) const = default;
};

using Arc = std::pair<std::uint32_t, std::uint32_t>;

/// Throws a ConfigError that begins with `where` unless the graph has this form.
void validate(const Csr& graph, const std::string& where);

/// Rows from arcs in any order; the columns of each row ascend. Requires ends below `vertices`.
Csr rows_of(std::uint32_t vertices, const std::vector<Arc>& arcs);

/// The graph without arcs from a vertex to itself and without repeated arcs.
Csr simplified(const Csr& graph);

/// The graph with the reverse of each arc, simplified.
Csr symmetric(const Csr& graph);

/// The vertex with the most arcs; among equals, the lowest. The default start of a traversal.
std::uint32_t widest_vertex(const Csr& graph);

/// A hash of the whole graph, by which a checkpoint identifies its input.
std::uint64_t digest_of(const Csr& graph);
std::uint64_t digest_of(const std::vector<std::uint32_t>& values, std::uint64_t seed = 0);

} // namespace memsim::workload
