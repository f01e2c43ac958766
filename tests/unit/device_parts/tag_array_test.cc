#include "device_parts/cycle_slots.hh"
#include "device_parts/interleave.hh"
#include "device_parts/mshr.hh"
#include "device_parts/tag_array.hh"
#include "device_parts/virtual_queues.hh"

#include <algorithm>

#include <catch2/catch.hpp>

namespace memsim::device_parts::tag_array_test {

TEST_CASE("an interleave is one to one, powers of two or not", "[parts]") {
    const std::uint64_t granularity = GENERATE(1u, 96u, 256u);
    const std::uint64_t ways = GENERATE(1u, 6u, 8u);
    const Interleave map(granularity, ways);
    std::vector<std::uint64_t> next(ways, 0);
    for (std::uint64_t a = 0; a < 20 * granularity * ways; ++a) {
        const std::uint32_t way = map.way(a);
        REQUIRE(way == a / granularity % ways);
        REQUIRE(map.within(a) == next[way]++); // dense, in order
        REQUIRE(map.address(way, map.within(a)) == a);
    }
}

namespace {
/// Gives the next line to make room in the last of its sets to `tag`.
std::uint32_t take(TagArray& tags, std::uint64_t tag) {
    const std::uint32_t line = tags.victim(tags.sets() - 1, 0, tags.ways());
    tags.replace(line, tag, 0);
    tags.add_valid(line, 1);
    return line;
}
} // namespace

TEST_CASE("a set replaces the line used or filled longest ago", "[parts]") {
    const bool lru = GENERATE(true, false);
    const std::uint32_t ways = GENERATE(4u, 6u);
    TagArray tags;
    tags.resize(3, ways, lru ? "lru" : "fifo");
    REQUIRE(tags.sets() == 3);
    auto victim = [&] { return tags.victim(2, 0, ways) - tags.line(2, 0); };
    for (std::uint64_t tag = 0; tag < ways; ++tag) { // empty lines first, in order
        CHECK(victim() == tag);
        take(tags, tag);
    }
    CHECK(tags.find(2, 3) == tags.line(2, 3));
    CHECK(tags.tag(tags.line(2, 3)) == 3);
    CHECK(tags.find(1, 3) == TagArray::none);
    tags.touch(tags.line(2, 0));
    CHECK(victim() == (lru ? 1 : 0));
    tags.lock(tags.line(2, victim()), 5);
    CHECK(victim() == (lru ? 2 : 1));
    for (std::uint32_t w = 0; w < ways; ++w) tags.lock(tags.line(2, w), w);
    CHECK(tags.victim(2, 0, ways) == TagArray::none);
    CHECK(tags.lock(tags.line(2, 2)) == 2);
    tags.unlock(tags.line(2, 2));
    CHECK(victim() == 2);
    CHECK(tags.victim(2, 3, ways) == TagArray::none); // of the others
}

TEST_CASE("random replacement takes each unlocked line, by its stream", "[parts]") {
    TagArray tags, same;
    for (TagArray* t : {&tags, &same}) {
        t->resize(1, 4, "random", "test", 3);
        for (std::uint64_t tag = 0; tag < 4; ++tag) take(*t, tag);
        t->lock(t->line(0, 1), 0);
    }
    std::array<int, 4> seen {};
    for (std::uint64_t i = 0; i < 3000; ++i) {
        const std::uint32_t line = tags.victim(0, 0, 4);
        REQUIRE(line == tags.victim(0, 0, 4)); // asking changes nothing
        REQUIRE(line == take(same, 100 + i));
        take(tags, 100 + i);
        ++seen[line];
    }
    CHECK(seen[1] == 0);
    for (int w : {0, 2, 3}) CHECK(std::abs(seen[static_cast<unsigned>(w)] - 1000) < 150);
}

TEST_CASE("a tag holds lines, applications and flags apart", "[parts]") {
    TagArray tags;
    tags.resize(2, 3, "lru");
    const std::uint32_t line = tags.line(1, 2);
    const std::uint64_t big = TagArray::most_lines - 1;
    tags.replace(line, big, TagArray::most_applications - 1);
    tags.lock(line, TagArray::most_locks - 1);
    tags.set_kept(line, true);
    CHECK(tags.find(1, big) == line);
    CHECK(tags.find(1, big & 0xffffffff) == TagArray::none);
    CHECK(tags.lock(line) == TagArray::most_locks - 1);
    CHECK(tags.application(line) == TagArray::most_applications - 1);
    CHECK(tags.kept(line));
    CHECK_FALSE(tags.prefetched(line));
    tags.add_valid(line, 0b0011);
    tags.add_dirty(line, 0b0110);
    tags.drop(line, 0b0010);
    CHECK(tags.valid(line) == 0b0001);
    CHECK(tags.dirty(line) == 0b0100);
    tags.drop(line); // locked: it keeps its tag
    CHECK(tags.empty(line));
    CHECK_FALSE(tags.kept(line));
    CHECK(tags.find(1, big) == line);
    tags.unlock(line);
    CHECK(tags.find(1, big) == TagArray::none);
}

TEST_CASE("an MSHR serves its targets in order, also in parts", "[parts]") {
    MshrTable<int> table;
    table.resize(2, 3);
    const std::uint32_t a = table.allocate(7, 0);
    const std::uint32_t b = table.allocate(8, 0);
    CHECK(table.full());
    for (int t : {1, 2, 3}) table.add(a, t);
    CHECK(table.targets_full(a));
    CHECK_FALSE(table.targets_full(b));
    table.add(b, 9);
    std::vector<int> served;
    auto odd = [&](int t) { return t % 2 ? served.push_back(t), true : false; };
    auto all = [&](int t) { return served.push_back(t), true; };
    table.serve(a, odd);
    CHECK(served == std::vector {1, 3});
    table.add(a, 4);
    table.add(a, 5);
    table.serve(a, all);
    CHECK(served == std::vector {1, 3, 2, 4, 5});
    table.release(a);
    CHECK_FALSE(table.full());
    CHECK_THROWS_AS(table.release(b), Panic);
    CHECK(table.allocate(1, 0) == a);
}

TEST_CASE("slots of a cycle are exact for any clock", "[parts]") {
    const Clock clock(3_GHz); // a period is no whole number of femtoseconds
    CycleSlots slots;
    Tick now = 0;
    for (int i = 0; i < 3000; ++i) {
        while (!slots.free(clock, now, 1)) now = slots.next.tick;
        slots.take();
    }
    CHECK(now == clock.edge(2999).tick);
    now += 1'000'000'000'000; // long idle
    CHECK(slots.free(clock, now, 1));
    CHECK(slots.next.tick > now);
    CHECK(slots.next.tick <= now + 333'334);
}

TEST_CASE("virtual output queues: round robin, order kept, room by input", "[parts]") {
    VirtualQueues<int> queues;
    queues.resize(130, 2, 2);
    for (std::uint32_t input : {3u, 64u, 129u}) {
        queues.push(input, 1, static_cast<int>(input));
        queues.push(input, 1, static_cast<int>(1000 + input));
        CHECK_FALSE(queues.room(input));
    }
    CHECK(queues.waiting(1));
    CHECK_FALSE(queues.waiting(0));
    for (int expected : {3, 64, 129, 1003, 1064, 1129}) CHECK(queues.pop(1) == expected);
    CHECK(queues.empty());
    CHECK(queues.room(64));
    queues.push(64, 0, 1);
    queues.push(64, 1, 2); // the other output does not wait
    CHECK(queues.pop(1) == 2);
    CHECK(queues.pop(0) == 1);
}

} // namespace memsim::device_parts::tag_array_test
