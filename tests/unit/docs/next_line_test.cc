#include "../../contract/oracle.hh"

#include <catch2/catch.hpp>

using namespace memsim;

namespace memsim::test {

/// A cache that is read in order, with or without the prefetcher of docs/recipes.md.
static void read_in_order(Machine& m, bool prefetch) {
    m.add("traffic", "mem.TrafficGen",
          {{"requests", "400"},
           {"range", "64KiB"},
           {"pattern", "sequential"},
           {"size", "128"},
           {"outstanding", "1"}});
    m.add("cache", "mem.Cache",
          {{"capacity", "96KiB"},
           {"ways", "6"},
           {"observers", prefetch ? "1" : "0"},
           {"hint_ports", prefetch ? "1" : "0"}});
    m.add("memory", "mem.SimpleMemory", {});
    m.bind("traffic", "mem_side", "cache", "cpu_side");
    m.bind("cache", "mem_side", "memory", "cpu_side");
    if (!prefetch) return;
    m.add("prefetcher", "test.NextLine", {});
    m.bind("cache", "events", "prefetcher", "events");
    m.bind("prefetcher", "hints", "cache", "hints");
}
static const RigFor next_line {"test.NextLine", [](Machine& m) { read_in_order(m, true); }};

} // namespace memsim::test

TEST_CASE("docs/recipes.md's prefetcher fetches the line after each missing one", "[docs]") {
    const auto misses = [](bool prefetch) {
        Machine m;
        test::read_in_order(m, prefetch);
        m.build();
        m.start();
        CHECK(m.run(never) == Stop::idle);
        return m.stat_value("cache", "misses", "");
    };
    CHECK(misses(false) == 400);
    CHECK(misses(true) <= 200);
}
