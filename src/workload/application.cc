#include "workload/application.hh"

#include "workload/bfs_data.hh"
#include "workload/bfs_topology.hh"
#include "workload/pagerank.hh"

namespace memsim::workload {

std::unique_ptr<KernelSource> make_application(ApplicationKind kind, Csr graph,
                                               const ApplicationOptions& options) {
    const LaunchOptions launch {options.threads_per_block, options.operation_limit};
    if (kind == ApplicationKind::pagerank)
        return std::make_unique<Pagerank>(
            std::move(graph), PagerankOptions {options.iterations, options.threshold, launch});
    const BfsOptions search {options.source ? *options.source : widest_vertex(graph), launch};
    if (kind == ApplicationKind::bfs_data)
        return std::make_unique<BfsData>(std::move(graph), search);
    return std::make_unique<BfsTopology>(std::move(graph), search);
}

} // namespace memsim::workload
