#pragma once

#include "workload/catalogue.hh"
#include "workload/simt/kernel_host.hh"

namespace memsim::workload {

/// The kind of a generated graph, used if no file is named.
enum class Generator : std::uint8_t { kronecker, social, communities, grid, mesh, uniform };

constexpr std::array<std::string_view, 6> names_of(Generator) {
    return {"kronecker", "social", "communities", "grid", "mesh", "uniform"};
}

/// An application of the catalogue and its host.
///
/// Models        reading or generating the input; a sequence of kernel launches, each one launch
///               latency after its request. The kernels are in the file of src/workload that
///               registers the workload. Instructions are counted by the rule of
///               docs/models/workloads.md.
/// Not modelled  Copies between host and device before, between and after launches.
class Program final : public Model<Program>, public protocol::HasKernels {
  public:
    struct Params {
        Param<std::string> name {"bfs1", "Name of the workload (`memsim workloads` lists all)",
                                 example_value()};
        Param<std::string> input {
            "",
            "Input file of a workload that reads one: a graph (SNAP, DIMACS or PACE "
            ".gr, "
            "MatrixMarket, .csr; gzip and xz too), a bitmap or a Darknet .cfg; empty: the input is "
            "generated",
            example_value()};
        Param<Generator> generator {
            Generator::kronecker,
            "Kind of a generated graph: kronecker as in Graph500, social with hubs of at most "
            "thousands of "
            "arcs, communities like social but with neighbours of similar numbers, grid like a "
            "road network, mesh like a five-point stencil, uniform with 1 to 5 edges drawn per "
            "vertex",
            example_value()};
        Param<std::uint64_t> size {
            0,
            "Size of the generated input, in the workload's unit (graphs: 2^size vertices); 0: "
            "the workload's default",
            example_value()};
        Param<unsigned> degree {
            16,
            {1, 1024},
            "Edges drawn per vertex",
            cited("Graph500 specification, section on the edge list: edgefactor 16")};
        Param<std::uint64_t> seed {1, "Seed of the generated input", example_value()};
        Param<std::int64_t> source {
            -1,
            {-1, 0xffffffff},
            "Vertex at which a search starts (-1: the one with the most arcs)",
            example_value()};
        Param<unsigned> iterations {
            0,
            {0, 1'000'000},
            "Maximum number of iterations, if the workload has any (0: its default)",
            example_value()};
        Param<unsigned> threads_per_block {0,
                                           {0, 1024},
                                           "Threads per block of launches in one dimension (0: "
                                           "the workload's usual number)",
                                           example_value()};
        HostParams host;
    };
    using Ports = HostPorts<Params>;
    using Stats = HostStats;
    using State = HostState;

    explicit Program(const Params& p) : params(p) {}
    void init() override { kernels(); }
    std::vector<std::string> inputs() const override { return state.function.source->inputs(); }
    void wake() override { serve_launches(*this); }
    gpu_program::KernelSource& kernels() override;
    std::string kernel() const override { return state.kernel; }
    std::unique_ptr<gpu_program::KernelSource>* prepared() override {
        return &state.function.source;
    }
    const Application& application() { return static_cast<const Application&>(kernels()); }

    const Params params;
    Ports port;
    Stats stat;
    State state;
};

} // namespace memsim::workload
