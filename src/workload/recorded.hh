#pragma once

#include "workload/simt/kernel_host.hh"

namespace memsim::workload {

/// A program written in Python, step by step over all its threads (memsim.simt), and recorded in a
/// file, which is read block by block.
///
/// Not modelled  Copies between host and device before, between and after launches.
class Recorded final : public Model<Recorded>, public protocol::HasKernels {
  public:
    struct Params {
        Param<std::string> file {"", "File written by memsim.simt.record()"};
        HostParams host;
    };
    using Ports = HostPorts<Params>;
    using Stats = HostStats;
    using State = HostState;

    explicit Recorded(const Params& p) : params(p) {}
    void init() override { kernels(); }
    std::vector<std::string> inputs() const override { return state.function.source->inputs(); }
    void wake() override { serve_launches(*this); }
    gpu_program::KernelSource& kernels() override;
    std::string kernel() const override { return state.kernel; }
    std::unique_ptr<gpu_program::KernelSource>* prepared() override {
        return &state.function.source;
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;
};

} // namespace memsim::workload
