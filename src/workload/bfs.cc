#include "workload/bfs.hh"

#include <deque>

namespace memsim::workload {

std::vector<u32> levels_by_queue(const Csr& graph, u32 source) {
    std::vector<u32> level(graph.vertices, unseen);
    level[source] = 0;
    for (std::deque<u32> queue {source}; !queue.empty(); queue.pop_front())
        for (u32 i = graph.row[queue.front()]; i < graph.row[queue.front() + 1]; ++i)
            if (const u32 to = graph.col[i]; level[to] == unseen) {
                level[to] = level[queue.front()] + 1;
                queue.push_back(to);
            }
    return level;
}

void initialize_levels(Warp& w, const Array<u32>& level, u32 source) {
    enum class Site : u32 { set_level };
    w.compute(6);
    const auto v = w.thread();
    w.if_(v < static_cast<u32>(level.size), [&] {
        w.compute(5);
        const auto start = select(v == source, all_lanes(0u), all_lanes(unseen));
        w.store(Site::set_level, level, v, start);
    });
}

} // namespace memsim::workload
