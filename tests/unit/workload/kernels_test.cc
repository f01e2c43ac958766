#include "workload/application.hh"
#include "workload/bfs_data.hh"
#include "workload/bfs_topology.hh"
#include "workload/graph_reader.hh"
#include "workload/kronecker.hh"
#include "workload/pagerank.hh"

#include "support.hh"

#include <deque>

using namespace memsim;
using namespace memsim::workload;
using protocol::WarpOp;
using protocol::WarpStreamReader;

namespace {

/// The textbook's search, with a queue.
std::vector<u32> levels_by_queue(const Csr& graph, u32 source) {
    std::vector<u32> level(graph.vertices, unseen);
    level[source] = 0;
    for (std::deque<u32> queue {source}; !queue.empty(); queue.pop_front())
        for (u32 i = graph.row[queue.front()]; i < graph.row[queue.front() + 1]; ++i)
            if (const u32 to = graph.col[i]; level[to] == unseen) {
                level[to] = level[queue.front()] + 1;
                queue.push_back(to);
            }
    return level;
}

/// PageRank by pulling over the reversed graph, in the same fixed point.
std::vector<u32> ranks_by_pulling(const Csr& graph, u32 iterations) {
    std::vector<Arc> back;
    for (u32 v = 0; v < graph.vertices; ++v)
        for (u32 i = graph.row[v]; i < graph.row[v + 1]; ++i) back.emplace_back(graph.col[i], v);
    const Csr into = rows_of(graph.vertices, back);
    std::vector<u32> rank(graph.vertices, (1u << 31) / graph.vertices);
    for (u32 n = 0; n < iterations; ++n) {
        std::vector<u32> fresh(graph.vertices);
        for (u32 v = 0; v < graph.vertices; ++v) {
            u64 sum = 0;
            for (u32 i = into.row[v]; i < into.row[v + 1]; ++i) {
                const u32 from = into.col[i];
                sum += rank[from] / (graph.row[from + 1] - graph.row[from]);
            }
            // 0.85 in Q0.32 is 3650722201; 0.15 in Q1.31 is 322122547.
            fresh[v] = 322122547 / graph.vertices + static_cast<u32>(sum * 3650722201u >> 32);
        }
        rank = fresh;
    }
    return rank;
}

u64 digest_of_streams(const BlockStreams& streams) {
    u64 hash = streams.counts.operations;
    for (const auto& bytes : streams.warps)
        hash = digest_of(std::vector<u32>(bytes.begin(), bytes.end()), hash);
    return hash;
}

/// Runs to the end and gives a digest of every block's streams.
std::vector<u64> run_to_end(KernelSource& application) {
    std::vector<u64> digests;
    BlockStreams out;
    for (Launch launch; application.next_launch(launch);)
        for (u32 block = 0; block < launch.blocks(); ++block) {
            application.run_block(block, out);
            digests.push_back(digest_of_streams(out));
        }
    return digests;
}

struct Operation {
    WarpOpKind kind;
    u32 mask;
    u32 instructions;
    u64 first_address; ///< of the lowest active lane
    bool operator==(const Operation&) const = default;
};
std::ostream& operator<<(std::ostream& to, const Operation& o) {
    return to << "{" << int(o.kind) << ", " << o.mask << ", " << o.instructions << ", "
              << o.first_address << "}";
}

std::vector<Operation> operations(const std::vector<u8>& bytes) {
    std::vector<Operation> all;
    u64 position = 0;
    WarpOp op;
    for (WarpStreamReader reader(bytes, position); reader.next(op);)
        all.push_back(
            {op.kind, op.mask, op.instructions,
             protocol::touches_memory(op.kind) ? op.address[std::countr_zero(op.mask)] : 0});
    return all;
}

void check_results(const Csr& graph, u32 source, u32 iterations) {
    const auto levels = levels_by_queue(graph, source);
    BfsTopology topology(graph, {source, {}});
    run_to_end(topology);
    CHECK((topology.levels() == levels));
    BfsData data(graph, {source, {512}});
    run_to_end(data);
    CHECK((data.levels() == levels));
    Pagerank pagerank(graph, {iterations, 0, {}});
    run_to_end(pagerank);
    CHECK((pagerank.ranks() == ranks_by_pulling(graph, pagerank.state.iteration)));
    CHECK(pagerank.state.iteration <= iterations);
}

// 0 -> 1, 0 -> 2, 1 -> 3, 2 -> 3, 3 -> 0; 4 is not reached; 5 leads to itself twice.
const Csr hand = graph_of(6, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 0}, {4, 0}, {5, 5}, {5, 5}});

template <class Application, class Options>
void check_copied_midway(const Csr& graph, const Options& options) {
    Application whole(graph, options);
    const auto expected = run_to_end(whole);
    REQUIRE(expected.size() > 40);
    for (std::size_t stop :
         {std::size_t {0}, std::size_t {3}, std::size_t {31}, expected.size() - 1}) {
        Application first(graph, options);
        Launch launch;
        BlockStreams out;
        u32 block = 0;
        REQUIRE(first.next_launch(launch));
        for (std::size_t n = 0; n < stop; ++n) {
            if (block == launch.blocks()) {
                REQUIRE(first.next_launch(launch));
                block = 0;
            }
            first.run_block(block++, out);
        }
        Saver saved;
        first.save(saved);
        Application second(graph, options);
        Loader from(saved.bytes);
        second.load(from);
        CHECK(from.done());
        CHECK(second.state.progress.next_block == block);
        std::vector<u64> rest;
        while (block < launch.blocks()) {
            second.run_block(block++, out);
            rest.push_back(digest_of_streams(out));
        }
        const auto later = run_to_end(second);
        rest.insert(rest.end(), later.begin(), later.end());
        CHECK((rest == std::vector<u64>(expected.begin() + static_cast<std::ptrdiff_t>(stop),
                                        expected.end())));
        CHECK(second.result_digest() == whole.result_digest());
    }
}

} // namespace

TEST_CASE("kernels compute what plain programs compute") {
    check_results(hand, 0, 20);
    check_results(hand, 4, 0);
    check_results(graph_of(1, {}), 0, 3);
    for (u32 scale : {5u, 8u, 11u}) {
        const Csr graph = kronecker_graph({scale, 8, scale});
        check_results(graph, widest_vertex(graph), 20);
    }
}

TEST_CASE("kernels compute what plain programs compute on a real graph") {
    const std::string path = shared_data("graphs/wiki-Vote.txt");
    if (path.empty()) return;
    const Csr graph = read_graph(path);
    check_results(graph, widest_vertex(graph), 20);
}

TEST_CASE("levels of a graph that was worked out by hand") {
    BfsTopology bfs(hand, {0, {}});
    run_to_end(bfs);
    CHECK((bfs.levels() == std::vector<u32> {0, 1, 1, 2, unseen, unseen}));
    CHECK(bfs.state.depth == 2); // the launch that finds nothing new is the last one
    CHECK(bfs.state.progress.launches == 4);
}

TEST_CASE("a search's stream, instruction by instruction") {
    // 0 -> 1; row at 0, col at 256, level at 512, changed at 768
    BfsTopology bfs(graph_of(2, {{0, 1}}), {0, {32}});
    CHECK(bfs.footprint_bytes() == 1024);
    REQUIRE(bfs.allocations().size() == 4);
    CHECK(bfs.allocations()[2].name == "level");
    CHECK(bfs.allocations()[2].base == 512);
    CHECK(bfs.allocations()[2].bytes == 8);

    Launch launch;
    BlockStreams out;
    constexpr auto compute = WarpOpKind::compute, load = WarpOpKind::load,
                   store = WarpOpKind::store, exit = WarpOpKind::exit;
    REQUIRE(bfs.next_launch(launch));
    CHECK(launch.kernel == "bfs_initialize");
    CHECK(launch.blocks() == 1);
    bfs.run_block(0, out);
    REQUIRE(out.warps.size() == 1);
    CHECK(operations(out.warps[0]) ==
          std::vector<Operation> {
              {compute, ~0u, 6, 0}, {compute, 3, 5, 0}, {store, 3, 1, 512}, {exit, ~0u, 1, 0}});
    CHECK(out.counts.thread_instructions == 32 * 6 + 2 * 5 + 2 + 32);

    REQUIRE(bfs.next_launch(launch));
    CHECK(launch.kernel == "bfs_topology");
    CHECK(launch.registers_per_thread == 14);
    bfs.run_block(0, out);
    CHECK(operations(out.warps[0]) ==
          std::vector<Operation> {{compute, ~0u, 6, 0},
                                  {compute, 3, 3, 0},
                                  {load, 3, 1, 512}, // own level
                                  {compute, 3, 2, 0},
                                  {compute, 1, 4, 0},
                                  {load, 1, 1, 0}, // row
                                  {load, 1, 1, 4},
                                  {compute, 1, 6, 0}, // 2 before the loop is entered, 4 after
                                  {load, 1, 1, 256},  // neighbour
                                  {compute, 1, 2, 0},
                                  {load, 1, 1, 516}, // its level
                                  {compute, 1, 8, 0},
                                  {store, 1, 1, 516},
                                  {store, 1, 1, 768},
                                  {compute, 1, 3, 0},
                                  {exit, ~0u, 1, 0}});
    CHECK(out.counts.lane_accesses == 8);
}

TEST_CASE("stores carry values when they are asked for, and the addresses stay the same") {
    BfsTopology bfs(hand, {1, {}});
    Launch launch;
    BlockStreams out;
    out.with_values = true;
    REQUIRE(bfs.next_launch(launch));
    bfs.run_block(0, out);
    u64 position = 0;
    WarpOp op;
    WarpStreamReader reader(out.warps[0], position);
    while (reader.next(op) && op.kind != WarpOpKind::store)
        ;
    REQUIRE(op.has_values);
    CHECK(op.mask == 0x3f);
    CHECK(op.value[0] == unseen);
    CHECK(op.value[1] == 0);
    CHECK(op.value[6] == 0); // not active
}

TEST_CASE("the counter of the queue is increased once a warp") {
    std::vector<Arc> star;
    for (u32 v = 1; v <= 40; ++v) {
        star.emplace_back(0, v);
        star.emplace_back(v, 40 + v);
    }
    BfsData bfs(graph_of(81, star), {0, {32}});
    BlockStreams out;
    Launch launch;
    for (int n = 0; n < 2; ++n) {
        REQUIRE(bfs.next_launch(launch));
        for (u32 b = 0; b < launch.blocks(); ++b) bfs.run_block(b, out);
    }
    REQUIRE(bfs.next_launch(launch)); // the 40 leaves, in two blocks
    REQUIRE(launch.blocks() == 2);
    bfs.run_block(0, out);
    std::vector<u32> masks;
    for (const Operation& o : operations(out.warps[0]))
        if (o.kind == WarpOpKind::atomic) masks.push_back(o.mask);
    CHECK(masks == std::vector<u32> {~0u, 1}); // 32 claims, one addition of 32
    CHECK(bfs.state.count.data[0] == 32);
}

TEST_CASE("PageRank stops when no rank moves by more than the threshold") {
    const Csr graph = kronecker_graph({8, 8, 1});
    Pagerank settled(graph, {1000, rank_one / 1000000, {}}),
        coarse(graph, {1000, rank_one / 1000, {}});
    run_to_end(settled);
    run_to_end(coarse);
    CHECK(settled.state.iteration < 200);
    CHECK(coarse.state.iteration < settled.state.iteration / 2);
    u64 sum = 0;
    for (u32 rank : settled.ranks()) sum += rank;
    CHECK(sum < rank_one);
    CHECK(sum > rank_one / 2);
}

TEST_CASE("streams are the same on every machine and compiler") {
    const Csr graph = kronecker_graph({8, 8, 1});
    const auto digest = [](KernelSource&& application) {
        u64 hash = 0;
        for (u64 block : run_to_end(application)) hash = hash * 0x9e3779b97f4a7c15 + block;
        return hash;
    };
    CHECK(digest(BfsTopology(graph, {0, {64}})) == 0xbe3364afef09172f);
    CHECK(digest(BfsData(graph, {0, {64}})) == 0x746d448447be5c6b);
    CHECK(digest(Pagerank(graph, {2, 0, {64}})) == 0xe1885293d3d92557);
}

TEST_CASE("a state saved between two blocks goes on in another instance with equal streams") {
    const Csr graph = kronecker_graph({12, 8, 5});
    check_copied_midway<BfsTopology>(graph, BfsOptions {widest_vertex(graph), {}});
    check_copied_midway<BfsData>(graph, BfsOptions {widest_vertex(graph), {64}});
    check_copied_midway<Pagerank>(graph, PagerankOptions {3, 0, {}});
}

TEST_CASE("a state is refused by an application with another graph") {
    BfsTopology one(hand, {0, {}});
    BfsTopology other(graph_of(6, {{0, 1}}), {0, {}});
    Saver saved;
    one.save(saved);
    Loader from(saved.bytes);
    CHECK(error_of([&] { other.load(from); }) == "the checkpoint was taken with another graph: put "
                                                 "the graph's file back as it was, or start "
                                                 "again without --restore");
}

TEST_CASE("an application is made by its kind") {
    const auto digest = [](ApplicationKind kind, const ApplicationOptions& options) {
        const auto application = make_application(kind, hand, options);
        run_to_end(*application);
        return application->result_digest();
    };
    // Vertex 0 has two arcs, as the loops of 5 are; the lowest is taken.
    CHECK(digest(ApplicationKind::bfs_topology, {}) == digest_of(levels_by_queue(hand, 0)));
    ApplicationOptions options;
    options.source = 2;
    options.iterations = 4;
    CHECK(digest(ApplicationKind::bfs_data, options) == digest_of(levels_by_queue(hand, 2)));
    CHECK(digest(ApplicationKind::pagerank, options) == digest_of(ranks_by_pulling(hand, 4)));
}

TEST_CASE("bad options") {
    CHECK(error_of([] {
              BfsTopology bfs(hand, {6, {}});
          }) == "source is vertex 6, but the graph's vertices run from 0 to 5");
    CHECK(error_of([] {
              BfsData bfs(hand, {0, {2048}});
          }) == "threads_per_block is 2048, but a block has 1 to 1024 threads");
    CHECK(error_of([] { Pagerank pagerank(Csr {}, {}); }) ==
          "the graph has no vertex; give one with at least 1");
    BfsTopology strict(hand, {0, {32, 3}});
    CHECK(error_of([&] { run_to_end(strict); }) ==
          "block 0 of kernel bfs_topology ran over the limit of 3 operations: blocks run one after "
          "the other, so one that waits for another never ends; if it is only long, raise "
          "operation_limit");
}

TEST_CASE("blocks out of order are our own mistake") {
    BfsTopology bfs(kronecker_graph({10}), {0, {}});
    Launch launch;
    BlockStreams out;
    REQUIRE(bfs.next_launch(launch));
    REQUIRE(launch.blocks() == 4);
    bfs.run_block(0, out);
    CHECK_THROWS_AS(bfs.run_block(2, out), Panic);
    CHECK_THROWS_AS(bfs.next_launch(launch), Panic);
}
