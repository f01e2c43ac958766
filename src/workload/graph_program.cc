#include "workload/graph_program.hh"

#include "core/registry.hh"
#include "workload/bfs_data.hh"
#include "workload/bfs_topology.hh"
#include "workload/graph_reader.hh"
#include "workload/kronecker.hh"
#include "workload/pagerank.hh"

namespace memsim::workload {

static const Registration<GraphProgram> registered {
    "A graph algorithm: breadth-first search or PageRank, on a file or a generated graph."};

protocol::KernelSource& GraphProgram::kernels() {
    if (state.function.source) return *state.function.source;
    KroneckerOptions generated;
    generated.scale = params.kronecker_scale();
    generated.edge_factor = params.kronecker_degree();
    generated.seed = params.graph_seed();
    Csr graph = params.graph->empty() ? kronecker_graph(generated) : read_graph(params.graph());
    LaunchOptions launch;
    launch.threads_per_block = params.threads_per_block();
    auto& source = state.function.source;
    switch (params.kernel()) {
    case GraphKernel::bfs_topology:
        source =
            std::make_unique<BfsTopology>(std::move(graph), BfsOptions {params.source, launch});
        break;
    case GraphKernel::bfs_data:
        source = std::make_unique<BfsData>(std::move(graph), BfsOptions {params.source, launch});
        break;
    case GraphKernel::pagerank:
        source = std::make_unique<Pagerank>(std::move(graph),
                                            PagerankOptions {params.iterations, 0, launch});
        break;
    }
    return *source;
}

void GraphProgram::wake() {
    auto& in = port.dispatcher;
    while (!in.empty() && in.can_send()) {
        in.pop();
        protocol::Launch launch;
        protocol::LaunchReply reply;
        if (kernels().next_launch(launch)) {
            ++stat.launches;
            reply = {false,
                     ++state.launches,
                     launch.blocks(),
                     launch.threads_per_block(),
                     launch.registers_per_thread,
                     launch.shared_bytes};
        } else {
            reply.ended = true;
        }
        in.send(reply);
    }
}

} // namespace memsim::workload
