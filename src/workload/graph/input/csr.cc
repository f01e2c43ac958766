#include "workload/graph/input/csr.hh"

#include "core/base/error.hh"
#include "core/base/heed.hh"

#include <algorithm>

namespace memsim::workload {

void validate(const Csr& graph, const std::string& where) {
    const auto refuse = [&](const std::string& what) { throw ConfigError(where + ": " + what); };
    if (graph.row.size() != std::size_t {graph.vertices} + 1)
        refuse(std::to_string(graph.row.size()) + " row offsets for " +
               std::to_string(graph.vertices) + " vertices, where one more than vertices is right");
    if (graph.row.front() != 0)
        refuse("the first row offset is " + std::to_string(graph.row.front()) + ", not 0");
    for (std::uint32_t v = 0; v < graph.vertices; ++v)
        if (graph.row[v + 1] < graph.row[v])
            refuse("row offset " + std::to_string(v + 1) + " is " +
                   std::to_string(graph.row[v + 1]) + ", below the " +
                   std::to_string(graph.row[v]) + " before it; row offsets must never fall");
    if (graph.row.back() != graph.col.size())
        refuse("the last row offset is " + std::to_string(graph.row.back()) + ", but there are " +
               std::to_string(graph.col.size()) + " arcs; they must be equal");
    for (std::size_t i = 0; i < graph.col.size(); ++i)
        if (graph.col[i] >= graph.vertices)
            refuse("arc " + std::to_string(i) + " leads to vertex " + std::to_string(graph.col[i]) +
                   ", but vertices run from 0 to " + std::to_string(graph.vertices - 1));
}

Csr rows_of(std::uint32_t vertices, const std::vector<Arc>& arcs) {
    if (arcs.size() > 0xffffffffu)
        throw ConfigError("a graph of " + std::to_string(arcs.size()) +
                          " arcs is too large: at most 4294967295 can be numbered");
    Csr graph {vertices, std::vector<std::uint32_t>(std::size_t {vertices} + 1), {}};
    for (const auto& [from, to] : arcs) ++graph.row[from + 1];
    for (std::uint32_t v = 0; v < vertices; ++v) graph.row[v + 1] += graph.row[v];
    graph.col.resize(arcs.size());
    std::vector<std::uint32_t> next(graph.row.begin(), graph.row.end() - 1);
    for (const auto& [from, to] : arcs) graph.col[next[from]++] = to;
    for (std::uint32_t v = 0; v < vertices; ++v) {
        if (v % 65536 == 0) heed();
        std::sort(graph.col.begin() + graph.row[v], graph.col.begin() + graph.row[v + 1]);
    }
    return graph;
}

Csr simplified(const Csr& graph) {
    Csr simple {graph.vertices, {0}, {}};
    simple.row.reserve(graph.row.size());
    simple.col.reserve(graph.col.size());
    std::vector<std::uint32_t> columns;
    for (std::uint32_t v = 0; v < graph.vertices; ++v) {
        if (v % 65536 == 0) heed();
        columns.assign(graph.col.begin() + graph.row[v], graph.col.begin() + graph.row[v + 1]);
        std::sort(columns.begin(), columns.end());
        columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
        for (std::uint32_t to : columns)
            if (to != v) simple.col.push_back(to);
        simple.row.push_back(static_cast<std::uint32_t>(simple.col.size()));
    }
    return simple;
}

Csr symmetric(const Csr& graph) {
    std::vector<Arc> arcs;
    arcs.reserve(2 * graph.col.size());
    for (std::uint32_t v = 0; v < graph.vertices; ++v)
        for (std::uint32_t e = graph.row[v]; e < graph.row[v + 1]; ++e) {
            arcs.emplace_back(v, graph.col[e]);
            arcs.emplace_back(graph.col[e], v);
        }
    return simplified(rows_of(graph.vertices, arcs));
}

std::uint32_t widest_vertex(const Csr& graph) {
    std::uint32_t widest = 0;
    for (std::uint32_t v = 1; v < graph.vertices; ++v)
        if (graph.row[v + 1] - graph.row[v] > graph.row[widest + 1] - graph.row[widest]) widest = v;
    return widest;
}

std::uint64_t digest_of(const std::vector<std::uint32_t>& values, std::uint64_t seed) {
    // Multiply and fold: the result depends on the order, and a change of one bit affects all bits.
    std::uint64_t hash = seed ^ (values.size() * 0x9e3779b97f4a7c15);
    for (std::uint32_t v : values) {
        hash = (hash ^ v) * 0xbf58476d1ce4e5b9;
        hash ^= hash >> 32;
    }
    return hash;
}

std::uint64_t digest_of(const Csr& graph) { return digest_of(graph.col, digest_of(graph.row)); }

} // namespace memsim::workload
