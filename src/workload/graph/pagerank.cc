#include "workload/graph/graph_application.hh"
#include "workload/simt/near.hh"

/// PageRank by pushing, one vertex per thread, after Pannotia (Che et al., IISWC'13). `scatter`
/// adds rank / degree to each neighbour atomically; `gather` computes the new rank 0.15 / n + 0.85
/// x that sum (Brin and Page 1998) and clears the sum. A vertex without arcs contributes nothing
/// (as in Pannotia), so ranks sum to less than 1 and sums cannot overflow. Ranks are fixed-point
/// Q1.31 (1 << 31 is 1.0) in u32: as wide as CUDA's float, with exact sums in any order, so results
/// are equal on all machines. Quotients and products are truncated.
namespace memsim::workload {

struct PagerankHost {
    u32 iteration = 0;   ///< started so far
    bool gather = false; ///< the next kernel is gather
};

namespace {

constexpr u32 rank_one = 1u << 31;
constexpr u32 damping = static_cast<u32>((u64 {85} << 32) / 100); // 0.85 in Q0.32
constexpr u32 teleport_of_all = static_cast<u32>(u64 {15} * rank_one / 100);

class Pagerank final : public GraphApplication<PagerankHost> {
  public:
    explicit Pagerank(const Options& options)
        : GraphApplication(options), teleport_(teleport_of_all / vertices_) {
        rank_ = memory_.zeroed<u32>("rank", vertices_);
        next_ = memory_.zeroed<u32>("next", vertices_);
        changed_ = memory_.zeroed<u8>("changed", 1);
        const auto add = [this](const char* name, u32 registers,
                                void (Pagerank::*body)(Warp&, const Lanes<u32>&)) {
            return kernel(
                name, registers,
                [this, body](Warp& w) {
                    w.compute(6);
                    const auto v = w.thread();
                    w.if_(v < vertices_, [&] { (this->*body)(w, v); });
                },
                Counted::machine_code);
        };
        initialize_ = add("pagerank_initialize", 10, &Pagerank::initialize);
        scatter_ = add("pagerank_scatter", 14, &Pagerank::scatter);
        gather_ = add("pagerank_gather", 12, &Pagerank::gather);
    }
    std::string difference() const override;

  private:
    bool next() override {
        if (launches() == 0)
            launch_over_vertices(initialize_);
        else if (host.gather) {
            launch_over_vertices(gather_);
            host.gather = false;
        } else {
            // The host reads and clears the flag after each iteration.
            if (launches() > 1 && changed_[0] == 0) return false;
            if (host.iteration == options_.iterations) return false;
            ++host.iteration;
            changed_[0] = 0;
            launch_over_vertices(scatter_);
            host.gather = true;
        }
        return true;
    }
    // Arguments of compute() are instructions of sm_80 machine code: docs/models/workloads.md.
    void initialize(Warp& w, const Lanes<u32>& v) {
        enum class Site : u32 { rank, next };
        w.compute(5);
        w.store(Site::rank, rank_, v, rank_one / vertices_);
        w.store(Site::next, next_, v, 0);
    }
    void scatter(Warp& w, const Lanes<u32>& v) {
        enum class Site : u32 { row_begin, row_end, rank, neighbour, add };
        w.compute(5);
        auto arc = w.load(Site::row_begin, row_, v);
        const auto end = w.load(Site::row_end, row_, v, 1);
        w.compute(2);
        w.if_(arc < end, [&] {
            w.compute(2);
            const auto rank = w.load(Site::rank, rank_, v);
            w.compute(22);
            const auto share = w.divide(rank, end - arc);
            w.while_([&] { return arc < end; },
                     [&] {
                         const auto to = w.load(Site::neighbour, col_, arc);
                         w.compute(6);
                         w.reduce_add(Site::add, next_, to, share);
                         w.compute(1);
                         arc = arc + 1;
                     });
        });
    }
    void gather(Warp& w, const Lanes<u32>& v) {
        enum class Site : u32 { next, rank, set_rank, clear_next, set_changed };
        w.compute(4);
        const auto sum = w.load(Site::next, next_, v);
        const auto before = w.load(Site::rank, rank_, v);
        w.compute(6);
        const auto rank = w.apply<u32>(
            2, [&](u32 i) { return teleport_ + static_cast<u32>(u64 {sum[i]} * damping >> 32); },
            sum);
        w.store(Site::set_rank, rank_, v, rank);
        w.store(Site::clear_next, next_, v, 0);
        w.compute(3);
        w.if_(rank != before, [&] {
            w.compute(3);
            w.store(Site::set_changed, changed_, Lanes<u32> {}, 1);
        });
    }

    u32 teleport_; ///< the rank of a vertex without neighbours
    Array<u32> rank_;
    Array<u32> next_; ///< contributions of neighbours in this iteration
    Array<u8> changed_;
    u32 initialize_, scatter_, gather_;
};

/// Reference by pulling over the reversed graph, in double, with all iterations: after an earlier
/// stop no rank would have changed. Fixed-point results may be lower, by less than a unit for each
/// truncated share, product and initial value.
std::string Pagerank::difference() const {
    const Csr graph = this->graph();
    std::vector<Arc> back;
    for (u32 v = 0; v < graph.vertices; ++v)
        for (u32 i = graph.row[v]; i < graph.row[v + 1]; ++i) back.emplace_back(graph.col[i], v);
    const Csr into = rows_of(graph.vertices, back);
    struct Rank {
        double value, behind;
    };
    constexpr double unit = 0x1p-31;
    const double n = graph.vertices;
    std::vector<Rank> rank(graph.vertices, {1 / n, unit});
    double moved = 1;
    for (u32 i = 0; i < options_.iterations && moved > unit / 1e6; ++i) {
        std::vector<Rank> fresh(graph.vertices);
        moved = 0;
        for (u32 v = 0; v < graph.vertices; ++v) {
            Rank sum {0, 0};
            for (u32 arc = into.row[v]; arc < into.row[v + 1]; ++arc) {
                const u32 from = into.col[arc];
                const double arcs = graph.row[from + 1] - graph.row[from];
                sum.value += rank[from].value / arcs;
                sum.behind += rank[from].behind / arcs + unit;
            }
            fresh[v] = {0.15 / n + 0.85 * sum.value, 0.85 * sum.behind + 3 * unit};
            moved = std::max({moved, std::abs(fresh[v].value - rank[v].value),
                              std::abs(fresh[v].behind - rank[v].behind)});
        }
        rank = fresh;
    }
    std::vector<double> ours;
    for (u32 fixed : rank_.host()) ours.push_back(fixed * unit);
    return first_far<double>("rank", ours,
                             [&](u64 v) { // deviations above and below the middle are equal
                                 const double half = rank[v].behind / 2;
                                 return std::pair(rank[v].value - half, half + unit / 100);
                             });
}

const Entry entry {
    graph_workload({"pr", "pagerank"},
                   "PageRank by pushing, one vertex per thread, after Pannotia (Che et "
                   "al., IISWC'13)",
                   "ZnG II (pr), Ohm II (pagerank), CMD I (pagerank)", make<Pagerank>)};

} // namespace

} // namespace memsim::workload
