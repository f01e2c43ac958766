#pragma once

#include "core/component.hh"
#include "protocol/dispatch.hh"
#include "workload/application.hh"
#include "workload/functional_state.hh"

namespace memsim::workload {

using namespace memsim::literals;

/// A graph algorithm on the host: reads or generates its graph, launches kernel after kernel, each
/// a launch latency after it was asked for. What the kernels do is written in bfs_topology.cc and
/// its neighbours; instruction counts by the rule of docs/models/workloads.md.
/// Not modelled: copies between host and device before, between and after launches.
class GraphProgram final : public Model<GraphProgram>, public protocol::HasKernels {
  public:
    struct Params {
        Param<ApplicationKind> kernel {ApplicationKind::bfs_topology, "The algorithm"};
        Param<std::string> graph {
            "",
            "Graph file (SNAP, DIMACS or PACE .gr, MatrixMarket, .csr; gzip and xz too); empty: "
            "a Kronecker graph is generated"};
        Param<unsigned> kronecker_scale {16, {1, 28}, "2^scale vertices are generated"};
        Param<unsigned> kronecker_degree {16, {1, 1024}, "Edges drawn per vertex (Graph500: 16)"};
        Param<std::uint64_t> graph_seed {1, "Seed of the generated graph"};
        Param<std::int64_t> source {
            -1, {-1, 0xffffffff}, "Vertex where a search begins; -1: the one with the most arcs"};
        Param<unsigned> iterations {20, {1, 100'000}, "Most iterations of pagerank (Pannotia: 20)"};
        Param<unsigned> threads_per_block {256, {32, 1024}, "GraphBIG's launches: 256"};
        Param<Time> launch_latency {
            1_fs,
            {1_fs, 1_s},
            "From the end of a launch to the next (0 for a memory system; a real host takes 5 us)"};
    };
    struct Ports {
        Responder<protocol::Host> dispatcher {
            {.depth = [](const void*) { return 1u; }, .latency = from<&Params::launch_latency>},
            "The dispatcher, which asks for launches"};
    };
    struct Stats {
        Counter launches {Unit::count, "Launches given to the dispatcher"};
    };
    struct State {
        FunctionalState function;
        std::uint32_t launches = 0;
    };

    explicit GraphProgram(const Params& p) : params(p) {}
    void init() override { kernels(); }
    void wake() override;
    protocol::KernelSource& kernels() override;

    const Params params;
    Ports port;
    Stats stat;
    State state;
};

} // namespace memsim::workload
