#pragma once

#include "core/base/clock.hh"
#include "core/machine/functional.hh"
#include "core/observe/work.hh"
#include "gpu/dispatch/application.hh"
#include "gpu/dispatch/partition.hh"
#include "gpu/dispatch/program_memory.hh"
#include "protocol/dispatch.hh"

namespace memsim::gpu {

using namespace memsim::literals;

/// What happens when one of several applications has ended: the others run on without it, it is
/// begun again until each has ended once, or no block of any starts any more.
enum class WhenOneEnds : std::uint8_t { run_on, repeat, stop };
constexpr std::array<std::string_view, 3> names_of(WhenOneEnds) {
    return {"run_on", "repeat", "stop"};
}

/// Hands the blocks of each application's launches to SMs, in linear order, to the SM with the most
/// room (the first of several). A stream's next launch begins when the last block of the one before
/// has ended; launches of an application's several streams run concurrently, and the one that began
/// first has all of its blocks handed out first. Of several applications each is given a block in
/// turn. Blocks are run functionally when they are handed out: what warps do does not depend on
/// timing.
/// A run may be cut to a region: launches before it are run functionally only; after it, or when
/// max_instructions have been handed out, no further block starts and the run ends when those under
/// way have ended; an application's own part may be cut likewise.
/// What an SM holds, how applications share the machine and where local memory lies is said in
/// src/gpu/dispatch/.
/// Not modelled: priorities of streams, waits of one stream for another, preemption, partitioned
/// caches.
class Dispatcher final : public Model<Dispatcher>,
                         public protocol::HasBlocks,
                         public ChecksContents,
                         public ReportsWork {
  public:
    struct Params {
        PartitionParams sharing;
        Param<WhenOneEnds> when_one_ends {WhenOneEnds::run_on,
                                          "What happens when one of several has ended"};
        AddressParams addresses;
        Param<unsigned> sms {16, {1, 4096}, "SMs", stated("Ohm-GPU table I: 16")};
        OccupancyParams sm;
        Param<Time> dispatch_latency {
            1_ns, {1_fs, 1_ms}, "Time from the dispatcher to an SM", assumed("a cycle or two")};
        Param<LocalPool> local_pool {
            LocalPool::context,
            "Launches of an application that share their local memory: all of its context, as in "
            "NVIDIA's driver, or those of equal occupancy, as in Accel-Sim"};
        Param<std::uint64_t> max_instructions {
            0, "Thread instructions after which no block starts; 0: no limit"};
        Param<std::uint64_t> application_instructions {
            0, "Thread instructions of an application after which none of its blocks starts, so "
               "that each does the same work on every machine; 0: no limit"};
        Param<unsigned> first_launch {
            0, "Launches of each application before this one (from 0) are run functionally only: "
               "region of interest"};
        Param<unsigned> launches {
            0, "Launches of each application simulated from first_launch on; 0: all"};
        Param<unsigned> pause_at_launch {
            0, "simulate() returns when the first application begins this launch, so that a script "
               "can reset statistics; 0: never"};
        Param<std::uint64_t> pause_at_instructions {
            0, "simulate() returns when the SMs have issued so many thread instructions of all "
               "applications, so that a script can reset statistics; 0: never"};
        Param<Frequency> clock {1.2_GHz,
                                {1_MHz, 100_GHz},
                                "Clock in which cycles are counted",
                                stated("Ohm-GPU table I: 1.2 GHz")};
    };
    struct Ports {
        Many<Requester<protocol::Launches>> host {
            from<&Params::sharing, &PartitionParams::applications>,
            {.depth = [](const void*) { return 1u; }, .needs = needs<protocol::HasKernels>},
            "The applications; the links have the launch latency"};
        Many<Requester<protocol::Dispatch>> sm_side {
            from<&Params::sms>,
            {.depth = from<&Params::sm, &OccupancyParams::block_slots>,
             .latency = from<&Params::dispatch_latency>},
            "Blocks to the SMs"};
    };
    struct Stats {
        Counter launches {Unit::count, "Kernel launches begun"};
        Counter blocks {Unit::count, "Blocks handed out"};
        Counter warp_instructions {Unit::count, "Warp instructions of blocks handed out"};
        Counter thread_instructions {Unit::count, "Thread instructions of blocks handed out"};
        Counter lane_accesses {Unit::count,
                               "Memory accesses of single threads in blocks handed out"};
        ElapsedTime kernel_time {"Time in which a launch was under way, from its start to its last "
                                 "block's end"};
        LongestTime longest_launch {Unit::time, "Time of the longest launch"};
        ElapsedCycles cycles {
            Unit::cycle,
            "Time with a kernel running, in cycles of the clock, each stretch rounded up"};
        Gathered executed {Unit::count, "Thread instructions that SMs issued"};
        Ratio ipc {executed, cycles, "Thread instructions that SMs issued, a cycle"};
        Each<Counter> application_instructions {
            from<&Params::sharing, &PartitionParams::applications>, Unit::count,
            "Thread instructions of an application's blocks, until it has ended once"};
        Each<ElapsedCycles> application_cycles {
            from<&Params::sharing, &PartitionParams::applications>, Unit::cycle,
            "Cycles in which a launch of an application was under "
            "way, until the application has ended once"};
        Each<Counter> application_end {from<&Params::sharing, &PartitionParams::applications>,
                                       Unit::time,
                                       "Time at which the application ended for the first time"};
        Each<Counter> application_repeats {from<&Params::sharing, &PartitionParams::applications>,
                                           Unit::count,
                                           "Times that an application was begun again"};
        Each<Gathered> application_executed {
            from<&Params::sharing, &PartitionParams::applications>, Unit::count,
            "Thread instructions of an application that SMs issued, until it has ended once"};
        Each<Ratio> application_ipc {application_executed, application_cycles,
                                     "Thread instructions of an application that SMs issued, a "
                                     "cycle"};
        SumOfRatios ipc_sum {application_ipc, "Sum of the applications' instructions a cycle"};
    };
    struct Held {
        std::uint16_t application = 0;
        std::uint32_t launch = 0, block = 0;
        std::vector<std::vector<std::uint8_t>> warps;
    };
    struct State {
        std::vector<Application> applications;
        std::vector<Resources> used; ///< of each SM
        std::uint32_t next = 0;      ///< the application whose turn it is
        std::uint32_t under_way = 0; ///< launches
        Tick since = 0;              ///< when the first of them began
        std::uint64_t instructions = 0;
        std::vector<Held> held; ///< handed out, not yet taken by its SM
        Timer first;
    };

    explicit Dispatcher(const Params& p)
        : params(p), occupancy_(params.sm), local_ {p.sms(), p.sm.warp_slots()} {}
    void init() override;
    void start() override { arm(state.first, Tick {0}); }
    void wake() override;
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    bool pending() const override;
    std::vector<Work> work() const override;
    std::vector<MemoryUse> memory_uses() const override;
    std::optional<std::string> imbalance() const override;
    void take_block(std::uint16_t application, std::uint32_t launch, std::uint32_t block,
                    std::vector<std::vector<std::uint8_t>>& warps) override;
    void counts_instructions(const protocol::CountsInstructions& sm) override {
        counts_.push_back(&sm);
    }
    bool watches_issue() const override { return params.pause_at_instructions() != 0; }
    void issued(std::uint64_t thread_instructions) override;
    void compare_contents(ContentsReport& report) override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    /// An application's part of the machine.
    struct Share {
        protocol::HasKernels* host = nullptr;
        program::KernelSource* kernels = nullptr;
        SmRange sms;
        std::uint64_t base = 0;
        std::string initial; ///< its functional state before its first launch, to begin it again
    };

    void check_slots() const;
    void check_first_launch(std::uint32_t application);
    ProgramMemory memory_of(std::uint32_t application) const;
    void keep_contents(std::uint32_t application);
    std::uint32_t number_stores(std::uint32_t application, std::uint64_t n);
    void take_ends();
    void ask(std::uint32_t application);
    void begin(std::uint32_t application, const protocol::LaunchReply& launch);
    void skip(std::uint32_t application, const protocol::LaunchReply& launch);
    void end_launches(std::uint32_t application);
    void end(std::uint32_t application);
    void start_no_more();
    void hand_out();
    bool hand_out_block(std::uint32_t application);
    std::uint64_t executed(std::uint32_t application) const;

    Occupancy occupancy_;
    LocalLayout local_;
    std::vector<Share> shares_;
    std::vector<const protocol::CountsInstructions*> counts_; ///< the SMs
    std::uint64_t issued_ = 0;      ///< by all of them, once issued() has been called
    program::BlockStreams streams_; ///< buffers only: what is in them between calls is not read
    std::vector<std::vector<std::vector<std::uint8_t>>> spare_; ///< as those
};

} // namespace memsim::gpu
