#pragma once

#include "workload/graph_application.hh"

namespace memsim::workload {

/// Ranks are fixed-point Q1.31 (1 << 31 is 1.0) in u32: as wide as CUDA's float, and sums are exact
/// in any order, so results are equal on any machine. Quotients and products are cut, never
/// rounded.
inline constexpr u32 rank_one = 1u << 31;

struct PagerankOptions {
    u32 iterations = 20; ///< at most; 20 is the fixed number of Pannotia (Che et al., IISWC'13)
    u32 threshold = 0;   ///< Q1.31: stop early when no rank moved by more. The last bits may circle
                         ///< for ever (cut quotients), so 0 hardly ever stops before `iterations`
    LaunchOptions launch;
};

struct PagerankState {
    Progress progress;
    u32 iteration = 0; ///< begun so far
    Array<u32> rank;
    Array<u32> next; ///< what the neighbours gave in this iteration
    Array<u8> changed;
};

/// PageRank by pushing, one vertex a thread: `scatter` adds rank / degree to each neighbour
/// atomically, `gather` makes the new rank 0.15 / n + 0.85 x that sum (Brin and Page 1998) and
/// clears the sum. A vertex without arcs gives nothing (its rank leaks, as in Pannotia's), so ranks
/// sum to less than 1; the sums can therefore not overflow.
class Pagerank final : public GraphApplication<PagerankState> {
  public:
    Pagerank(Csr graph, const PagerankOptions& options);

    bool next_launch(Launch& launch) override;
    void run_block(u32 block, BlockStreams& out) override;
    u64 result_digest() const override { return digest_of(state.rank.data); }
    const std::vector<u32>& ranks() const { return state.rank.data; }

  private:
    void initialize(Warp& w);
    void scatter(Warp& w);
    void gather(Warp& w);

    u32 iterations_;
    u32 threshold_;
    u32 first_;    ///< every rank at the start
    u32 teleport_; ///< what a vertex has without neighbours
};

} // namespace memsim::workload
