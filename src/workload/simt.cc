#include "workload/simt.hh"

namespace memsim::workload {

Warp::Warp(BlockRun& run, u32 index, Mask threads)
    : run_(run), stream_(run.out.warps[index], run.out.counts), threads_(threads),
      active_(threads) {
    const u32 first = run.block * run.launch.threads_per_block() + index * warp_lanes;
    for (u32 i = 0; i < warp_lanes; ++i) thread_[i] = first + i;
}

void Warp::end_phase(bool last) {
    if (last)
        stream_.exit(threads_, wait_for_all());
    else
        stream_.barrier(threads_, wait_for_all());
}

void over_operation_limit(const BlockRun& run) {
    throw ConfigError("block " + std::to_string(run.block) + " of kernel " + run.launch.kernel +
                      " ran over the limit of " + std::to_string(run.operation_limit) +
                      " operations: blocks run one after the other, so one that waits for another "
                      "never ends; if it is only long, raise operation_limit");
}

} // namespace memsim::workload
