#include "core/machine/machine.hh"
#include "mem/cache/cache.hh"
#include "mem/traffic/traffic_gen.hh"

#include <catch2/catch.hpp>

// The tutorial's policy keeps a part of a loop that LRU loses whole.

TEST_CASE("the tutorial's policy keeps a part of a loop", "[docs][policy]") {
    using namespace memsim;
    const auto hits = [](const char* policy) {
        Machine m;
        m.add("traffic", "mem.TrafficGen",
              {{"requests", "400"},
               {"range", "1KiB"},
               {"pattern", "sequential"},
               {"size", "128"},
               {"outstanding", "1"}});
        m.add("cache", "mem.Cache", {{"capacity", "768B"}, {"ways", "6"}, {"replacement", policy}});
        m.add("memory", "mem.SimpleMemory", {});
        m.bind("traffic", "mem_side", "cache", "cpu_side");
        m.bind("cache", "mem_side", "memory", "cpu_side");
        m.build();
        m.start();
        CHECK(m.run(never) == Stop::idle);
        return m.stat_value("cache", "hits", "");
    };
    CHECK(hits("lru") == 0);
    CHECK(hits("mru") > 200);
}
