#pragma once

#include "workload/simt/kernel_host.hh"

namespace memsim::workload {

/// A traced application on the host: plays an Accel-Sim trace, the kernels of each CUDA stream one
/// after the other, a launch latency apart, and those of several streams concurrently, in one
/// memory. Blocks are read when SMs have room for them, so that a trace of any size takes the
/// memory of its resident blocks; a trace of several streams is read once before, to place its
/// pages. docs/traces.md tells how instructions become operations. Not modelled: copies between
/// host and device as traffic, waits of a stream for another, named barriers (each holds the whole
/// block).
class TraceProgram final : public Model<TraceProgram>, public protocol::HasKernels {
  public:
    struct Params {
        Param<std::string> trace {"", "kernelslist.g of an Accel-Sim trace, or one .traceg file"};
        Param<unsigned> repeat {1, {1, 1'000'000}, "Times that the whole list is played"};
        Param<Bytes> memory {4_GiB,
                             {1_MiB, 1024_GiB},
                             "Device memory in which the trace's pages are placed as they are "
                             "first touched; local memory lies at its end",
                             multiple_of(page)};
        Param<Bytes> page {2_MiB,
                           {4_KiB, 1_GiB},
                           "Size of the pages within which a trace's addresses stay together",
                           assumed("the large pages of NVIDIA's GPUs"),
                           power_of_two()};
        Param<Bytes> local_memory {
            4_KiB,
            {128_B, 512_KiB},
            "Local memory of a thread, of which all warp slots of all SMs have so much for each "
            "lane (CUDA's stack has 1 KiB by default; assumption)",
            multiple_of(4_B)};
        Param<bool> outside {false, "Kernels may lie outside of the list's folder"};
        // Tunable, so that a checkpoint of a program without it restores.
        Param<std::string> stream {
            "",
            "The only CUDA stream whose kernels are played; 'in_order': all kernels one after the "
            "other, in the list's order; empty: the kernels of all streams, concurrently",
            Change::tunable};
        HostParams host;
    };
    using Ports = HostPorts<Params>;
    using Stats = HostStats;
    using State = HostState;

    explicit TraceProgram(const Params& p) : params(p) {}
    void init() override { kernels(); }
    std::vector<std::string> inputs() const override { return state.function.source->inputs(); }
    void wake() override { serve_launches(*this); }
    program::KernelSource& kernels() override;
    std::string kernel() const override { return state.kernel; }

    const Params params;
    Ports port;
    Stats stat;
    State state;
};

} // namespace memsim::workload
