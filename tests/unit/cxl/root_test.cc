#include "../mem/driver.hh"
#include "../mem/hint_sink.hh"
#include "cxl/endpoint/endpoint.hh"
#include "cxl/firmware/firmware.hh"
#include "cxl/root/host_bridge.hh"
#include "link/address_router.hh"
#include "mem/simple_memory.hh"

#include <catch2/catch.hpp>

namespace memsim::root_test {

/// Host bridge, endpoints and firmware together, bound without a link.

using namespace memsim::test_mem;
using Catch::Contains;

namespace {

constexpr std::uint64_t KiB = 1024, window = 1 << 20;

std::string at(const char* name, unsigned i) {
    return std::string(name) + "[" + std::to_string(i) + "]";
}

/// A driver, the root complex and endpoints of 64 KiB, each over a memory, or a sink of hints.
struct Root {
    Machine m;

    explicit Root(const std::string& firmware = "", unsigned endpoints = 2,
                  const std::string& endpoint = "capacity=64KiB", bool sinks = false,
                  bool router = false) {
        m.add("driver", "test_mem.Driver", {});
        m.add("bridge", "cxl.HostBridge", {});
        Arguments all = arguments("window_base=1MiB");
        for (const auto& a : arguments(firmware)) all.push_back(a);
        m.add("firmware", "cxl.Firmware", all);
        m.bind("firmware", "bridge", "bridge", "config");
        for (unsigned i = 0; i < endpoints; ++i) {
            m.add(at("endpoint", i), "cxl.Endpoint", arguments(endpoint));
            if (sinks)
                m.add(at("memory", i), "test_mem.HintSink", {{"depth", "2"}});
            else
                m.add(at("memory", i), "mem.SimpleMemory", arguments("latency=100ns"));
            m.bind("bridge", "mem_side", at("endpoint", i), "cpu_side");
            m.bind("firmware", "endpoints", at("endpoint", i), "config");
            m.bind(at("endpoint", i), "mem_side", at("memory", i), "cpu_side");
        }
        if (router) {
            m.add("router", "link.AddressRouter", {});
            m.bind("driver", "mem_side", "router", "cpu_side");
            m.bind("router", "mem_side", "bridge", "cpu_side");
            m.bind("firmware", "router", "router", "control");
        } else
            m.bind("driver", "mem_side", "bridge", "cpu_side");
    }
    void run() {
        m.build();
        m.start();
        REQUIRE(m.run(never) == Stop::idle);
        CHECK_FALSE(m.pending());
        CHECK(m.imbalances().empty());
    }
    Driver& driver() { return m.get<Driver>("driver"); }
    cxl::Firmware& firmware() { return m.get<cxl::Firmware>("firmware"); }
    std::uint64_t reads(unsigned memory) {
        return value(m.get<mem::SimpleMemory>(at("memory", memory)).stat.reads);
    }
};

std::string refusal(const std::string& firmware, const std::string& endpoint = "capacity=64KiB") {
    try {
        Root(firmware, 2, endpoint).m.build();
    } catch (const ConfigError& e) {
        return e.what();
    }
    return "";
}

} // namespace

TEST_CASE("Firmware commits the decoders of endpoints and bridge from the endpoints' capacities",
          "[cxl]") {
    Root r("ways=2 granularity=512B");
    r.run();
    const auto& bridge = r.m.get<cxl::HostBridge>("bridge").state.hdm;
    CHECK(bridge.enabled);
    REQUIRE(bridge.entries[0].committed);
    CHECK(bridge.entries[0].decoder == cxl::HdmDecoder {window, 128 * KiB, 0, 2, 512, 0});
    CHECK(bridge.entries[0].targets[1] == 1);
    CHECK_FALSE(bridge.entries[1].committed);
    for (unsigned i = 0; i < 2; ++i) {
        const auto& e = r.m.get<cxl::Endpoint>(at("endpoint", i)).state.hdm;
        CHECK(e.enabled);
        CHECK(e.entries[0].decoder == cxl::HdmDecoder {window, 128 * KiB, 0, 2, 512, i});
    }
    CHECK(value(r.firmware().stat.mapped) == 128 * KiB);
    // Three reads and one of the committed control register a device, one of the bridge's.
    CHECK(value(r.firmware().stat.reads) == 2 * 4 + 1);
    CHECK(value(r.firmware().stat.writes) == 2 * 5 + 6);
}

TEST_CASE("Requests wait exactly until firmware admits them", "[cxl]") {
    const auto first = [](const char* more) {
        Root r(more);
        r.driver().read(0, window, 64);
        r.driver().read(0, window + 64, 64);
        r.run();
        CHECK(r.reads(0) == 2);
        return r.driver().answered(0);
    };
    // 6 reads of ids and sizes, 6 accesses a device, 6 a decoder of the bridge, the last enables;
    // an answer takes 1 fs. Then 1 ns each way, to the memory and back 1 fs each, and the memory.
    const Tick accesses = 6 + 2 * 6 + 2 * 6 + 1;
    const Tick way = (102_ns).raw + 1 + 1;
    CHECK(first("latency=1ns") == accesses * ((1_ns).raw + 1) - 1 + way);
    CHECK(first("latency=1us") == accesses * ((1_us).raw + 1) - 1 + way);
}

TEST_CASE("Firmware waits until an endpoint's memory is active", "[cxl]") {
    Root r("latency=100ns", 2, "capacity=64KiB media_ready=20us");
    r.driver().read(0, window, 64);
    r.run();
    CHECK(r.driver().answered(0) > (20_us).raw);
    CHECK(r.driver().answered(0) < (25_us).raw);
}

TEST_CASE(
    "A request is sent to its port and device address, and each response belongs to its request",
    "[cxl]") {
    Root r("ways=2");
    for (unsigned i = 0; i < 8; ++i) r.driver().read(0, window + 256 * i, 64);
    r.driver().read(0, window + 64 * KiB, 64);
    r.driver().write((1_us).raw, window + 256 + 32, 32, false);
    r.run();
    CHECK(r.reads(0) == 5);
    CHECK(r.reads(1) == 4);
    for (const auto& a : r.driver().state.answers)
        CHECK(a.response.address == r.driver().state.plan[a.response.tag].message.address);
    CHECK(r.driver().state.answers.size() == 10);
}

TEST_CASE("Each device receives its own bytes of a hint, as one range", "[cxl]") {
    Root r("ways=2", 2, "capacity=64KiB", true);
    const Tick later = (1_us).raw;
    r.driver().plan(later, Command::hint, window + 256, 1024, true);          // chunks 1 and 3 of 1
    r.driver().plan(2 * later, Command::hint, window + 512, 256, true);       // chunk 2
    r.driver().plan(3 * later, Command::hint, window + 128 * KiB, 256, true); // nowhere
    r.driver().plan(4 * later, Command::hint, window + 128 * KiB - 256, 512, true); // half
    r.run();
    CHECK(r.m.get<HintSink>("memory[1]").state.hinted == std::deque<std::uint64_t> {0});
    CHECK(r.m.get<HintSink>("memory[0]").state.hinted == std::deque<std::uint64_t> {256});
    CHECK(r.m.get<HintSink>("memory[1]").state.bytes == 512);
    CHECK(r.m.get<HintSink>("memory[0]").state.bytes == 256);
    const auto& bridge = r.m.get<cxl::HostBridge>("bridge").stat;
    CHECK(value(bridge.hints) == 3);
    CHECK(value(bridge.hints_dropped) == 1);
    CHECK(value(r.m.get<cxl::Endpoint>("endpoint[1]").stat.hints_dropped) == 1);
}

TEST_CASE("The router of the system bus is programmed last", "[cxl]") {
    Root r("latency=10ns", 2, "capacity=64KiB", false, true);
    r.driver().read((2_us).raw, window + 128 * KiB - 64, 64);
    r.run();
    const auto& ranges = r.m.get<link::AddressRouter>("router").state.ranges;
    REQUIRE(ranges.size() == 1);
    CHECK(ranges[0] == link::AddressRange {window, 128 * KiB, 0});
    CHECK(r.reads(1) == 1);
    Root absent("router_target=1", 2, "capacity=64KiB", false, true);
    absent.m.build();
    absent.m.start();
    CHECK_THROWS_WITH(absent.m.run(never), Catch::Contains("not added to router: no_such_target"));
}

TEST_CASE("A functional access before programming uses the later decoder settings", "[cxl]") {
    Root r("ways=2");
    r.m.carry_contents();
    r.m.build();
    auto& bridge = r.m.get<cxl::HostBridge>("bridge");
    FunctionalAccess write {window + 3 * 256, 0, true, {}};
    write.data.known = SectorBytes::all;
    write.data.bytes.fill(42);
    bridge.functional(bridge.port.cpu_side, write);
    CHECK(write.address == window + 3 * 256);
    FunctionalAccess read {256, 0, false, {}};
    auto& memory = r.m.get<mem::SimpleMemory>("memory[1]");
    memory.functional(memory.port.cpu_side, read);
    CHECK(read.data.bytes[7] == 42);
    FunctionalAccess outside {window + 128 * KiB, 0, false, {}};
    CHECK_THROWS_WITH(bridge.functional(bridge.port.cpu_side, outside),
                      Contains("is outside of all ranges that firmware commits"));
}

TEST_CASE("An invalid root complex is rejected before time 0, a stray request with a message",
          "[cxl]") {
    CHECK(refusal("") == "");
    CHECK(refusal("window=64KiB") == "firmware.window: the endpoint memory behind port 1, 64KiB "
                                     "from 1088KiB, is outside the window of 64KiB from 1MiB");
    CHECK_THAT(refusal("ways=3"), Contains("firmware.ways: 3 ways do not divide the 2 ports"));
    CHECK_THAT(refusal("", "capacity=1000B"),
               Contains("firmware.ways: the range of port 0 cannot be decoded"));
    Root few("", 2);
    few.m.add("third", "cxl.Endpoint", {});
    few.m.add("memory[2]", "mem.SimpleMemory", {});
    few.m.bind("third", "mem_side", "memory[2]", "cpu_side");
    few.m.bind("bridge", "mem_side", "third", "cpu_side");
    few.m.add("more", "cxl.Firmware", {});
    CHECK_THROWS_AS(few.m.build(), ConfigError);

    const auto stray = [](std::uint64_t address, std::uint32_t bytes) {
        Root r("ways=2");
        r.driver().read(0, address, bytes);
        r.m.build();
        r.m.start();
        r.m.run(never);
    };
    Machine swapped; // firmware takes each endpoint for the other
    swapped.add("driver", "test_mem.Driver", {});
    swapped.add("bridge", "cxl.HostBridge", {});
    swapped.add("firmware", "cxl.Firmware", {{"ways", "2"}});
    swapped.bind("driver", "mem_side", "bridge", "cpu_side");
    swapped.bind("firmware", "bridge", "bridge", "config");
    for (unsigned i = 0; i < 2; ++i) {
        swapped.add(at("endpoint", i), "cxl.Endpoint", {});
        swapped.add(at("memory", i), "mem.SimpleMemory", {});
        swapped.bind(at("endpoint", i), "mem_side", at("memory", i), "cpu_side");
        swapped.bind("bridge", "mem_side", at("endpoint", i), "cpu_side");
    }
    for (unsigned i = 2; i-- > 0;)
        swapped.bind("firmware", "endpoints", at("endpoint", i), "config");
    swapped.get<Driver>("driver").read(0, 0);
    swapped.build(), swapped.start();
    CHECK_THROWS_WITH(
        swapped.run(never),
        Contains("endpoint[0].capacity: a request of 32B for host address 0 is outside"));
    CHECK_THROWS_WITH(stray(0, 32), Contains("for address 0, which is outside of all ranges"));
    CHECK_THROWS_WITH(stray(window + 192, 128),
                      Contains("crosses the edge of an interleaved chunk"));
}

} // namespace memsim::root_test
