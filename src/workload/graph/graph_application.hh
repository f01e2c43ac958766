#pragma once

#include "workload/catalogue.hh"
#include "workload/graph/input/csr.hh"

namespace memsim::workload {

/// The graph that the options name: a file, or generated with 2^size vertices.
Csr graph_for(const Options& options);

/// The vertex where a search starts: the user's, or the one with the most arcs.
u32 source_for(const Options& options, const Csr& graph);

/// A weight from 1 to 63 of each arc: a hash of its ends and the seed, the same both ways.
std::vector<u32> weights_for(const Csr& graph, u64 seed);

inline constexpr u32 unseen = 0xffffffff; ///< no level, no distance yet

/// Of an application whose host has no variables.
struct NoHost {};

/// What all graph applications share: the graph in device memory, allocated first and never
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
    /// The graph again, for references.
    Csr graph() const {
        return {vertices_,
                {row_.host().begin(), row_.host().end()},
                {col_.host().begin(), col_.host().end()}};
    }
    u32 arcs() const { return static_cast<u32>(col_.size); }
    /// One thread for each vertex.
    void launch_over_vertices(u32 kernel, u32 threads_per_block = 256) {
        this->launch(kernel, vertices_, threads_per_block);
    }

    u32 vertices_;
    u32 source_;
    Array<u32> row_, col_;
};

/// Workload::memory of a graph's workloads: most of it are the edges while the graph is generated.
u64 graph_memory(const Options& options);
/// Of those that give vertices priorities.
u64 priorities_memory(const Options& options);

/// What a graph's workload has in the catalogue; the rest is its own.
Workload graph_workload(std::vector<std::string> names, std::string doc, std::string tables,
                        std::unique_ptr<Application> (*make)(const Options&),
                        u64 (*memory)(const Options&) = graph_memory);

} // namespace memsim::workload
