#pragma once

#include "workload/catalogue.hh"
#include "workload/simt/kernel_host.hh"

namespace memsim::workload {

/// How a graph is made when no file is named.
enum class Generator : std::uint8_t { kronecker, social, communities, grid, mesh, uniform };

constexpr std::array<std::string_view, 6> names_of(Generator) {
    return {"kronecker", "social", "communities", "grid", "mesh", "uniform"};
}

/// An application of the catalogue on the host: reads or generates its input, launches kernel after
/// kernel, each a launch latency after it was asked for. What the kernels do stands in the file of
/// src/workload with the workload's registration; instruction counts by the rule of
/// docs/models/workloads.md.
/// Not modelled: copies between host and device before, between and after launches.
class Program final : public Model<Program>, public protocol::HasKernels {
  public:
    struct Params {
        Param<std::string> name {"bfs1", "The workload; `memsim workloads` lists them"};
        Param<std::string> input {
            "",
            "A file that the workload reads, where it reads one: a graph (SNAP, DIMACS or PACE "
            ".gr, "
            "MatrixMarket, .csr; gzip and xz too), a bitmap or a Darknet .cfg; empty: the input is "
            "generated"};
        Param<Generator> generator {
            Generator::kronecker,
            "How a graph is generated: kronecker as Graph500's, social with hubs of thousands of "
            "arcs at most, communities as social but with neighbours near in number, grid as a "
            "road network, mesh as a five-point stencil, uniform with 1 to 5 edges drawn per "
            "vertex"};
        Param<std::uint64_t> size {
            0,
            "Size of the generated input, as the workload counts it (graphs: 2^size vertices); 0: "
            "the workload's default"};
        Param<unsigned> degree {16, {1, 1024}, "Edges drawn per vertex", cited("Graph500: 16")};
        Param<std::uint64_t> seed {1, "Seed of the generated input"};
        Param<std::int64_t> source {
            -1, {-1, 0xffffffff}, "Vertex where a search begins; -1: the one with the most arcs"};
        Param<unsigned> iterations {
            0, {0, 100'000}, "Iterations at most, where there are some; 0: the workload's default"};
        Param<unsigned> threads_per_block {0,
                                           {0, 1024},
                                           "Threads of a block, for launches in one dimension; 0: "
                                           "as many as the workload usually has"};
        HostParams host;
    };
    using Ports = HostPorts<Params>;
    using Stats = HostStats;
    using State = HostState;

    explicit Program(const Params& p) : params(p) {}
    void init() override { kernels(); }
    std::vector<std::string> inputs() const override { return state.function.source->inputs(); }
    void wake() override { serve_launches(*this); }
    program::KernelSource& kernels() override;
    std::string kernel() const override { return state.kernel; }
    std::unique_ptr<program::KernelSource>* prepared() override { return &state.function.source; }
    const Application& application() { return static_cast<const Application&>(kernels()); }

    const Params params;
    Ports port;
    Stats stat;
    State state;
};

} // namespace memsim::workload
