#pragma once

#include "core/state/archive.hh"
#include "gpu_program/warp_stream.hh"

#include <vector>

namespace memsim::gpu {

/// The transaction barriers (mbarrier) of an SM's blocks. A barrier counts the bytes that bulk
/// copies have written to shared memory and the arrivals of threads since the start of its block,
/// and holds warps that wait for more. A phase of a barrier thus ends at a number of bytes and of
/// arrivals. A value for State.
///
/// Not modelled  The accesses of waiting threads to the barrier; the latency of an arrival.
struct TransactionBarriers {
    struct Waiter {
        gpu_program::BarrierProgress awaited;
        Tick since = 0;
        std::uint32_t barrier = 0;
        std::uint32_t block = 0, warp = 0; ///< slots
    };
    /// By slot of the block and number of the barrier.
    std::vector<std::vector<gpu_program::BarrierProgress>> arrived;
    std::vector<Waiter> waiting; ///< in the order of their arrival

    /// A block begins in this slot.
    void clear(std::uint32_t block) {
        if (arrived.size() <= block) arrived.resize(block + 1);
        arrived[block].clear();
    }
    bool reached(std::uint32_t block, std::uint32_t barrier,
                 const gpu_program::BarrierProgress& awaited) const {
        const bool any = block < arrived.size() && barrier < arrived[block].size();
        return (any ? arrived[block][barrier] : gpu_program::BarrierProgress {}).reaches(awaited);
    }
    /// Bytes or threads have arrived. Calls release(waiter) for the warps that have waited for
    /// them.
    template <class F>
    void add(std::uint32_t block, std::uint32_t barrier, const gpu_program::BarrierProgress& more,
             F&& release) {
        auto& of_block = arrived[block];
        if (of_block.size() <= barrier) of_block.resize(barrier + 1);
        of_block[barrier].bytes += more.bytes;
        of_block[barrier].arrivals += more.arrivals;
        std::erase_if(waiting, [&](const Waiter& w) {
            const bool opens =
                w.block == block && w.barrier == barrier && of_block[barrier].reaches(w.awaited);
            if (opens) release(w);
            return opens;
        });
    }
    void check_loaded(Loader& l, std::size_t warps) const {
        l.check(std::ranges::all_of(arrived,
                                    [](const auto& of_block) {
                                        return of_block.size() <=
                                               gpu_program::most_transaction_barriers;
                                    }),
                "has more transaction barriers than a block can have");
        for (const Waiter& w : waiting) {
            l.index("waiting.block", w.block, arrived.size());
            l.index("waiting.warp", w.warp, warps);
        }
    }
};

} // namespace memsim::gpu
