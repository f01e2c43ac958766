#include "parts/cycle_slots.hh"
#include "parts/interleave.hh"
#include "parts/mshr.hh"
#include "parts/tag_array.hh"
#include "parts/virtual_queues.hh"

#include <catch2/catch.hpp>

namespace memsim::parts {

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

TEST_CASE("a set gives up the line used or filled longest ago", "[parts]") {
    const auto policy = GENERATE(Replacement::lru, Replacement::fifo);
    TagArray tags;
    tags.resize(3, 4, policy);
    for (std::uint64_t tag = 0; tag < 4; ++tag) { // empty lines first, in order
        const std::uint32_t line = tags.victim(2);
        CHECK(line == 8 + tag);
        tags.replace(line, tag);
        tags.valid(line) = 1;
    }
    CHECK(tags.find(2, 3) == 11);
    CHECK(tags.find(1, 3) == TagArray::none);
    tags.touch(8);
    CHECK(tags.victim(2) == (policy == Replacement::lru ? 9 : 8));
    tags.lock(tags.victim(2), 5);
    CHECK(tags.victim(2) == (policy == Replacement::lru ? 10 : 9));
    for (std::uint32_t line = 8; line < 12; ++line) tags.lock(line, line);
    CHECK(tags.victim(2) == TagArray::none);
    CHECK(tags.lock(10) == 10);
    tags.unlock(10);
    CHECK(tags.victim(2) == 10);
}

TEST_CASE("dropping what is clean keeps dirty sectors and locked tags", "[parts]") {
    TagArray tags;
    tags.resize(1, 3, Replacement::lru);
    for (std::uint32_t line = 0; line < 3; ++line) {
        tags.replace(line, 10 + line);
        tags.valid(line) = 0b1111;
    }
    tags.dirty(0) = 0b0100;
    tags.lock(1, 0);
    tags.drop_clean();
    CHECK(tags.valid(0) == 0b0100);
    CHECK(tags.find(0, 11) == 1);
    CHECK(tags.find(0, 12) == TagArray::none);
}

TEST_CASE("an MSHR serves its targets in order, some before others", "[parts]") {
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

} // namespace memsim::parts
