#include "access_reporter.hh"

#include "core/kernel/registry.hh"
#include "core/machine/machine.hh"
#include "mem/cache/cache.hh"
#include "zng/read_path/prefetcher.hh"

namespace memsim::test_zng::prefetcher_test {

using test_mem::arguments;
using test_mem::value;
using zng::Prefetcher;

static const Registration<AccessReporter> reporter {"Reports accesses; for tests."};

namespace {

constexpr std::uint64_t page = 4096;
constexpr Tick to_hint = 1 + 833'334; // an event's link, and that of the hint

struct Rig {
    explicit Rig(const std::string& params) {
        m.add("reporter", "test_zng.AccessReporter", {});
        m.add("prefetcher", "zng.Prefetcher", arguments(params));
        m.bind("reporter", "events", "prefetcher", "events[0]");
        m.bind("prefetcher", "hints[0]", "reporter", "hints");
        m.build();
    }
    void run() {
        m.start();
        CHECK(m.run(never) == Stop::idle);
        CHECK(m.imbalances().empty());
    }
    AccessReporter& reporter() { return m.get<AccessReporter>("reporter"); }
    Prefetcher& prefetcher() { return m.get<Prefetcher>("prefetcher"); }
    std::size_t hints() { return reporter().state.seen.size(); }
    Machine m;
};

std::string error_of(const std::string& params) {
    try {
        Rig rig(params);
    } catch (const ConfigError& e) {
        return e.what();
    }
    return "";
}

} // namespace

TEST_CASE("A counter of 12 is not above the threshold, 13 is", "[zng][prefetcher]") {
    const int same = GENERATE(11, 12, 13, 14);
    Rig rig("variant=predict-4KBpref");
    auto& t = rig.reporter();
    t.read(5 * page); // recorded
    for (int i = 0; i < same - 1; ++i) t.read(5 * page + 128);
    t.read(5 * page + 256, 8, 0, true); // the last re-access is the miss
    rig.run();
    CHECK(rig.hints() == (same >= 13 ? 1u : 0u));
    if (same < 13) {
        CHECK(value(rig.prefetcher().stat.cut_off) == 1);
        return;
    }
    const auto& seen = t.state.seen.front();
    CHECK(seen.hint.address == 5 * page);
    CHECK(seen.hint.bytes == page);
    CHECK(seen.hint.pc == 8);
    CHECK(seen.at == (same + 1) * ns + to_hint);
}

TEST_CASE("A read of another page decrements the counter and is recorded", "[zng][prefetcher]") {
    Rig rig("variant=predict-4KBpref");
    auto& t = rig.reporter();
    t.read(0);
    for (int i = 0; i < 13; ++i) t.read(128);
    t.read(page, 8, 0, true); // 12
    t.read(page, 8, 0, true); // 13 again
    rig.run();
    REQUIRE(rig.hints() == 1);
    CHECK(t.state.seen.front().hint.address == page);
}

TEST_CASE("The counter saturates at 15 and at 0", "[zng][prefetcher]") {
    Rig rig("variant=predict-4KBpref");
    auto& t = rig.reporter();
    t.read(0);
    for (int i = 0; i < 100; ++i) t.read(0);                  // 15
    for (std::uint64_t i = 1; i <= 2; ++i) t.read(i * page);  // 13
    t.read(2 * page, 8, 0, true);                             // 14: a hint
    for (std::uint64_t i = 3; i <= 5; ++i) t.read(i * page);  // 11
    t.read(5 * page, 8, 0, true);                             // 12: none
    for (std::uint64_t i = 6; i < 100; ++i) t.read(i * page); // 0
    for (int i = 0; i < 12; ++i) t.read(99 * page);
    t.read(99 * page, 8, 0, true); // 13: a hint
    rig.run();
    CHECK(rig.hints() == 2);
}

TEST_CASE("An entry tracks five warps, not a sixth", "[zng][prefetcher]") {
    Rig rig("variant=predict-4KBpref");
    auto& t = rig.reporter();
    for (std::uint16_t w = 0; w < 6; ++w) t.read(w * page, 8, w);
    for (int i = 0; i < 20; ++i) t.read(5 * page, 8, 5); // not followed
    t.read(5 * page, 8, 5, true);
    rig.run();
    CHECK(rig.hints() == 0);
    CHECK(value(rig.prefetcher().stat.untracked) == 22);

    Rig fifth("variant=predict-4KBpref");
    for (std::uint16_t w = 0; w < 6; ++w) fifth.reporter().read(w * page, 8, w);
    for (int i = 0; i < 13; ++i) fifth.reporter().read(4 * page, 8, 4, i == 12);
    fifth.run();
    CHECK(fifth.hints() == 1);
}

TEST_CASE("PCs and applications have separate entries until one is replaced", "[zng][prefetcher]") {
    Rig rig("variant=predict-4KBpref entries=512");
    auto& t = rig.reporter();
    for (int i = 0; i < 14; ++i) t.read(0, 8, 0);
    t.read(0, 16, 0, true);
    t.read(0, 8, 0, true);
    t.state.plan.entries.back().message.application = 1; // the same PC of another
    t.read(0, 8, 0, true);
    rig.run();
    CHECK(rig.hints() == 1);
    CHECK(value(rig.prefetcher().stat.takeovers) == 0);

    Rig one("variant=predict-4KBpref entries=1");
    for (int i = 0; i < 14; ++i) one.reporter().read(0, 8, 0);
    one.reporter().read(0, 16, 0);
    one.reporter().read(0, 8, 0, true);
    one.run();
    CHECK(one.hints() == 0);
    CHECK(value(one.prefetcher().stat.takeovers) == 2);
}

TEST_CASE("A table of 512 entries retains far more of 400 PCs than a table of 64",
          "[zng][prefetcher]") {
    const auto takeovers = [](const char* entries) {
        Rig rig(std::string("variant=predict-4KBpref entries=") + entries);
        for (std::uint32_t pc = 0; pc < 400; ++pc) rig.reporter().read(0, pc * 8);
        rig.run();
        return value(rig.prefetcher().stat.takeovers);
    };
    CHECK(takeovers("512") < 200); // 400 - 512 x (1 - exp(-400/512)) = 122 if spread evenly
    CHECK(takeovers("64") >= 336);
}

TEST_CASE("Accuracy is the share of correct predictions", "[zng][prefetcher]") {
    Rig rig("variant=predict-4KBpref");
    auto& t = rig.reporter();
    t.read(0);                               // nothing known
    for (int i = 0; i < 13; ++i) t.read(0);  // the counter is not above 12: nothing is predicted
    for (int i = 0; i < 7; ++i) t.read(128); // predicted, right
    t.read(page);                            // predicted, wrong
    rig.run();
    const auto& s = rig.prefetcher().stat;
    CHECK(value(s.predictions) == 8);
    CHECK(value(s.predictions_right) == 7);
}

TEST_CASE("The variants of Fig. 16b", "[zng][prefetcher]") {
    const auto [variant, bytes] = GENERATE(table<std::string, std::uint32_t>(
        {{"nopref", 0}, {"1KBpref", 1024}, {"4KBpref", 4096}, {"predict-4KBpref", 0}}));
    Rig rig("variant=" + variant);
    rig.reporter().read(3 * page + 1000, 8, 0, true);
    rig.reporter().read(3 * page + 4000, 8, 1, true);
    rig.reporter().read(3 * page, 8, 2); // a hit brings nothing
    rig.run();
    REQUIRE(rig.hints() == (bytes ? 2u : 0u));
    if (!bytes) return;
    const auto& seen = rig.reporter().state.seen;
    CHECK(seen[0].hint.bytes == bytes);
    CHECK(seen[0].hint.address == 3 * page + (bytes == 4096 ? 0 : 896)); // from its line on
    CHECK(seen[1].hint.address == 4 * page - bytes);                     // not beyond the page
}

TEST_CASE("The size halves above 0.3 and grows by 1 KB below 0.05, at the edge",
          "[zng][prefetcher]") {
    // 1000 evictions a window: 300 and 50 are the thresholds themselves, and change nothing.
    const auto [unused, first, size] =
        GENERATE(table<unsigned, std::uint32_t, std::uint32_t>({{301, 4096, 2048},
                                                                {300, 4096, 4096},
                                                                {50, 2048, 2048},
                                                                {49, 2048, 3072},
                                                                {0, 4096, 4096},
                                                                {1000, 128, 128},
                                                                {301, 3072, 1536}}));
    Rig rig("window=1000 initial=" + std::to_string(first) + "B");
    rig.reporter().evict(true, std::min(unused, 999u));
    if (unused < 1000) rig.reporter().evict(false, 999 - unused);
    rig.m.start();
    rig.m.run(1000 * ns + ns / 2);
    CHECK(rig.prefetcher().state.size == first); // 999 are no window
    CHECK(rig.prefetcher().state.evictions == 999);

    Rig whole("window=1000 initial=" + std::to_string(first) + "B");
    whole.reporter().evict(true, unused);
    whole.reporter().evict(false, 1000 - unused);
    whole.run();
    CHECK(whole.prefetcher().state.size == size);
    CHECK(whole.prefetcher().state.evictions == 0);
    CHECK(value(whole.prefetcher().stat.growths) == (size > first ? 1 : 0));
    CHECK(value(whole.prefetcher().stat.halvings) == (size < first ? 1 : 0));
}

TEST_CASE("Only dyn-pref adapts to the monitor", "[zng][prefetcher]") {
    Rig rig("variant=predict-4KBpref window=10");
    rig.reporter().evict(true, 100);
    rig.run();
    CHECK(rig.prefetcher().state.size == 4096);
    CHECK(value(rig.prefetcher().stat.halvings) == 0);
    CHECK(value(rig.prefetcher().stat.unused) == 100);
}

TEST_CASE("Next to a cache, the prefetcher sends hints for a page after a miss",
          "[zng][prefetcher]") {
    const std::string variant = GENERATE("nopref", "4KBpref");
    Machine m;
    m.add("driver", "test_mem.Driver", {});
    m.add("cache", "mem.Cache",
          arguments("capacity=8KiB ways=8 latency=10ns mshrs=64 mem_queue=64 hint_ports=1 "
                    "observers=1"));
    m.add("memory", "mem.SimpleMemory", {});
    m.add("prefetcher", "zng.Prefetcher", {{"variant", variant}});
    m.bind("driver", "mem_side", "cache", "cpu_side");
    m.bind("cache", "mem_side", "memory", "cpu_side");
    m.bind("cache", "events[0]", "prefetcher", "events[0]");
    m.bind("prefetcher", "hints[0]", "cache", "hints[0]");
    m.build();
    auto& d = m.get<test_mem::Driver>("driver");
    for (int i = 0; i < 32; ++i) d.read(i * us, 4096 + 128 * static_cast<std::uint64_t>(i), 128);
    d.write(40 * us, 64 * 1024, 128); // writes are not looked at
    m.start();
    CHECK(m.run(never) == Stop::idle);
    CHECK(m.imbalances().empty());
    const auto& c = m.get<mem::Cache>("cache").stat;
    const auto& p = m.get<Prefetcher>("prefetcher").stat;
    CHECK(value(c.reads) == 32); // a hint is no demand
    CHECK(value(d.stat.answered) == 32);
    CHECK(value(p.reads) == 32);
    const bool on = variant == "4KBpref";
    CHECK(value(p.hints) == on);
    CHECK(value(c.prefetches) == (on ? 31 : 0));
    CHECK(value(c.prefetches_used) == (on ? 31 : 0));
    CHECK(value(c.misses) == (on ? 2 : 33)); // the write among them
    CHECK(value(c.fetched_bytes) == 4096);
}

TEST_CASE("An eviction reports whether a prefetched line was never used", "[zng][prefetcher]") {
    Machine m;
    m.add("driver", "test_mem.Driver", {});
    m.add("cache", "mem.Cache",
          arguments("capacity=4KiB ways=32 latency=10ns mshrs=64 mem_queue=64 hint_ports=1 "
                    "observers=1")); // one set, one page
    m.add("memory", "mem.SimpleMemory", {});
    m.add("prefetcher", "zng.Prefetcher", {{"variant", "4KBpref"}});
    m.bind("driver", "mem_side", "cache", "cpu_side");
    m.bind("cache", "mem_side", "memory", "cpu_side");
    m.bind("cache", "events[0]", "prefetcher", "events[0]");
    m.bind("prefetcher", "hints[0]", "cache", "hints[0]");
    m.build();
    auto& d = m.get<test_mem::Driver>("driver");
    d.read(0, 0, 128);
    d.read(10 * us, 128, 128);
    d.read(20 * us, 8192, 128); // 32 lines are evicted; two of them were requested
    m.start();
    CHECK(m.run(never) == Stop::idle);
    const auto& p = m.get<Prefetcher>("prefetcher").stat;
    CHECK(value(p.evictions) == 32);
    CHECK(value(p.unused) == 30);
}

namespace {

/// A prefetch at each miss, next to the second of two slices: its statistics, or the error message.
std::string prefetched(const std::string& chunk, std::uint64_t missed) {
    Machine m;
    m.add("reporter", "test_zng.AccessReporter", {});
    m.add("prefetcher", "zng.Prefetcher", arguments("variant=4KBpref"));
    m.add("driver", "test_mem.Driver", {});
    m.add("cache", "mem.Cache",
          {{"capacity", "96KiB"},
           {"mshrs", "64"},
           {"interleave_ways", "2"},
           {"interleave_index", "1"},
           {"interleave_granularity", chunk},
           {"hint_ports", "1"}});
    m.add("memory", "mem.SimpleMemory", {});
    m.bind("driver", "mem_side", "cache", "cpu_side");
    m.bind("cache", "mem_side", "memory", "cpu_side");
    m.bind("reporter", "events", "prefetcher", "events[0]");
    m.bind("prefetcher", "hints[0]", "cache", "hints[0]");
    m.add("idle", "test_mem.Driver", {});
    m.bind("idle", "mem_side", "reporter", "hints");
    try {
        m.build();
    } catch (const ConfigError& e) {
        return e.what();
    }
    m.get<AccessReporter>("reporter").read(missed, 8, 0, true);
    m.start();
    CHECK(m.run(never) == Stop::idle);
    return std::to_string(value(m.get<Prefetcher>("prefetcher").stat.hinted_bytes)) + " bytes, " +
           std::to_string(std::lround(m.stat_value("cache", "prefetches", ""))) + " lines";
}

} // namespace

TEST_CASE("A prefetch lies in the chunk of its slice", "[zng][prefetcher]") {
    CHECK(prefetched("4KiB", page + 128) == "4096 bytes, 32 lines");
    CHECK(prefetched("2KiB", page + 2048 + 128) == "2048 bytes, 16 lines");
    CHECK(prefetched("3KiB", 3072) ==
          "prefetcher.page: 4KiB and the interleaving chunk of 3072B of cache do not divide "
          "each other: make one of them a multiple of the other");
}

TEST_CASE("Misuse of a prefetcher gives an error message", "[zng][prefetcher]") {
    using Catch::Contains;
    CHECK_THAT(error_of("low=40%"), Contains("prefetcher.low") && Contains("exceeds high"));
    CHECK(error_of("low=30%").empty());
    CHECK_THAT(error_of("threshold=15"), Contains("prefetcher.threshold") &&
                                             Contains("counter of 4 bits, whose maximum is 15"));
    CHECK(error_of("threshold=14").empty());
    CHECK_THAT(error_of("initial=8KiB"), Contains("prefetcher.initial"));
    CHECK_THAT(error_of("step=100B"), Contains("prefetcher.step"));
    CHECK_THAT(error_of("page=5000B"), Contains("power of two"));
    CHECK_THAT(error_of("line=100B"), Contains("prefetcher.line"));
}

} // namespace memsim::test_zng::prefetcher_test
