#include "../../contract/oracle.hh"

#include <catch2/catch.hpp>

using namespace memsim;

namespace memsim::test {

static const RigFor throttle {"test.Throttle", [](Machine& m) {
                                  m.add("driver", "test.Driver", {{"gap", "3ns"}});
                                  m.add("throttle", "test.Throttle", {{"queue", "2"}});
                                  m.add("memory", "mem.SimpleMemory", {});
                                  m.bind("driver", "mem", "throttle", "cpu_side");
                                  m.bind("throttle", "mem_side", "memory", "cpu_side");
                              }};

} // namespace memsim::test

TEST_CASE("the tutorial's throttle lets a request pass in each period, not one more") {
    Machine m;
    m.add("generator", "mem.TrafficGen", {{"requests", "100"}});
    m.add("throttle", "test.Throttle", {{"period", "50ns"}});
    m.add("memory", "mem.SimpleMemory", {{"latency", "100ns"}});
    m.bind("generator", "mem_side", "throttle", "cpu_side");
    m.bind("throttle", "mem_side", "memory", "cpu_side");
    m.build();
    m.start();
    // The last request leaves 99 periods after the first, and is answered within 101 ns.
    CHECK(m.run(99 * 50'000'000LL) == Stop::limit);
    CHECK(m.stat_value("throttle", "passed", "") == 99);
    m.run(never);
    CHECK(m.imbalances().empty());
    CHECK(m.stat_value("generator", "reads", "") == 100);
    CHECK(m.sim().now() / 1'000'000 - 99 * 50 <= 101);
}
