#pragma once

#include "core/kernel/component.hh"
#include "protocol/dispatch.hh"
#include "workload/simt/serial_launch.hh"

namespace memsim::workload {

using namespace memsim::literals;

/// Runs the work-groups of an application in hardware threads, like OpenCL on Vortex: a hardware
/// thread executes a whole work-group, one work-item after the other.
///
/// Models        Warps of `lanes` hardware threads in lockstep. A lane that diverges issues
///               separately and joins the others at the next instruction with the same address.
/// Ordering      Between two barriers of the kernel, work-items run in the order of their numbers.
/// Requires      An application with one stream whose work-groups may run in any order.
/// Guarantees    Each work-group of a launch runs once, in an order that depends only on the launch
///               and the parameters.
/// Not modelled  Capacity of shared memory: each hardware thread has its own; bank conflicts there.
///               Contents of memory if several work-groups write different values to one address.
/// See           docs/models/cxl.md
class SerialGroups final : public Model<SerialGroups>, public protocol::HasKernels {
  public:
    struct Params {
        Param<unsigned> lanes {
            8, {1, gpu_program::warp_lanes}, "Hardware threads per warp", from_wiring()};
        Param<unsigned> warps {
            32,
            {1, 1u << 16},
            "Warps of the machine over whose hardware threads work-groups are distributed",
            from_wiring()};
        Param<GroupOrder> order {
            GroupOrder::chunks,
            "Distribution of work-groups over hardware threads: adjacent ones (chunks), or "
            "one per round over all hardware threads (interleaved)",
            cited("Vortex, runtime/src/vx_spawn.c: a contiguous chunk for each thread")};
        Param<unsigned> item_instructions {
            3, {0, 1000}, "Loop instructions per work-item", assumed("count, compare and branch")};
    };
    struct Ports {
        Responder<protocol::Launches> dispatcher {{.depth = [](const void*) { return 1u; }},
                                                  "The dispatcher, which requests launches"};
        Requester<protocol::Launches> program {
            {.depth = [](const void*) { return 1u; }, .needs = needs<protocol::HasKernels>},
            "The application"};
    };
    struct Stats {
        Counter launches {Unit::count, "Launches sent to the dispatcher"};
        Counter groups {Unit::count, "Work-groups of these launches"};
    };
    struct State {
        SerialLaunch launch; ///< the current one
    };

    explicit SerialGroups(const Params& p) : params(p) {}
    void init() override { kernels(); }
    void wake() override;
    void check_loaded(Loader& l) const override;
    gpu_program::KernelSource& kernels() override;
    std::string kernel() const override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    protocol::HasKernels& application() const;

    std::unique_ptr<gpu_program::KernelSource> serial_;
};

} // namespace memsim::workload
