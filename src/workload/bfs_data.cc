#include "workload/bfs_data.hh"

namespace memsim::workload {

namespace {
enum Kernel : u32 { initialize, expand_queue };
constexpr KernelInfo expand_info {"bfs_data", 16};
enum class Site : u32 {
    vertex,
    row_begin,
    row_end,
    neighbour,
    neighbour_level,
    claim,
    reserve,
    append
};
} // namespace

BfsData::BfsData(Csr graph, const BfsOptions& options)
    : GraphApplication(std::move(graph), options.launch), source_(options.source) {
    check_source(source_, vertices_);
    // Each vertex is claimed once, so no queue can overflow.
    state.level = memory_.allocate("level", std::vector<u32>(vertices_));
    state.queues[0] = memory_.allocate("queue_0", std::vector<u32>(vertices_));
    state.queues[1] = memory_.allocate("queue_1", std::vector<u32>(vertices_));
    state.count = memory_.allocate("count", std::vector<u32>(1));
}

bool BfsData::next_launch(Launch& launch) {
    // The host writes the first queue, and reads and clears the counter after each level.
    const u32 launches = state.progress.launches;
    if (launches == 0) {
        begin_launch(launch, initialize, bfs_initialize, vertices_);
        return true;
    }
    if (launches == 1) {
        state.queues[0].data[0] = source_;
        state.frontier = 1;
    } else {
        state.frontier = state.count.data[0];
        ++state.depth;
    }
    state.count.data[0] = 0;
    if (state.frontier == 0) return false;
    begin_launch(launch, expand_queue, expand_info, state.frontier);
    return true;
}

void BfsData::run_block(u32 block, BlockStreams& out) {
    const BlockRun run = begin_block(block, out);
    if (state.progress.kernel == initialize)
        run_bfs_initialize(run, state.level, source_);
    else
        run_phases(run, [this](Warp& w) { expand(w); });
}

// The numbers of compute() are instructions of sm_80 machine code: docs/models/workloads.md.
void BfsData::expand(Warp& w) {
    const Array<u32>& in = state.queues[state.depth % 2];
    Array<u32>& out = state.queues[1 - state.depth % 2];
    w.compute(6);
    w.if_(w.thread() < state.frontier, [&] {
        w.compute(3);
        const auto vertex = w.load(Site::vertex, in, w.thread());
        w.compute(3);
        auto arc = w.load(Site::row_begin, row_, vertex);
        const auto end = w.load(Site::row_end, row_, vertex + 1u);
        w.compute(2);
        w.if_(arc < end, [&] { w.compute(4); });
        w.while_([&] { return arc < end; },
                 [&] {
                     w.compute(2);
                     const auto to = w.load(Site::neighbour, col_, arc);
                     w.compute(2);
                     const auto its_level = w.load(Site::neighbour_level, state.level, to);
                     w.compute(7);
                     w.if_(its_level == unseen, [&] {
                         w.compute(3);
                         const auto found =
                             w.atomic_cas(Site::claim, state.level, to, unseen, state.depth + 1);
                         w.compute(2);
                         w.if_(found == unseen, [&] {
                             w.compute(7);
                             const auto place = w.atomic_count(Site::reserve, state.count);
                             w.compute(6);
                             w.store(Site::append, out, place, to);
                         });
                     });
                     w.compute(3);
                     arc = arc + 1u;
                 });
    });
}

} // namespace memsim::workload
