#include "driver.hh"
#include "link/pcie.hh"
#include "mem/cache/cache.hh"
#include "mem/crossbar/crossbar.hh"
#include "mem/dram/controller.hh"
#include "mem/simple_memory.hh"

#include <catch2/catch.hpp>

/// A compressed transfer states its bytes, which may differ from those of its sectors.
namespace memsim::mem::packed_test {

using protocol::Command;
using test_mem::value;

TEST_CASE("packed data take their own bytes on wires and in a DRAM", "[mem]") {
    const bool packed = GENERATE(false, true);
    const std::uint32_t bytes = packed ? 36 : 128;
    Machine m;
    m.add("driver", "test_mem.Driver", {});
    m.add("crossbar", "mem.Crossbar", {{"inputs", "1"}, {"outputs", "1"}});
    m.add("pcie", "link.Pcie", {});
    m.add("dram", "mem.DramController", {{"timing", "ddr4_3200"}}); // bursts of 64 bytes
    m.bind("driver", "mem_side", "crossbar", "cpu_side[0]");
    m.bind("crossbar", "mem_side[0]", "pcie", "from_host");
    m.bind("pcie", "to_device", "dram", "cpu_side");
    m.build();
    auto& d = m.get<test_mem::Driver>("driver");
    for (const auto& [at, command] : {std::pair {Tick {0}, Command::write},
                                      {Tick {1'000'000'000}, Command::read},
                                      {Tick {2'000'000'000}, Command::read}}) {
        auto& r = d.plan(at, command, 4096, 128);
        if (packed) r.packed.set(35); // in words of 4 bytes
        if (command == Command::read) r.address += 8192;
    }
    m.start();
    REQUIRE(m.run(never) == Stop::idle);
    CHECK(m.imbalances().empty());
    const auto& crossbar = m.get<Crossbar>("crossbar").stat;
    CHECK(value(crossbar.request_bytes) == 3 * 8 + bytes);
    CHECK(value(crossbar.response_bytes) == 3 * 8 + 2 * bytes);
    CHECK(value(m.get<link::Pcie>("pcie").stat.down_data) == bytes);
    CHECK(value(m.get<link::Pcie>("pcie").stat.up_data) == 2 * bytes);
    CHECK(value(m.get<DramController>("dram").stat.bus_bytes) == (packed ? 3 * 64 : 3 * 128));
    CHECK(d.state.answers.back().response.bytes == 128); // it is about as much as before
}

TEST_CASE("packed data take their own time in a memory of fixed bandwidth", "[mem]") {
    const bool packed = GENERATE(false, true);
    Machine m;
    m.add("driver", "test_mem.Driver", {});
    m.add("memory", "mem.SimpleMemory", {{"bandwidth", "1GB/s"}, {"latency", "1ns"}});
    m.bind("driver", "mem_side", "memory", "cpu_side");
    m.build();
    auto& d = m.get<test_mem::Driver>("driver");
    for (unsigned i = 0; i < 2; ++i) {
        auto& r = d.plan(0, Command::read, 128 * i, 128);
        if (packed) r.packed.set(40);
    }
    m.start();
    REQUIRE(m.run(never) == Stop::idle);
    const Tick between = d.answered(1) - d.answered(0);
    CHECK(between == (packed ? 40 : 128) * (1_ns).raw);
}

TEST_CASE("a cache fetches whole sectors, however a read is to be packed", "[mem]") {
    Machine m;
    m.add("driver", "test_mem.Driver", {});
    m.add("cache", "mem.Cache", {});
    m.add("crossbar", "mem.Crossbar", {{"inputs", "1"}, {"outputs", "1"}});
    m.add("memory", "mem.SimpleMemory", {});
    m.bind("driver", "mem_side", "cache", "cpu_side");
    m.bind("cache", "mem_side", "crossbar", "cpu_side[0]");
    m.bind("crossbar", "mem_side[0]", "memory", "cpu_side");
    m.build();
    auto& d = m.get<test_mem::Driver>("driver");
    d.plan(0, Command::read, 0, 128).packed.set(36);
    m.start();
    REQUIRE(m.run(never) == Stop::idle);
    CHECK(value(m.get<Crossbar>("crossbar").stat.response_bytes) == 8 + 128);
    CHECK(d.state.answers.back().response.packed.bytes(128) == 36); // the requested number
}

TEST_CASE("a packed size is words of 4 bytes, at most 1020", "[mem]") {
    protocol::PackedSize size;
    CHECK(size.bytes(96) == 96);
    size.set(1);
    CHECK(size.bytes(96) == 4);
    size.set(1020);
    CHECK(size.bytes(96) == 1020);
    CHECK_THROWS_AS(size.set(0), Panic);
    CHECK_THROWS_AS(size.set(1021), Panic);
}

} // namespace memsim::mem::packed_test
