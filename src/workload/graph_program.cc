#include "workload/graph_program.hh"

#include "core/registry.hh"
#include "workload/graph_reader.hh"
#include "workload/kronecker.hh"

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
    if (params.source() >= graph.vertices)
        refuse("source", "there is no vertex " + std::to_string(params.source()) +
                             ": those of the graph run from 0 to " +
                             std::to_string(graph.vertices - 1));
    ApplicationOptions options;
    if (params.source() >= 0) options.source = static_cast<std::uint32_t>(params.source());
    options.iterations = params.iterations();
    options.threads_per_block = params.threads_per_block();
    state.function.source = make_application(params.kernel(), std::move(graph), options);
    return *state.function.source;
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
