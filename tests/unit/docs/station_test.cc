#include "../../contract/oracle.hh"

#include <catch2/catch.hpp>

using namespace memsim;

namespace memsim::test {

static const RigFor station {"test.Station", [](Machine& m) {
                                 m.add("driver", "test.Driver", {{"gap", "3ns"}});
                                 m.add("station", "test.Station", {{"queue", "2"}});
                                 m.bind("driver", "mem", "station", "cpu_side");
                             }};

} // namespace memsim::test

TEST_CASE("docs/cpp.md's station serves as many requests at once as it has places, not one more") {
    Machine m;
    m.add("generator", "mem.TrafficGen", {{"requests", "100"}, {"period", "1ns"}});
    m.add("station", "test.Station", {{"places", "5"}, {"service", "40ns"}});
    m.bind("generator", "mem_side", "station", "cpu_side");
    m.build();
    m.start();
    m.run(never);
    CHECK(m.imbalances().empty());
    CHECK(m.stat_value("station", "requests", "") == 100);
    CHECK(m.stat_value("station", "busy", "peak") == 5);
    CHECK(m.stat_value("station", "latency", "max") == 40);
    // 20 rounds of five: each place is taken again in the tick in which it has become free.
    CHECK(m.sim().now() / 1'000'000 >= 20 * 40);
    CHECK(m.sim().now() / 1'000'000 <= 20 * 40 + 5);
}
