#pragma once

#include "workload/graph_application.hh"

/// What the breadth-first searches share.
namespace memsim::workload {

/// The textbook's search, with a queue: what each of ours is compared with.
std::vector<u32> levels_by_queue(const Csr& graph, u32 source);

/// What a warp does in kernel bfs_initialize: all levels become `unseen`, the source's 0.
void initialize_levels(Warp& w, const Array<u32>& level, u32 source);

} // namespace memsim::workload
