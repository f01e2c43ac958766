#include "flash/drive/fixed_drive.hh"
#include "mem/page_cache/page_cache.hh"
#include "sap/memory_manager.hh"
#include "watched.hh"

namespace memsim::memory_manager_test {

using namespace memsim::test;
using gpu_program::WarpOpKind;

namespace {

/// SMs with L1s, an L2, and a DRAM before a drive; a manager watches them.
struct Watched {
    Machine m;
    explicit Watched(const Script& script, Arguments manager = {}, unsigned sms = 1,
                     const std::string& l1 = "32KiB", const std::string& drive = "50us") {
        scripts() = {script};
        m.add("memory", "mem.PageCache", {{"capacity", "1MiB"}});
        m.add("dram", "mem.SimpleMemory", {});
        m.add("drive", "flash.FixedDrive", {{"read_latency", drive}});
        m.bind("memory", "dram_side", "dram", "cpu_side");
        m.bind("memory", "drive_side", "drive", "requests");
        add_watched(m, sms, std::move(manager), {{"clock", "700MHz"}}, l1);
        m.bind("l2", "mem_side", "memory", "cpu_side");
        m.build();
        m.start();
        REQUIRE(m.run(never) == Stop::idle);
        REQUIRE(m.imbalances().empty());
    }
    sap::MemoryManager& manager() { return m.get<sap::MemoryManager>("manager"); }
    mem::PageCache::Stats& memory() { return m.get<mem::PageCache>("memory").stat; }
};

void load(gpu_program::WarpStreamWriter& w, std::uint64_t at, std::uint64_t waits = 0) {
    w.access(WarpOpKind::load, 16, 1, 4, word(at, 0), nullptr, waits);
}

} // namespace

TEST_CASE("Warps' loads of two units miss once: SAP's Fig. 4 in a machine", "[sap]") {
    Script s;
    s.footprint = std::uint64_t {3} << 30;
    s.warps = 4;
    s.write = [](auto& w, unsigned warp) {
        const std::uint64_t addresses[] = {2147545984, 2147560448, 2147560576, 2147560704};
        w.compute(~0u, 40);
        load(w, addresses[warp]);
    };
    Watched m(s);
    CHECK(m.memory().front.misses.value() == 1);
    CHECK(m.memory().ahead.prefetches.value() == 1);
    CHECK(m.memory().units_in.value() == 2);
    CHECK(m.memory().front.hits.value() + m.memory().front.merged.value() == 3);
    CHECK(m.manager().stat.hints.value() == 2); // both units; the memory ignores the present one
}

TEST_CASE("Lines held by the L1 or the L2 are not recorded", "[sap]") {
    Script s;
    s.write = [](auto& w, unsigned) {
        load(w, 0);
        w.compute(~0u, 400, 1); // waits for it
        load(w, 64);            // of the same line
        load(w, 8192);
        load(w, 12288);
    };
    Watched m(s, {{"lookahead", "2"}});
    // The last look before the two loads sees a line that is held, and the unit of 8192.
    CHECK(m.manager().stat.cached_lines.value() > 10);
    CHECK(m.memory().front.misses.value() == 3);
    CHECK(m.memory().ahead.prefetches.value() == 0);
    Watched further(s, {{"lookahead", "3"}});
    CHECK(further.memory().front.misses.value() == 2); // 12288 is fetched with 8192
    CHECK(further.memory().ahead.prefetches.value() == 1);
}

TEST_CASE("Lines held only by the L2 are not recorded", "[sap]") {
    Script s;
    s.write = [](auto& w, unsigned) {
        load(w, 0);
        load(w, 128);
        load(w, 256); // an L1 of two lines holds 0 no longer
        w.compute(~0u, 400, 7);
        load(w, 0);
    };
    Watched m(s, {{"lookahead", "1"}}, 1, "256B");
    CHECK(m.manager().stat.cached_lines.value() > 10);
}

TEST_CASE("Schedulers are queried each period, except while there is no block", "[sap]") {
    Script s;
    s.write = [](auto& w, unsigned) { w.compute(~0u, 1000); }; // 22 cycles each: 22,000
    const auto looks = [&](const std::string& period, unsigned sms) {
        return Watched(s, {{"period", period}}, sms).manager().stat.looks.value();
    };
    // One query after the block arrives, one for each period of 1000 cycles that ends before the
    // block does, and one that is not answered.
    CHECK(looks("1000", 1) == 24);
    CHECK(looks("500", 1) == 46);
    CHECK(looks("1000", 3) == 26); // the other two are read once: they have no block
}

TEST_CASE("Schedulers are not queried while all warps wait for the drive", "[sap]") {
    Script s;
    s.warps = 4;
    s.write = [](auto& w, unsigned warp) {
        load(w, 8192 * warp);
        w.compute(~0u, 10, 1); // 50 us later
        load(w, 8192 * warp + 4096);
    };
    const std::string trigger = GENERATE("miss", "period");
    const std::string wait = GENERATE("50us", "500us");
    Watched m(s, {{"period", "100"}, {"trigger", trigger}}, 1, "32KiB", wait);
    // A period has 143 ns: 350 or 3,500 of them end while the warps wait.
    CHECK(m.manager().stat.looks.value() < 40);
    CHECK(m.memory().front.hits.value() + m.memory().front.merged.value() +
              m.memory().front.misses.value() ==
          8);
    CHECK(m.manager().stat.hints.value() <= 8); // not again for a unit that stays in view
}

TEST_CASE("With the trigger 'period', units are requested before they are missed", "[sap]") {
    Script s;
    s.write = [](auto& w, unsigned) {
        w.compute(~0u, 4000);
        load(w, 8192);
    };
    Watched waits(s, {{"lookahead", "1"}});
    CHECK(waits.memory().front.misses.value() == 1);
    Watched ahead(s, {{"lookahead", "1"}, {"trigger", "period"}});
    CHECK(ahead.memory().front.misses.value() == 0);
    CHECK(ahead.memory().front.hits.value() == 1);
    CHECK(ahead.memory().ahead.prefetches.value() == 1);
    CHECK(ahead.manager().stat.hints.value() == 1); // not again while it waits
}

TEST_CASE("The number of units that wait for hints is limited by the record", "[sap]") {
    Script s;
    s.warps = 16;
    s.write = [](auto& w, unsigned warp) { // each warp another unit, again and again
        for (unsigned i = 0; i < 8; ++i) {
            w.compute(~0u, 20);
            load(w, 4096 * (16 * i + warp));
        }
    };
    Watched all(s, {{"trigger", "period"}});
    Watched few(s, {{"trigger", "period"}, {"record", "2"}, {"queue", "1"}});
    CHECK(all.manager().stat.dropped_units.value() == 0);
    CHECK(few.manager().stat.dropped_units.value() > 10);
    CHECK(few.manager().stat.hints.value() < all.manager().stat.hints.value());
}

TEST_CASE("A memory manager without required connections is rejected", "[sap]") {
    const auto build = [](const Arguments& manager, const std::string& l1) {
        Machine m;
        m.add("manager", "sap.MemoryManager", manager);
        m.add("sm", "gpu.Sm", {});
        m.add("dispatcher", "gpu.Dispatcher", {{"sms", "1"}});
        m.add("host", "test.ScriptHost", {{"script", "0"}});
        m.add("l1", "mem.Cache", {{"control_ports", l1 == "l1" ? "1" : "0"}});
        m.add("l2", "mem.Cache", {{"control_ports", "1"}});
        if (l1 == "other") m.add("other", "mem.SimpleMemory", {});
        m.add("memory", "mem.SimpleMemory", {});
        m.bind("host", "dispatcher", "dispatcher", "host");
        m.bind("dispatcher", "sm_side[0]", "sm", "blocks");
        m.bind("sm", "mem_side", "l1", "cpu_side");
        m.bind("l1", "mem_side", "l2", "cpu_side");
        m.bind("l2", "mem_side", "memory", "cpu_side");
        m.bind("manager", "queries[0]", "sm", "queries");
        m.bind("sm", "upcoming", "manager", "upcoming[0]");
        if (l1 == "l1")
            m.bind("manager", "l1[0]", "l1", "control[0]");
        else
            m.bind("manager", "l1[0]", "other", "cpu_side");
        m.bind("manager", "l2[0]", "l2", "control[0]");
        m.build();
    };
    scripts() = {Script {}};
    CHECK_THROWS_WITH(build({{"trigger", "period"}}, "l1"),
                      Catch::Contains("manager.trigger: hints each period require a memory"));
    CHECK_THROWS_WITH(build({}, "l1"),
                      Catch::Contains("manager.hints: no component receives the recorded units"));
    CHECK_THROWS_WITH(build({}, "other"),
                      Catch::Contains("l1[0]: it must be bound to port control[0] of a cache"));
    CHECK_THROWS_WITH(build({{"period", "0"}}, "l1"), Catch::Contains("manager.period"));
    CHECK_THROWS_WITH(build({{"lookahead", "0"}}, "l1"), Catch::Contains("manager.lookahead"));
}

} // namespace memsim::memory_manager_test
