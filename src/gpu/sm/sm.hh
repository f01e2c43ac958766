#pragma once

#include "core/base/clock.hh"
#include "core/machine/functional.hh"
#include "gpu/sm/arithmetic_units.hh"
#include "gpu/sm/assist_warp.hh"
#include "gpu/sm/copy_unit.hh"
#include "gpu/sm/ready_warps.hh"
#include "gpu/sm/shared_memory.hh"
#include "gpu/sm/tensor_cores.hh"
#include "gpu/sm/upcoming_answers.hh"
#include "gpu/sm/warp_choice.hh"
#include "gpu/sm/warp_slots.hh"
#include "protocol/traffic.hh"

namespace memsim::gpu {

using namespace memsim::literals;
using protocol::Mem;

/// A streaming multiprocessor (SM): warp slots, schedulers, one load-store unit with a coalescer, a
/// queue of memory accesses to the L1, and shared memory.
///
/// Models        A warp issues in order, each operation when the results that it needs are
///               available (gpu_program/warp_stream.hh); at most 64 results of a warp are
///               outstanding. Instructions of a stretch depend on one another: they issue
///               arithmetic_latency cycles apart, and other warps issue in between. Arithmetic
///               occupies a unit of its warp's scheduler (gpu/sm/arithmetic_units.hh). Stores and
///               reductions have no result. An access to shared memory occupies its port for as
///               many cycles as its bank conflicts require, a matrix operation the tensor core of
///               its warp's scheduler (gpu/sm/tensor_cores.hh). Copies to shared memory occupy its
///               port when their data arrive (gpu/sm/copy_unit.hh). A warp keeps its slot until all
///               of its results have arrived. Each warp slot has its own part of local memory
///               (gpu_program/local_memory.hh). At the first block of another launch the L1 is
///               invalidated, because the caches of SMs are not coherent and kernels see each
///               other's stores.
///
/// An assist warp has priority at the first scheduler (gpu/sm/assist_warp.hh).
///
/// A prefetcher may query the next accesses of the warps (protocol/upcoming.hh): the lines of each
/// warp's next memory operations whose operands are available (gpu/sm/lookahead.hh), at addresses
/// of its application. The answer describes the state at the arrival of the query, or at the next
/// block's if the query waits for one. An answer that waits for a block is not repeated while all
/// warps wait for memory.
///
/// The SM wakes only when an operation can issue, a response arrives or a block ends. An SM without
/// warps, or whose warps all wait, has no pending event.
///
/// Not modelled  Instruction fetch; register banks and their conflicts.
/// See           src/gpu/sm/: scoreboards, ready warps, blocks with their barriers, load-store
///               unit, shared memory.
class Sm final : public Model<Sm>,
                 public Functional,
                 public protocol::StatesTraffic,
                 public protocol::HasSlots,
                 public protocol::CountsInstructions {
  public:
    struct Params {
        Param<Frequency> clock {
            1.2_GHz, {1_MHz, 100_GHz}, "Core clock", stated("Ohm-GPU table I: 1.2 GHz")};
        Param<unsigned> warp_slots {
            48, {1, WarpSet::most}, "Resident warps", assumed("GTX 480 class, 1536 threads")};
        Param<unsigned> lanes {
            gpu_program::warp_lanes,
            {1, gpu_program::warp_lanes},
            "Threads of a warp that execute an instruction at the same time. An instruction of "
            "more threads takes one cycle per group of this size",
            assumed("as many as a warp has threads, as of NVIDIA's GPUs")};
        Param<unsigned> block_slots {8, {1, 64}, "Resident blocks", cited("GPGPU-Sim, SM2_GTX480")};
        Param<unsigned> schedulers {1,
                                    {1, 8},
                                    "Schedulers; warp slots are assigned to them in turn",
                                    assumed("for two that issue every second cycle (SM2_GTX480)"),
                                    at_most(warp_slots)};
        Param<unsigned> issue_width {
            1, {1, 4}, "Instructions issued by a scheduler per cycle", assumed("single issue")};
        Param<unsigned> arithmetic_latency {
            22,
            {1, 64},
            "Cycles from an instruction without memory access to the next instruction of its warp",
            cited("CUDA C Programming Guide 4.2, section 5.2.3: about 22 for 2.x")};
        Param<Scheduler> scheduler {Scheduler::greedy_then_oldest,
                                    "Policy that selects the ready warp to issue",
                                    cited("GPGPU-Sim, SM2_GTX480: gto (Rogers et al., MICRO'12)")};
        AccessParams memory;
        Param<unsigned> shared_latency {26,
                                        {1, 1000},
                                        "Cycles from a shared load's last pass to its result "
                                        "(measured: 19 to 26 on Volta to Kepler)",
                                        assumed()};
        Param<bool> empty_l1 {
            true, "Invalidate the L1 at the first block of another launch",
            assumed("L1s are not coherent: a launch reads what another one wrote")};
        Param<unsigned> tensor_cores {0,
                                      {0, 8},
                                      "Tensor cores, one for each scheduler; 0: none",
                                      equal_to(schedulers).or_zero(),
                                      assumed("GPUs before Volta have none")};
        TensorParams tensor;
        CopyParams copy;
        ArithmeticParams arithmetic;
        Param<Time> l1_latency {1_fs,
                                {1_fs, 1_us},
                                "Latency to the L1's input, in addition to the L1's own",
                                least_latency()};
        Param<Time> report_latency {
            1_fs,
            {1_fs, 1_ms},
            "Latency of the report to the dispatcher that a block has ended",
            least_latency()};
    };
    struct Ports {
        Responder<protocol::Dispatch> blocks {{.depth = from<&Params::block_slots>,
                                               .latency = from<&Params::report_latency>,
                                               .needs = needs<protocol::HasBlocks>},
                                              "Blocks from the dispatcher"};
        Requester<Mem> mem_side {{.depth = from<&Params::memory, &AccessParams::outstanding>,
                                  .latency = from<&Params::l1_latency>},
                                 "Accesses to the L1"};
        Optional<Responder<protocol::Assist>> helper {{.depth = [](const void*) { return 1u; }},
                                                      "Instructions of an assist warp"};
        Optional<In<protocol::UpcomingQuery>> queries {{.depth = [](const void*) { return 1u; }},
                                                       "Queries for the next accesses of warps"};
        Optional<Out<protocol::UpcomingAccesses>> upcoming {
            {}, "Answers to queries for the next accesses of warps"};
    };
    struct Stats {
        Counter blocks {Unit::count, "Blocks that ended"};
        Counter warp_instructions {Unit::count, "Warp instructions issued"};
        Counter thread_instructions {Unit::count, "Thread instructions issued"};
        Each<Counter> issued {from<&Params::schedulers>, Unit::count,
                              "Warp instructions issued by each scheduler"};
        AccessStats memory;
        Counter shared_instructions {Unit::count, "Warp accesses to shared memory issued"};
        BookedCycles shared_passes {Unit::cycle,
                                    "Cycles that accesses occupied the port of shared memory"};
        TensorStats<Params> tensor;
        CopyStats copies;
        ArithmeticStats<Params> arithmetic;
        Counter assist_instructions {Unit::count, "Warp instructions of the assist warp"};
        Level resident {Unit::count, "Resident warps"};
    };
    struct State {
        WarpSlots warps;
        ResidentBlocks blocks;
        ReadyWarps ready;
        std::vector<std::uint32_t> last;      ///< warp selected last by each scheduler
        std::vector<std::uint32_t> launches;  ///< launch of the latest block, by application
        std::vector<std::uint64_t> executed;  ///< thread instructions issued, by application
        ClockEdge edge;                       ///< the last edge at which an operation issued
        std::vector<std::int64_t> issue_free; ///< IssueSlots
        std::int64_t load_store_free = 0; ///< cycle in which the unit accepts the next operation
        LoadStoreUnit::State accesses;
        SharedMemory shared;
        TensorCores tensor;
        CopyUnit::State copies;
        ArithmeticUnits::State arithmetic;
        AssistWarp assist;
        UpcomingAnswers upcoming;
        Timer next;
    };

    explicit Sm(const Params& p) : params(p), clock_(p.clock()) {}
    void init() override;
    void wake() override;
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    bool pending() const override { return state.blocks.live() > 0; }
    std::optional<std::string> imbalance() const override {
        if (unit_->idle()) return {};
        return "loads were not answered";
    }
    /// Functional accesses of the dispatcher go through an SM, like those of its blocks.
    void functional(const PortBase&, FunctionalAccess& access) override {
        look_through(port.mem_side, access);
    }
    protocol::Traffic traffic(const PortBase&, unsigned) const override {
        return {{}, static_cast<std::uint64_t>(params.memory.line->raw), this};
    }
    protocol::SmSlots slots() const override { return {params.warp_slots(), params.block_slots()}; }
    std::uint64_t executed(std::uint32_t application) const override {
        return application < state.executed.size() ? state.executed[application] : 0;
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    void schedule();
    void issue_all(const ClockEdge& edge);
    void issue(std::uint32_t warp, std::int64_t cycle, std::size_t slot);
    /// The scheduler's warps whose next operation may issue in this cycle.
    WarpSet candidates(std::int64_t cycle, std::uint32_t scheduler) const;
    bool assists() const { return port.helper && !port.helper->empty(); }
    void arm_next(const ClockEdge& edge);
    void access_shared(std::uint32_t warp, const gpu_program::WarpOp& op, std::int64_t cycle);
    void multiply(std::uint32_t warp, const gpu_program::WarpOp& op, std::int64_t cycle);
    /// Classifies the warp by its next operation. `from`: the first cycle in which it may issue.
    void classify(std::uint32_t warp, std::int64_t from);
    /// The first cycle that has not passed, of an SM with arithmetic units.
    std::int64_t cycle() const {
        return arithmetic_.given() ? clock_.at_or_after(state.edge, now()).cycle : 0;
    }
    /// One of the responses of a result has arrived.
    void result(std::uint32_t warp, std::uint32_t place);
    void end_warp(std::uint32_t warp);
    // Blocks.
    void start_block(const protocol::BlockStart& start);
    void report_ends();
    bool waits_for_memory() const;
    void answer_queries();

    Clock clock_;
    IssueSlots slots_;
    std::vector<WarpSet> own_; ///< the warps of each scheduler
    protocol::HasBlocks* dispatcher_ = nullptr;
    bool watched_ = false; ///< the dispatcher counts issued instructions
    std::optional<LoadStoreUnit> unit_;
    std::optional<CopyUnit> copies_;
    ArithmeticUnits arithmetic_;
    gpu_program::WarpOp op_;                         ///< scratch
    std::vector<std::vector<std::uint8_t>> streams_; ///< buffers returned to the dispatcher
};

} // namespace memsim::gpu
