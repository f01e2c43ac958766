#pragma once

#include "workload/bfs.hh"

#include <array>

namespace memsim::workload {

struct BfsDataState {
    Progress progress;
    u32 depth = 0;    ///< level of the vertices in the queue that is read
    u32 frontier = 0; ///< their number; the queue that is read is queues[depth % 2]
    Array<u32> level;
    std::array<Array<u32>, 2> queues;
    Array<u32> count; ///< one counter: vertices in the queue that is written
};

/// Breadth-first search, data-driven: a thread takes one vertex from the queue that the level
/// before wrote, claims its unseen neighbours by compare-and-swap and appends them to the other
/// queue, whose counter is increased once a warp (as the compiler does it). After the data-driven,
/// thread-centric search of GraphBIG (Nai et al., SC'15).
class BfsData final : public GraphApplication<BfsDataState> {
  public:
    BfsData(Csr graph, const BfsOptions& options);

    bool next_launch(Launch& launch) override;
    void run_block(u32 block, BlockStreams& out) override;
    u64 result_digest() const override { return digest_of(state.level.data); }
    const std::vector<u32>& levels() const { return state.level.data; }

  private:
    void expand(Warp& w);
    u32 source_;
};

} // namespace memsim::workload
