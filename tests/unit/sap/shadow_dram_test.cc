#include "core/machine/machine.hh"
#include "sap/shadow_dram.hh"
#include "sap/stack_distances.hh"
#include "upcoming_source.hh"

#include <catch2/catch.hpp>

namespace memsim::shadow_dram_test {

using namespace memsim::test;

namespace {

/// A upcoming_source and one shadow, of `capacities` from `least` on.
struct Shadow {
    Machine m;
    explicit Shadow(std::vector<PlannedHint> script, Arguments shadow = {}) {
        planned_hints() = std::move(script);
        m.add("upcoming_source", "test.UpcomingSource", {{"hearing", "1"}});
        m.add("shadow", "sap.ShadowDram", shadow);
        m.bind("upcoming_source", "accesses[0]", "shadow", "accesses");
        m.bind("upcoming_source", "upcoming[0]", "shadow", "recorded");
        m.build();
        m.start();
        REQUIRE(m.run(never) == Stop::idle);
        REQUIRE(m.imbalances().empty());
    }
    sap::ShadowDram::Stats& stat() { return m.get<sap::ShadowDram>("shadow").stat; }
};
PlannedHint access(std::uint64_t unit, bool write = false) { return {false, 4096 * unit, write}; }
PlannedHint upcoming(std::uint64_t unit) { return {true, 4096 * unit + 128, false}; }

} // namespace

TEST_CASE("SAP's Fig. 4: one miss brings units 524303 and 524306, and three accesses hit",
          "[sap]") {
    const std::uint64_t addresses[] = {2147545984, 2147560448, 2147560576, 2147560704};
    std::vector<PlannedHint> script;
    for (const std::uint64_t a : addresses) script.push_back({true, a, false});
    for (const std::uint64_t a : addresses) script.push_back({false, a, false});
    Shadow s(script);
    CHECK(addresses[0] / 4096 == 524303);
    CHECK(addresses[1] / 4096 == 524306);
    for (unsigned i = 0; i < 12; ++i) {
        CHECK(s.stat().sizes.misses[i].value() == 1);
        CHECK(s.stat().prefetches[i].value() == 1); // unit 524303 is the missing one itself
        CHECK(s.stat().sizes.hits[i].value() == 3);
        CHECK(s.stat().useful_prefetches[i].value() == 1);
    }
}

TEST_CASE("A hit brings nothing, and present units are not brought again", "[sap]") {
    // 1 is recorded when 0 hits; it is fetched with the miss of 2. 0 is recorded and present.
    Shadow s({access(0), upcoming(1), upcoming(0), access(0), access(2), access(1), access(0)});
    CHECK(s.stat().sizes.hits[0].value() == 3);
    CHECK(s.stat().sizes.misses[0].value() == 2);
    CHECK(s.stat().prefetches[0].value() == 1);
}

TEST_CASE("A record is empty after a miss, separately for each capacity", "[sap]") {
    // Two units or four: 0 is gone from two when it is accessed again, and that miss alone
    // brings 9.
    Shadow s(
        {access(0), access(1), access(2), upcoming(9), access(0), access(9), access(3), access(9)},
        {{"least", "8KiB"}, {"capacities", "2"}});
    CHECK(s.stat().sizes.misses[0].value() == 5); // 0 1 2 0, and 3
    CHECK(s.stat().prefetches[0].value() == 1);
    CHECK(s.stat().sizes.misses[1].value() == 5); // 0 1 2 9 3: 0 hits, 9 is fetched by its own miss
    CHECK(s.stat().prefetches[1].value() == 0);
}

TEST_CASE("Units brought with a missed one are limited by the remaining room", "[sap]") {
    std::vector<PlannedHint> script;
    for (std::uint64_t unit = 10; unit < 20; ++unit) script.push_back(upcoming(unit));
    script.push_back(access(5));
    script.push_back(access(5));
    script.push_back(access(10)); // the first of those that were recorded
    Shadow s(script, {{"least", "8KiB"}, {"capacities", "2"}});
    CHECK(s.stat().prefetches[0].value() == 1);
    CHECK(s.stat().prefetches[1].value() == 3);
    CHECK(s.stat().sizes.hits[0].value() == 2);
    CHECK(s.stat().evictions[0].value() == 0);
}

TEST_CASE("A replaced written unit is written back once", "[sap]") {
    Shadow s({access(0, true), access(1), access(2), access(0), access(1), access(2)},
             {{"least", "8KiB"}, {"capacities", "2"}});
    CHECK(s.stat().sizes.misses[0].value() == 6);
    CHECK(s.stat().evictions[0].value() == 4);
    CHECK(s.stat().sizes.written_back[0].value() == 1);
    CHECK(s.stat().sizes.written_back[1].value() == 0);
}

TEST_CASE("FIFO and LRU differ in the effect of an access", "[sap]") {
    const std::vector<PlannedHint> script {access(0), access(1), access(0), access(2), access(0)};
    const Arguments two {{"least", "8KiB"}, {"capacities", "1"}};
    CHECK(Shadow(script, two).stat().sizes.hits[0].value() == 2);
    Arguments fifo = two;
    fifo.push_back({"replacement", "fifo"});
    CHECK(Shadow(script, fifo).stat().sizes.hits[0].value() == 1);
}

TEST_CASE("A page prefetcher names units brought with a missed one", "[sap]") {
    Shadow s({access(5), access(4), access(7), access(8)},
             {{"prefetch", "page-on-page(pages=4)"}, {"prefetch_end", "40KiB"}});
    CHECK(s.stat().sizes.misses[0].value() == 2); // of 4 to 7, and of 8 and 9, where addresses end
    CHECK(s.stat().prefetches[0].value() == 4);
    CHECK(s.stat().useful_prefetches[0].value() == 2);
}

TEST_CASE("Stack distances give the hits and write-backs of LRU at every capacity", "[sap]") {
    planned_hints() = {};
    for (const std::uint64_t seed : {1, 2, 3}) {
        Machine m(seed);
        const Arguments sizes {{"least", "8KiB"}, {"capacities", "9"}};
        m.add("upcoming_source", "test.UpcomingSource",
              {{"count", "5000"}, {"listeners", "2"}, {"units", "200"}});
        m.add("shadow", "sap.ShadowDram", sizes);
        m.add("distances", "sap.StackDistances", sizes);
        m.bind("upcoming_source", "accesses[0]", "shadow", "accesses");
        m.bind("upcoming_source", "accesses[1]", "distances", "accesses");
        m.build();
        m.start();
        REQUIRE(m.run(never) == Stop::idle);
        const auto& lru = m.get<sap::ShadowDram>("shadow").stat;
        const auto& all = m.get<sap::StackDistances>("distances").stat;
        CHECK(all.sizes.accesses.value() == 5000);
        CHECK(all.units.value() == lru.sizes.misses[8].value()); // all of them fit there
        for (unsigned i = 0; i < 9; ++i) {
            CHECK(all.sizes.hits[i].value() == lru.sizes.hits[i].value());
            CHECK(all.sizes.misses[i].value() == lru.sizes.misses[i].value());
            CHECK(all.sizes.written_back[i].value() == lru.sizes.written_back[i].value());
        }
        CHECK(lru.sizes.written_back[0].value() > 100);
        CHECK(lru.sizes.hits[0].value() < lru.sizes.hits[4].value());
    }
}

TEST_CASE("Capacities that are not whole units are rejected", "[sap]") {
    for (const std::string component : {"sap.ShadowDram", "sap.StackDistances"}) {
        Machine m;
        CHECK_THROWS_WITH(
            m.add("shadow", component, {{"least", "10KiB"}}),
            Catch::Contains("shadow.least: '10KiB' must be a multiple of unit = 4KiB"));
    }
}

TEST_CASE("Capacities of more units than can be numbered are refused", "[sap]") {
    for (const std::string component : {"sap.ShadowDram", "sap.StackDistances"})
        for (const char* least :
             {"128MiB", "1024TiB"}) { // 2^15 x 2^23 units, and more than 2^64 bytes
            Machine m;
            m.add("source", "test.UpcomingSource", {});
            m.add("shadow", component, {{"least", least}, {"capacities", "24"}});
            m.bind("source", "accesses[0]", "shadow", "accesses");
            CHECK_THROWS_WITH(m.build(), Catch::Contains("shadow.capacities: 24 from "));
        }
}

} // namespace memsim::shadow_dram_test
