#pragma once

#include "workload/graph_application.hh"

/// What both breadth-first searches share.
namespace memsim::workload {

inline constexpr u32 unseen = 0xffffffff; ///< the level of a vertex that no path reaches

struct BfsOptions {
    u32 source = 0;
    LaunchOptions launch;
};

void check_source(u32 source, u32 vertices);

/// Kernel bfs_initialize: one vertex a thread; all levels become `unseen`, the source's 0.
inline constexpr KernelInfo bfs_initialize {"bfs_initialize", 8};
void run_bfs_initialize(const BlockRun& run, Array<u32>& level, u32 source);

} // namespace memsim::workload
