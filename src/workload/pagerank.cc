#include "workload/pagerank.hh"

namespace memsim::workload {

namespace {
enum Kernel : u32 { initialize_kernel, scatter_kernel, gather_kernel };
constexpr KernelInfo infos[] = {
    {"pagerank_initialize", 10}, {"pagerank_scatter", 14}, {"pagerank_gather", 12}};
constexpr u32 damping = static_cast<u32>((u64 {85} << 32) / 100); // 0.85 in Q0.32
constexpr u32 teleport_of_all = static_cast<u32>(u64 {15} * rank_one / 100);
} // namespace

Pagerank::Pagerank(Csr graph, const PagerankOptions& options)
    : GraphApplication(std::move(graph), options.launch), iterations_(options.iterations),
      threshold_(options.threshold), first_(rank_one / vertices_),
      teleport_(teleport_of_all / vertices_) {
    state.rank = memory_.allocate("rank", std::vector<u32>(vertices_));
    state.next = memory_.allocate("next", std::vector<u32>(vertices_));
    state.changed = memory_.allocate("changed", std::vector<u8>(1));
}

bool Pagerank::next_launch(Launch& launch) {
    const Progress& p = state.progress;
    u32 kernel = initialize_kernel;
    if (p.launches > 0 && p.kernel == scatter_kernel)
        kernel = gather_kernel;
    else if (p.launches > 0) {
        // The host reads the flag back after each iteration and clears it.
        if (p.kernel == gather_kernel && state.changed.data[0] == 0) return false;
        if (state.iteration == iterations_) return false;
        ++state.iteration;
        state.changed.data[0] = 0;
        kernel = scatter_kernel;
    }
    begin_launch(launch, kernel, infos[kernel], vertices_);
    return true;
}

void Pagerank::run_block(u32 block, BlockStreams& out) {
    const BlockRun run = begin_block(block, out);
    run_phases(run, [&, kernel = state.progress.kernel](Warp& w) {
        // The numbers of compute() are instructions of sm_80 machine code:
        // docs/models/workloads.md.
        w.compute(6);
        w.if_(w.thread() < vertices_, [&] {
            if (kernel == initialize_kernel)
                initialize(w);
            else if (kernel == scatter_kernel)
                scatter(w);
            else
                gather(w);
        });
    });
}

void Pagerank::initialize(Warp& w) {
    enum class Site : u32 { rank, next };
    w.compute(5);
    w.store(Site::rank, state.rank, w.thread(), all_lanes(first_));
    w.store(Site::next, state.next, w.thread(), all_lanes(0u));
}

void Pagerank::scatter(Warp& w) {
    enum class Site : u32 { row_begin, row_end, rank, neighbour, add };
    w.compute(5);
    auto arc = w.load(Site::row_begin, row_, w.thread());
    const auto end = w.load(Site::row_end, row_, w.thread() + 1u);
    w.compute(2);
    w.if_(arc < end, [&] {
        w.compute(2);
        const auto rank = w.load(Site::rank, state.rank, w.thread());
        w.compute(22);
        const auto share = w.map<u32>([&](u32 i) { return rank[i] / (end[i] - arc[i]); });
        w.while_([&] { return arc < end; },
                 [&] {
                     const auto to = w.load(Site::neighbour, col_, arc);
                     w.compute(6);
                     w.atomic_add(Site::add, state.next, to, share);
                     w.compute(1);
                     arc = arc + 1u;
                 });
    });
}

void Pagerank::gather(Warp& w) {
    enum class Site : u32 { next, rank, set_rank, clear_next, set_changed };
    w.compute(4);
    const auto sum = w.load(Site::next, state.next, w.thread());
    const auto before = w.load(Site::rank, state.rank, w.thread());
    w.compute(6);
    const auto rank = w.map<u32>(
        [&](u32 i) { return teleport_ + static_cast<u32>(u64 {sum[i]} * damping >> 32); });
    w.store(Site::set_rank, state.rank, w.thread(), rank);
    w.store(Site::clear_next, state.next, w.thread(), all_lanes(0u));
    w.compute(3);
    const auto moved = w.map<u32>(
        [&](u32 i) { return rank[i] > before[i] ? rank[i] - before[i] : before[i] - rank[i]; });
    w.if_(all_lanes(threshold_) < moved, [&] {
        w.compute(3);
        w.store(Site::set_changed, state.changed, all_lanes(0u), all_lanes(u8 {1}));
    });
}

} // namespace memsim::workload
