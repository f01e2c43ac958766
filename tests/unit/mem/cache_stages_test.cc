#include "driver.hh"
#include "mem/cache/stages.hh"
#include "mem/simple_memory.hh"

#include <catch2/catch.hpp>

/// The stages of a cache, each alone: its effect on the lines, and the messages that it sends
/// below.
namespace memsim::mem::cache::cache_stages_test {

using device_parts::TagArray;
using protocol::Command;
using protocol::MemRequest;

namespace {

Params params_of(const std::string& policy) {
    Params p;
    p.geometry.capacity.parse("512B");
    p.geometry.ways.parse("2");
    p.timing.clock.parse("1GHz");
    p.writes.write_policy.parse(policy);
    p.writes.write_allocate.parse("true");
    p.queues.mshrs.parse("2");
    p.queues.mem_queue.parse("4");
    p.queues.outstanding.parse("4");
    p.hints.demand_mshrs.parse("1");
    return p;
}

Policy<mem::SetHash> linear_sets(std::uint64_t sets) {
    Policy<mem::SetHash> linear;
    linear.make("linear", "cache.set_hash", 1);
    linear->resize(sets);
    return linear;
}

State empty_state() {
    State state;
    state.set_hash = linear_sets(2);
    state.tags.resize(2, 2, "lru");
    state.mshrs.resize(2, 2);
    return state;
}

/// Parts over 2 sets of 2 lines and a port that takes nothing, so that messages stay in the queue.
struct Parts {
    explicit Parts(const std::string& policy = "write_back", bool victims = false)
        : stages(params_of(policy), {256, 1, 0}, machine.above(), {machine.port(), victims}, none,
                 machine.sim_ref(), stat, state) {}
    struct Below : Machine {
        Below() {
            add("sender", "test_mem.Driver", {});
            add("memory", "mem.SimpleMemory", {{"queue", "1"}});
            bind("sender", "mem_side", "memory", "cpu_side");
            build();
            port().send({}); // its queue is full now
        }
        Responder<protocol::Mem>& above() { return get<mem::SimpleMemory>("memory").port.cpu_side; }
        SimulationRef sim_ref() { return get<test_mem::Driver>("sender").sim_ref(); }
        Requester<protocol::Mem>& port() { return get<test_mem::Driver>("sender").port.mem_side; }
    };
    Below machine;
    State state = empty_state();
    Stats stat;
    Observers none {[](const void*) { return 0u; }, {}, ""};
    Stages stages;
    Evictions& evictions = stages.evictions;
    Misses& misses = stages.misses;
    Writes& writes = stages.writes;
    Fills& fills = stages.fills;
    Commands& commands = stages.commands;
    Prefetching& prefetching = stages.prefetching;

    Access look_up(const MemRequest& r) {
        return stages.lines.look_up(r, stages.map.place(r.address));
    }
    /// A line with those sectors.
    std::uint32_t put(std::uint64_t number, SectorMask valid, SectorMask dirty = 0) {
        const std::uint32_t line = state.tags.victim(number % 2, 0, 2);
        state.tags.replace(line, number, 0);
        state.tags.add_valid(line, valid);
        state.tags.add_dirty(line, dirty);
        return line;
    }
};

MemRequest request(Command c, std::uint64_t address, std::uint32_t bytes) {
    MemRequest r;
    r.command = c;
    r.address = address;
    r.bytes = bytes;
    return r;
}

} // namespace

TEST_CASE("a map names the sectors that a message touches, and names them to a message",
          "[mem][cache]") {
    const Policy<mem::SetHash> linear = linear_sets(4);
    const Map map(256, 64, mem::SetIndex(linear), 3, device_parts::HashedInterleave(256, 2, 0));
    CHECK(map.place(256 * 9).line == 9);
    CHECK(map.place(256 * 9).set == 0);  // its own 4th line
    CHECK(map.place(256 * 9).bank == 1); // of 3
    CHECK(map.bank(256 * 9) == 1);
    CHECK(map.within_a_line(request(Command::read, 512, 256)));
    CHECK_FALSE(map.within_a_line(request(Command::read, 513, 256)));
    MemRequest r = request(Command::read, 32, 224); // units 1 to 7 of 32 bytes, of which:
    r.sectors = 0b1011001;                          // 1; 4 and 5; 7
    CHECK(map.sectors(r).touched == 0b1101);
    CHECK(map.sectors(r).whole == 0b0100);
    map.name(r, 9, 0b1010, 0b1000);
    CHECK(r.address == 9 * 256 + 64);
    CHECK(r.bytes == 192);
    CHECK(r.sectors == 0b110011);
    CHECK(r.partial == 0b110000);
}

TEST_CASE("the lines of a cache that a hash selects are in its sets in turn", "[mem][cache]") {
    const Policy<mem::SetHash> linear = linear_sets(64);
    const Map map(256, 64, mem::SetIndex(linear), 1, device_parts::HashedInterleave(256, 3, 256));
    std::uint64_t lines = 0;
    for (std::uint64_t address = 0; lines < 3 * 64; address += 256) {
        if (map.cache_of(address) != 1) continue;
        REQUIRE(map.place(address).set == lines++ % 64);
    }
}

TEST_CASE("a banked pipeline starts so many a cycle, and waits for a bank's port", "[parts]") {
    mem::BankedSlotsState state;
    mem::BankedSlots slots(Frequency {1'000'000'000}, 2, 2, 2, state);
    constexpr Tick ns = 1'000'000;
    REQUIRE(slots.free(0));
    slots.take();
    CHECK(slots.free(0));
    slots.take();
    CHECK_FALSE(slots.free(0));
    CHECK(slots.cycle_end() == ns);
    slots.occupy(1, 3);
    CHECK(slots.bank_free(1, 0) == 0); // the other port
    slots.occupy(1, 5);
    CHECK(slots.bank_free(1, 0) == 3 * ns);
    CHECK(slots.bank_free(0, 0) == 0);
    CHECK(slots.free(2 * ns));
    CHECK(slots.bank_free(1, 2 * ns) == 3 * ns);
}

TEST_CASE("an outlet keeps messages in order and identifies the request of a response",
          "[mem][cache]") {
    Parts p;
    for (std::uint64_t a : {0, 128, 256}) p.stages.outlet.send(request(Command::read, a, 32));
    CHECK(p.stages.outlet.room(1));
    CHECK_FALSE(p.stages.outlet.room(2));
    CHECK(p.state.outlet.queue[0].address == 0);
    CHECK(p.state.outlet.queue[2].address == 256);
    const std::uint32_t first = p.stages.outlet.expect({7, 3});
    const std::uint32_t evicted = p.stages.outlet.expect({0, 0, false, true});
    CHECK_FALSE(p.stages.outlet.is_fetch(first));
    CHECK(p.stages.outlet.is_fetch(1));
    CHECK(p.stages.outlet.await_evicted() == 1);
    CHECK(p.stages.outlet.answered(evicted).flushed);
    CHECK(p.stages.outlet.answered(first).tag == 7);
    CHECK(p.stages.outlet.expects_none());
    CHECK_THROWS_AS(p.stages.outlet.answered(999), Panic);
}

TEST_CASE("an eviction writes back dirty sectors and offers clean sectors if the queue has room",
          "[mem][cache]") {
    const bool victims = GENERATE(false, true);
    Parts p("write_back", victims);
    p.put(0, 0b0111, 0b0001);
    p.put(2, 0b1111);
    const MemRequest r = request(Command::read, 512, 32);
    std::uint32_t line = 0;
    CHECK(p.evictions.take_way(p.look_up(r), false, victims ? 3 : 4, line) == CacheStall::mem_side);
    CHECK(p.state.outlet.queue.empty());
    CHECK(p.state.tags.find(0, 0) != TagArray::none);
    CHECK(p.evictions.take_way(p.look_up(r), false, 1, line) == CacheStall::none);
    CHECK(p.state.tags.find(0, 4) == line);
    REQUIRE(p.state.outlet.queue.size() == 1u + victims);
    CHECK(p.state.outlet.queue[0].command == Command::write);
    CHECK(p.state.outlet.queue[0].bytes == 32);
    if (!victims) return;
    CHECK(p.state.outlet.queue[1].command == Command::victim);
    CHECK(p.state.outlet.queue[1].address == 32);
    CHECK(p.state.outlet.queue[1].bytes == 64);
    CHECK(p.stat.victims.value() == 1);
}

TEST_CASE("a miss fetches sectors not requested yet, and fills complete requests in order",
          "[mem][cache]") {
    Parts p;
    const MemRequest first = request(Command::read, 0, 64), second = request(Command::read, 32, 64);
    CHECK(p.misses.miss(p.look_up(first)) == CacheStall::none);
    CHECK(p.misses.miss(p.look_up(second)) == CacheStall::none);
    CHECK(p.misses.miss(p.look_up(first)) == CacheStall::targets);
    REQUIRE(p.state.outlet.queue.size() == 2);
    CHECK(p.state.outlet.queue[1].address == 64);
    CHECK(p.state.outlet.queue[1].bytes == 32);
    CHECK(p.state.fetching == 96);
    CHECK(p.state.owed == 2);
    std::vector<std::uint64_t> answered;
    const auto note = [&](const protocol::MemResponse& a, std::uint32_t, bool) {
        answered.push_back(a.address);
    };
    const auto early = p.fills.fill(protocol::answer(p.state.outlet.queue[1]), note);
    CHECK(early.line == TagArray::none);
    CHECK(answered.empty());
    const auto done = p.fills.fill(protocol::answer(p.state.outlet.queue[0]), note);
    CHECK(done.line == p.state.tags.find(0, 0));
    CHECK(answered == std::vector<std::uint64_t> {0, 32});
    CHECK(p.state.tags.valid(done.line) == 0b0111);
    CHECK_FALSE(p.state.tags.locked(done.line));
    CHECK(p.state.fetching + p.state.owed + p.state.mshrs.size() == 0);
}

TEST_CASE("a write stays, or is forwarded and tracked", "[mem][cache]") {
    Parts back("write_back", true), through("write_through");
    const MemRequest w = request(Command::write, 128, 64);
    CHECK(back.writes.stay(back.look_up(w)) == CacheStall::none);
    CHECK(back.state.tags.dirty(back.state.tags.find(1, 1)) == 0b0011);
    REQUIRE(back.state.outlet.queue.size() == 1); // components with copies are informed once
    CHECK(back.state.outlet.queue[0].command == Command::claim);
    CHECK(back.state.outlet.queue[0].bytes == 64);
    CHECK(back.writes.stay(back.look_up(w)) == CacheStall::none);
    CHECK(back.state.outlet.queue.size() == 1);

    CHECK(through.writes.forward(through.look_up(w)) == CacheStall::none);
    CHECK(through.state.tags.valid(through.state.tags.find(1, 1)) == 0b0011);
    REQUIRE(through.state.outlet.queue.size() == 1);
    CHECK(through.state.outlet.queue[0].command == Command::write);
    CHECK(through.stages.outlet.answered(through.state.outlet.queue[0].tag).tag == w.tag);
}

TEST_CASE("a flush visits sets while its queue has room", "[mem][cache]") {
    Parts p("write_back", true);
    for (std::uint64_t line = 0; line < 4; ++line) p.put(line, 0b0001, 0b0001);
    MemRequest r = request(Command::flush, 0, 0);
    CHECK(p.commands.flush(r, 2) == CacheStall::none);
    CHECK(p.commands.holds(0)); // no room for the final message
    CHECK(p.commands.flush(r, 0) == CacheStall::flush);
    std::vector<std::uint32_t> tags;
    while (!p.state.outlet.queue.empty()) tags.push_back(p.state.outlet.queue.pop().tag);
    REQUIRE(tags.size() == 4);
    p.commands.walk();
    CHECK_FALSE(p.commands.holds(0));
    REQUIRE(p.state.outlet.queue.size() == 1);
    CHECK(p.state.outlet.queue[0].command == Command::invalidate);
    for (std::uint32_t tag : tags) {
        CHECK_FALSE(p.commands.finished());
        CHECK(p.stages.outlet.answered(tag).flushed);
        p.commands.acknowledged();
    }
    CHECK(p.commands.finished());
    CHECK_FALSE(p.commands.finished()); // once
    CHECK(p.state.flush.port == 2);
}

TEST_CASE("a hint is cut into lines, and fetched while MSHRs are left", "[mem][cache]") {
    Parts p;
    const MemRequest h = protocol::hint(96, 160);
    CHECK(p.prefetching.next_part(h, 0) == 32);
    CHECK(p.prefetching.next_part(h, 32) == 128);
    CHECK(p.prefetching.next_part(h, 160) == 0);
    const MemRequest first = Prefetching::part(h, 0, 32), second = Prefetching::part(h, 32, 128);
    p.prefetching.hint(p.look_up(first), true); // held by a flush
    p.prefetching.hint(p.look_up(first), false);
    p.prefetching.hint(p.look_up(first), false);  // on its way
    p.prefetching.hint(p.look_up(second), false); // the last MSHR is for accesses
    CHECK(p.state.outlet.queue.size() == 1);
    CHECK(p.stat.hints.value() == 4);
    CHECK(p.stat.prefetches.value() == 1);
    CHECK(p.stat.hints_useless.value() == 1);
    CHECK(p.stat.hints_dropped.value() == 2);
}

} // namespace memsim::mem::cache::cache_stages_test
