#include "driver.hh"

#include <catch2/catch.hpp>

namespace memsim::cache_commands_test {

using namespace memsim::test_mem;

TEST_CASE(
    "A memory has nothing to do for a command for a cache, and answers one that is waited for",
    "[mem]") {
    for (const auto& [type, latency] :
         {std::pair {"mem.SimpleMemory", "100ns"}, std::pair {"mem.DramController", "2ns"}}) {
        Machine m;
        m.add("driver", "test_mem.Driver", {});
        m.add("memory", type, {{"latency", latency}});
        m.bind("driver", "mem_side", "memory", "cpu_side");
        auto& driver = m.get<Driver>("driver");
        driver.plan(0, Command::invalidate, 0, 0, true);
        driver.plan(0, Command::flush, 0, 32);
        driver.read(0, 0);
        m.build(), m.start();
        CHECK(m.run(never) == Stop::idle);
        CHECK(driver.state.answers.size() == 2);
        CHECK(m.stat_value("memory", "reads", "") == 1);
        CHECK(m.stat_value("memory", "writes", "") == 0);
        CHECK(m.imbalances().empty());
    }
}

} // namespace memsim::cache_commands_test
