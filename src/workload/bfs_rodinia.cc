#include "workload/bfs.hh"
#include "workload/graph_reader.hh"

/// Breadth-first search as Rodinia 2.0 has it (Che et al., IISWC'09): `Kernel` expands the vertices
/// of a mask and marks what it reaches, `Kernel2` makes the marks the next mask, until none is
/// left. Device memory stands as the program allocates it, and arcs in the order of its input; the
/// numbers of compute() are those of its sm_80 code in an Accel-Sim trace of the original.
namespace memsim::workload {

namespace {

struct Input {
    Csr graph;
    u32 source;
};

/// Rodinia's own format brings its source along.
Input input_for(const Options& options) {
    Input input;
    if (!options.input.empty()) {
        InputFile file(options.input);
        if (is_rodinia(file.peek(16))) {
            input.graph = read_rodinia(file, &input.source);
            if (options.source) input.source = source_for(options, input.graph);
            return input;
        }
    }
    input.graph = graph_for(options);
    input.source = source_for(options, input.graph);
    return input;
}

class BfsRodinia final : public Application {
  public:
    explicit BfsRodinia(const Options& options) : BfsRodinia(options, input_for(options)) {}
    std::string difference() const override {
        std::vector<u32> row {0};
        for (u64 i = 1; i < nodes_.size; i += 2) row.push_back(row.back() + nodes_[i]);
        const Csr graph {vertices_, row, {edges_.host().begin(), edges_.host().end()}};
        return first_difference("cost", cost_, levels_by_queue(graph, source_));
    }

  private:
    BfsRodinia(const Options& options, const Input& input)
        : Application(options), vertices_(input.graph.vertices), source_(input.source) {
        std::vector<u32> nodes; // struct Node { int starting; int no_of_edges; }
        for (u32 v = 0; v < vertices_; ++v) {
            nodes.push_back(input.graph.row[v]);
            nodes.push_back(input.graph.row[v + 1] - input.graph.row[v]);
        }
        nodes_ = memory_.input("graph_nodes", nodes);
        edges_ = memory_.input("graph_edges", input.graph.col);
        mask_ = memory_.zeroed<u8>("graph_mask", vertices_);
        updating_ = memory_.zeroed<u8>("updating_graph_mask", vertices_);
        visited_ = memory_.zeroed<u8>("graph_visited", vertices_);
        cost_ = memory_.filled("cost", std::vector<u32>(vertices_, unseen)); // -1
        over_ = memory_.zeroed<u8>("over", 1);
        mask_[source_] = visited_[source_] = 1;
        cost_[source_] = 0;
        expand_ = kernel(
            "Kernel", 21, [this](Warp& w) { expand(w); }, Counted::machine_code);
        advance_ = kernel(
            "Kernel2", 14, [this](Warp& w) { advance(w); }, Counted::machine_code);
    }

    bool next() override {
        // The host clears the flag before each pair of kernels and reads it after.
        if (launches() % 2 == 1) {
            launch(advance_, vertices_, 512);
            return true;
        }
        if (launches() > 0 && over_[0] == 0) return false;
        over_[0] = 0;
        launch(expand_, vertices_, 512);
        return true;
    }
    void expand(Warp& w) {
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
                    // The compiler leaves the test before the first round out: count was read.
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
                                // Stores may have changed the node, for all that the compiler
                                // knows.
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
    void advance(Warp& w) {
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

    u32 vertices_, source_;
    Array<u32> nodes_, edges_;
    Array<u8> mask_, updating_, visited_;
    Array<u32> cost_;
    Array<u8> over_;
    u32 expand_, advance_;
};

const Entry entry {graph_workload({"bfs_rodinia", "bfs"},
                                  "Breadth-first search over masks, one vertex a thread, after "
                                  "Rodinia (Che et al., IISWC'09)",
                                  "CMD I (bfs), CXL (bfs), SAP (BFS)", make<BfsRodinia>)};

} // namespace

} // namespace memsim::workload
