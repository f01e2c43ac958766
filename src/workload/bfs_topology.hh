#pragma once

#include "workload/bfs.hh"

namespace memsim::workload {

struct BfsTopologyState {
    Progress progress;
    u32 depth = 0; ///< level of the vertices that the current launch expands
    Array<u32> level;
    Array<u8> changed; ///< one flag: some vertex was reached in this launch
};

/// Breadth-first search, topology-driven and thread-centric, after GraphBIG's (Nai et al., SC'15):
/// one vertex a thread, one launch a level over all vertices, until no level changes. Levels are
/// written without atomics: whoever reaches a vertex in a launch writes the same level.
class BfsTopology final : public GraphApplication<BfsTopologyState> {
  public:
    BfsTopology(Csr graph, const BfsOptions& options);

    bool next_launch(Launch& launch) override;
    void run_block(u32 block, BlockStreams& out) override;
    u64 result_digest() const override { return digest_of(state.level.data); }
    const std::vector<u32>& levels() const { return state.level.data; }

  private:
    void search(Warp& w);
    u32 source_;
};

} // namespace memsim::workload
