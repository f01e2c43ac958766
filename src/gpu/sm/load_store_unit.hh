#pragma once

#include "core/kernel/component.hh"
#include "core/state/free_list.hh"
#include "gpu/sm/coalescer.hh"
#include "gpu/sm/resident_blocks.hh"
#include "gpu/sm/scoreboard.hh"
#include "protocol/mem.hh"

namespace memsim::gpu {

using namespace memsim::literals;

/// Treatment of atomics. performed: lanes of a warp share accesses, as in a load. split: as
/// performed, but lanes that change the same word are in different accesses. loads: as written by
/// tracers without support for atomics (MacSim's, judging by the read ratios of Ohm-GPU's table II
/// and ZnG's): memory is read but not written.
enum class Atomics : std::uint8_t { performed, split, loads };
constexpr std::array<std::string_view, 3> names_of(Atomics) {
    return {"performed", "split", "loads"};
}

/// Destination of the data of an access: registers of a warp, or shared memory as part of a copy by
/// a warp's lanes or of a bulk copy.
enum class Into : std::uint8_t { registers, shared, bulk };
constexpr std::array<std::string_view, 3> names_of(Into) { return {"registers", "shared", "bulk"}; }
struct AccessParams {
    using group = void;
    Param<Bytes> line {128_B,
                       {32_B, 512_B},
                       "Bytes that the coalescer merges into one access",
                       power_of_two(),
                       cited("mt4g, sample_results, V100, A100 and H100: line size 128")};
    Param<Bytes> sector {32_B,
                         {32_B, 512_B},
                         "Smallest accessible part of a line",
                         power_of_two(),
                         at_most(line),
                         cited("mt4g, sample_results, V100, A100 and H100: fetch granularity 32")};
    Param<Atomics> atomics {Atomics::performed, "Treatment of atomics and reductions",
                            assumed("the L2 performs atomics")};
    Param<unsigned> accesses {
        64,
        {32, 4096},
        "Coalesced accesses that may wait for the L1. An access of 8 or 16 bytes to local "
        "memory at a different offset in each lane may exceed it by 96",
        assumed("two warps'")};
    Param<unsigned> outstanding {
        1024, {1, 65536}, "Loads and atomics without a response", queue_places()};
};

struct AccessStats {
    using group = void;
    Counter memory_instructions {Unit::count, "Warp loads, stores, atomics and reductions issued"};
    Counter requests {Unit::count, "Accesses after the coalescer"};
    Counter read_requests {Unit::count, "Load requests sent to the L1"};
    Counter bytes {Unit::byte, "Bytes requested by coalesced accesses"};
    Ratio requests_per_access {requests, memory_instructions,
                               "Accesses after the coalescer per memory instruction"};
    Counter stalled_by_accesses {Unit::count,
                                 "Times that a memory instruction found the queue to the L1 full"};
    Distribution load_latency {Unit::time,
                               "Time from the queueing of a load for the L1 to its response"};
};

/// The path of an SM's memory operations. The coalescer converts them into accesses, which wait in
/// a queue for the L1. Loads and atomics that were sent are identified by a tag until they are
/// answered.
class LoadStoreUnit {
  public:
    static constexpr std::uint32_t no_result = ~0u;
    struct Access {
        protocol::MemRequest request;
        Tick queued = 0;
        std::uint32_t result = 0;
        Into into = Into::registers;
    };
    struct Sent {
        Tick queued = 0;
        std::uint32_t result = 0; ///< place in the warp's scoreboard, or no_result; of a bulk copy:
                                  ///< its number
        std::uint16_t bytes = 0;  ///< to be written to shared memory
        std::uint8_t warp = 0;
        Into into = Into::registers;
    };
    struct Piece {
        std::uint64_t address = 0;
        std::uint32_t bytes = 0;
    };
    struct State {
        Fifo<Access> accesses;  ///< to the L1
        std::vector<Sent> sent; ///< loads and atomics without a response, by tag
        FreeList free_tags;
    };
    struct Config {
        std::uint32_t line, sector;
        std::uint32_t accesses, outstanding;
        Atomics atomics;
    };
    /// All arguments except the configuration outlive it.
    LoadStoreUnit(const Config& config, Requester<protocol::Mem>& port, SimulationRef sim,
                  AccessStats& stats, State& state);

    /// Whether any memory operation fits in the queue.
    bool room() const {
        return state_.accesses.size() + gpu_program::warp_lanes <= config_.accesses;
    }
    /// Coalesces an operation of the warp in this slot; `op` is overwritten.
    const Coalescer& coalesce(const ResidentBlock& block, std::uint32_t warp,
                              gpu_program::WarpOp& op);
    /// The command that the operation sends to memory.
    protocol::Command command_of(gpu_program::WarpOpKind kind) const;
    /// Issues the operation: queues its accesses, and records its result.
    void access(const ResidentBlock& block, std::uint32_t warp, Scoreboard& results,
                gpu_program::WarpOp& op);
    /// Invalidates the L1.
    void empty_l1(std::uint16_t application);
    /// Sends as long as the port accepts.
    void send() {
        if (!state_.accesses.empty()) send_queued();
    }
    /// Whether the port to the L1 accepts an access.
    bool accepts() const { return port_.can_send(); }
    /// Sends the first access of the queue. Requires: there is one, and accepts().
    void send_first() { send(state_.accesses.pop()); }
    /// Sends a load of the sectors of these bytes of a line, past the queue. Requires: accepts().
    void send_line(protocol::MemRequest request, const Piece& piece, std::uint32_t bulk_copy);
    /// The bytes from here to the end of the line.
    std::uint32_t left_of_line(std::uint64_t address) const {
        return config_.line - (static_cast<std::uint32_t>(address) & (config_.line - 1));
    }
    /// The access that a response belongs to; no_result if no warp waits for it.
    Sent answered(const protocol::MemResponse& response);

    std::uint32_t queued() const { return state_.accesses.size(); }
    bool idle() const {
        return state_.free_tags.size() == state_.sent.size() && state_.accesses.empty();
    }
    void check_loaded(Loader& l, std::size_t warps, std::size_t bulk_copies) const;
    static void check(Loader& l, std::string_view field, const Sent& sent, std::size_t warps,
                      std::size_t bulk_copies);

  private:
    void send_queued();
    void send(Access access);

    Config config_;
    Requester<protocol::Mem>& port_;
    SimulationRef sim_;
    AccessStats& stats_;
    State& state_;
    Coalescer coalescer_;
};

} // namespace memsim::gpu
