#include "workload/graph/bfs_rodinia.hh"

#include "workload/graph/bfs.hh"
#include "workload/graph/input/graph_reader.hh"

namespace memsim::workload {

struct RodiniaSearch::Input {
    Csr graph;
    u32 source = 0;

    /// Rodinia's format contains the source.
    explicit Input(const Options& options) {
        if (!options.input.empty()) {
            InputFile file(options.input);
            if (is_rodinia(file.peek(16))) {
                graph = read_rodinia(file, &source);
                if (options.source) source = source_for(options, graph);
                return;
            }
        }
        graph = graph_for(options);
        source = source_for(options, graph);
    }
};

RodiniaSearch::RodiniaSearch(const Options& options, DeviceMemory& memory)
    : RodiniaSearch(Input(options), memory) {}

RodiniaSearch::RodiniaSearch(const Input& input, DeviceMemory& memory)
    : vertices_(input.graph.vertices), source_(input.source) {
    std::vector<u32> nodes; // struct Node { int starting; int no_of_edges; }
    for (u32 v = 0; v < vertices_; ++v) {
        nodes.push_back(input.graph.row[v]);
        nodes.push_back(input.graph.row[v + 1] - input.graph.row[v]);
    }
    nodes_ = memory.input("graph_nodes", nodes);
    edges_ = memory.input("graph_edges", input.graph.col);
    mask_ = memory.zeroed<u8>("graph_mask", vertices_);
    updating_ = memory.zeroed<u8>("updating_graph_mask", vertices_);
    visited_ = memory.zeroed<u8>("graph_visited", vertices_);
    cost_ = memory.filled("cost", std::vector<u32>(vertices_, unseen)); // -1
    over_ = memory.zeroed<u8>("over", 1);
    mask_[source_] = visited_[source_] = 1;
    cost_[source_] = 0;
}

std::string RodiniaSearch::difference() const {
    std::vector<u32> row {0};
    for (u64 i = 1; i < nodes_.size; i += 2) row.push_back(row.back() + nodes_[i]);
    const Csr graph {vertices_, row, {edges_.host().begin(), edges_.host().end()}};
    return first_difference("cost", cost_, levels_by_queue(graph, source_));
}

void RodiniaSearch::expand(Warp& w) const {
    enum class Site : u32 {
        mask = 0x09,
        clear = 0x0d,
        count = 0x0f,
        start = 0x12,
        edge = 0x19,
        visited = 0x1d,
        own_cost = 0x1f,
        cost = 0x27,
        updating = 0x28,
        count_again = 0x29,
        start_again = 0x2a
    };
    w.compute(6);
    const auto t = w.thread();
    w.if_(t < vertices_, [&] {
        w.compute(3);
        const auto mask = w.load(Site::mask, mask_, t);
        w.compute(2);
        w.if_(mask != 0, [&] {
            w.compute(1);
            w.store(Site::clear, mask_, t, 0);
            w.compute(1);
            const auto node = t << 1;
            auto count = w.load(Site::count, nodes_, node, 1);
            w.compute(2);
            w.if_(count > 0u, [&] {
                auto start = w.load(Site::start, nodes_, node);
                w.compute(5);
                auto i = start;
                // The compiler omits the test before the first iteration, because count was read.
                bool first = true;
                w.while_(
                    [&] {
                        const Cond again = first ? Cond(w.active()) : i < start + count;
                        first = false;
                        return again;
                    },
                    [&] {
                        w.compute(1);
                        const auto id = w.load(Site::edge, edges_, i);
                        w.compute(3);
                        const auto visited = w.load(Site::visited, visited_, id);
                        w.compute(1);
                        w.if_(visited == 0, [&] {
                            const auto own = w.load(Site::own_cost, cost_, t);
                            w.compute(7);
                            w.store(Site::cost, cost_, id, own + 1);
                            w.store(Site::updating, updating_, id, 1);
                            // The compiler must assume that stores have changed the node.
                            count = w.load(Site::count_again, nodes_, node, 1);
                            start = w.load(Site::start_again, nodes_, node);
                        });
                        i = i + 1;
                        w.compute(6);
                    });
            });
        });
    });
}

void RodiniaSearch::advance(Warp& w) const {
    enum class Site : u32 { updating = 0x0a, mask = 0x15, visited = 0x18, over, clear };
    w.compute(6);
    const auto t = w.thread();
    w.if_(t < vertices_, [&] {
        w.compute(4);
        const auto updating = w.load(Site::updating, updating_, t);
        w.compute(2);
        w.if_(updating != 0, [&] {
            w.compute(8);
            w.store(Site::mask, mask_, t, 1);
            w.compute(2);
            w.store(Site::visited, visited_, t, 1);
            w.store(Site::over, over_, Lanes<u32> {}, 1);
            w.store(Site::clear, updating_, t, 0);
        });
    });
}

namespace {

class BfsRodinia final : public Application {
  public:
    explicit BfsRodinia(const Options& options) : Application(options), search_(options, memory_) {
        expand_ = kernel(
            "Kernel", RodiniaSearch::expand_registers, [this](Warp& w) { search_.expand(w); },
            Counted::machine_code);
        advance_ = kernel(
            "Kernel2", RodiniaSearch::advance_registers, [this](Warp& w) { search_.advance(w); },
            Counted::machine_code);
    }
    std::string difference() const override { return search_.difference(); }

  private:
    bool next() override {
        const bool second = launches() % 2 == 1;
        if (!second) {
            if (launches() > 0 && search_.ended()) return false;
            search_.begin_round();
        }
        launch(second ? advance_ : expand_, search_.vertices(), RodiniaSearch::threads_per_block);
        return true;
    }

    RodiniaSearch search_;
    u32 expand_, advance_;
};

const Entry entry {graph_workload({"bfs_rodinia", "bfs"},
                                  "Breadth-first search over masks, one vertex per thread, after "
                                  "Rodinia (Che et al., IISWC'09)",
                                  "CMD I (bfs), CXL (bfs), SAP (BFS)", make<BfsRodinia>)};

} // namespace

} // namespace memsim::workload
