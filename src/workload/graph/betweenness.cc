#include "workload/graph/brandes.hh"
#include "workload/graph/graph_application.hh"
#include "workload/graph/path_count.hh"
#include "workload/simt/near.hh"

/// Betweenness centrality after GraphBIG (Nai et al., SC'15; Brandes 2001). For each source, a
/// search counts the shortest paths to each vertex, level by level; on the way back each vertex
/// collects the shares of its neighbours on the next level. Iterations are sources. Arrays have
/// GraphBIG's widths: 4 bytes each for level, path count (path_count.hh), share and centrality.
/// Shares are added in a fixed order, so results are equal on all machines.
namespace memsim::workload {

struct BetweennessHost {
    u32 depth = 0;
    u32 source = 0; ///< number of sources completed
    u8 phase = 0;   ///< 0: initialize, 1: forward, 2: backward
};

namespace {

enum class Site : u32 {
    set_level,
    set_paths,
    set_share,
    level,
    paths,
    row_begin,
    row_end,
    neighbour,
    its_level,
    reach,
    set_changed,
    add_paths,
    its_paths,
    its_share,
    centrality,
    set_centrality
};

class Betweenness final : public GraphApplication<BetweennessHost> {
  public:
    explicit Betweenness(const Options& options) : GraphApplication(options) {
        level_ = memory_.zeroed<u32>("level", vertices_);
        paths_ = memory_.zeroed<u32>("paths", vertices_);
        share_ = memory_.zeroed<float>("share", vertices_);
        centrality_ = memory_.zeroed<float>("centrality", vertices_);
        changed_ = memory_.zeroed<u8>("changed", 1);
        initialize_ = kernel("betw_initialize", 12, [this](Warp& w) { initialize(w); });
        forward_ = kernel("betw_forward", 18, [this](Warp& w) { forward(w); });
        backward_ = kernel("betw_backward", 20, [this](Warp& w) { backward(w); });
    }
    std::string difference() const override;

  private:
    /// The user's source, followed by the vertices after it.
    u32 source(u32 number) const { return (source_ + number) % vertices_; }

    bool next() override {
        if (launches() == 0 || host.phase == 0) {
            host.depth = 0;
            host.phase = 1;
            changed_[0] = 1;
            launch_over_vertices(initialize_, 128);
            return true;
        }
        if (host.phase == 1 && changed_[0] != 0) {
            changed_[0] = 0;
            launch_over_vertices(forward_, 128);
            ++host.depth;
            return true;
        }
        if (host.phase == 1) {
            host.phase = 2;
            --host.depth; // the last launch found no new vertex: go to the deepest level
        }
        if (host.depth > 0) {
            --host.depth;
            launch_over_vertices(backward_, 128);
            return true;
        }
        if (++host.source >= options_.iterations) return false;
        host.phase = 0;
        return next();
    }
    void initialize(Warp& w) {
        const auto v = w.thread();
        w.if_(v < vertices_, [&] {
            const Cond is_source = v == source(host.source);
            w.store(Site::set_level, level_, v,
                    select(is_source, all_lanes(0u), all_lanes(unseen)));
            w.store(Site::set_paths, paths_, v,
                    select(is_source, all_lanes(path_count::one), all_lanes(0u)));
            w.store(Site::set_share, share_, v, 0.0f);
        });
    }
    /// Requires that host.depth is the level of the vertices to reach.
    void forward(Warp& w) {
        const auto v = w.thread();
        w.if_(v < vertices_, [&] {
            w.if_(w.load(Site::level, level_, v) == host.depth - 1, [&] {
                const auto paths = w.load(Site::paths, paths_, v);
                const auto begin = w.load(Site::row_begin, row_, v);
                const auto end = w.load(Site::row_end, row_, v, 1);
                w.for_(begin, end, [&](const auto& arc) {
                    const auto to = w.load(Site::neighbour, col_, arc);
                    auto level = w.load(Site::its_level, level_, to);
                    w.if_(level == unseen, [&] {
                        w.store(Site::reach, level_, to, host.depth);
                        w.store(Site::set_changed, changed_, Lanes<u32> {}, 1);
                        level = all_lanes(host.depth);
                    });
                    w.if_(level == host.depth, [&] {
                        w.reduce(
                            Site::add_paths, paths_, to,
                            [&](u32 old, u32 i) { return path_count::sum(old, paths[i]); }, paths);
                    });
                });
            });
        });
    }
    void backward(Warp& w) {
        const auto v = w.thread();
        w.if_(v < vertices_, [&] {
            w.if_(w.load(Site::level, level_, v) == host.depth, [&] {
                const auto paths = w.load(Site::paths, paths_, v);
                const auto begin = w.load(Site::row_begin, row_, v);
                const auto end = w.load(Site::row_end, row_, v, 1);
                Lanes<float> sum = all_lanes(0.0f);
                sum.flow = &w;
                w.for_(begin, end, [&](const auto& arc) {
                    const auto to = w.load(Site::neighbour, col_, arc);
                    w.if_(w.load(Site::its_level, level_, to) == host.depth + 1, [&] {
                        const auto its_paths = w.load(Site::its_paths, paths_, to);
                        const auto its_share = w.load(Site::its_share, share_, to);
                        const auto ratio = w.apply<float>(
                            rule::float_division,
                            [&](u32 i) { return path_count::ratio(paths[i], its_paths[i]); }, paths,
                            its_paths);
                        const auto more = its_share + 1.0f;
                        sum = mad(ratio, more, sum);
                    });
                });
                w.store(Site::set_share, share_, v, sum);
                w.if_(v != source(host.source), [&] {
                    const auto before = w.load(Site::centrality, centrality_, v);
                    w.store(Site::set_centrality, centrality_, v, before + sum);
                });
            });
        });
    }

    Array<u32> level_, paths_;
    Array<float> share_, centrality_;
    Array<u8> changed_;
    u32 initialize_, forward_, backward_;
};

std::string Betweenness::difference() const {
    const Csr graph = this->graph();
    constexpr double of_float = 0x1p-24;
    Brandes reference(graph, {path_count::rounding, of_float});
    for (u32 n = 0; n < options_.iterations; ++n)
        reference.add(static_cast<u32>((u64 {source_} + n) % vertices_));
    if (auto wrong = first_difference("level", level_, reference.level()); !wrong.empty())
        return wrong;
    std::vector<long double> paths;
    for (u32 count : paths_.host()) paths.push_back(path_count::value(count));
    const auto to = [&](auto of) { return [&reference, of](u32 v) { return (reference.*of)(v); }; };
    if (auto wrong = first_far<long double>("paths", paths, to(&Brandes::paths)); !wrong.empty())
        return wrong;
    if (auto wrong = first_far<float>("share", share_.host(), to(&Brandes::share)); !wrong.empty())
        return wrong;
    return first_far<float>("centrality", centrality_.host(),
                            [&](u64 v) { return reference.centrality()[v]; });
}

Workload betweenness() {
    Workload w = graph_workload({"betw"},
                                "Betweenness centrality over a few sources, one vertex per thread, "
                                "after GraphBIG (Nai et al., SC'15)",
                                "ZnG II (betw), Ohm II (betw)", make<Betweenness>);
    w.iterations = 1;
    return w;
}
const Entry entry {betweenness()};

} // namespace

} // namespace memsim::workload
