#include "workload/graph/graph_application.hh"

/// Degree centrality after GraphBIG (Nai et al., SC'15): a thread per vertex adds its arcs to its
/// own count and one to each neighbour's count.
namespace memsim::workload {

namespace {

enum class Site : u32 { row_begin, row_end, own, neighbour, its };

class Degree final : public GraphApplication<NoHost> {
  public:
    explicit Degree(const Options& options) : GraphApplication(options) {
        degree_ = memory_.zeroed<u32>("degree", vertices_);
        count_ = kernel("degree", 14, [this](Warp& w) {
            const auto v = w.thread();
            w.if_(v < vertices_, [&] {
                const auto begin = w.load(Site::row_begin, row_, v);
                const auto end = w.load(Site::row_end, row_, v, 1);
                w.reduce_add(Site::own, degree_, v, end - begin);
                w.for_(begin, end, [&](const auto& arc) {
                    const auto to = w.load(Site::neighbour, col_, arc);
                    w.reduce_add(Site::its, degree_, to, all_lanes(1u));
                });
            });
        });
    }
    std::string difference() const override {
        std::vector<u32> degree(vertices_);
        for (u32 v = 0; v < vertices_; ++v) degree[v] = row_[v + 1] - row_[v];
        for (u32 to : col_.host()) ++degree[to];
        return first_difference("degree", degree_, degree);
    }

  private:
    bool next() override {
        if (launches() > 0) return false;
        launch_over_vertices(count_);
        return true;
    }

    Array<u32> degree_;
    u32 count_;
};

const Entry entry {graph_workload({"deg"},
                                  "Degree centrality: arcs out of and into each vertex, after "
                                  "GraphBIG (Nai et al., SC'15)",
                                  "ZnG II (deg)", make<Degree>)};

} // namespace

} // namespace memsim::workload
