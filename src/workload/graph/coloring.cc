#include "workload/graph/graph_application.hh"
#include "workload/graph/priorities.hh"

/// Graph colouring by independent sets (Jones and Plassmann). Each round colours the vertices whose
/// priority exceeds that of all uncoloured neighbours. GraphBIG (Nai et al., SC'15) uses one kernel
/// per round, Pannotia (Che et al., IISWC'13) two. Pannotia's `maxmin` also gives a second colour
/// to vertices below all neighbours in the same round.
namespace memsim::workload {

struct ColoringHost {
    u32 round = 0;
    bool second = false; ///< the second of Pannotia's two kernels is next
};

namespace {

enum class Site : u32 {
    color,
    priority,
    row_begin,
    row_end,
    neighbour,
    its_color,
    its_priority,
    set_color,
    set_changed,
    set_highest,
    set_lowest,
    highest,
    lowest,
    set_lowest_color
};

enum class How { thread, warp, max, maxmin };

template <How how>
class Coloring final : public GraphApplication<ColoringHost> {
  public:
    explicit Coloring(const Options& options)
        : GraphApplication(options, symmetric(graph_for(options))) {
        priority_ = memory_.input("priority", priorities(options.seed, vertices_));
        color_ = memory_.filled("color", std::vector<u32>(vertices_, unseen));
        changed_ = memory_.zeroed<u8>("changed", 1);
        if (how == How::thread)
            gather_ = kernel("gc_topology", 16, [this](Warp& w) { one_kernel(w); });
        if (how == How::warp)
            gather_ = kernel("gc_topology_warp", 18, [this](Warp& w) { one_kernel_by_warp(w); });
        if (how == How::max || how == How::maxmin) {
            highest_ = memory_.zeroed<u32>("highest", vertices_);
            if (how == How::maxmin) lowest_ = memory_.zeroed<u32>("lowest", vertices_);
            gather_ = kernel("color1", 18, [this](Warp& w) { gather(w); });
            paint_ = kernel("color2", 12, [this](Warp& w) { paint(w); });
        }
    }
    std::string difference() const override;

  private:
    static constexpr bool two_kernels = how == How::max || how == How::maxmin;
    static constexpr u32 colors_a_round = how == How::maxmin ? 2 : 1;

    bool next() override {
        if (host.second) {
            host.second = false;
            launch_over_vertices(paint_);
            return true;
        }
        if (launches() > 0) {
            if (changed_[0] == 0) return false;
            ++host.round;
        }
        changed_[0] = 0;
        host.second = two_kernels;
        launch(gather_, how == How::warp ? u64 {vertices_} * warp_lanes : vertices_);
        return true;
    }
    /// Vertices coloured in this round count as uncoloured, because other threads of the launch may
    /// have coloured them.
    void one_kernel(Warp& w) {
        const auto v = w.thread();
        w.if_(v < vertices_, [&] {
            w.if_(w.load(Site::color, color_, v) == unseen, [&] {
                const auto mine = w.load(Site::priority, priority_, v);
                const auto begin = w.load(Site::row_begin, row_, v);
                const auto end = w.load(Site::row_end, row_, v, 1);
                Lanes<u32> above = all_lanes(1u);
                above.flow = &w;
                auto arc = begin;
                w.while_([&] { return arc < end && above != 0; },
                         [&] {
                             look_at(w, v, arc, mine, above);
                             arc = arc + 1;
                         });
                w.store(Site::set_changed, changed_, Lanes<u32> {}, 1);
                w.if_(above != 0, [&] { w.store(Site::set_color, color_, v, host.round); });
            });
        });
    }
    void one_kernel_by_warp(Warp& w) {
        const auto lane = w.lane();
        const auto v = w.thread() >> 5;
        w.if_(v < vertices_, [&] {
            w.if_(w.load(Site::color, color_, v) == unseen, [&] {
                const auto mine = w.load(Site::priority, priority_, v);
                const auto begin = w.load(Site::row_begin, row_, v);
                const auto end = w.load(Site::row_end, row_, v, 1);
                Lanes<u32> above = all_lanes(1u);
                above.flow = &w;
                w.for_(
                    begin + lane, end, [&](const auto& arc) { look_at(w, v, arc, mine, above); },
                    warp_lanes);
                const bool beaten = w.any(above == 0);
                w.if_(lane == 0, [&] {
                    w.store(Site::set_changed, changed_, Lanes<u32> {}, 1);
                    if (!beaten) w.store(Site::set_color, color_, v, host.round);
                });
            });
        });
    }
    void look_at(Warp& w, const Lanes<u32>& v, const Lanes<u32>& arc, const Lanes<u32>& mine,
                 Lanes<u32>& above) {
        const auto to = w.load(Site::neighbour, col_, arc);
        w.if_(to != v && w.load(Site::its_color, color_, to) >= host.round, [&] {
            const auto its = w.load(Site::its_priority, priority_, to);
            w.if_(its > mine, [&] { above = all_lanes(0u); });
        });
    }
    void gather(Warp& w) {
        const auto v = w.thread();
        w.if_(v < vertices_, [&] {
            w.if_(w.load(Site::color, color_, v) == unseen, [&] {
                const auto begin = w.load(Site::row_begin, row_, v);
                const auto end = w.load(Site::row_end, row_, v, 1);
                Lanes<u32> highest = all_lanes(0u), lowest = all_lanes(unseen);
                highest.flow = lowest.flow = &w;
                w.store(Site::set_changed, changed_, Lanes<u32> {}, 1);
                w.for_(begin, end, [&](const auto& arc) {
                    const auto to = w.load(Site::neighbour, col_, arc);
                    w.if_(to != v && w.load(Site::its_color, color_, to) == unseen, [&] {
                        const auto its = w.load(Site::its_priority, priority_, to);
                        highest = max(highest, its);
                        if constexpr (how == How::maxmin) lowest = min(lowest, its);
                    });
                });
                w.store(Site::set_highest, highest_, v, highest);
                if constexpr (how == How::maxmin) w.store(Site::set_lowest, lowest_, v, lowest);
            });
        });
    }
    void paint(Warp& w) {
        const auto v = w.thread();
        w.if_(v < vertices_, [&] {
            const auto mine = w.load(Site::priority, priority_, v);
            w.if_(w.load(Site::color, color_, v) == unseen, [&] {
                const Cond above = mine >= w.load(Site::highest, highest_, v);
                w.if_(above,
                      [&] { w.store(Site::set_color, color_, v, colors_a_round * host.round); });
                if constexpr (how == How::maxmin) {
                    const Cond below = mine <= w.load(Site::lowest, lowest_, v);
                    w.if_(below && !above,
                          [&] { w.store(Site::set_lowest_color, color_, v, 2 * host.round + 1); });
                }
            });
        });
    }

    Array<u32> priority_, color_, highest_, lowest_;
    Array<u8> changed_;
    u32 gather_ = 0, paint_ = 0;
};

template <How how>
std::string Coloring<how>::difference() const {
    const Csr graph = this->graph();
    std::vector<u32> color(vertices_, unseen);
    for (u32 round = 0, left = vertices_; left > 0; ++round) {
        const std::vector<u32> before = color;
        for (u32 v = 0; v < vertices_; ++v) {
            if (before[v] != unseen) continue;
            bool above = true, below = how == How::maxmin;
            for (u32 e = graph.row[v]; e < graph.row[v + 1]; ++e) {
                const u32 to = graph.col[e];
                if (to == v || before[to] != unseen) continue;
                above = above && priority_[to] < priority_[v];
                below = below && priority_[to] > priority_[v];
            }
            if (!above && !below) continue;
            color[v] = colors_a_round * round + (above ? 0 : 1);
            --left;
        }
    }
    for (u32 v = 0; v < vertices_; ++v)
        for (u32 e = graph.row[v]; e < graph.row[v + 1]; ++e)
            if (graph.col[e] != v && color_[v] == color_[graph.col[e]])
                return "vertices " + std::to_string(v) + " and " + std::to_string(graph.col[e]) +
                       " are neighbours of one colour";
    return first_difference("color", color_, color);
}

const Entry gc1 {graph_workload(
    {"gc1", "gctopo"},
    "Graph colouring by independent sets, topology-driven, one vertex per "
    "thread, after GraphBIG (Nai et al., SC'15)",
    "ZnG II (gc1), Ohm II (gctopo)", make<Coloring<How::thread>>, priorities_memory)};
const Entry gc2 {
    graph_workload({"gc2"},
                   "Graph colouring by independent sets, topology-driven, one vertex per "
                   "warp, after GraphBIG",
                   "ZnG II (gc2)", make<Coloring<How::warp>>, priorities_memory)};
const Entry color_max {
    graph_workload({"color_max", "color"},
                   "Graph colouring, the highest of each neighbourhood per round, "
                   "after Pannotia (Che et al., IISWC'13)",
                   "CMD I (color)", make<Coloring<How::max>>, priorities_memory)};
const Entry color_maxmin {graph_workload({"color_maxmin"},
                                         "Graph colouring, the highest and the lowest of each "
                                         "neighbourhood per round, after Pannotia",
                                         "CMD I (color)", make<Coloring<How::maxmin>>,
                                         priorities_memory)};

} // namespace

} // namespace memsim::workload
