#include "ohm/planar/postponed_requests.hh"
#include "ohm/two_level/cached_lines.hh"
#include "ohm/two_level/set_queues.hh"

#include <catch2/catch.hpp>

namespace memsim::demand_test {

/// What the controllers keep of requests, each part alone.
using namespace memsim::ohm;
using Ids = std::vector<std::uint32_t>;

TEST_CASE("A request table allocates slots with default values", "[ohm]") {
    std::vector<PageRequest> requests;
    ohm::SlotAllocator slots;
    RequestTable<PageRequest> table(requests, slots);
    table.resize(2);
    const std::uint32_t a = table.take(), b = table.take();
    CHECK(table.full());
    table[a].group = 5;
    table.give_back(a);
    CHECK_FALSE(table.full());
    const auto check = [&](const Ids& ids) {
        Loader l("");
        table.check_all(l, "waiting", ids);
    };
    check({b});
    CHECK_THROWS_WITH(check({b, a}), Catch::Contains("a request that is not in use"));
    CHECK_THROWS_WITH(check({b, 2}), Catch::Contains("not below 2"));
    CHECK(table.take() == a);
    CHECK(table[a].group == 0);
    CHECK_THROWS(table[2]);
}

TEST_CASE("Requests to one set execute in order of arrival; other requests do not wait", "[ohm]") {
    SetQueues sets;
    sets.resize(8);
    CHECK(sets.enter(7, 0));
    CHECK_FALSE(sets.enter(7, 3));
    CHECK_FALSE(sets.enter(7, 1));
    CHECK(sets.enter(6, 2));
    CHECK(sets.busy(7));
    CHECK(sets.leave(7, 0) == 3);
    CHECK(sets.leave(7, 3) == 1);
    CHECK(sets.leave(6, 2) == SetQueues::none);
    CHECK_FALSE(sets.busy(6));
    CHECK(sets.leave(7, 1) == SetQueues::none);
    CHECK(sets.empty());
    CHECK(sets.enter(7, 3)); // no request is behind it any more
    CHECK(sets.leave(7, 3) == SetQueues::none);
}

namespace {

struct Need {
    std::uint32_t room = 0; ///< of module 0; others have some
    bool can_grant(std::uint32_t m) const { return m != 0 || room; }
};

} // namespace

TEST_CASE("Ready reads are granted in order while this is allowed and possible", "[ohm]") {
    ReadyReads ready;
    for (const std::uint32_t id : {4, 5, 6}) ready.push({id == 5 ? 0u : 1u, id, id});
    Ids granted;
    const auto grant = [&](const ReadyRead& r) { granted.push_back(r.id); };
    const auto until = [](Tick t) { return [t](const ReadyRead& r) { return r.since < t; }; };
    CHECK_FALSE(ready.grant(Need {1}, until(4), grant));
    CHECK(ready.grant(Need {0}, until(10), grant));
    CHECK(granted == Ids {4}); // the second's module has no room, and the third does not pass it
    CHECK(ready.grant(Need {1}, until(6), grant));
    CHECK(granted == Ids {4, 5});
    CHECK(ready.size() == 1);
}

// ---- lines of two-level mode ------------------------------------------------------------------

namespace {

SectorBytes bytes(std::uint32_t number) {
    SectorBytes s;
    s.known = SectorBytes::all;
    s.order.fill(number);
    return s;
}

struct Lines {
    CachedLinesState state;
    LineMap map {2048, 1, 0, 128, 32, 2};
    Contents contents;
    CachedLines lines {state, map, contents};
    Lines() { contents.enable(); }

    void write(std::uint64_t set, std::uint64_t address, std::uint32_t number) {
        const Contents::Id id = contents.create();
        contents[id].pieces.push_back({0, bytes(number)});
        lines.write(set, address, id);
    }
    std::uint32_t look(std::uint64_t local, bool in_use = false) {
        FunctionalAccess a {local, 0, false, {}};
        lines.functional(local, in_use, a);
        return a.data.known ? a.data.order[0] : 0;
    }
    void copy_in(std::uint64_t local, std::uint32_t number, bool in_use) {
        FunctionalAccess a {local, 0, true, bytes(number)};
        lines.functional(local, in_use, a);
    }
};

} // namespace

TEST_CASE("A line replaces another one completely; a write hit makes it dirty", "[ohm]") {
    Lines l;
    CHECK(l.lines.put(3, 0, false));
    CHECK_FALSE(l.lines.find(3)->dirty);
    l.write(3, 3 * 128 + 32, 9);
    CHECK_FALSE(l.lines.put(3, 0, true));
    CHECK(l.lines.find(3)->dirty);
    CHECK(l.look(3 * 128 + 32) == 9);
    CHECK(l.look(4096 + 3 * 128 + 32) == 0); // another line of the set
    CHECK(l.lines.put(3, 1, false));
    CHECK_FALSE(l.lines.find(3)->dirty);
    CHECK(l.look(4096 + 3 * 128 + 32) == 0);
    CHECK(l.lines.count() == 1);
}

TEST_CASE("A victim carries its line's bytes as stores; a read receives its part of a line",
          "[ohm]") {
    Lines l;
    l.lines.put(3, 0, true);
    l.write(3, 3 * 128 + 64, 9);
    const Contents::Id victim = l.lines.victim(3);
    CHECK_FALSE(l.contents[victim].moves); // XPoint may hold younger bytes
    REQUIRE(l.contents[victim].pieces.size() == 4);
    CHECK(l.contents[victim].pieces[2].data.order[0] == 9);
    protocol::MemRequest r;
    r.address = 3 * 128 + 64, r.bytes = 32;
    for (const Contents::Id part : {l.lines.read(3, r), l.lines.part_of(victim, r)}) {
        REQUIRE(l.contents[part].pieces.size() == 1);
        CHECK(l.contents[part].pieces[0].sector == 0);
        CHECK(l.contents[part].pieces[0].data.order[0] == 9);
        l.contents.release(part);
    }
    l.lines.put(4, 0, false);
    l.lines.fill(4, victim);
    CHECK(l.look(4 * 128 + 64) == 9);
    CHECK(l.contents.live() == 0);
}

TEST_CASE("Functional writes to a line in use take precedence and are applied when it is idle",
          "[ohm]") {
    Lines l;
    l.lines.put(3, 0, false);
    l.copy_in(3 * 128, 20, true);
    const Contents::Id late = l.contents.create(); // older bytes, on their way meanwhile
    l.contents[late].pieces.push_back({0, bytes(5)});
    l.lines.fill(3, late);
    CHECK(l.look(3 * 128, true) == 20);
    CHECK(l.look(3 * 128) == 5);
    l.lines.settled(3, [&](FunctionalAccess& a) { l.lines.functional(3 * 128, false, a); });
    CHECK(l.look(3 * 128) == 20);
}

// ---- requests to pages that are swapped --------------------------------------------------------

namespace {

/// A swap of slots 3 and 0 of group 2, whose first piece from XPoint is in the buffer.
struct Postponed {
    SwapParams params;
    SwapStats swap_stats;
    PageSwapsState swaps_state;
    Placement placement {1, 0, 2048, 8, 8, 2};
    Contents contents;
    PageSwaps swaps {params, swap_stats, swaps_state, placement, contents};
    ChannelParams channel_params;
    ChannelStats channel_stats;
    ChannelState channel_state;
    MemoryChannel channel {channel_params, channel_stats, channel_state};
    ModuleSide::Commands commands {nullptr, {}, ""};
    ModuleSide::Transfers transfers {nullptr, {}, ""};
    ModuleSide modules {channel, channel_state, commands, transfers};
    PageDemandStats demand_stats;
    PageDemandState demand_state;
    device_parts::SectorStore dram;
    Simulation sim {1};
    Simulation* const at = &sim;
    PageDemand demand {
        demand_stats, demand_state, placement,         channel,
        modules,      dram,         SimulationRef(at), [](std::uint32_t, Contents::Id) {}};
    PostponedStats stats;
    Fifo<std::uint32_t> waiting;
    Ids done;
    PostponedRequests postponed {
        2, params, stats, waiting, swaps, demand, [this](std::uint32_t id, Contents::Id) {
            done.push_back(id);
        }};
    Swap* swap = nullptr;

    Postponed() {
        swaps.init();
        commands.grow(2);
        demand.init(8);
        Group& g = swaps.groups()[2];
        g.candidate = 3;
        swap = swaps.decide(2, g, 0);
        swap->xpoint_read = 1;
    }
    std::uint32_t request(std::uint8_t slot, std::uint32_t offset,
                          protocol::Command command = protocol::Command::read) {
        const std::uint32_t id = demand.requests().take();
        demand[id].group = 2;
        demand[id].slot = slot;
        demand[id].offset = offset;
        demand[id].r.command = command;
        return id;
    }
    std::uint32_t take(std::uint8_t slot, std::uint32_t offset,
                       protocol::Command command = protocol::Command::read) {
        const std::uint32_t id = request(slot, offset, command);
        postponed.take(id, *swap);
        return id;
    }
};

} // namespace

TEST_CASE("A read whose piece is in the buffer is served unless an earlier write waits", "[ohm]") {
    Postponed p;
    const std::uint32_t here = p.take(3, 255);
    CHECK(p.done == Ids {here});
    CHECK(p.demand[here].place == PageRequest::Place::buffer);
    const std::uint32_t later = p.take(3, 256);
    CHECK(p.postponed.count() == 1);
    p.swap->xpoint_read = 3;
    p.postponed.serve(*p.swap);
    CHECK(p.done == Ids {here, later});
    CHECK(p.swap->postponed == 0);
    p.take(3, 0, protocol::Command::write);
    p.take(3, 0);
    p.postponed.serve(*p.swap);
    CHECK(p.done == Ids {here, later});
    CHECK(p.stats.buffer_reads.value() == 2);
    CHECK(p.stats.requests_postponed.value() == 3);
}

TEST_CASE("Requests that wait for swaps are limited; served requests need no room", "[ohm]") {
    Postponed p;
    const auto room = [&](std::uint32_t offset) {
        return p.postponed.has_room(*p.swap, {0, 2, 3, offset}, protocol::Command::read);
    };
    p.take(3, 512);
    CHECK(room(512));
    p.take(3, 512);
    CHECK_FALSE(room(512));
    CHECK(room(0));
    CHECK_FALSE(p.postponed.has_room(*p.swap, {0, 2, 3, 0}, protocol::Command::write));
}

TEST_CASE("After a swap, requests go to the page's new place; a swap waits for earlier requests",
          "[ohm]") {
    Postponed p;
    const std::uint32_t before = p.request(0, 0), other = p.request(4, 0);
    p.postponed.make_still(*p.swap);
    CHECK(p.swap->waits_for == 1);
    p.postponed.finished(p.demand[other]);
    CHECK(p.swap->waits_for == 1);
    p.postponed.finished(p.demand[before]);
    CHECK(p.swap->waits_for == 0);

    const std::uint32_t in = p.take(3, 512), out = p.take(0, 512);
    p.swaps.end(*p.swap, 100);
    p.postponed.release(*p.swap);
    CHECK(p.postponed.count() == 0);
    CHECK(p.demand[in].location == 0);
    CHECK(p.demand[out].location == 3);
}

} // namespace memsim::demand_test
