#include "workload/graph/graph_application.hh"
#include "workload/graph/priorities.hh"

/// A maximal independent set by Luby's rounds, after Pannotia (Che et al., IISWC'13). `init` sets
/// the vectors. In each round, `mis1` finds the lowest priority among the undecided neighbours of
/// each undecided vertex, `mis2` selects the vertices below it and marks their neighbours, and
/// `mis3` turns marks into decisions.
namespace memsim::workload {

struct IndependentSetHost {
    u8 step = 0; ///< the next kernel: 0 to 2
};

namespace {

enum class Site : u32 {
    status,
    row_begin,
    row_end,
    neighbour,
    its_status,
    its_priority,
    set_lowest,
    set_stop,
    priority,
    lowest,
    select,
    decide,
    mark,
    marked,
    drop,
    clear_status,
    clear_marked,
    clear_selected
};

constexpr u32 undecided = 0xffffffff, dropped = 0xfffffffe; // -1 and -2 there; otherwise selected

class IndependentSet final : public GraphApplication<IndependentSetHost> {
  public:
    explicit IndependentSet(const Options& options)
        : GraphApplication(options, symmetric(graph_for(options))) {
        priority_ = memory_.input("priority", priorities(options.seed, vertices_));
        status_ = memory_.zeroed<u32>("status", vertices_);
        marked_ = memory_.zeroed<u32>("marked", vertices_);
        selected_ = memory_.zeroed<u32>("selected", vertices_);
        lowest_ = memory_.zeroed<u32>("lowest", vertices_);
        stop_ = memory_.zeroed<u32>("stop", 1);
        initialize_ = kernel("init", 10, [this](Warp& w) { initialize(w); });
        kernels_[0] = kernel("mis1", 16, [this](Warp& w) { find_lowest(w); });
        kernels_[1] = kernel("mis2", 16, [this](Warp& w) { select_lowest(w); });
        kernels_[2] = kernel("mis3", 8, [this](Warp& w) { drop_marked(w); });
    }
    std::string difference() const override;

  private:
    bool next() override {
        if (launches() == 0) {
            launch_over_vertices(initialize_, 128);
            return true;
        }
        if (host.step == 0) {
            if (launches() > 1 && stop_[0] == 0) return false;
            stop_[0] = 0;
        }
        launch_over_vertices(kernels_[host.step], 128);
        host.step = host.step == 2 ? 0 : static_cast<u8>(host.step + 1);
        return true;
    }
    void initialize(Warp& w) {
        const auto v = w.thread();
        w.if_(v < vertices_, [&] {
            w.store(Site::clear_status, status_, v, undecided);
            w.store(Site::clear_marked, marked_, v, undecided);
            w.store(Site::clear_selected, selected_, v, 0);
        });
    }
    template <class Body>
    void over_arcs(Warp& w, const Lanes<u32>& v, Body body) {
        const auto begin = w.load(Site::row_begin, row_, v);
        const auto end = w.load(Site::row_end, row_, v, 1);
        w.for_(begin, end, [&](const auto& arc) {
            const auto to = w.load(Site::neighbour, col_, arc);
            w.if_(to != v && w.load(Site::its_status, status_, to) == undecided, [&] { body(to); });
        });
    }
    void find_lowest(Warp& w) {
        const auto v = w.thread();
        w.if_(v < vertices_, [&] {
            w.if_(w.load(Site::status, status_, v) == undecided, [&] {
                w.store(Site::set_stop, stop_, Lanes<u32> {}, 1);
                Lanes<u32> lowest = all_lanes(unseen);
                lowest.flow = &w;
                over_arcs(w, v, [&](const auto& to) {
                    lowest = min(lowest, w.load(Site::its_priority, priority_, to));
                });
                w.store(Site::set_lowest, lowest_, v, lowest);
            });
        });
    }
    /// Marks of this round are written separately (`marked`), so that all decisions use the old
    /// statuses.
    void select_lowest(Warp& w) {
        const auto v = w.thread();
        w.if_(v < vertices_, [&] {
            w.if_(w.load(Site::status, status_, v) == undecided, [&] {
                const auto mine = w.load(Site::priority, priority_, v);
                w.if_(mine < w.load(Site::lowest, lowest_, v), [&] {
                    w.store(Site::select, selected_, v, 1);
                    w.store(Site::decide, marked_, v, 0);
                    over_arcs(w, v,
                              [&](const auto& to) { w.store(Site::mark, marked_, to, dropped); });
                });
            });
        });
    }
    void drop_marked(Warp& w) {
        const auto v = w.thread();
        w.if_(v < vertices_, [&] {
            const auto marked = w.load(Site::marked, marked_, v);
            w.if_(marked != undecided, [&] { w.store(Site::drop, status_, v, marked); });
        });
    }

    Array<u32> priority_, status_, marked_, selected_, lowest_, stop_;
    u32 initialize_;
    std::array<u32, 3> kernels_ {};
};

/// The rounds select the same vertices as a sequential selection in order of priority, lowest
/// first.
std::string IndependentSet::difference() const {
    const Csr graph = this->graph();
    std::vector<u32> order(vertices_), selected(vertices_), out(vertices_);
    for (u32 v = 0; v < vertices_; ++v) order[priority_[v] - 1] = v;
    for (u32 v : order) {
        if (out[v]) continue;
        selected[v] = 1;
        for (u32 e = graph.row[v]; e < graph.row[v + 1]; ++e) out[graph.col[e]] = 1;
    }
    return first_difference("selected", selected_, selected);
}

const Entry entry {graph_workload({"mis"},
                                  "A maximal independent set by Luby's rounds, after Pannotia (Che "
                                  "et al., IISWC'13)",
                                  "CMD I (mis)", make<IndependentSet>, priorities_memory)};

} // namespace

} // namespace memsim::workload
