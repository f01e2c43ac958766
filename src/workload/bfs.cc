#include "workload/bfs.hh"

namespace memsim::workload {

void check_source(u32 source, u32 vertices) {
    if (source >= vertices)
        throw ConfigError("source is vertex " + std::to_string(source) +
                          ", but the graph's vertices run from 0 to " +
                          std::to_string(vertices - 1));
}

void run_bfs_initialize(const BlockRun& run, Array<u32>& level, u32 source) {
    enum class Site : u32 { set_level };
    run_phases(run, [&](Warp& w) {
        w.compute(6);
        w.if_(w.thread() < static_cast<u32>(level.data.size()), [&] {
            w.compute(5);
            const auto start =
                w.map<u32>([&](u32 i) { return w.thread()[i] == source ? 0 : unseen; });
            w.store(Site::set_level, level, w.thread(), start);
        });
    });
}

} // namespace memsim::workload
