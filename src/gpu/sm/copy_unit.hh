#pragma once

#include "core/base/clock.hh"
#include "gpu/sm/load_store_unit.hh"
#include "gpu/sm/shared_memory.hh"
#include "gpu/sm/transaction_barriers.hh"
#include "gpu/sm/warp_set.hh"

namespace memsim::gpu {

struct CopyParams {
    using group = void;
    Param<unsigned> bulk_latency {
        170,
        {1, 100'000},
        "Cycles from a bulk copy's issue to its first access to the L1",
        cited(
            "Luo et al., arXiv 2501.12084v2, latency of TMA: about 170 cycles more than that of an "
            "ordinary load")};
};

struct CopyStats {
    using group = void;
    Gathered copies {Unit::count, "Warp instructions that copy to shared memory asynchronously"};
    Gathered bulk_copies {Unit::count, "Bulk copies to shared memory issued"};
    Gathered arrivals {Unit::count, "Arrivals of threads at transaction barriers"};
    Gathered copied_bytes {Unit::byte, "Bytes of asynchronous copies issued, and bytes that bulk "
                                       "copies have written to shared memory"};
    Gathered copy_waits {Unit::time, "Time for which the next operations of warps waited for "
                                     "asynchronous or bulk copies, or at transaction barriers, "
                                     "summed over warps"};
};

/// Asynchronous copies from device memory to an SM's shared memory.
///
/// Models        A copy by the lanes of a warp (cp.async) is a load of the load-store unit. A bulk
///               copy (cp.async.bulk, TMA) belongs to the copy engine: bulk_latency cycles after
///               its issue, the engine makes an access for each line of each row, one a cycle.
///               Arriving data write shared memory 128 bytes a cycle, and occupy its port
///               meanwhile. The result of a copy is complete with its last byte, and the bytes of a
///               bulk copy count at a transaction barrier as they are written. An arrival of
///               threads is an access to shared memory of one pass; warps that wait for it issue in
///               the next cycle.
/// Ordering      Bulk copies access memory one after the other. If the L1 accepts fewer accesses
///               than the SM has, the engine and the queue of the warps alternate. Arriving data
///               occupy the port of shared memory before the accesses of the same cycle.
/// Not modelled  Bank conflicts of arriving data; copies past the L1 (cp.async.cg); descriptors of
///               tensors, swizzles, multicast to clusters; copies from shared memory.
class CopyUnit {
  public:
    /// The slots of a block and of a warp of it.
    struct Slots {
        std::uint32_t block = 0, warp = 0;
    };
    struct Arrival {
        Tick ready = 0; ///< when it is in shared memory
        LoadStoreUnit::Sent sent;
    };
    struct Copy {
        gpu_program::TileCopy tile;
        bool live = false;
        Slots slots;
        std::uint16_t application = 0;
        std::uint32_t pc = 0;
        std::uint32_t result = 0;      ///< place in the warp's scoreboard
        std::uint32_t row = 0, at = 0; ///< the next byte to access
        std::uint32_t outstanding = 0; ///< accesses whose data are not in shared memory
        Tick start = 0;                ///< when the engine may access its first line
    };
    struct State {
        Fifo<Arrival> arrivals;    ///< in the order of `ready`
        std::vector<Copy> copies;  ///< bulk copies, by number
        Fifo<std::uint32_t> queue; ///< numbers of those with lines to access; each takes a result
                                   ///< of its warp, of which there are 64
        TransactionBarriers barriers;
        bool engine_turn = false; ///< the queue of the warps was served last
        Tick next_access = 0;     ///< when the engine may access the next line
        std::uint64_t copied = 0, issued = 0, bulk_issued = 0; ///< bytes and instructions
        std::uint64_t threads_arrived = 0;                     ///< at transaction barriers
        std::uint64_t waited = 0;                              ///< time of warps
        Timer next;
    };

    /// All arguments outlive it.
    CopyUnit(const CopyParams& params, const Clock& clock, LoadStoreUnit& unit,
             SharedMemory& shared, CopyStats& stats, State& state);

    /// Counts an operation of the load-store unit if it is a copy.
    void count(const gpu_program::WarpOp& op) {
        if (!op.copy) return;
        ++state_.issued;
        state_.copied += std::uint64_t {op.width} * bits_set(op.mask);
    }
    /// Issues a bulk copy at this edge. `result`: its place in the warp's scoreboard.
    void begin(const gpu_program::WarpOp& op, const ResidentBlock& block, Slots slots,
               std::uint32_t result, const ClockEdge& edge);
    /// Threads arrive at a transaction barrier. Returns the warps that it releases.
    WarpSet arrive(const gpu_program::WarpOp& op, std::uint32_t block, Tick now) {
        const std::uint64_t threads = bits_set(op.mask);
        state_.threads_arrived += threads;
        WarpSet released;
        add(block, op.tile.barrier, {.arrivals = threads}, now,
            [&](std::uint32_t warp) { released.add(warp); });
        return released;
    }
    /// Whether the barrier has seen what the operation awaits; else the warp waits.
    bool arrived(const gpu_program::WarpOp& op, Slots slots, Tick now);
    /// Sends the accesses of the load-store unit and of the copy engine.
    void send(Tick now) {
        if (state_.queue.empty()) [[likely]]
            unit_.send();
        else
            send_both(now);
    }
    /// Data for shared memory have arrived from the L1; `edge`: the first one at or after now.
    /// Returns the cycles in which they occupy its port.
    std::uint32_t write(const LoadStoreUnit::Sent& sent, const ClockEdge& edge);
    /// Calls result(warp, place) for results that are complete, and wake(warp) for warps that
    /// arriving bytes release.
    template <class Result, class Wake>
    void finish(Tick now, Result&& result, Wake&& wake) {
        while (!state_.arrivals.empty() && state_.arrivals.front().ready <= now) {
            const LoadStoreUnit::Sent sent = state_.arrivals.pop().sent;
            if (sent.into == Into::shared) {
                result(sent.warp, sent.result);
                continue;
            }
            state_.copied += sent.bytes;
            Copy& c = state_.copies[sent.result];
            add(c.slots.block, c.tile.barrier, {.bytes = sent.bytes}, now, wake);
            if (--c.outstanding || c.row < c.tile.rows) continue;
            c.live = false;
            result(c.slots.warp, c.result);
        }
    }
    bool active() const { return !state_.arrivals.empty() || !state_.queue.empty(); }
    /// When it has something to do, apart from the arrival of a response or credit.
    Tick next(Tick now) const;
    void waits_on(const std::string& sm, WaitReport& report) const;
    void check_loaded(Loader& l, std::size_t warps, std::size_t blocks) const;

  private:
    template <class Wake>
    void add(std::uint32_t block, std::uint32_t barrier, const gpu_program::BarrierProgress& more,
             Tick now, Wake&& wake) {
        state_.barriers.add(block, barrier, more, [&](const auto& waiter) {
            state_.waited += static_cast<std::uint64_t>(now - waiter.since);
            wake(waiter.warp);
        });
    }
    /// Whether the engine may access a line.
    bool due(Tick now) const { return !state_.queue.empty() && start() <= now; }
    Tick start() const {
        return std::max(state_.copies[state_.queue.front()].start, state_.next_access);
    }
    void send_both(Tick now);
    void access(Tick now);

    const CopyParams& params_;
    const Clock& clock_;
    LoadStoreUnit& unit_;
    SharedMemory& shared_;
    State& state_;
};

} // namespace memsim::gpu
