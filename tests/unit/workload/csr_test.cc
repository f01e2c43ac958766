#include "workload/graph/input/csr.hh"

#include "support.hh"

namespace memsim::csr_test {

using namespace memsim::workload;

TEST_CASE("a symmetric graph has each arc once in both directions, and no loops") {
    const Csr given = graph_of(5, {{0, 1}, {0, 1}, {1, 0}, {2, 2}, {3, 1}, {1, 4}, {2, 0}});
    const Csr both = graph_of(5, {{0, 1}, {1, 0}, {1, 3}, {3, 1}, {1, 4}, {4, 1}, {0, 2}, {2, 0}});
    CHECK(symmetric(given) == both);
    CHECK(symmetric(both) == both);
    CHECK(symmetric(graph_of(2, {{1, 1}})) == graph_of(2, {}));
}

} // namespace memsim::csr_test
