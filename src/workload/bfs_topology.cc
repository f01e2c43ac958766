#include "workload/bfs_topology.hh"

namespace memsim::workload {

namespace {
enum Kernel : u32 { initialize, search_level };
constexpr KernelInfo search_info {"bfs_topology", 14};
enum class Site : u32 {
    own_level,
    row_begin,
    row_end,
    neighbour,
    neighbour_level,
    set_level,
    set_changed
};
} // namespace

BfsTopology::BfsTopology(Csr graph, const BfsOptions& options)
    : GraphApplication(std::move(graph), options.launch), source_(options.source) {
    check_source(source_, vertices_);
    state.level = memory_.allocate("level", std::vector<u32>(vertices_));
    state.changed = memory_.allocate("changed", std::vector<u8>(1));
}

bool BfsTopology::next_launch(Launch& launch) {
    // The host reads the flag back after each level and clears it.
    const u32 launches = state.progress.launches;
    if (launches == 0)
        begin_launch(launch, initialize, bfs_initialize, vertices_);
    else {
        if (launches > 1) {
            if (state.changed.data[0] == 0) return false;
            ++state.depth;
        }
        state.changed.data[0] = 0;
        begin_launch(launch, search_level, search_info, vertices_);
    }
    return true;
}

void BfsTopology::run_block(u32 block, BlockStreams& out) {
    const BlockRun run = begin_block(block, out);
    if (state.progress.kernel == initialize)
        run_bfs_initialize(run, state.level, source_);
    else
        run_phases(run, [this](Warp& w) { search(w); });
}

// The numbers of compute() are instructions of sm_80 machine code: docs/models/workloads.md.
void BfsTopology::search(Warp& w) {
    w.compute(6);
    w.if_(w.thread() < vertices_, [&] {
        w.compute(3);
        const auto level = w.load(Site::own_level, state.level, w.thread());
        w.compute(2);
        w.if_(level == state.depth, [&] {
            w.compute(4);
            auto arc = w.load(Site::row_begin, row_, w.thread());
            const auto end = w.load(Site::row_end, row_, w.thread() + 1u);
            w.compute(2);
            w.if_(arc < end, [&] { w.compute(4); });
            w.while_([&] { return arc < end; },
                     [&] {
                         const auto to = w.load(Site::neighbour, col_, arc);
                         w.compute(2);
                         const auto its_level = w.load(Site::neighbour_level, state.level, to);
                         w.compute(8);
                         w.if_(its_level == unseen, [&] {
                             w.store(Site::set_level, state.level, to, all_lanes(state.depth + 1));
                             w.store(Site::set_changed, state.changed, all_lanes(0u),
                                     all_lanes(u8 {1}));
                         });
                         w.compute(3);
                         arc = arc + 1u;
                     });
        });
    });
}

} // namespace memsim::workload
