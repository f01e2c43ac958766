#pragma once

#include "workload/catalogue.hh"
#include "workload/graph/input/csr.hh"

#include <functional>

namespace memsim::workload {

/// The graph selected by the options: from a file, or generated with 2^size vertices.
Csr graph_for(const Options& options);

/// The start vertex of a search: the user's, or the one with the most arcs.
u32 source_for(const Options& options, const Csr& graph);

/// A weight from 1 to 63 for each arc: a hash of its ends and the seed, equal in both directions.
std::vector<u32> weights_for(const Csr& graph, u64 seed);

/// The distances from `source` by Dijkstra's algorithm, for references; `unreached` without a path.
/// `visit_arcs(v, f)` calls f(end, weight) for each arc of v.
using ArcVisit = std::function<void(u32 end, u32 weight)>;
std::vector<u64> shortest_distances(u32 vertices, u32 source, u64 unreached,
                                    const std::function<void(u32, const ArcVisit&)>& visit_arcs);

inline constexpr u32 unseen = 0xffffffff; ///< no level or distance yet

/// For an application whose host has no variables.
struct NoHost {};

/// Common base of the graph applications: the graph in device memory, allocated first and never
/// written.
template <class Host>
class GraphApplication : public HostedApplication<Host> {
  public:
    GraphApplication(const Options& options) : GraphApplication(options, graph_for(options)) {}
    GraphApplication(const Options& options, const Csr& graph)
        : HostedApplication<Host>(options), vertices_(graph.vertices),
          source_(source_for(options, graph)), row_(this->memory_.input("row", graph.row)),
          col_(this->memory_.input("col", graph.col)) {}

  protected:
    /// A copy of the graph, for references.
    Csr graph() const {
        return {vertices_,
                {row_.host().begin(), row_.host().end()},
                {col_.host().begin(), col_.host().end()}};
    }
    u32 arcs() const { return static_cast<u32>(col_.size); }
    /// Launches one thread per vertex.
    void launch_over_vertices(u32 kernel, u32 threads_per_block = 256) {
        this->launch(kernel, vertices_, threads_per_block);
    }

    u32 vertices_;
    u32 source_;
    Array<u32> row_, col_;
};

/// Workload::memory of graph workloads. Edges use most of it while the graph is generated.
u64 graph_memory(const Options& options);
/// The same for workloads that assign priorities to vertices.
u64 priorities_memory(const Options& options);

/// A catalogue entry with the fields that all graph workloads share.
Workload graph_workload(std::vector<std::string> names, std::string doc, std::string tables,
                        std::unique_ptr<Application> (*make)(const Options&),
                        u64 (*memory)(const Options&) = graph_memory);

} // namespace memsim::workload
