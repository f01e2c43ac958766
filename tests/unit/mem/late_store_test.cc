#include "core/machine/functional.hh"
#include "driver.hh"
#include "mem/cache/cache.hh"

#include <catch2/catch.hpp>

/// A store that reaches a cache after a younger one has reached the memory below: posted stores are
/// still on their way when a kernel has ended and the host writes.
namespace memsim::late_store_test {

using test_mem::arguments;
using test_mem::Command;
using test_mem::Driver;

namespace {

struct Late {
    Machine m;
    Driver& driver;

    explicit Late()
        : driver((m.carry_contents(), m.add("driver", "test_mem.Driver", {}),
                  m.add("cache", "mem.Cache",
                        arguments("capacity=1KiB ways=2 write_policy=write_back "
                                  "write_allocate=true fetch_on_write=false")),
                  m.add("memory", "mem.SimpleMemory", {}),
                  m.bind("driver", "mem_side", "cache", "cpu_side"),
                  m.bind("cache", "mem_side", "memory", "cpu_side"), m.build(),
                  m.get<Driver>("driver"))) {
        // The host writes byte 3 after the store number 4, which it sees in the memory alone.
        FunctionalAccess host {0, 0, true, {}};
        host.data.known = SectorBytes::all;
        host.data.bytes.fill(1);
        host.data.bytes[3] = 50;
        host.data.order[3] = 5;
        look_through(m.get<mem::Cache>("cache").port.mem_side, host);
    }
    /// Store number `order` of one byte.
    void store(Tick at, std::uint32_t byte, std::uint8_t value, std::uint32_t order) {
        protocol::MemRequest& r = driver.plan(at, Command::write, 0, 32, true);
        r.partial = 1;
        r.contents = m.sim().contents().create();
        SectorBytes s;
        s.known = 1u << byte;
        s.bytes[byte] = value;
        s.order[byte] = order;
        m.sim().contents()[r.contents].pieces.push_back({0, s});
    }
    SectorBytes look() {
        FunctionalAccess a {0, 0, false, {}};
        look_through(driver.port.mem_side, a);
        return a.data;
    }
};

} // namespace

TEST_CASE("a functional read returns the younger of a late store and the memory's data",
          "[contents]") {
    Late late;
    late.store(1000, 3, 40, 4);
    late.store(2000, 7, 60, 6);
    late.m.start();
    late.m.run(1'000'000'000);
    const SectorBytes seen = late.look();
    CHECK(seen.known == SectorBytes::all);
    CHECK(seen.bytes[3] == 50);
    CHECK(seen.bytes[7] == 60);
    CHECK(seen.bytes[8] == 1);
}

TEST_CASE("a filled line keeps the younger of a late store and the fetched bytes", "[contents]") {
    Late late;
    late.store(1000, 3, 40, 4);
    late.store(2000, 7, 60, 6);
    late.driver.read(1'000'000, 0); // fills the sector
    late.m.start();
    late.m.run(1'000'000'000);
    REQUIRE(late.driver.state.answers.size() == 1);
    Contents& contents = late.m.sim().contents();
    const Contents::Id id = late.driver.state.answers[0].response.contents;
    const SectorBytes read = contents[id].pieces.at(0).data;
    contents.release(id);
    CHECK(read.bytes[3] == 50);
    CHECK(read.bytes[7] == 60);
    CHECK(read.bytes[8] == 1);
    CHECK(late.look().bytes[3] == 50);
}

} // namespace memsim::late_store_test
