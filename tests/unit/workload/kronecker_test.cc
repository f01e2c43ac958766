#include "workload/graph/input/kronecker.hh"

#include "support.hh"

namespace memsim::kronecker_test {

using namespace memsim::workload;

TEST_CASE("a seed gives the same Kronecker graph on every machine") {
    const Csr graph = kronecker_graph({10, 16, 1});
    CHECK(graph == kronecker_graph({10, 16, 1}));
    CHECK_FALSE(graph == kronecker_graph({10, 16, 2}));
    CHECK(digest_of(graph) == 0x29090d3db3db8a08);
}

TEST_CASE("a Kronecker graph is simple, and symmetric unless directed") {
    const Csr graph = kronecker_graph({10, 8, 3});
    validate(graph, "the graph");
    CHECK(graph == simplified(graph));
    std::vector<Arc> back;
    for (std::uint32_t v = 0; v < graph.vertices; ++v)
        for (std::uint32_t i = graph.row[v]; i < graph.row[v + 1]; ++i)
            back.emplace_back(graph.col[i], v);
    CHECK(graph == rows_of(graph.vertices, back));
    const Csr directed = kronecker_graph({10, 8, 3, true});
    CHECK(directed.col.size() < graph.col.size());
    CHECK(directed.col.size() > graph.col.size() / 2);
}

TEST_CASE("a social graph has no hubs like Graph500's") {
    const auto widest = [](const Initiator& initiator) {
        const Csr graph = kronecker_graph({14, 16, 1, false, initiator});
        const std::uint32_t v = widest_vertex(graph);
        return graph.row[v + 1] - graph.row[v];
    };
    // 16 x 2^14 x (a + b)^14, twice: both directions are arcs.
    CHECK(widest(social) > 1400);
    CHECK(widest(social) < 2500);
    CHECK(widest(graph500) > 2 * widest(social));
    static_assert(social.a + social.b + social.c + social.d == 100);
    static_assert(graph500.a + graph500.b + graph500.c + graph500.d == 100);
}

TEST_CASE("neighbours in a graph of communities have similar numbers") {
    const auto near = [](bool renumber) { // arcs to the 64 vertices around their own, of a hundred
        const Csr graph = kronecker_graph({14, 16, 1, false, social, renumber});
        std::size_t count = 0;
        for (std::uint32_t v = 0; v < graph.vertices; ++v)
            for (std::uint32_t i = graph.row[v]; i < graph.row[v + 1]; ++i)
                count += graph.col[i] / 64 == v / 64;
        return 100. * static_cast<double>(count) / static_cast<double>(graph.col.size());
    };
    CHECK(near(true) < 0.6);  // 64 / 2^14 is 0.4 %
    CHECK(near(false) > 0.8); // (a + d)^8 is 1 %
}

TEST_CASE("a bad Kronecker graph") {
    CHECK(error_of([] { kronecker_graph({29}); }) ==
          "a Kronecker graph of scale 29, where 1 to 28 is right (2^scale vertices)");
    CHECK(error_of([] {
              kronecker_graph({20, 4096});
          }) == "an edge factor of 4096 at scale 20, where 1 to 2047 is right");
}

} // namespace memsim::kronecker_test
