#include "core/machine/functional.hh"
#include "driver.hh"
#include "mem/dram/controller.hh"

#include <catch2/catch.hpp>

/// The bytes that a DRAM controller gives to reads, in the order in which it accepts requests.
namespace memsim::dram_contents_test {

using namespace memsim::literals;
using test_mem::arguments;
using test_mem::Command;
using test_mem::Driver;

namespace {

struct Rig {
    Machine m;
    Driver& driver;

    Rig()
        : driver((m.carry_contents(), m.add("driver", "test_mem.Driver", {}),
                  m.add("dram", "mem.DramController", arguments("timing=ddr4_2400")),
                  m.bind("driver", "mem_side", "dram", "cpu_side"), m.build(),
                  m.get<Driver>("driver"))) {}
    /// A store of byte 0; `order` is its number in the program.
    void store(Time at, std::uint8_t value, std::uint32_t order) {
        protocol::MemRequest& r = driver.plan(at.raw, Command::write, 0, 32, true);
        r.contents = m.sim().contents().create();
        SectorBytes s;
        s.known = 1;
        s.bytes[0] = value;
        s.order[0] = order;
        m.sim().contents()[r.contents].pieces.push_back({0, s});
    }
    void run(Time until) { m.run(until.raw); }
    /// Byte 0 as the only read got it.
    std::uint8_t answer() {
        REQUIRE(driver.state.answers.size() == 1);
        Contents& contents = m.sim().contents();
        const Contents::Id id = driver.state.answers[0].response.contents;
        const std::uint8_t byte = contents[id].pieces.at(0).data.bytes[0];
        contents.release(id);
        return byte;
    }
    std::uint8_t look() {
        FunctionalAccess a {0, 0, false, {}};
        look_through(driver.port.mem_side, a);
        return a.data.bytes[0];
    }
};

} // namespace

TEST_CASE("a read returns the bytes of writes accepted before it and of no later write",
          "[contents][dram]") {
    Rig rig;
    rig.store(1_us, 1, 1);
    rig.driver.read((2_us).raw, 0);
    rig.store(2_us + 1_ns, 2, 2); // accepted while the read waits for its row
    rig.m.start();
    rig.run(1_ms);
    CHECK(rig.answer() == 1);
    CHECK(rig.look() == 2);
}

TEST_CASE("host writes reach an outstanding read", "[contents][dram]") {
    Rig rig;
    rig.store(1_us, 1, 1);
    rig.driver.read((2_us).raw, 0);
    rig.m.start();
    rig.run(2_us + 1_ns);
    REQUIRE(rig.driver.state.answers.size() == 0);
    FunctionalAccess host {0, 0, true, {}};
    host.data.known = 1;
    host.data.bytes[0] = 9;
    host.data.order[0] = 2;
    look_through(rig.driver.port.mem_side, host);
    rig.run(1_ms);
    CHECK(rig.answer() == 9);
}

} // namespace memsim::dram_contents_test
