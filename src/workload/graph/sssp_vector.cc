#include "workload/graph/graph_application.hh"

/// Shortest paths to one vertex over whole vectors, after Pannotia's sssp (Che et al., IISWC'13).
/// `vector_init` sets two vectors of distances. In each round, `vector_assign` copies the second to
/// the first, `spmv_min_dot_plus` sets each element of the second to the minimum of the first's and
/// of its neighbours' plus the arc, and `vector_diff` sets a flag if the two differ. The host ends
/// the program when no element differs.
namespace memsim::workload {

struct VectorPathsHost {
    u32 round = 0; ///< started so far
    u8 step = 0;   ///< the next kernel: 0 to 2
};

namespace {

constexpr u32 big_number = 99999999; // BIG_NUM: no path yet

class VectorPaths final : public GraphApplication<VectorPathsHost> {
  public:
    explicit VectorPaths(const Options& options) : GraphApplication(options) {
        weight_ = memory_.input("weight", weights_for(graph(), options.seed));
        now_ = memory_.zeroed<u32>("vector1", vertices_);
        next_ = memory_.zeroed<u32>("vector2", vertices_);
        stop_ = memory_.zeroed<u32>("stop", 1);
        initialize_ = kernel("vector_init", 10, [this](Warp& w) { initialize(w); });
        steps_[0] = kernel("vector_assign", 10, [this](Warp& w) { assign(w); });
        steps_[1] = kernel("spmv_min_dot_plus_kernel", 18, [this](Warp& w) { multiply(w); });
        steps_[2] = kernel("vector_diff", 10, [this](Warp& w) { compare(w); });
    }
    std::string difference() const override;

  private:
    bool next() override {
        if (launches() == 0) {
            launch_over_vertices(initialize_, 64);
            return true;
        }
        if (host.step == 0) {
            if (launches() > 1 && stop_[0] == 0) return false;
            if (host.round == options_.iterations) return false;
            ++host.round;
            stop_[0] = 0;
        }
        launch_over_vertices(steps_[host.step], 64);
        host.step = host.step == 2 ? 0 : static_cast<u8>(host.step + 1);
        return true;
    }
    void initialize(Warp& w) {
        enum class Site : u32 { first, second };
        const auto v = w.thread();
        w.if_(v < vertices_, [&] {
            const auto distance = select(v == source_, all_lanes(0u), all_lanes(big_number));
            w.store(Site::first, now_, v, distance);
            w.store(Site::second, next_, v, distance);
        });
    }
    void assign(Warp& w) {
        enum class Site : u32 { from, to };
        const auto v = w.thread();
        w.if_(v < vertices_, [&] { w.store(Site::to, now_, v, w.load(Site::from, next_, v)); });
    }
    void multiply(Warp& w) {
        enum class Site : u32 { row_begin, row_end, own, weight, neighbour, its, set };
        const auto v = w.thread();
        w.if_(v < vertices_, [&] {
            const auto begin = w.load(Site::row_begin, row_, v);
            const auto end = w.load(Site::row_end, row_, v, 1);
            auto least = w.load(Site::own, now_, v);
            w.for_(begin, end, [&](const auto& arc) {
                const auto weight = w.load(Site::weight, weight_, arc);
                const auto to = w.load(Site::neighbour, col_, arc);
                least = min(least, weight + w.load(Site::its, now_, to));
            });
            w.store(Site::set, next_, v, least);
        });
    }
    void compare(Warp& w) {
        enum class Site : u32 { next, now, set };
        const auto v = w.thread();
        w.if_(v < vertices_, [&] {
            const auto next = w.load(Site::next, next_, v);
            const auto now = w.load(Site::now, now_, v);
            w.if_(next != now, [&] { w.store(Site::set, stop_, Lanes<u32> {}, 1); });
        });
    }

    Array<u32> weight_, now_, next_, stop_;
    u32 initialize_;
    std::array<u32, 3> steps_ {};
};

/// Reference: the best paths with a limited number of arcs, by relaxation of all arcs per round;
/// without a limit, also Dijkstra's algorithm over reversed arcs.
std::string VectorPaths::difference() const {
    const Csr graph = this->graph();
    std::vector<u64> by_rounds(graph.vertices, big_number), before;
    by_rounds[source_] = 0;
    for (u32 round = 0; round < options_.iterations && by_rounds != before; ++round) {
        before = by_rounds;
        for (u32 v = 0; v < graph.vertices; ++v)
            for (u32 e = graph.row[v]; e < graph.row[v + 1]; ++e)
                by_rounds[v] = std::min(by_rounds[v], before[graph.col[e]] + weight_[e]);
    }
    const std::vector<u64> ours(next_.data, next_.data + next_.size);
    if (auto wrong = first_difference<u64>("vector2", ours, by_rounds);
        !wrong.empty() || stop_[0] != 0)
        return wrong;
    std::vector<std::vector<std::pair<u32, u32>>> into(graph.vertices);
    for (u32 v = 0; v < graph.vertices; ++v)
        for (u32 e = graph.row[v]; e < graph.row[v + 1]; ++e)
            into[graph.col[e]].emplace_back(v, weight_[e]);
    const auto distance =
        shortest_distances(graph.vertices, source_, big_number, [&](u32 v, const ArcVisit& visit) {
            for (const auto& [from, weight] : into[v]) visit(from, weight);
        });
    return first_difference<u64>("vector2", ours, distance);
}

Workload described() {
    Workload w = graph_workload({"sssp_vector"},
                                "Shortest paths over whole vectors, one vertex per thread, after "
                                "Pannotia (Che et al., IISWC'13)",
                                "CMD I (sssp)", make<VectorPaths>);
    w.iterations = 100'000; // until no distance changes
    return w;
}
const Entry entry {described()};

} // namespace

} // namespace memsim::workload
