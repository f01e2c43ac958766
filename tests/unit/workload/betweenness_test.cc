#include "run.hh"
#include "support.hh"
#include "workload/graph/brandes.hh"
#include "workload/graph/path_count.hh"

#include <cmath>

namespace memsim::betweenness_test {

using namespace memsim::workload;

namespace {

/// 0 < 1, 2 > 3 < 4, 5 > 6 ...: each diamond doubles the number of paths.
std::vector<Arc> diamonds(u32 n) {
    std::vector<Arc> arcs;
    for (u32 v = 0; v < 3 * n; v += 3)
        for (u32 side : {v + 1, v + 2}) {
            arcs.emplace_back(v, side);
            arcs.emplace_back(side, v + 3);
        }
    return arcs;
}
std::string text_of(const std::vector<Arc>& arcs) {
    std::string text;
    for (const auto& [from, to] : arcs)
        text += std::to_string(from) + " " + std::to_string(to) + "\n";
    return text;
}

/// By the definition: pairs of vertices, counting paths by searches from both.
std::vector<double> by_definition(const Csr& graph, u32 source) {
    const auto search = [&](u32 from) {
        std::vector<std::pair<u32, double>> found(graph.vertices, {~0u, 0});
        std::vector<u32> queue {from};
        found[from] = {0, 1};
        for (std::size_t at = 0; at < queue.size(); ++at)
            for (u32 e = graph.row[queue[at]]; e < graph.row[queue[at] + 1]; ++e) {
                const u32 to = graph.col[e];
                if (found[to].first == ~0u) {
                    found[to].first = found[queue[at]].first + 1;
                    queue.push_back(to);
                }
                if (found[to].first == found[queue[at]].first + 1)
                    found[to].second += found[queue[at]].second;
            }
        return found;
    };
    std::vector<double> centrality(graph.vertices);
    const auto from_source = search(source);
    for (u32 v = 0; v < graph.vertices; ++v) {
        if (v == source || from_source[v].second == 0) continue;
        const auto from_v = search(v);
        for (u32 t = 0; t < graph.vertices; ++t)
            if (t != v && from_v[t].second > 0 &&
                from_source[v].first + from_v[t].first == from_source[t].first)
                centrality[v] += from_source[v].second * from_v[t].second / from_source[t].second;
    }
    return centrality;
}

} // namespace

TEST_CASE("betweenness of a graph with 2^200 shortest paths", "[workloads]") {
    constexpr u32 n = 200;
    const TemporaryFile file("diamonds.txt", text_of(diamonds(n)));
    Options options;
    options.input = file.path;
    options.source = 0;
    const auto betw = make_workload("betw", options);
    const std::vector<u32> centrality = stored(*betw, "centrality");
    REQUIRE(centrality.size() == 3 * n + 1);
    // All later vertices are reached through one vertex, half of them on either side.
    for (u32 v = 1; v <= 3 * n; ++v) {
        const u32 next = (v + 2) / 3 * 3;
        const double behind = v % 3 == 0 ? 3 * n - v : (1.0 + 3 * n - next) / 2;
        CAPTURE(v);
        CHECK(std::bit_cast<float>(centrality[v]) == Approx(behind));
    }
    CHECK(betw->difference() == "");
}

TEST_CASE("Brandes' algorithm agrees with the definition", "[workloads]") {
    for (u64 seed : {1, 2, 3}) {
        Options options;
        options.size = 6;
        options.seed = seed;
        options.generator = seed == 3 ? "grid" : "kronecker";
        std::vector<Arc> arcs; // and some arcs one way
        for (u32 v = 0; v < 40; ++v) arcs.emplace_back(v, static_cast<u32>((v * v + seed) % 64));
        for (u32 v = 0; v < 63; ++v) arcs.emplace_back(v, v + 1);
        const Csr graph = graph_of(64, arcs);
        Brandes brandes(graph, {0, 0});
        std::vector<double> expected(64);
        for (u32 source : {0u, 17u}) {
            brandes.add(source);
            const auto its = by_definition(graph, source);
            for (u32 v = 0; v < 64; ++v) expected[v] += its[v];
        }
        for (u32 v = 0; v < 64; ++v)
            CHECK(static_cast<double>(brandes.centrality()[v].value) == Approx(expected[v]));
    }
}

TEST_CASE("path counts are exact to 2^21 and rounded to nearest up to 2^4096", "[workloads]") {
    using namespace path_count;
    const auto count = [](u64 n) { // by doubling
        u32 sum_of = 0, power = one;
        for (; n != 0; n >>= 1, power = sum(power, power))
            if (n & 1) sum_of = sum(sum_of, power);
        return sum_of;
    };
    for (u64 n : {0u, 1u, 2u, 3u, 1000u, 1234567u, (1u << 21) - 1, 1u << 21})
        CHECK(value(count(n)) == n);
    const u32 large = count(1 << 21);
    CHECK(value(sum(large, one)) == 1 << 21);            // half of the last bit: to the even one
    CHECK(value(sum(large, count(2))) == (1 << 21) + 2); // the last bit
    CHECK(value(sum(count((1 << 21) + 2), one)) == (1 << 21) + 4); // a half again, to the even one
    CHECK(value(sum(count((1 << 22) - 2), count(3))) == 1 << 22);  // carries into the exponent
    CHECK(value(sum(count(u64 {1} << 43), one)) == std::ldexp(1.0L, 43));
    CHECK(ratio(count(3), count(4)) == 0.75f);
    CHECK(ratio(one, count(u64 {1} << 60)) == 0x1p-60f);
    u32 most = one;
    for (u32 n = 1; n < 4095; ++n) most = sum(most, most);
    CHECK(value(most) == std::ldexp(1.0L, 4094));
    CHECK(ratio(one, most) == 0);
    CHECK(error_of([&] {
              sum(most, most);
          }).starts_with("more than 2^4096 shortest paths lead to a vertex"));
}

} // namespace memsim::betweenness_test
