#pragma once

#include "core/clock.hh"
#include "core/component.hh"
#include "gpu/coalescer.hh"
#include "protocol/dispatch.hh"
#include "protocol/mem.hh"

namespace memsim::gpu {

using namespace memsim::literals;
using protocol::Mem;

enum class Scheduler : std::uint8_t { loose_round_robin, greedy_then_oldest };
constexpr std::array<std::string_view, 2> names_of(Scheduler) {
    return {"loose_round_robin", "greedy_then_oldest"};
}

/// A streaming multiprocessor: warp slots, one scheduler that issues an instruction a cycle, a
/// coalescer and a queue of memory accesses to the L1.
///
/// A warp issues in order, each operation when the results that it needs are there
/// (protocol/warp_stream.hh); at most 64 results of a warp are on their way. Stores and reductions
/// have none. An access to shared memory holds its one port for as many cycles as its bank
/// conflicts take. A warp keeps its slot until all of its results have come. Instructions without
/// memory access issue one a cycle, all of a stretch at once. At the first block of another launch
/// the L1 is emptied: caches of SMs are not coherent, and kernels see each other's stores. Not
/// modelled: instruction fetch, register banks, latency of arithmetic, several schedulers.
class Sm final : public Model<Sm> {
  public:
    struct Params {
        Param<Frequency> clock {1.2_GHz, {1_MHz, 100_GHz}, "Core clock (Ohm-GPU table I: 1.2 GHz)"};
        Param<unsigned> warp_slots {
            48, {1, 64}, "Warps resident at once (assumption: GTX 480 class, 1536 threads)"};
        Param<unsigned> block_slots {8, {1, 64}, "Blocks resident at once (GTX 480 class)"};
        Param<Scheduler> scheduler {Scheduler::greedy_then_oldest,
                                    "Which of the ready warps issues next"};
        Param<Bytes> line {128_B, {32_B, 512_B}, "What the coalescer merges into one access"};
        Param<Bytes> sector {32_B, {32_B, 512_B}, "Smallest part of a line that is accessed"};
        Param<unsigned> accesses {
            64, {32, 4096}, "Coalesced accesses that may wait for the L1 (assumption: two warps')"};
        Param<unsigned> outstanding {1024, {1, 65536}, "Loads and atomics sent and not answered"};
        Param<unsigned> shared_latency {
            26, {1, 1000}, "Cycles from a shared load's last pass to its result (assumption)"};
        Param<Time> l1_latency {1_fs, {1_fs, 1_us}, "To the L1's input: the L1 has the latency"};
    };
    struct Ports {
        Responder<protocol::Dispatch> blocks {{.depth = from<&Params::block_slots>},
                                              "Blocks from the dispatcher"};
        Requester<Mem> mem_side {
            {.depth = from<&Params::outstanding>, .latency = from<&Params::l1_latency>},
            "Accesses to the L1"};
    };
    struct Stats {
        Counter blocks {Unit::count, "Blocks that ended"};
        Counter warp_instructions {Unit::count, "Warp instructions issued"};
        Counter thread_instructions {Unit::count, "Thread instructions issued"};
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
        std::uint64_t age = 0;   ///< order of arrival
        std::uint64_t position = 0;
        std::vector<std::uint8_t> stream;
    };
    struct Block {
        bool live = false;
        std::uint32_t launch = 0;
        std::uint32_t number = 0;
        std::uint32_t warps = 0;      ///< that have not ended
        std::uint32_t arrived = 0;    ///< at the barrier
        std::uint64_t at_barrier = 0; ///< these warps, a bit each
    };
    struct Access {
        protocol::MemRequest request;
        Tick queued = 0;
        std::uint32_t result = 0;
    };
    struct Sent {
        Tick queued = 0;
        std::uint32_t warp = 0;
        std::uint32_t result = 0; ///< its place in the warp's ring
    };
    struct SharedLoad {
        Tick ready = 0;
        std::uint32_t warp = 0;
        std::uint32_t result = 0;
    };
    struct State {
        std::vector<Warp> warps;
        std::vector<Block> blocks;
        std::uint64_t ready_compute = 0; ///< may issue; the next instruction touches no memory
        std::uint64_t ready_memory = 0;  ///< may issue; the next one does
        std::uint64_t ready_shared = 0;  ///< may issue; the next one accesses shared memory
        std::uint32_t last = 0;          ///< the warp that issued last
        std::uint64_t arrivals = 0;
        std::uint32_t launch = 0;  ///< whose blocks are resident
        ClockEdge issue;           ///< the next edge at which the scheduler is free
        Fifo<Access> accesses;     ///< to the L1
        Fifo<std::uint32_t> ended; ///< slots of blocks whose end is not yet reported
        std::vector<Sent> sent;    ///< unanswered loads and atomics, by tag
        std::vector<std::uint32_t> free_tags;
        ClockEdge shared_free;         ///< when shared memory takes the next access
        Fifo<SharedLoad> shared_loads; ///< on their way, in order
        Timer next;
        Timer shared_ready; ///< the port, or a load
    };

    explicit Sm(const Params& p) : params(p), clock_(p.clock()) {}
    void init() override;
    void wake() override;
    void waits_on(WaitReport& report) const override;
    bool pending() const override { return live_blocks() > 0; }
    std::optional<std::string> imbalance() const override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    void place(const protocol::BlockStart& start);
    void answer(const protocol::MemResponse& response);
    void finish_shared_loads();
    /// One of the answers that make a result has come.
    void result(std::uint32_t warp, std::uint32_t place);
    void send_accesses();
    void report_ends();
    /// The warp that issues next, or -1.
    int choose() const;
    void issue(std::uint32_t warp);
    void access(std::uint32_t warp, const protocol::WarpOp& op);
    void access_shared(std::uint32_t warp, const protocol::WarpOp& op);
    std::uint32_t begin_result(Warp& warp, std::uint32_t answers);
    void arrive_at_barrier(std::uint32_t warp);
    void end(std::uint32_t warp);
    /// Looks at the warp's next instruction and files it under what it may do.
    void settle(std::uint32_t warp);
    unsigned live_blocks() const;

    Clock clock_;
    protocol::HasBlocks* dispatcher_ = nullptr;
    Coalescer coalescer_ {128, 32};
    protocol::WarpOp op_;                            ///< scratch
    std::vector<std::vector<std::uint8_t>> streams_; ///< buffers on their way back
};

} // namespace memsim::gpu
