#pragma once

#include "core/component.hh"
#include "protocol/dispatch.hh"
#include "workload/functional_state.hh"

namespace memsim::workload {

using namespace memsim::literals;

/// A program that was written in Python, step by step over all of its threads (memsim.simt), and
/// recorded in a file: what its warps do is read from there, block by block.
/// Not modelled: copies between host and device before, between and after launches.
class Recorded final : public Model<Recorded>, public protocol::HasKernels {
  public:
    struct Params {
        Param<std::string> file {"", "What memsim.simt.record() has written"};
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

    explicit Recorded(const Params& p) : params(p) {}
    void init() override { kernels(); }
    void wake() override;
    protocol::KernelSource& kernels() override;
    std::unique_ptr<protocol::KernelSource>* prepared() override { return &state.function.source; }

    const Params params;
    Ports port;
    Stats stat;
    State state;
};

} // namespace memsim::workload
