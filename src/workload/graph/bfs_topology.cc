#include "workload/graph/bfs.hh"

/// Topology-driven breadth-first search after GraphBIG (Nai et al., SC'15): one launch per level
/// over all vertices, until no level changes.
namespace memsim::workload {

struct BfsTopologyHost {
    u32 depth = 0; ///< level of the vertices expanded by the current launch
};

namespace {

namespace site = bfs_site;
enum Site : u32 { set_level = site::own, set_changed };

enum class How { thread, warp, atomic };

/// One vertex per thread (thread, atomic) or per warp, whose lanes share its arcs. Levels are
/// written without atomics, because all threads that reach a vertex in a launch write the same
/// level, or by an atomic minimum.
template <How how>
class BfsTopology final : public Bfs<BfsTopologyHost> {
  public:
    explicit BfsTopology(const Options& options) : Bfs(options) {
        changed_ = memory_.zeroed<u8>("changed", 1);
        if constexpr (how == How::thread)
            search_ = kernel(
                "bfs_topology", 14, [this](Warp& w) { search(w); }, Counted::machine_code);
        else if constexpr (how == How::warp)
            search_ = kernel("bfs_topology_warp", 18, [this](Warp& w) { search_by_warp(w); });
        else
            search_ = kernel("bfs_topology_atomic", 16, [this](Warp& w) { search(w); });
    }

  private:
    bool next_level() override {
        // The host reads and clears the flag after each level.
        if (launches() > 1) {
            if (changed_[0] == 0) return false;
            ++host.depth;
        }
        changed_[0] = 0;
        launch(search_, how == How::warp ? u64 {vertices_} * warp_lanes : vertices_);
        return true;
    }

    void visit(Warp& w, const Lanes<u32>& arc) {
        const auto to = w.load(site::neighbour, col_, arc);
        w.compute(2);
        if constexpr (how == How::atomic) {
            const auto before =
                w.atomic_min(site::neighbour_level, level_, to, all_lanes(host.depth + 1));
            w.if_(before > host.depth + 1,
                  [&] { w.store(Site::set_changed, changed_, Lanes<u32> {}, 1); });
        } else {
            const auto its_level = w.load(site::neighbour_level, level_, to);
            w.compute(8);
            w.if_(its_level == unseen, [&] {
                w.store(Site::set_level, level_, to, host.depth + 1);
                w.store(Site::set_changed, changed_, Lanes<u32> {}, 1);
            });
        }
    }
    void search(Warp& w) {
        w.compute(6);
        const auto v = w.thread();
        w.if_(v < vertices_, [&] {
            w.compute(3);
            const auto level = w.load(site::vertex, level_, v);
            w.compute(2);
            w.if_(level == host.depth, [&] {
                w.compute(4);
                each_arc(w, v, [&](const auto& arc) { visit(w, arc); });
            });
        });
    }
    void search_by_warp(Warp& w) {
        const auto lane = w.lane();
        const auto v = w.thread() >> 5;
        w.if_(v < vertices_, [&] {
            w.if_(w.load(site::vertex, level_, v) == host.depth,
                  [&] { each_shared_arc(w, v, lane, [&](const auto& arc) { visit(w, arc); }); });
        });
    }

    Array<u8> changed_; ///< one flag: a vertex was reached in this launch
    u32 search_;
};

const Entry by_thread {
    graph_workload({"bfs1", "bfs_topology", "bfstopo"},
                   "Breadth-first search, topology-driven, one vertex per thread, "
                   "after GraphBIG (Nai et al., SC'15)",
                   "ZnG II (bfs1), Ohm II (bfstopo)", make<BfsTopology<How::thread>>)};
const Entry by_warp {
    graph_workload({"bfs2", "bfs_topology_warp"},
                   "Breadth-first search, topology-driven, one vertex per warp, after "
                   "GraphBIG",
                   "ZnG II (bfs2)", make<BfsTopology<How::warp>>)};
const Entry by_atomic {
    graph_workload({"bfs3", "bfs_topology_atomic"},
                   "Breadth-first search, topology-driven, one vertex per thread, "
                   "levels by atomic minimum, after GraphBIG",
                   "ZnG II (bfs3)", make<BfsTopology<How::atomic>>)};

} // namespace

} // namespace memsim::workload
