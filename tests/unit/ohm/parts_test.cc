#include "ohm/channel/snarf_register.hh"
#include "ohm/planar/copy_swaps.hh"

#include <catch2/catch.hpp>

namespace memsim::parts_test {

/// The parts of the controllers and of the modules, each alone.
using namespace memsim::ohm;

namespace {

SectorBytes bytes(std::uint32_t number) {
    SectorBytes s;
    s.known = SectorBytes::all;
    s.order.fill(number);
    return s;
}

} // namespace

TEST_CASE("Deferred writes are found by a functional read, newest first, and applied in order",
          "[ohm]") {
    device_parts::DeferredWrites d;
    for (const std::uint32_t n : {1, 2}) d.add(7, {64, 0, true, bytes(n)});
    d.add(8, {64, 0, true, bytes(3)});
    FunctionalAccess look {64, 0, false, {}};
    d.apply_to(7, look);
    CHECK(look.data.order[0] == 2);
    std::vector<std::uint32_t> arrived;
    d.replay(7, [&](FunctionalAccess& a) { arrived.push_back(a.data.order[0]); });
    CHECK(arrived == std::vector<std::uint32_t> {1, 2});
    look = {64, 0, false, {}};
    d.apply_to(7, look);
    CHECK(look.data.known == 0);
    d.apply_to(8, look);
    CHECK(look.data.order[0] == 3);
}

TEST_CASE("The snarf register takes dirty lines of other addresses, up to its size", "[ohm]") {
    SnarfRegister r;
    protocol::DdrtCommand c;
    c.bytes = 256, c.snarf = true, c.address = 512, c.other = 512, c.dirty = true;
    CHECK_FALSE(r.snarf(c, 256)); // a hit
    c.other = 1024, c.dirty = false;
    CHECK_FALSE(r.snarf(c, 256)); // clean
    c.dirty = true;
    CHECK(r.snarf(c, 256));
    CHECK(r.has(4));
    CHECK_FALSE(r.has(2));
    CHECK(r.lines.front().write);
    CHECK(r.lines.front().address == 1024);
    CHECK_THROWS(r.snarf(c, 256)); // no room
}

namespace {

struct Swaps {
    SwapParams params;
    SwapStats stats;
    PageSwapsState state;
    Placement placement {1, 0, 2048, 8, 8, 2};
    Contents contents;
    PageSwaps swaps {params, stats, state, placement, contents};
    Swaps() { swaps.init(); }
    Swap* decide(std::uint64_t group, Tick now = 0) {
        Group& g = swaps.groups()[group];
        g.candidate = 3;
        return swaps.decide(group, g, now);
    }
};

} // namespace

TEST_CASE("Swaps are limited by buffers; a page being moved is found by its swap", "[ohm]") {
    Swaps s;
    for (std::uint64_t group = 0; group < 4; ++group) REQUIRE(s.decide(group));
    CHECK_FALSE(s.decide(4));
    CHECK(s.stats.swaps_postponed.value() == 1);
    Swap& swap = *s.swaps.of_group(s.swaps.groups().find(2));
    CHECK(swap.moves(3));
    CHECK(swap.moves(0));
    CHECK_FALSE(swap.moves(1));
    CHECK(&s.swaps.of(s.swaps.id_of(swap) | 5) == &swap);
    s.swaps.end(swap, 100);
    CHECK(s.swaps.groups().location(2, 3) == 0);
    CHECK(s.swaps.groups().location(2, 0) == 3);
    CHECK(s.decide(4)); // its buffer is free
}

TEST_CASE("A swap's patience is exact to the tick; it ends when all pieces are written", "[ohm]") {
    Swaps s;
    Swap& swap = *s.decide(0, 10);
    const Tick old = 10 + s.params.swap_patience->raw;
    CHECK_FALSE(s.swaps.old(swap, old - 1));
    CHECK(s.swaps.old(swap, old));
    swap.dram_written = 0xff;
    swap.xpoint_written = 0x7f;
    CHECK_FALSE(s.swaps.copied(swap));
    swap.xpoint_written = 0xff;
    CHECK(s.swaps.copied(swap));
}

TEST_CASE("The buffer of a swap keeps its two pages apart", "[ohm]") {
    Swaps s;
    s.contents.enable();
    Swap& swap = *s.decide(0);
    for (const bool from_dram : {false, true}) {
        const Contents::Id id = s.contents.create();
        for (std::uint32_t i = 0; i < 8; ++i)
            s.contents[id].pieces.push_back({i, bytes(10 * from_dram + i)});
        s.swaps.put(swap, from_dram, 1, id);
    }
    swap.xpoint_read = swap.dram_read = 0b10;
    CHECK_FALSE(swap.has(3, 255));
    CHECK(swap.has(3, 256));
    protocol::MemRequest r;
    r.address = 2048 * 24 + 288, r.bytes = 32;
    for (const std::uint8_t slot : {3, 0}) {
        const Contents::Id id = s.swaps.read(swap, slot, 288, r);
        CHECK(s.contents[id].pieces[0].data.order[0] == (slot == 0 ? 11u : 1u));
        s.contents.release(id);
    }
    FunctionalAccess look {288, 0, false, {}};
    CHECK(s.swaps.functional(swap, 0, 288, look));
    CHECK(look.data.order[0] == 11);
    CHECK(s.contents.live() == 0);
}

} // namespace memsim::parts_test
