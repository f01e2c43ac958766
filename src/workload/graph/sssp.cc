#include "workload/graph/graph_application.hh"

/// Shortest paths from one vertex after GraphBIG (Nai et al., SC'15): distances decrease by atomic
/// minimum until none changes. Topology-driven: one launch per round over all vertices, of which
/// the marked ones work. Data-driven: one launch over the queue of vertices whose distance changed.
namespace memsim::workload {

struct ShortestPathsHost {
    u32 round = 0;
    u32 frontier = 0; ///< data-driven: vertices in the queue being read
};

namespace {

enum class Site : u32 {
    set_distance,
    set_mark,
    mark,
    clear_mark,
    vertex,
    distance,
    row_begin,
    row_end,
    neighbour,
    weight,
    relax,
    mark_neighbour,
    reserve,
    append,
    set_changed
};

/// One vertex per thread, or, with `by_warp`, per warp, whose lanes share its arcs.
template <bool data_driven, bool by_warp>
class ShortestPaths final : public GraphApplication<ShortestPathsHost> {
  public:
    explicit ShortestPaths(const Options& options) : GraphApplication(options) {
        weight_ = memory_.input("weight", weights_for(graph(), options.seed));
        distance_ = memory_.zeroed<u32>("distance", vertices_);
        for (u32 i : {0, 1}) {
            mark_[i] = memory_.zeroed<u32>("mark_" + std::to_string(i), vertices_);
            if (data_driven)
                queue_[i] = memory_.zeroed<u32>("queue_" + std::to_string(i), vertices_);
        }
        count_ = memory_.zeroed<u32>(data_driven ? "count" : "changed", 1);
        initialize_ = kernel("sssp_initialize", 10, [this](Warp& w) { initialize(w); });
        relax_ =
            kernel(data_driven ? "sssp_data" : "sssp_topology", 20, [this](Warp& w) { relax(w); });
    }
    std::string difference() const override;

  private:
    bool next() override {
        if (launches() == 0) {
            launch_over_vertices(initialize_, 64);
            return true;
        }
        if (launches() == 1) { // copies by the host
            if (data_driven) queue_[0][0] = source_;
            host.frontier = 1;
        } else {
            if (count_[0] == 0) return false;
            host.frontier = count_[0];
            ++host.round;
        }
        count_[0] = 0;
        launch(relax_, u64 {data_driven ? host.frontier : vertices_} * (by_warp ? warp_lanes : 1),
               64);
        return true;
    }
    void initialize(Warp& w) {
        const auto v = w.thread();
        w.if_(v < vertices_, [&] {
            const Cond is_source = v == source_;
            w.store(Site::set_distance, distance_, v,
                    select(is_source, all_lanes(0u), all_lanes(unseen)));
            w.store(Site::set_mark, mark_[0], v, select(is_source, all_lanes(1u), all_lanes(0u)));
        });
    }
    void relax(Warp& w) {
        const auto t = by_warp ? w.thread() >> 5 : w.thread();
        w.if_(t < (data_driven ? host.frontier : vertices_), [&] {
            if constexpr (data_driven) {
                const auto v = w.load(Site::vertex, queue_[host.round % 2], t);
                relax_arcs(w, v);
            } else {
                w.if_(w.load(Site::mark, mark_[host.round % 2], t) != 0, [&] { relax_arcs(w, t); });
            }
        });
    }
    void relax_arcs(Warp& w, const Lanes<u32>& v) {
        w.store(Site::clear_mark, mark_[host.round % 2], v, 0);
        const auto mine = w.load(Site::distance, distance_, v);
        const auto begin = w.load(Site::row_begin, row_, v);
        const auto end = w.load(Site::row_end, row_, v, 1);
        w.for_(
            by_warp ? begin + w.lane() : begin, end,
            [&](const auto& arc) {
                const auto to = w.load(Site::neighbour, col_, arc);
                const auto there = mine + w.load(Site::weight, weight_, arc);
                const auto before = w.atomic_min(Site::relax, distance_, to, there);
                w.if_(there < before, [&] { reached(w, to); });
            },
            by_warp ? warp_lanes : 1);
    }
    void reached(Warp& w, const Lanes<u32>& to) {
        const Array<u32>& mark = mark_[1 - host.round % 2];
        if constexpr (data_driven) {
            const auto marked = w.atomic_exchange(Site::mark_neighbour, mark, to, all_lanes(1u));
            w.if_(marked == 0, [&] {
                const auto place = w.atomic_count(Site::reserve, count_);
                w.store(Site::append, queue_[1 - host.round % 2], place, to);
            });
        } else {
            w.store(Site::mark_neighbour, mark, to, 1);
            w.store(Site::set_changed, count_, Lanes<u32> {}, 1);
        }
    }

    Array<u32> weight_, distance_;
    std::array<Array<u32>, 2> mark_, queue_;
    Array<u32> count_; ///< of the queue being written; topology-driven: a flag
    u32 initialize_, relax_;
};

/// Reference: Dijkstra's algorithm in 64 bits.
template <bool data_driven, bool by_warp>
std::string ShortestPaths<data_driven, by_warp>::difference() const {
    const Csr graph = this->graph();
    constexpr u64 far_away = ~u64 {0};
    const auto distance =
        shortest_distances(graph.vertices, source_, far_away, [&](u32 v, const ArcVisit& visit) {
            for (u32 e = graph.row[v]; e < graph.row[v + 1]; ++e) visit(graph.col[e], weight_[e]);
        });
    std::vector<u64> ours;
    for (u32 d : distance_.host()) ours.push_back(d == unseen ? far_away : d);
    return first_difference<u64>("distance", ours, distance);
}

const Entry data_thread {graph_workload({"sssp1", "sssp_data"},
                                        "Shortest paths, data-driven, one vertex of the queue per "
                                        "thread, after GraphBIG (Nai et al., SC'15)",
                                        "none under this number",
                                        make<ShortestPaths<true, false>>)};
const Entry data_warp {
    graph_workload({"sssp2", "sssp_data_warp"},
                   "Shortest paths, data-driven, one vertex of the queue per warp, "
                   "after GraphBIG",
                   "none under this number", make<ShortestPaths<true, true>>)};
const Entry topology_thread {
    graph_workload({"sssp3", "sssp_topology", "sssp"},
                   "Shortest paths, topology-driven, one vertex per thread, after GraphBIG",
                   "ZnG II (sssp3), Ohm II (sssp)", make<ShortestPaths<false, false>>)};
const Entry topology_warp {graph_workload({"sssp4", "sssp_topology_warp"},
                                          "Shortest paths, topology-driven, one vertex per warp, "
                                          "after GraphBIG",
                                          "none under this number",
                                          make<ShortestPaths<false, true>>)};

} // namespace

} // namespace memsim::workload
