#include "workload/graph/graph_application.hh"

#include "core/base/heed.hh"
#include "core/base/rng.hh"
#include "workload/graph/input/graph_reader.hh"
#include "workload/graph/input/grid.hh"
#include "workload/graph/input/kronecker.hh"
#include "workload/graph/input/uniform.hh"

#include <queue>

namespace memsim::workload {

Csr graph_for(const Options& options) {
    if (!options.input.empty()) {
        Csr graph = read_graph(options.input);
        return graph;
    }
    const auto scale = static_cast<u32>(options.size);
    if (options.generator == "grid") return grid_graph({scale, options.seed});
    if (options.generator == "mesh") return mesh_graph(scale);
    if (options.generator == "uniform") return uniform_graph({scale, options.seed});
    const bool ordered = options.generator == "communities";
    const bool is_social = ordered || options.generator == "social";
    if (!is_social && !options.generator.empty() && options.generator != "kronecker")
        throw BadOption("generator",
                        "'" + options.generator +
                            "' is no kind of graph: use kronecker, social, communities, "
                            "grid, mesh or uniform");
    return kronecker_graph(
        {scale, options.degree, options.seed, false, is_social ? social : graph500, !ordered});
}

u32 source_for(const Options& options, const Csr& graph) {
    if (!options.source) return widest_vertex(graph);
    if (*options.source >= graph.vertices)
        throw BadOption("source", "there is no vertex " + std::to_string(*options.source) +
                                      ": the graph's vertices are 0 to " +
                                      std::to_string(graph.vertices - 1));
    return *options.source;
}

std::vector<u32> weights_for(const Csr& graph, u64 seed) {
    std::vector<u32> weights(graph.col.size());
    for (u32 v = 0; v < graph.vertices; ++v) {
        if (v % 65536 == 0) heed();
        for (u32 e = graph.row[v]; e < graph.row[v + 1]; ++e) {
            const u32 to = graph.col[e];
            u64 x = seed ^ (u64 {std::min(v, to)} << 32 | std::max(v, to));
            weights[e] = 1 + static_cast<u32>(split_mix(x) % 63);
        }
    }
    return weights;
}

std::vector<u64> shortest_distances(u32 vertices, u32 source, u64 unreached,
                                    const std::function<void(u32, const ArcVisit&)>& visit_arcs) {
    std::vector<u64> distance(vertices, unreached);
    using Reached = std::pair<u64, u32>;
    std::priority_queue<Reached, std::vector<Reached>, std::greater<>> queue;
    distance[source] = 0;
    for (queue.emplace(0, source); !queue.empty();) {
        const auto [far, v] = queue.top();
        queue.pop();
        if (far != distance[v]) continue;
        visit_arcs(v, [&, from = far](u32 end, u32 weight) {
            const u64 there = from + weight;
            if (there >= distance[end]) return;
            distance[end] = there;
            queue.emplace(there, end);
        });
    }
    return distance;
}

/// Edges drawn per vertex.
static u64 drawn(const Options& o) {
    if (o.generator == "uniform") return 3;
    return o.generator == "grid" || o.generator == "mesh" ? 2 : o.degree;
}

u64 graph_memory(const Options& o) { return (30 * drawn(o) + 20) << o.size; }
u64 priorities_memory(const Options& o) { return (50 * drawn(o) + 50) << o.size; }

Workload graph_workload(std::vector<std::string> names, std::string doc, std::string tables,
                        std::unique_ptr<Application> (*make)(const Options&),
                        u64 (*memory)(const Options&)) {
    Workload w;
    w.names = std::move(names);
    w.doc = std::move(doc);
    w.tables = std::move(tables);
    w.size_is = "the binary logarithm of the number of vertices";
    w.size = 16;
    w.check_size = 9;
    w.least = 1;
    w.most = 28;
    w.iterations = 20;
    w.memory = memory;
    w.reads = "a graph";
    w.make = make;
    return w;
}

} // namespace memsim::workload
