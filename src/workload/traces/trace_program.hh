#pragma once

#include "workload/simt/kernel_host.hh"
#include "workload/traces/trace_source.hh"

namespace memsim::workload {

/// A traced application and its host: plays an Accel-Sim trace.
///
/// Models        kernels of each CUDA stream one after the other, a launch latency apart; kernels
///               of different streams concurrently, in one memory. Blocks are read when SMs have
///               room for them, so a trace of any size needs only the memory of its resident
///               blocks. A trace with several streams is read once in advance to place its pages.
///               docs/traces.md describes how instructions become operations.
/// Not modelled  Traffic of copies between host and device; a stream's waits for another stream;
///               named barriers (each synchronises the whole block).
class TraceProgram final : public Model<TraceProgram>, public protocol::HasKernels {
  public:
    struct Params {
        Param<std::string> trace {"", "kernelslist.g of an Accel-Sim trace, or one .traceg file"};
        Param<unsigned> repeat {1, {1, 1'000'000}, "Number of times that the list is played"};
        Param<Bytes> memory {4_GiB,
                             {1_MiB, 1024_GiB},
                             "Device memory; pages of the trace are placed there when they are "
                             "first accessed, and local memory lies at its end",
                             multiple_of(page)};
        Param<Bytes> page {2_MiB,
                           {4_KiB, 1_GiB},
                           "Page size; addresses within a page of the trace stay contiguous",
                           assumed("the large pages of NVIDIA's GPUs"),
                           power_of_two()};
        Param<Bytes> local_memory {4_KiB,
                                   {128_B, 512_KiB},
                                   "Bytes of local memory per thread, reserved for every lane of "
                                   "all warp slots of all SMs "
                                   "(CUDA's default stack is 1 KiB; assumption)",
                                   multiple_of(4_B)};
        Param<bool> outside {false, "Allow kernel files outside of the list's folder"};
        // Tunable, so that checkpoints of a program without this parameter can be restored.
        Param<std::string> stream {
            "",
            "CUDA stream to play; 'in_order': the kernels of all streams one after the "
            "other, in list order; empty: all streams concurrently",
            Change::tunable};
        Param<TraceArithmetic> arithmetic {
            TraceArithmetic::stretches,
            "Arithmetic: 'stretches' of instructions that need the one before, or 'units': "
            "instructions of the SM's arithmetic units, which need the results that their "
            "registers name"};
        HostParams host;
    };
    using Ports = HostPorts<Params>;
    using Stats = HostStats;
    using State = HostState;

    explicit TraceProgram(const Params& p) : params(p) {}
    void init() override { kernels(); }
    std::vector<std::string> inputs() const override { return state.function.source->inputs(); }
    void wake() override { serve_launches(*this); }
    gpu_program::KernelSource& kernels() override;
    std::string kernel() const override { return state.kernel; }

    const Params params;
    Ports port;
    Stats stat;
    State state;
};

} // namespace memsim::workload
