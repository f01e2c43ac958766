#include "workload/graph/bfs.hh"

/// Data-driven breadth-first search after GraphBIG (Nai et al., SC'15): each launch expands the
/// queue written by the previous level.
namespace memsim::workload {

struct BfsDataHost {
    u32 depth = 0;    ///< level of the vertices in the queue being read
    u32 frontier = 0; ///< their number; the queue being read is queues_[depth % 2]
};

namespace {

namespace site = bfs_site;
enum Site : u32 { claim = site::own, reserve, append, own_level };

enum class How { thread, warp, flags };

/// Each thread or warp processes one entry of the queue. Unseen neighbours are claimed by
/// compare-and-swap and appended to the other queue, whose counter is increased once per warp (as
/// compilers do). With flags (no atomics on levels), one launch over all vertices marks neighbours
/// and a second one collects them into the queue.
template <How how>
class BfsData final : public Bfs<BfsDataHost> {
  public:
    explicit BfsData(const Options& options) : Bfs(options) {
        // Each vertex is claimed once, so no queue can overflow.
        queues_[0] = memory_.zeroed<u32>("queue_0", vertices_);
        queues_[1] = memory_.zeroed<u32>("queue_1", vertices_);
        count_ = memory_.zeroed<u32>("count", 1);
        if constexpr (how == How::thread)
            expand_ = kernel(
                "bfs_data", 16, [this](Warp& w) { expand(w); }, Counted::machine_code);
        else if constexpr (how == How::warp)
            expand_ = kernel("bfs_data_warp", 20, [this](Warp& w) { expand_by_warp(w); });
        else {
            expand_ = kernel("bfs_frontier_expand", 16, [this](Warp& w) { expand(w); });
            collect_ = kernel("bfs_frontier_collect", 12, [this](Warp& w) { collect(w); });
        }
    }

  private:
    bool next_level() override {
        // The host writes the first queue, and reads and clears the counter after each level.
        if (how == How::flags && launches() > 1 && launches() % 2 == 0) {
            launch_over_vertices(collect_);
            return true;
        }
        if (launches() == 1) {
            queues_[0][0] = source_;
            host.frontier = 1;
        } else {
            host.frontier = count_[0];
            ++host.depth;
        }
        count_[0] = 0;
        if (host.frontier == 0) return false;
        launch(expand_, how == How::warp ? u64 {host.frontier} * warp_lanes : host.frontier);
        return true;
    }

    void visit(Warp& w, const Lanes<u32>& arc) {
        const Array<u32>& out = queues_[1 - host.depth % 2];
        w.compute(2);
        const auto to = w.load(site::neighbour, col_, arc);
        w.compute(2);
        const auto its_level = w.load(site::neighbour_level, level_, to);
        w.compute(7);
        w.if_(its_level == unseen, [&] {
            w.compute(3);
            if constexpr (how == How::flags)
                w.store(Site::claim, level_, to, host.depth + 1);
            else {
                const auto found = w.atomic_cas(Site::claim, level_, to, unseen, host.depth + 1);
                w.compute(2);
                w.if_(found == unseen, [&] {
                    w.compute(7);
                    const auto place = w.atomic_count(Site::reserve, count_);
                    w.compute(6);
                    w.store(Site::append, out, place, to);
                });
            }
        });
    }
    void expand(Warp& w) {
        const Array<u32>& in = queues_[host.depth % 2];
        w.compute(6);
        const auto t = w.thread();
        w.if_(t < host.frontier, [&] {
            w.compute(3);
            const auto vertex = w.load(site::vertex, in, t);
            w.compute(3);
            each_arc(w, vertex, [&](const auto& arc) { visit(w, arc); });
        });
    }
    void expand_by_warp(Warp& w) {
        const Array<u32>& in = queues_[host.depth % 2];
        const auto lane = w.lane();
        const auto t = w.thread() >> 5;
        w.if_(t < host.frontier, [&] {
            const auto vertex = w.load(site::vertex, in, t);
            each_shared_arc(w, vertex, lane, [&](const auto& arc) { visit(w, arc); });
        });
    }
    void collect(Warp& w) {
        const Array<u32>& out = queues_[1 - host.depth % 2];
        const auto v = w.thread();
        w.if_(v < vertices_, [&] {
            w.if_(w.load(Site::own_level, level_, v) == host.depth + 1, [&] {
                const auto place = w.atomic_count(Site::reserve, count_);
                w.store(Site::append, out, place, v);
            });
        });
    }

    std::array<Array<u32>, 2> queues_;
    Array<u32> count_; ///< one counter: vertices in the queue being written
    u32 expand_, collect_ = 0;
};

const Entry by_thread {
    graph_workload({"bfs4", "bfs_data", "bfsdata"},
                   "Breadth-first search, data-driven, one vertex of the queue per "
                   "thread, claimed by compare-and-swap, after GraphBIG",
                   "ZnG II (bfs4), Ohm II (bfsdata)", make<BfsData<How::thread>>)};
const Entry by_warp {
    graph_workload({"bfs5", "bfs_data_warp"},
                   "Breadth-first search, data-driven, one vertex of the queue per "
                   "warp, after GraphBIG",
                   "ZnG II (bfs5)", make<BfsData<How::warp>>)};
const Entry by_flags {graph_workload({"bfs6", "bfs_frontier"},
                                     "Breadth-first search over a frontier that a second kernel "
                                     "collects, levels written without atomics, after GraphBIG",
                                     "ZnG II (bfs6)", make<BfsData<How::flags>>)};

} // namespace

} // namespace memsim::workload
