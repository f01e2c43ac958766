#pragma once

#include "core/clock.hh"
#include "core/component.hh"
#include "protocol/dispatch.hh"

namespace memsim::gpu {

using namespace memsim::literals;

/// Hands the blocks of each launch to SMs, in linear order, to the SM with the most room (the first
/// of several); begins the next launch when the last block has ended. Blocks are run functionally
/// when they are handed out, so streams do not depend on timing.
/// A run may be cut to a region: launches before it are run functionally only; after it, or when
/// max_instructions have been handed out, no further block starts and the run ends when those under
/// way have ended.
/// Not modelled: concurrent kernels, preemption, partitioned caches.
class Dispatcher final : public Model<Dispatcher>, public protocol::HasBlocks {
  public:
    struct Params {
        Param<unsigned> sms {16, {1, 4096}, "SMs (Ohm-GPU table I: 16)"};
        Param<unsigned> warp_slots {
            48, {1, 64}, "Warps resident in an SM (assumption: GTX 480 class, 1536 threads)"};
        Param<unsigned> block_slots {
            8, {1, 64}, "Blocks resident in an SM (assumption: GTX 480 class)"};
        Param<unsigned> registers {
            32768, {1, 1u << 20}, "32-bit registers of an SM (assumption: GTX 480 class)"};
        Param<Bytes> shared {48_KiB, {0_B, 1_MiB}, "Shared memory of an SM (assumption)"};
        Param<Time> dispatch_latency {
            1_ns, {1_fs, 1_ms}, "From the dispatcher to an SM (assumption: a cycle or two)"};
        Param<std::uint64_t> max_instructions {
            0, "Thread instructions after which no block starts; 0: no limit"};
        Param<unsigned> first_launch {
            0, "Launches before this one (from 0) are run functionally only: region of interest"};
        Param<unsigned> launches {0, "Launches simulated from first_launch on; 0: all"};
        Param<Frequency> clock {1.2_GHz,
                                {1_MHz, 100_GHz},
                                "Clock in which cycles are counted (Ohm-GPU table I: 1.2 GHz)"};
    };
    struct Ports {
        Requester<protocol::Host> host {{.depth = [](const void*) { return 1u; }},
                                        "The application; its link has the launch latency"};
        Many<Requester<protocol::Dispatch>> sm_side {
            from<&Params::sms>,
            {.depth = from<&Params::block_slots>, .latency = from<&Params::dispatch_latency>},
            "Blocks to the SMs"};
    };
    struct Stats {
        Counter launches {Unit::count, "Kernel launches begun"};
        Counter blocks {Unit::count, "Blocks handed out"};
        Counter warp_instructions {Unit::count, "Warp instructions of blocks handed out"};
        Counter thread_instructions {Unit::count, "Thread instructions of blocks handed out"};
        Counter lane_accesses {Unit::count, "Memory accesses of single threads in those blocks"};
        Counter kernel_time {Unit::time, "Time from the start of a launch to its last block's end"};
        Counter cycles {Unit::cycle, "The same in cycles of the clock, summed over launches"};
        Ratio ipc {thread_instructions, cycles, "Thread instructions a cycle, over whole launches"};
    };
    struct Held {
        std::uint32_t block = 0;
        std::vector<std::vector<std::uint8_t>> warps;
    };
    struct State {
        bool ended = false; ///< no further block will start
        bool asked = false; ///< for the next launch
        std::uint32_t launch = 0;
        std::uint32_t blocks = 0;
        std::uint32_t next_block = 0;
        std::uint32_t running = 0;  ///< blocks that have not ended
        std::uint32_t resident = 1; ///< of this kernel, in one SM at most
        std::uint32_t seen = 0;     ///< launches begun, simulated or not
        std::uint64_t instructions = 0;
        Tick launch_started = 0;
        std::vector<std::uint32_t> room; ///< in each SM
        std::vector<Held> held;          ///< handed out, not yet taken by its SM
        Timer first;
    };

    explicit Dispatcher(const Params& p) : params(p) {}
    void init() override;
    void start() override { arm(state.first, Tick {0}); }
    void wake() override;
    void waits_on(WaitReport& report) const override;
    bool pending() const override { return !state.ended || state.running > 0; }
    void take_block(std::uint32_t block, std::vector<std::vector<std::uint8_t>>& warps) override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    void begin(const protocol::LaunchReply& launch);
    void hand_out();
    std::uint32_t occupancy(const protocol::LaunchReply& launch) const;

    protocol::KernelSource* kernels_ = nullptr;
    protocol::BlockStreams streams_; ///< buffers only: what is in them between calls is not read
    std::vector<std::vector<std::vector<std::uint8_t>>> spare_; ///< as those
};

} // namespace memsim::gpu
