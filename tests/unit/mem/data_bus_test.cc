#include "mem/dram/device/data_bus.hh"

#include <catch2/catch.hpp>

namespace memsim::mem::data_bus_test {

using namespace memsim::literals;

TEST_CASE("transfers back to back carry the remainder, and no more than that") {
    DataBusState state;
    DataBus bus({60_GBps}, state);
    Tick t = 0;
    for (int i = 0; i < 3000; ++i) t = bus.reserve(bus.earliest(0, false), 32, 0, false);
    CHECK(t == Time {1600_ns}.raw); // 96,000 B at 60 GB/s; each alone takes 533,333.3 fs
    CHECK(bus.reserve(t + 1, 32, 0, false) == t + 1 + 533'333);
    CHECK(bus.transfer_time(32) == 533'334_fs);
}

TEST_CASE("the bus has a gap only between different users or directions") {
    DataBusState state;
    DataBus bus({64_GBps, 3_ns, 5_ns}, state);
    CHECK(bus.reserve(Time {10_ns}.raw, 64, 1, true) == Time {11_ns}.raw);
    CHECK(bus.earliest(1, true) == Time {11_ns}.raw);
    CHECK(bus.earliest(1, false) == Time {14_ns}.raw);
    CHECK(bus.earliest(2, true) == Time {14_ns}.raw);
    CHECK(bus.latency() == Time {5_ns}.raw);
}

TEST_CASE("booking the bus twice at one time fails an assertion") {
    DataBusState state;
    DataBus bus({64_GBps, 3_ns}, state);
    bus.reserve(0, 64, 0, false);
    CHECK_THROWS_AS(bus.reserve(1, 64, 0, false), Panic);
}

TEST_CASE("a line code lengthens transfers exactly by its share while it is on") {
    DataBusState state;
    DataBus bus({.rate = 60_GBps, .code = {.bits = 2, .places = 3}}, state);
    CHECK(bus.reserve(0, 32, 0, false) == 533'333); // and a third is left over
    bus.code(true);
    CHECK(bus.reserve(533'333, 32, 0, false) == 533'333 + 800'000); // the third is of another rate
    Tick t = bus.free_at();
    const Tick start = t;
    for (int i = 0; i < 30'000; ++i) t = bus.reserve(t, 33, 0, false); // 825 ps each
    CHECK(t == start + Time {24'750_ns}.raw);
    CHECK(bus.coded_bytes() == 32 + 30'000 * 33);
    bus.code(false);
    CHECK(bus.reserve(t, 60, 0, false) == t + 1'000'000);
    CHECK(bus.coded_bytes() == 32 + 30'000 * 33);
}

} // namespace memsim::mem::data_bus_test
