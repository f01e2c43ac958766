#pragma once

#include "core/base/clock.hh"
#include "core/kernel/notice.hh"
#include "core/machine/functional.hh"
#include "core/observe/work.hh"
#include "gpu/dispatch/application.hh"
#include "gpu/dispatch/notice.hh"
#include "gpu/dispatch/partition.hh"
#include "gpu/dispatch/program_memory.hh"
#include "protocol/dispatch.hh"

namespace memsim::gpu {

using namespace memsim::literals;

/// Action when one of several applications has ended: the others continue without it; it is
/// restarted until each has ended once; or no further block of any application starts.
enum class WhenOneEnds : std::uint8_t { run_on, repeat, stop };
constexpr std::array<std::string_view, 3> names_of(WhenOneEnds) {
    return {"run_on", "repeat", "stop"};
}

/// Dispatches the blocks of each application's launches to SMs.
///
/// Models        Blocks are dispatched in linear order to the SM with the most space (the first of
///               several). The next launch of a stream begins when the last block of the previous
///               one has ended. Launches of several streams of an application run concurrently; the
///               one that began first has all of its blocks dispatched first. With several
///               applications, each receives a block in turn. Blocks are executed functionally when
///               they are dispatched: the behaviour of warps does not depend on timing.
///
/// A run can be limited to a region: earlier launches are executed functionally only. After the
/// region, or after max_instructions, no further block starts, and the run ends when the blocks in
/// progress have ended. Each application can be limited likewise. See src/gpu/dispatch/ for the
/// capacity of SMs, the division of the machine, and the location of local memory.
///
/// Not modelled  Priorities of streams, waits between streams, preemption, partitioned caches.
class Dispatcher final : public Model<Dispatcher>,
                         public EndsRuns,
                         public GivesNotice,
                         public protocol::HasBlocks,
                         public ChecksContents,
                         public ReportsWork {
  public:
    struct Params {
        PartitionParams sharing;
        Param<WhenOneEnds> when_one_ends {WhenOneEnds::run_on,
                                          "Action when one of several applications has ended",
                                          assumed("the other applications run to their end")};
        AddressParams addresses;
        Param<unsigned> sms {16, {1, 4096}, "SMs", stated("Ohm-GPU table I: 16")};
        OccupancyParams sm;
        Param<Time> dispatch_latency {
            1_ns, {1_fs, 1_ms}, "Time from the dispatcher to an SM", assumed("a cycle or two")};
        Param<LocalPool> local_pool {
            LocalPool::context,
            "Launches of an application that share their local memory: all of its context, as in "
            "NVIDIA's driver, or those of equal occupancy, as in Accel-Sim",
            assumed("as NVIDIA's driver is known to allocate it; not looked up")};
        Param<std::uint64_t> max_instructions {
            0, "Thread instructions after which no further block starts; 0: no limit",
            whole_program()};
        Param<std::uint64_t> application_instructions {
            0,
            "Thread instructions of an application after which none of its blocks starts, so "
            "that it does the same work on every machine; 0: no limit",
            whole_program()};
        Param<unsigned> first_launch {0,
                                      "Launches of each application before this one (from 0) "
                                      "are executed functionally only: region of interest",
                                      whole_program()};
        Param<unsigned> launches {
            0, "Launches of each application simulated, starting with first_launch; 0: all",
            whole_program()};
        Param<unsigned> pause_at_launch {
            0,
            "simulate() returns when the first application begins this launch, so that a script "
            "can reset statistics; 0: never",
            whole_program()};
        Param<std::uint64_t> pause_at_instructions {
            0,
            "simulate() returns when the SMs have issued this number of thread instructions of "
            "all applications, so that a script can reset statistics; 0: never",
            whole_program()};
        Param<Frequency> clock {1.2_GHz,
                                {1_MHz, 100_GHz},
                                "Clock of the cycle statistics",
                                stated("Ohm-GPU table I: 1.2 GHz")};
    };
    struct Ports {
        Many<Requester<protocol::Launches>> host {
            from<&Params::sharing, &PartitionParams::applications>,
            {.depth = [](const void*) { return 1u; }, .needs = needs<protocol::HasKernels>},
            "The applications; the links model the launch latency"};
        Many<Requester<protocol::Dispatch>> sm_side {
            from<&Params::sms>,
            {.depth = from<&Params::sm, &OccupancyParams::block_slots>,
             .latency = from<&Params::dispatch_latency>},
            "Blocks to the SMs"};
    };
    struct Stats {
        Counter launches {Unit::count, "Kernel launches started"};
        Counter blocks {Unit::count, "Blocks dispatched"};
        Counter warp_instructions {Unit::count, "Warp instructions of dispatched blocks"};
        Counter thread_instructions {Unit::count, "Thread instructions of dispatched blocks"};
        Counter lane_accesses {Unit::count,
                               "Memory accesses of single threads in dispatched blocks"};
        ElapsedTime kernel_time {"Time during which a launch was in progress, from its start to "
                                 "the end of its last block"};
        LongestTime longest_launch {Unit::time, "Duration of the longest launch"};
        ElapsedCycles cycles {
            Unit::cycle,
            "Time with a kernel running, in cycles of the clock, each period rounded up"};
        Gathered executed {Unit::count, "Thread instructions issued by SMs"};
        Ratio ipc {executed, cycles, "Thread instructions issued by SMs per cycle"};
        Each<Counter> application_instructions {
            from<&Params::sharing, &PartitionParams::applications>, Unit::count,
            "Thread instructions of an application's blocks, until its first end"};
        Each<ElapsedCycles> application_cycles {
            from<&Params::sharing, &PartitionParams::applications>, Unit::cycle,
            "Cycles during which a launch of an application was in progress, until the "
            "application's first end"};
        Each<Counter> application_end {from<&Params::sharing, &PartitionParams::applications>,
                                       Unit::time,
                                       "Time at which the application ended for the first time"};
        Each<Counter> application_repeats {from<&Params::sharing, &PartitionParams::applications>,
                                           Unit::count, "Times that an application was restarted"};
        Each<Gathered> application_executed {
            from<&Params::sharing, &PartitionParams::applications>, Unit::count,
            "Thread instructions of an application issued by SMs, until its first end"};
        Each<Ratio> application_ipc {
            application_executed, application_cycles,
            "Thread instructions of an application issued by SMs per cycle"};
        SumOfRatios ipc_sum {application_ipc, "Sum of the applications' instructions per cycle"};
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
        std::uint32_t under_way = 0; ///< launches in progress
        Tick since = 0;              ///< start of the first of them
        std::uint64_t instructions = 0;
        std::vector<Held> held; ///< dispatched, not yet fetched by the SM
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
    Time notice() const override;
    Tick quiet_until(Tick next) const override {
        return notice_.quiet_until(state.applications, next);
    }
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
        gpu_program::KernelSource* kernels = nullptr;
        SmRange sms;
        std::uint64_t base = 0;
        std::string initial; ///< functional state before the first launch, for a restart
    };

    void check_slots() const;
    void check_first_launch(std::uint32_t application);
    ProgramMemory memory_of(std::uint32_t application) const;
    void keep_contents(std::uint32_t application);
    std::uint32_t number_stores(std::uint32_t application, std::uint64_t n);
    void take_ends();
    void request_launches(std::uint32_t application);
    void begin_launch(std::uint32_t application, const protocol::LaunchReply& launch);
    void skip(std::uint32_t application, const protocol::LaunchReply& launch);
    void end_launches(std::uint32_t application);
    void end_application(std::uint32_t application);
    void start_no_more();
    void hand_out();
    bool hand_out_block(std::uint32_t application);
    std::uint64_t executed(std::uint32_t application) const;

    Occupancy occupancy_;
    LocalLayout local_;
    LaunchNotice notice_;
    std::vector<Share> shares_;
    std::vector<const protocol::CountsInstructions*> counts_; ///< the SMs
    std::uint64_t issued_ = 0;          ///< by all SMs, once issued() has been called
    gpu_program::BlockStreams streams_; ///< buffers only: their contents are not read between calls
    std::vector<std::vector<std::vector<std::uint8_t>>> spare_; ///< buffers, likewise
};

} // namespace memsim::gpu
