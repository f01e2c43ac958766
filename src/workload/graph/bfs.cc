#include "workload/graph/bfs.hh"

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

} // namespace memsim::workload
