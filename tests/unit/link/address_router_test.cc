#include "../mem/driver.hh"
#include "../mem/hint_sink.hh"
#include "firmware.hh"
#include "link/address_router.hh"
#include "mem/simple_memory.hh"

#include <catch2/catch.hpp>

namespace memsim::address_router_test {

using namespace memsim::test_mem;
using Catch::Contains;

namespace {

/// A driver, a router and memories; perhaps firmware.
struct Routed {
    Machine m;
    Driver& driver;

    explicit Routed(const std::string& ranges, const std::string& more = "", unsigned memories = 2,
                    bool firmware = false)
        : driver((make(ranges, more, memories, firmware), m.get<Driver>("driver"))) {}
    void make(const std::string& ranges, const std::string& more, unsigned memories,
              bool firmware) {
        m.add("driver", "test_mem.Driver", {});
        Arguments all = arguments(more);
        all.emplace_back("ranges", ranges);
        m.add("router", "link.AddressRouter", all);
        m.bind("driver", "mem_side", "router", "cpu_side");
        for (unsigned i = 0; i < memories; ++i) {
            const std::string n = "memory[" + std::to_string(i) + "]";
            m.add(n, "mem.SimpleMemory", arguments("latency=100ns queue=1 bandwidth=1GB/s"));
            m.bind("router", "mem_side", n, "cpu_side");
        }
        if (!firmware) return;
        m.add("firmware", "test_mem.Firmware", {});
        m.bind("firmware", "router", "router", "control");
    }
    void run() {
        m.build();
        m.start();
        m.run(never);
        CHECK_FALSE(m.pending());
        CHECK(m.imbalances().empty());
    }
    std::uint64_t reads(unsigned memory) {
        return value(m.get<mem::SimpleMemory>("memory[" + std::to_string(memory) + "]").stat.reads);
    }
    const link::AddressRouter::Stats& stat() { return m.get<link::AddressRouter>("router").stat; }
};

std::string refusal(const std::string& ranges, const std::string& more = "") {
    try {
        Routed(ranges, more).m.build();
    } catch (const ConfigError& e) {
        return e.what();
    }
    return "";
}

} // namespace

TEST_CASE("a request is sent to the port whose range contains its address, up to the last byte",
          "[link][router]") {
    Routed r("4KiB 4KiB 1, 0B 4KiB 0, 8KiB 1KiB 0");
    r.driver.read(0, 0);
    r.driver.read(0, 4095, 1);
    r.driver.read(0, 4096);
    r.driver.read(0, 8191, 1);
    r.driver.read(0, 8192);
    r.driver.read(0, 9215, 1);
    r.run();
    CHECK(r.driver.state.answers.size() == 6);
    CHECK(r.reads(0) == 4);
    CHECK(r.reads(1) == 2);
    CHECK(value(r.stat().requests[1]) == 2);
}

TEST_CASE("bytes of ranges with names are counted", "[link][router]") {
    Routed r("0B 4KiB 0, 4KiB 4KiB 1, 8KiB 1KiB 0", "names=a,b,c");
    r.driver.read(0, 0);
    r.driver.read(0, 4095, 1);
    r.driver.read(0, 8192);
    r.run();
    CHECK(value(r.stat().bytes[0]) == 32 + 1);
    CHECK(value(r.stat().bytes[1]) == 0);
    CHECK(value(r.stat().bytes[2]) == 32);
    CHECK_THAT(refusal("0B 4KiB 0, 4KiB 4KiB 1", "names=a"), Contains("1 names for 2 ranges"));
    CHECK(Routed("0B 4KiB 0").stat().bytes.size() == 0);
}

TEST_CASE("the way through costs a latency there and another back", "[link][router]") {
    Machine direct;
    direct.add("driver", "test_mem.Driver", {});
    direct.add("memory", "mem.SimpleMemory", arguments("latency=100ns queue=1 bandwidth=1GB/s"));
    direct.bind("driver", "mem_side", "memory", "cpu_side");
    direct.get<Driver>("driver").read(5, 64);
    direct.build(), direct.start(), direct.run(never);
    Routed r("0B 4KiB 0", "latency=7ns");
    r.driver.read(5, 64);
    r.run();
    CHECK(r.driver.answered(0) == direct.get<Driver>("driver").answered(0) + (14_ns).raw);
}

TEST_CASE("a full port delays requests for other ports only when the buffer is full",
          "[link][router]") {
    const auto last = [](const char* buffer) {
        Routed r("0B 4KiB 0, 4KiB 4KiB 1", std::string("buffer=") + buffer);
        for (unsigned i = 0; i < 6; ++i) r.driver.read(0, 64 * i); // 32 ns each in memory 0
        r.driver.read(0, 4096);
        r.run();
        return r.driver.answered(6);
    };
    // Memory 0 has one and its queue one, the router the other four.
    CHECK(last("4") > (132_ns).raw);
    CHECK(last("5") < (105_ns).raw);
}

TEST_CASE("a port with one outstanding response receives one request after another",
          "[link][router]") {
    Routed r("0B 4KiB 0", "outstanding=1");
    for (unsigned i = 0; i < 6; ++i) r.driver.read(0, 64 * i);
    r.run();
    CHECK(r.driver.state.answers.size() == 6);
}

TEST_CASE("ranges from parameters are checked before time 0", "[link][router]") {
    CHECK(refusal("0B 4KiB 0, 4KiB 4KiB 1") == "");
    CHECK(refusal("0B 4KiB 0, 4095B 4KiB 1") ==
          "router.ranges: '4095B 4KiB 1' overlaps '0B 4KiB 0'");
    CHECK_THAT(refusal("4KiB 4KiB 0, 0B 16KiB 1"), Contains("overlaps '4KiB 4KiB 0'"));
    CHECK(refusal("8KiB 4KiB 0, 0B 4KiB 1") ==
          "router.ranges: there is a hole from 4KiB to 8KiB, between '0B 4KiB 1' and '8KiB 4KiB "
          "0': close it, or connect control to firmware that does");
    CHECK(refusal("0B 4KiB 2") ==
          "router.ranges: '0B 4KiB 2' names a port that is not connected: mem_side has 2");
    CHECK(refusal("0B 0B 0") == "router.ranges: '0B 0B 0' is empty");
    CHECK_THAT(refusal("0B -4KiB 0"), Contains("router.ranges: '-4KiB' is negative"));
    CHECK_THAT(refusal(""), Contains("none is given"));
    CHECK_THAT(refusal("0B 4KiB"), Contains("is not a first address, a size and a port"));
    CHECK_THAT(refusal("0B 4KiB 0 0"), Contains("is not a first address, a size and a port"));
    CHECK_THAT(refusal("0B 4 0"), Contains("router.ranges: '4'"));
    CHECK_THAT(refusal("0B 1KiB 0, 1KiB 1KiB 1", "entries=1"), Contains("router.entries"));
    Routed r("0B 4KiB 0");
    r.driver.read(0, 4096);
    CHECK_THROWS_WITH(r.run(), Contains("for address 4096, which is outside of all ranges"));
    Routed across("0B 4KiB 0, 4KiB 4KiB 1");
    across.driver.read(0, 4080, 32);
    CHECK_THROWS_WITH(across.run(),
                      Contains("a request of 32B at address 4080 crosses the end of"));
}

TEST_CASE("an answer reports whether an order of firmware was carried out", "[link][router]") {
    Routed r("0B 4KiB 0, 8KiB 4KiB 1", "entries=3", 2, true); // a hole is firmware's to fill
    auto& firmware = r.m.get<Firmware>("firmware");
    const auto us = [](unsigned n) { return static_cast<Tick>(n) * (1_us).raw; };
    firmware.plan(us(1), RangeOp::add, 4096, 0);            // empty
    firmware.plan(us(1), RangeOp::add, 4096, ~0ull - 4094); // ends behind 2^64
    firmware.plan(us(1), RangeOp::add, 4095, 10);           // overlaps
    firmware.plan(us(1), RangeOp::add, 8191, 2);            // overlaps
    firmware.plan(us(1), RangeOp::add, 4096, 64, 2);        // no such port
    firmware.plan(us(1), RangeOp::add, 4096, 4096, 1);      // done
    firmware.plan(us(1), RangeOp::add, 1 << 20, 4096);      // full
    r.driver.read(us(2), 4096);
    firmware.plan(us(2) + (50_ns).raw, RangeOp::remove, 4096, 4096); // busy
    firmware.plan(us(3), RangeOp::remove, 4096, 4095);               // unknown
    firmware.plan(us(3), RangeOp::remove, 5000, 4096);               // unknown
    firmware.plan(us(3), RangeOp::remove, 4096, 4096);               // done
    firmware.plan(us(3), RangeOp::add, 4096, 4096, 0);               // done: to another port
    r.driver.read(us(4), 8191, 1);
    r.run();
    using R = RangeResult;
    CHECK(firmware.state.results == std::deque<R> {R::empty, R::empty, R::overlaps, R::overlaps,
                                                   R::no_such_target, R::done, R::full, R::busy,
                                                   R::unknown, R::unknown, R::done, R::done});
    CHECK(r.reads(1) == 1);
    CHECK(r.reads(0) == 1);
    CHECK(value(r.stat().orders[R::done]) == 3);
    CHECK(r.m.stat_value("router", "orders[overlaps]", "") == 2);
}

TEST_CASE("an order takes effect before the requests of its tick", "[link][router]") {
    Routed r("", "", 1, true);
    r.m.get<Firmware>("firmware").plan(10, RangeOp::add, 0, 64);
    r.driver.read(10, 32);
    r.run();
    CHECK(r.reads(0) == 1);
    CHECK(r.m.get<Firmware>("firmware").state.results.front() == RangeResult::done);
}

TEST_CASE("a hint is forwarded if its port accepts it at once", "[link][router]") {
    Machine m;
    m.add("driver", "test_mem.Driver", {});
    m.add("router", "link.AddressRouter",
          {{"ranges", "0B 4KiB 0, 4KiB 4KiB 1"}, {"latency", "1fs"}});
    m.add("sink", "test_mem.HintSink", {{"depth", "2"}});
    m.add("memory", "mem.SimpleMemory", {});
    m.bind("driver", "mem_side", "router", "cpu_side");
    m.bind("router", "mem_side", "sink", "cpu_side");
    m.bind("router", "mem_side", "memory", "cpu_side");
    auto& driver = m.get<Driver>("driver");
    for (const std::uint64_t address : {0, 64, 128, 4096, 8192}) // the third finds the queue full
        driver.plan(5, Command::hint, address, 64, true);
    driver.plan(100, Command::hint, 192, 64, true);
    driver.read(200, 0);
    driver.plan(200, Command::hint, 256, 64, true); // does not go before the read
    m.build(), m.start(), m.run(never);
    const auto& stat = m.get<link::AddressRouter>("router").stat;
    CHECK(m.get<HintSink>("sink").state.hinted == std::deque<std::uint64_t> {0, 64, 192});
    CHECK(value(stat.hints) == 3);
    CHECK(value(stat.hints_dropped) == 4);
    CHECK(m.imbalances().empty());
}

} // namespace memsim::address_router_test
