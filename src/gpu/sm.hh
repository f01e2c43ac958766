#pragma once

#include "core/clock.hh"
#include "core/free_list.hh"
#include "core/functional.hh"
#include "gpu/coalescer.hh"
#include "gpu/issue_slots.hh"
#include "parts/cycle_slots.hh"
#include "protocol/dispatch.hh"
#include "protocol/mem.hh"
#include "protocol/upcoming.hh"

namespace memsim::gpu {

using namespace memsim::literals;
using protocol::Mem;

enum class Scheduler : std::uint8_t { loose_round_robin, greedy_then_oldest };
constexpr std::array<std::string_view, 2> names_of(Scheduler) {
    return {"loose_round_robin", "greedy_then_oldest"};
}

/// loads: as tracers write them that know no atomics (MacSim's, by the read ratios of Ohm-GPU's
/// table II and ZnG's): memory is read and nothing is written.
enum class Atomics : std::uint8_t { performed, loads };
constexpr std::array<std::string_view, 2> names_of(Atomics) { return {"performed", "loads"}; }

/// A streaming multiprocessor: warp slots, schedulers, one load-store unit with a coalescer, a
/// queue of memory accesses to the L1, and shared memory.
///
/// A warp issues in order, each operation when the results that it needs are there
/// (protocol/warp_stream.hh); at most 64 results of a warp are on their way. Instructions without
/// memory access depend on one another: they issue arithmetic_latency cycles apart, other warps in
/// between. Stores and reductions have no result. An access to shared memory holds its one port for
/// as many cycles as its bank conflicts take. A warp keeps its slot until all of its results have
/// come. A warp slot has its own place in local memory (protocol/local_memory.hh). At the first
/// block of another launch the L1 is emptied: caches of SMs are not coherent,
/// and kernels see each other's stores.
///
/// An assist warp (Vijaykumar et al., reference 28 of ZnG) goes before the others at the first
/// scheduler: its instructions depend on one another, too.
///
/// Who prefetches may ask what the warps will access next (protocol/upcoming.hh): the lines of each
/// warp's next memory operations whose operands are there (gpu/lookahead.hh), at addresses of its
/// application. The answer is as of the query's arrival.
///
/// It wakes only when an operation can issue, an answer comes or a block ends; no event is pending
/// for an SM whose warps all wait, or that has none. Not modelled: instruction fetch, register
/// banks and their conflicts, ports of arithmetic (any mix issues at the schedulers' rate).
class Sm final : public Model<Sm>, public Functional {
  public:
    struct Params {
        Param<Frequency> clock {1.2_GHz, {1_MHz, 100_GHz}, "Core clock (Ohm-GPU table I: 1.2 GHz)"};
        Param<unsigned> warp_slots {
            48, {1, 64}, "Warps resident at once (assumption: GTX 480 class, 1536 threads)"};
        Param<unsigned> block_slots {8, {1, 64}, "Blocks resident at once (GTX 480 class)"};
        Param<unsigned> schedulers {
            1,
            {1, 8},
            "Schedulers; warp slots are dealt out to them in turn (GTX 480 class: two, each of "
            "which "
            "takes two shader clocks an instruction: as one at the full clock)",
            at_most(warp_slots)};
        Param<unsigned> issue_width {1, {1, 4}, "Instructions that a scheduler issues a cycle"};
        Param<unsigned> arithmetic_latency {
            22,
            {1, 64},
            "Cycles from an instruction without memory access to the next of its warp (CUDA C "
            "Programming Guide, multiprocessor level: about 22 for compute capability 2.x, 4 for "
            "7.x)"};
        Param<Scheduler> scheduler {Scheduler::greedy_then_oldest,
                                    "Which of the ready warps issues next"};
        Param<Bytes> line {
            128_B, {32_B, 512_B}, "What the coalescer merges into one access", power_of_two()};
        Param<Bytes> sector {32_B,
                             {32_B, 512_B},
                             "Smallest part of a line that is accessed",
                             power_of_two(),
                             at_most(line)};
        Param<Atomics> atomics {Atomics::performed, "What atomics and reductions ask of memory"};
        Param<unsigned> accesses {
            64,
            {32, 4096},
            "Coalesced accesses that may wait for the L1 (assumption: two warps'). An access of 8 "
            "or 16 bytes to local memory at a different offset in each lane may exceed it by 96"};
        Param<unsigned> outstanding {1024, {1, 65536}, "Loads and atomics sent and not answered"};
        Param<unsigned> shared_latency {26,
                                        {1, 1000},
                                        "Cycles from a shared load's last pass to its result "
                                        "(assumption; 19 to 26 are measured "
                                        "on Volta to Kepler)"};
        Param<bool> empty_l1 {
            true, "Whether the L1 drops what it holds at the first block of another launch"};
        Param<unsigned> helpers {0, {0, 1}, "Helper threads whose assist warp it runs"};
        Param<unsigned> askers {0, {0, 1}, "Whether somebody asks what its warps will access next"};
        Param<Time> l1_latency {1_fs, {1_fs, 1_us}, "To the L1's input: the L1 has the latency"};
    };
    struct Ports {
        Responder<protocol::Dispatch> blocks {{.depth = from<&Params::block_slots>},
                                              "Blocks from the dispatcher"};
        Requester<Mem> mem_side {
            {.depth = from<&Params::outstanding>, .latency = from<&Params::l1_latency>},
            "Accesses to the L1"};
        Many<Responder<protocol::Assist>> helper {from<&Params::helpers>,
                                                  {.depth = [](const void*) { return 1u; }},
                                                  "Instructions of an assist warp"};
        Many<In<protocol::UpcomingQuery>> queries {from<&Params::askers>,
                                                   {.depth = [](const void*) { return 1u; }},
                                                   "Questions about what warps access next"};
        Many<Out<protocol::UpcomingAccesses>> upcoming {
            from<&Params::askers>, {}, "Answers to what is asked about warps' next accesses"};
    };
    struct Stats {
        Counter blocks {Unit::count, "Blocks that ended"};
        Counter warp_instructions {Unit::count, "Warp instructions issued"};
        Counter thread_instructions {Unit::count, "Thread instructions issued"};
        Each<Counter> issued {from<&Params::schedulers>, Unit::count,
                              "Warp instructions issued by each scheduler"};
        Counter memory_instructions {Unit::count,
                                     "Warp loads, stores, atomics and reductions issued"};
        Counter shared_instructions {Unit::count, "Warp accesses to shared memory issued"};
        Counter shared_passes {Unit::cycle, "Cycles of shared memory's port that they took"};
        Counter requests {Unit::count, "Accesses after the coalescer"};
        Counter read_requests {Unit::count, "Loads among them"};
        Counter bytes {Unit::byte, "Bytes that they ask for"};
        Ratio requests_per_access {requests, memory_instructions,
                                   "Accesses after the coalescer for each memory instruction"};
        Counter stalled_by_accesses {Unit::count,
                                     "Times a memory instruction found the queue to the L1 full"};
        Distribution load_latency {Unit::time, "From the queue to the L1 to a load's answer"};
        Counter assist_instructions {Unit::count, "Warp instructions of the assist warp"};
        Level resident {Unit::count, "Warps resident"};
    };
    /// Results on their way have a place each in a ring of 64: the latest one's is `latest`, that
    /// of the i-th last i further.
    struct Warp {
        bool live = false;
        bool exited = false;
        std::uint8_t block = 0; ///< its block's slot
        std::uint8_t latest = 0;
        std::array<std::uint8_t, 64> answers {}; ///< to come, for each result
        std::uint64_t outstanding = 0;           ///< results with answers to come
        std::uint64_t needs = 0; ///< of them, those that the next operation waits for
        std::int64_t awake = 0;  ///< the cycle in which the next operation may issue
        std::uint64_t age = 0;   ///< order of arrival
        std::uint64_t position = 0;
        std::vector<std::uint8_t> stream;
    };
    struct Block {
        bool live = false;
        std::uint16_t application = 0;
        std::uint32_t launch = 0;
        std::uint32_t number = 0;
        std::uint64_t base = 0;                      ///< of its addresses
        std::uint32_t stores_before = 0;             ///< of its application, in its own order
        std::uint32_t warps = 0;                     ///< that hold their slot
        std::uint32_t running = 0;                   ///< of them, those that have not exited
        std::uint32_t arrived = 0;                   ///< at the barrier
        std::uint64_t at_barrier = 0;                ///< these warps, a bit each
        std::uint64_t local = 0;                     ///< local_memory.hh: warp slot 0's first row
        std::uint32_t local_warp = 0, local_row = 0; ///< distances of slots and rows
    };
    struct Access {
        protocol::MemRequest request;
        Tick queued = 0;
        std::uint32_t result = 0;
    };
    struct Sent {
        Tick queued = 0;
        std::uint32_t warp = 0;
        std::uint32_t result = 0; ///< its place in the warp's ring, or no_result
    };
    struct SharedLoad {
        Tick ready = 0;
        std::uint32_t warp = 0;
        std::uint32_t result = 0;
    };
    struct State {
        std::vector<Warp> warps;
        std::vector<Block> blocks;
        // Sets of warps, a bit each. Those that may issue, by what their next operation does:
        std::uint64_t ready_compute = 0; ///< neither of these
        std::uint64_t ready_memory = 0;  ///< accesses memory
        std::uint64_t ready_shared = 0;  ///< accesses shared memory
        std::uint64_t asleep = 0;        ///< those whose last operation is not over
        std::int64_t first_awake = 0;    ///< the first cycle in which one of them wakes
        std::vector<std::uint32_t> last; ///< the warp that each scheduler took last
        std::uint64_t arrivals = 0;
        std::vector<std::uint32_t> launches;  ///< whose blocks came last, by application
        ClockEdge edge;                       ///< the last edge at which an operation issued
        std::vector<std::int64_t> issue_free; ///< IssueSlots
        std::int64_t load_store_free = 0;     ///< cycle in which the unit takes the next operation
        std::int64_t shared_free = 0;         ///< as that, of shared memory
        Fifo<SharedLoad> shared_loads;        ///< on their way, in order
        Fifo<Access> accesses;                ///< to the L1
        Fifo<std::uint32_t> ended;            ///< slots of blocks whose end is not yet reported
        std::int64_t assist_end = 0; ///< of the assist warp's last instruction; 0: it runs none
        std::vector<Sent> sent;      ///< unanswered loads and atomics, by tag
        FreeList free_tags;
        Fifo<protocol::UpcomingAccesses> upcoming; ///< of an answer, not yet sent
        Timer next;
    };

    explicit Sm(const Params& p) : params(p), clock_(p.clock()) {}
    void init() override;
    void wake() override;
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    bool pending() const override { return live_blocks() > 0; }
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    void place(const protocol::BlockStart& start);
    void count_residents();
    void report_ends();
    unsigned live_blocks() const;
    // Scheduling: sm.cc
    /// What the time of the next issue hangs on, beside what changes when something issues.
    struct Issuable {
        std::uint64_t compute, memory, shared, asleep;
        bool room;
        bool operator==(const Issuable&) const = default;
    };
    Issuable issuable() const {
        return {state.ready_compute, state.ready_memory, state.ready_shared, state.asleep,
                room_for_accesses()};
    }
    void schedule();
    void wake_sleepers(std::int64_t cycle);
    void issue_all(const ClockEdge& edge);
    void assist(const ClockEdge& edge);
    bool assists() const { return port.helper.size() && !port.helper[0].empty(); }
    void arm_next(const ClockEdge& edge);
    bool room_for_accesses() const {
        return state.accesses.size() + program::warp_lanes <= params.accesses();
    }
    std::uint64_t candidates(std::int64_t cycle) const;
    std::uint32_t choose(std::uint64_t ready, std::uint32_t last) const;
    void issue(std::uint32_t warp, std::int64_t cycle, std::size_t slot);
    void sleep(std::uint32_t warp, std::int64_t until);
    /// Looks at the warp's next operation and files it under what it may do.
    void settle(std::uint32_t warp);
    /// Lets a block's warps go on when all that run have arrived.
    void check_barrier(Block& block, std::int64_t cycle);
    void end(std::uint32_t warp);
    // The load-store unit: sm_memory.cc
    void access(std::uint32_t warp, program::WarpOp& op);
    void coalesce(std::uint32_t warp, program::WarpOp& op);
    void access_shared(std::uint32_t warp, const program::WarpOp& op, std::int64_t cycle);
    void send_accesses();
    void answer(const protocol::MemResponse& response);
    void finish_shared_loads();
    /// The place of a result that so many answers will make.
    std::uint32_t begin_result(Warp& warp, std::uint32_t answers);
    /// One of the answers that make a result has come.
    void result(std::uint32_t warp, std::uint32_t place);
    void answer_queries();
    void look_ahead(std::uint32_t warp, unsigned operations);

    Clock clock_;
    IssueSlots slots_;
    std::vector<std::uint64_t> own_; ///< the warps of each scheduler
    protocol::HasBlocks* dispatcher_ = nullptr;
    Coalescer coalescer_ {128, 32};
    program::WarpOp op_;                             ///< scratch
    std::vector<std::vector<std::uint8_t>> streams_; ///< buffers on their way back
};

} // namespace memsim::gpu
