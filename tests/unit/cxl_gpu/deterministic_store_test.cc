#include "support.hh"

namespace memsim::test_cxl_gpu::deterministic_store_test {

namespace {

using cxl_gpu::LoadPath;
using cxl_gpu::StorePath;
using Addresses = std::vector<std::uint64_t>;

/// A tree of no time, one write at a time, an endpoint of 10 us: a local memory of 50 ns is fast.
Bench bench(const std::string& stores, const std::string& endpoint = "least=10us most=10us") {
    return Bench({"level_time=0fs flushes=1 reserve_base=1MiB " + stores, {}, endpoint});
}
/// From a request's sending to its completion in local memory: four links.
constexpr Tick copied = 1 + 1 + 50 * ns + 1;
/// From a request's sending to the endpoint, and to its answer.
constexpr Tick there = 2, back = there + 10 * us + 2;

} // namespace

TEST_CASE("A store completes with its copy and is sent to the endpoint at once", "[cxl_gpu]") {
    Bench b = bench("");
    b.driver().write(0, 4096, 64, false);
    b.run();
    CHECK(b.driver().answered(0) == copied);
    CHECK(b.endpoint().when(Command::write, 4096) == there);
    CHECK(value(b.stores().stat.stores[StorePath::dual]) == 1);
    CHECK(b.stores().stat.store_latency.percentile(100) < 60 * ns);
    CHECK(value(b.stores().stat.flushes) == 0);
    CHECK(value(b.local().stat.writes) == 1);
}

TEST_CASE("A store whose search ends between clock edges reaches a clocked memory at the next edge",
          "[cxl_gpu]") {
    Queues parts {"level_time=300ps reserve_base=1MiB", {}, "least=10us most=10us"};
    parts.network = "inputs=1 outputs=1 clock=1GHz latency=1ns width=64B";
    Bench b(parts);
    for (std::uint64_t i = 0; i < 20; ++i) b.driver().write(i * 7'300'000, i * 64, 64, false);
    b.run();
    CHECK(b.driver().state.answers.size() == 20);
    CHECK(value(b.local().stat.writes) >= 20);
}

TEST_CASE("A hint passes a deterministic store and is not a store", "[cxl_gpu]") {
    Bench b = bench("");
    b.driver().plan(0, Command::hint, 4096, 256, true);
    b.run();
    CHECK(b.endpoint().addresses(Command::hint) == Addresses {4096});
    CHECK(b.stores().stat.store_latency.count() == 0);
    CHECK(value(b.local().stat.writes) == 0);
}

TEST_CASE("A posted store is not answered", "[cxl_gpu]") {
    Bench b = bench("");
    b.driver().write(0, 4096, 64, true);
    b.run();
    CHECK(b.driver().state.answers.empty());
    CHECK(b.stores().stat.store_latency.count() == 1);
}

TEST_CASE("A store is pushed onto the stack only if another one is outstanding", "[cxl_gpu]") {
    const bool early = GENERATE(true, false);
    Bench b = bench("");
    b.driver().write(0, 0, 64, false);
    const Tick second = early ? back - 3 : back - 2; // the response arrives one tick later
    b.driver().write(second, 64, 64, false);
    b.run();
    CHECK(value(b.stores().stat.stores[StorePath::stacked]) == (early ? 1 : 0));
    CHECK(value(b.stores().stat.stores[StorePath::dual]) == (early ? 1 : 2));
    CHECK(value(b.stores().stat.flushes) == (early ? 1 : 0));
    CHECK(b.driver().answered(1) == second + copied);
    const Tick answered = back - 1; // here: the line is read behind the copy of 64 fs, and written
    CHECK(b.endpoint().when(Command::write, 64) ==
          (early ? answered + 64 + 50 * ns + 1 : second + there));
}

TEST_CASE("A store is pushed onto the stack if the root port has no room", "[cxl_gpu]") {
    Bench b = bench("", "queue=1 takes=false");
    b.driver().read(0, 4096, 64); // takes all of it
    b.driver().write(us, 0, 64, false);
    b.m.start();
    b.m.run(2 * us);
    CHECK(value(b.stores().stat.stores[StorePath::stacked]) == 1);
    CHECK(b.driver().answered(1) == us + copied);
}

TEST_CASE("The stack is written newest first, one line at a time", "[cxl_gpu]") {
    const std::string flushes = GENERATE("1", "3");
    Bench b = bench("flushes=" + flushes);
    for (std::uint64_t i = 0; i < 4; ++i)
        b.driver().write(static_cast<Tick>(i) * us, i * 64, 64, true);
    b.run();
    const Endpoint& e = b.endpoint();
    if (flushes == "1") {
        CHECK(e.addresses(Command::write) == Addresses {0, 192, 128, 64});
        CHECK(e.when(Command::write, 128) > e.when(Command::write, 192) + 10 * us);
        CHECK(value(b.stores().stat.stores[StorePath::stacked]) == 3);
    } else // two more writes may be outstanding, in addition to the first
        CHECK(e.addresses(Command::write) == Addresses {0, 64, 128, 192});
}

TEST_CASE("A later store to a line on the stack is merged into its entry", "[cxl_gpu]") {
    Bench b = bench("");
    b.driver().write(0, 4096, 64, true);
    b.driver().write(1 * us, 0, 32, true);
    b.driver().write(2 * us, 32, 32, false);
    b.run();
    const auto& stat = b.stores().stat;
    CHECK(value(stat.stores[StorePath::merged]) == 1);
    CHECK(value(stat.stores[StorePath::stacked]) == 1);
    CHECK(value(stat.flushes) == 1);
    CHECK(b.driver().answered(2) == 2 * us + copied);
    CHECK(b.endpoint().addresses(Command::write) == Addresses {4096, 0});
    CHECK(b.endpoint().state.seen.back().request.bytes == 64); // both in one
}

TEST_CASE("A line written while in transit to the endpoint is sent again", "[cxl_gpu]") {
    Bench b = bench("");
    b.driver().write(0, 0, 64, true);
    b.driver().write(1 * us, 0, 64, false);
    b.run();
    CHECK(b.driver().answered(1) == us + copied);
    CHECK(b.endpoint().addresses(Command::write) == Addresses {0, 0});
    CHECK(value(b.stores().stat.stores[StorePath::merged]) == 1);
}

TEST_CASE("A partly stored line is written with holes", "[cxl_gpu]") {
    Bench b = bench("line=128B");
    b.driver().write(0, 4096, 128, true);
    b.driver().write(1 * us, 32, 32, true);
    b.driver().write(2 * us, 96, 20, true);
    b.run();
    const MemRequest& r = b.endpoint().state.seen.back().request;
    CHECK(r.address == 32);
    CHECK(r.bytes == 96);
    CHECK(r.sectors == 5);
    CHECK(r.partial == 4); // 20 bytes of its sector
}

TEST_CASE("Loads are served from the reserve if it holds all their sectors", "[cxl_gpu]") {
    Bench b = bench("line=128B");
    Driver& d = b.driver();
    d.write(0, 4096, 128, true);
    d.write(100 * ns, 0, 64, true);  // sectors 0 and 1
    d.write(200 * ns, 64, 20, true); // 2 in part
    d.read(1 * us, 0, 64);
    d.read(1 * us, 32, 64); // one of two stored whole
    d.read(1 * us, 64, 32); // in part
    d.read(1 * us, 96, 32); // not stored
    d.read(1 * us, 8192, 128);
    d.read(2 * us, 4096, 128); // on its way
    d.read(30 * us, 0, 64);    // the endpoint has it
    b.run();
    const auto& stat = b.stores().stat;
    CHECK(value(stat.loads[LoadPath::reserve]) == 2);
    CHECK(value(stat.loads[LoadPath::both]) == 2);
    CHECK(value(stat.loads[LoadPath::endpoint]) == 3);
    CHECK(d.answered(3) == us + copied);
    CHECK(d.answered(8) == 2 * us + copied);
    for (const std::uint32_t tag : {4u, 5u, 6u, 7u})
        CHECK(d.answered(tag) == us + there + 10 * us + 2);
    CHECK(b.endpoint().stat.reads.value() == 5);
}

TEST_CASE("A search takes one step per level of the tree", "[cxl_gpu]") {
    // Number of entries when a load arrives, and its levels.
    const auto [entries, levels] =
        GENERATE(std::pair {0u, 0}, std::pair {1u, 1}, std::pair {3u, 2}, std::pair {4u, 3});
    Bench b = bench("level_time=2ns");
    for (std::uint64_t i = 0; i < entries; ++i)
        b.driver().write(static_cast<Tick>(i) * 100 * ns, i * 64, 64, true);
    b.driver().read(us, 4096, 64);
    b.run();
    CHECK(b.endpoint().when(Command::read, 4096) == us + there + levels * 2 * ns);
}

TEST_CASE("Requests leave in the order of their searches", "[cxl_gpu]") {
    Bench b = bench("level_time=100ns", "least=50ns most=50ns");
    b.driver().write(0, 0, 64, true);   // has the one entry for 50 ns
    b.driver().read(10 * ns, 4096, 64); // takes a level
    b.driver().read(60 * ns, 8192, 64); // none, but is behind the other
    b.driver().read(200 * ns, 8192 + 64, 64);
    b.run();
    const Endpoint& e = b.endpoint();
    CHECK(e.when(Command::read, 4096) == 110 * ns + there);
    CHECK(e.when(Command::read, 8192) == 110 * ns + there);
    CHECK(e.when(Command::read, 8192 + 64) == 200 * ns + there);
}

TEST_CASE("Data moved to the reserve leave it as a move", "[cxl_gpu]") {
    Bench b({"flushes=1", {}, "least=10us most=10us"}, true);
    FunctionalAccess before {0, 0, true, {}};
    before.data.known = SectorBytes::all;
    before.data.bytes.fill(9), before.data.order.fill(100); // another page's youngest store
    b.endpoint().state.contents.functional(before);
    b.driver().write(0, 4096, 64, true);
    MemRequest& moved = b.driver().plan(us, Command::write, 0, 32, true); // onto the stack
    moved.contents = b.m.sim().contents().create();
    SectorBytes data;
    data.known = SectorBytes::all, data.moved = true;
    data.bytes.fill(3), data.order.fill(5);
    b.m.sim().contents()[moved.contents].pieces.push_back({0, data});
    b.run();
    FunctionalAccess after {};
    b.endpoint().state.contents.functional(after);
    CHECK(after.data.bytes[7] == 3);
    CHECK(b.m.sim().contents().overtaken() == 0);
}

// ---- the endpoint's load ---------------------------------------------------------------------

TEST_CASE("High load suspends writes to the endpoint, but not loads", "[cxl_gpu]") {
    const std::string limit = GENERATE("moderate", "severe", "optimal");
    Bench b = bench("suspend_at=" + limit, "least=100ns most=100ns");
    b.load(0, DevLoad::moderate);
    b.driver().write(us, 0, 64, false);
    b.driver().read(us, 4096, 64);
    b.load(10 * us, DevLoad::light);
    b.run();
    const bool suspends = limit != "severe";
    CHECK(b.driver().answered(0) == us + copied);
    CHECK(b.endpoint().when(Command::read, 4096) == us + there);
    CHECK(value(b.stores().stat.stores[StorePath::stacked]) == (suspends ? 1 : 0));
    CHECK(value(b.stores().stat.suspensions) == (suspends ? 1 : 0));
    CHECK((b.endpoint().when(Command::write, 0) > us + there) == suspends);
}

TEST_CASE("Writes resume at the check that finds a lower load", "[cxl_gpu]") {
    Bench b = bench("poll=1us", "least=100ns most=100ns");
    b.load(0, DevLoad::severe);
    b.driver().write(500 * ns, 0, 64, true);
    for (Tick at = 600 * ns; at < 4 * us; at += 200 * ns)
        b.load(at, at < 2100 * ns ? DevLoad::severe : DevLoad::optimal);
    b.run();
    // With a report at 1 fs, checks follow each us: at 3 us, not at 2.2 us.
    const Tick look = 1 + 3 * us;
    CHECK(b.endpoint().when(Command::write, 0) == look + 1 + 50 * ns + 1);
    CHECK(value(b.stores().stat.probes) == 0);
}

TEST_CASE("Without a response since the last check, a single write probes the load", "[cxl_gpu]") {
    Bench b = bench("poll=1us", "least=100ns most=100ns");
    b.load(0, DevLoad::severe);
    for (std::uint64_t i = 0; i < 3; ++i) b.driver().write(100 * ns, i * 64, 64, true);
    b.load(2500 * ns, DevLoad::severe);
    b.load(9 * us, DevLoad::light);
    b.run();
    const Endpoint& e = b.endpoint();
    // Looks at 1, 2, ...: the first had the report of 0, the third that of 2.5. A write that asks
    // is answered with the load, so that every other look finds one.
    const Tick way = 1 + 1 + 50 * ns + 1;
    REQUIRE(e.addresses(Command::write).size() == 3);
    CHECK(e.when(Command::write, 128) == 2 * us + way);
    CHECK(e.when(Command::write, 64) == 4 * us + way);
    CHECK(e.when(Command::write, 0) == 6 * us + way);
    CHECK(value(b.stores().stat.probes) == 3);
}

TEST_CASE("With a full reserve, a store waits for the endpoint", "[cxl_gpu]") {
    const bool suspended = GENERATE(false, true);
    const std::string limit = GENERATE("reserve=128B", "entries=2");
    Bench b = bench(limit, "least=10us most=10us");
    if (suspended) b.load(0, DevLoad::severe);
    const auto at = [](std::uint64_t i) { return static_cast<Tick>(100 + i) * ns; };
    for (std::uint64_t i = 0; i < 3; ++i) b.driver().write(at(i), i * 64, 64, false);
    b.driver().write(at(3), 0, 64, false); // has an entry
    b.run();
    const auto& stat = b.stores().stat;
    CHECK(value(stat.stores[StorePath::waited]) == 1);
    CHECK(b.driver().answered(1) == at(1) + copied);
    CHECK(b.driver().answered(2) == at(2) + back);
    CHECK(b.driver().answered(3) == at(3) + copied);
    CHECK(value(stat.stores[StorePath::merged]) == 1);
}

TEST_CASE("An atomic waits until its line has left the reserve", "[cxl_gpu]") {
    const bool suspended = GENERATE(false, true);
    Bench b = bench("", "least=1us most=1us");
    if (suspended) b.load(0, DevLoad::severe);
    b.driver().write(100 * ns, 0, 64, true);
    b.driver().plan(200 * ns, Command::atomic, 0, 32);
    b.driver().plan(200 * ns, Command::atomic, 4096, 32);
    b.run();
    const Endpoint& e = b.endpoint();
    CHECK(e.when(Command::write, 0) < us);
    CHECK(e.when(Command::atomic, 0) > e.when(Command::write, 0) + us);
    CHECK(e.when(Command::atomic, 4096) >= e.when(Command::atomic, 0));
    CHECK(value(b.stores().stat.atomics) == 2);
}

// ---- misuse ----------------------------------------------------------------------------------

TEST_CASE("Invalid reserve parameters are rejected", "[cxl_gpu]") {
    using Catch::Contains;
    const auto refused = [](const std::string& params, const char* why) {
        CHECK_THROWS_WITH(Bench({params, {}}), Contains(why));
    };
    refused("reserve=0B", "reserve: '0B' is outside its range");
    refused("reserve=100B", "reserve: '100B' must be a multiple of line = 64B");
    refused("reserve_base=32B", "reserve_base: '32B' must be a multiple of line = 64B");
    refused("reserve_base=1MiB reserve=1MiB local_memory=1536KiB",
            "reserve: it ends at 2MiB, beyond the end of the memory at 1536KiB");
    CHECK_NOTHROW(Bench({"reserve_base=1MiB reserve=1MiB local_memory=2MiB", {}}));
    refused("entries=0", "entries: '0' is outside its range");
    refused("line=48B", "line: '48B' must be a power of two");
    refused("requests=1", "requests: '1' is outside its range");
    refused("suspend_at=high", "'high' is not one of");
}

TEST_CASE("A request must not cross a line", "[cxl_gpu]") {
    Bench b = bench("");
    b.driver().read(0, 32, 64);
    b.m.start();
    CHECK_THROWS_WITH(
        b.m.run(never),
        Catch::Contains("a request of 64 bytes at 32 does not lie within one line of 64B"));
}

} // namespace memsim::test_cxl_gpu::deterministic_store_test
