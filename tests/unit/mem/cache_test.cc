#include "cache_rig.hh"

#include <catch2/catch.hpp>

#include <memory>

namespace memsim::mem::cache_test {

using protocol::Command;
using test_mem::Driver;
using test_mem::value;

TEST_CASE("a hit and a miss are answered at their tick and not before", "[mem][cache]") {
    Rig rig("");
    rig.driver().read(0, 0);
    rig.driver().read(500 * ns, 0);
    rig.m.start();
    rig.m.run(miss_time);
    CHECK(rig.driver().answered(0) == -1);
    rig.m.run(miss_time + 1);
    CHECK(rig.driver().answered(0) == miss_time);
    rig.m.run(500 * ns + hit_time);
    CHECK(rig.driver().answered(1) == -1);
    rig.m.run(500 * ns + hit_time + 1);
    CHECK(rig.driver().answered(1) == 500 * ns + hit_time);
    CHECK(value(rig.cache().stat.hits) == 1);
    CHECK(value(rig.cache().stat.misses) == 1);
    CHECK(rig.cache().stat.miss_latency.count() == 1);
    CHECK(rig.cache().stat.miss_latency.sum() == 100 * ns + 1);
}

TEST_CASE("one lookup a cycle, exactly", "[mem][cache]") {
    const unsigned per_cycle = GENERATE(1u, 2u);
    Rig rig(std::string("clock=1.2GHz bank_ports=2 accesses_per_cycle=") +
            std::to_string(per_cycle));
    rig.driver().read(0, 0);
    for (int i = 0; i < 1000; ++i) rig.driver().read(1000 * ns, 0);
    rig.run();
    const Clock clock(1.2_GHz);
    const ClockEdge first = clock.at_or_after(1000 * ns + 2); // end of the first one's cycle
    for (std::uint32_t i : {1u, 2u, 3u, 500u, 1000u}) {
        const std::int64_t cycle = (i - 1) / per_cycle;
        const Tick at = cycle ? clock.edge(first.cycle + cycle - 1).tick : 1000 * ns + 1;
        CHECK(rig.driver().answered(i) == at + 10 * ns);
    }
}

TEST_CASE("LRU and FIFO keep different pages", "[mem][cache]") {
    const bool lru = GENERATE(true, false);
    Rig rig(std::string("replacement=") + (lru ? "lru" : "fifo"));
    // Set 0 takes lines 0, 2, 4: the third takes the place of 2 under LRU, of 0 under FIFO.
    Tick t = 0;
    for (std::uint64_t line : {0, 2, 0, 4, 0}) rig.driver().read(t += 1000 * ns, line * 128);
    rig.run();
    CHECK(value(rig.cache().stat.hits) == (lru ? 2 : 1));
    CHECK(value(rig.cache().stat.evictions) == (lru ? 1 : 2));
}

TEST_CASE("only missing sectors are fetched, in one message", "[mem][cache]") {
    Rig rig("");
    rig.driver().read(0, 32);             // sector 1
    rig.driver().read(1000 * ns, 0, 128); // then 0, 2, 3
    rig.driver().read(2000 * ns, 0, 128);
    rig.run();
    const auto& s = rig.cache().stat;
    CHECK(value(s.fetches) == 2);
    CHECK(value(s.fetched_bytes) == 128);
    CHECK(value(rig.memory().stat.bytes) == 128);
    CHECK(value(s.sector_misses) == 1);
    CHECK(value(s.hits) == 1);
    CHECK(rig.driver().state.answers.size() == 3);
}

TEST_CASE("a request needs the sectors of its mask and no other", "[mem][cache]") {
    Rig rig("");
    auto read = [&](Tick at, std::uint64_t address, std::uint32_t bytes, std::uint16_t mask) {
        rig.driver().plan(at, Command::read, address, bytes).sectors = mask;
    };
    read(0, 32, 96, 0b101);         // sectors 1 and 3 of line 0
    read(0, 64, 32, 0);             // 2: missing
    read(0, 32, 96, 0b101);         // 1 and 3: on their way
    read(0, 0, 128, 0b1001);        // 0 and 3: 0 missing, 3 on its way
    read(1000 * ns, 32, 96, 0b101); // here
    rig.run();
    const auto& s = rig.cache().stat;
    CHECK(value(s.accesses) == 5);
    CHECK(value(s.sectors) == 9);
    CHECK(value(s.read_sectors) == 9);
    CHECK(value(s.missed_sectors) == 4);
    CHECK(value(s.missed_read_sectors) == 4);
    CHECK(value(s.pending_sectors) == 3);
    CHECK(value(s.bytes) == 9 * 32);
    CHECK(value(s.fetches) == 3);
    CHECK(value(s.fetched_bytes) == 128);
    CHECK(value(rig.memory().stat.bytes) == 128);
    CHECK(value(s.hits) == 1);
    CHECK(rig.driver().state.answers[0].response.sectors == 0b101);
}

TEST_CASE("sectors larger than the mask's: some touch, all cover", "[mem][cache]") {
    Rig rig("capacity=1KiB sector=64B line=256B write_policy=write_back write_allocate=true");
    Driver& d = rig.driver();
    // Units of 32 B: 1 (half of sector 0), 4 and 5 (all of sector 2), 7 (half of sector 3).
    d.plan(0, Command::write, 32, 224, false).sectors = 0b1011001;
    d.read(1000 * ns, 64, 64); // sector 1
    rig.run();
    const auto& tags = rig.cache().state.tags;
    CHECK(tags.dirty(tags.find(0, 0)) == 0b1101);
    CHECK(tags.valid(tags.find(0, 0)) == 0b1111);
    CHECK(value(rig.cache().stat.fetches) == 2);
    CHECK(value(rig.cache().stat.fetched_bytes) == 3 * 64); // 0 and 3, then 1
    CHECK(value(rig.memory().stat.bytes) == 3 * 64);
}

TEST_CASE("misses of one line merge and are answered together", "[mem][cache]") {
    Rig rig("");
    rig.driver().read(0, 0, 64);
    rig.driver().read(10 * ns, 32);
    rig.driver().read(20 * ns, 96); // another sector: its own fetch in the same MSHR
    rig.run();
    const auto& s = rig.cache().stat;
    CHECK(value(s.fetches) == 2);
    CHECK(value(s.merged) == 1);
    CHECK(value(s.misses) == 3);
    CHECK(rig.driver().answered(0) == miss_time);
    CHECK(rig.driver().answered(1) == miss_time);
    CHECK(rig.driver().answered(2) == 20 * ns + miss_time);
    CHECK(s.miss_latency.count() == 1); // one MSHR
}

TEST_CASE("hits pass under misses; a full MSHR table or target list holds up", "[mem][cache]") {
    Rig rig("mshrs=2 targets=2");
    Driver& d = rig.driver();
    d.read(0, 0);
    d.read(1000 * ns, 128); // two misses: lines 1 and 3
    d.read(1000 * ns, 384);
    d.read(1000 * ns, 0); // a hit under them
    SECTION("no MSHR is left") {
        d.read(1010 * ns, 256);
        rig.run();
        CHECK(d.answered(3) < d.answered(1));
        CHECK(value(rig.cache().stat.stalled_by_mshrs) == 1);
        CHECK(d.answered(4) == d.answered(1) - 10 * ns + miss_time - 1);
        CHECK(value(rig.cache().stat.stall_time) > 80 * ns);
    }
    SECTION("no target is left") {
        d.read(1010 * ns, 128);
        d.read(1010 * ns, 128);
        rig.run();
        CHECK(value(rig.cache().stat.stalled_by_targets) == 1);
        CHECK(d.answered(4) == d.answered(1));
        CHECK(d.answered(5) == d.answered(1)); // a hit at that time
    }
}

TEST_CASE("a set whose lines are all on their way holds up", "[mem][cache]") {
    Rig rig("");
    for (std::uint64_t line : {0, 2, 4}) rig.driver().read(0, line * 128);
    rig.run();
    CHECK(value(rig.cache().stat.stalled_by_set) == 1);
    CHECK(rig.driver().answered(2) > 2 * miss_time - 11 * ns);
}

TEST_CASE("write-through forwards writes and keeps the copy", "[mem][cache]") {
    Rig rig("");
    Driver& d = rig.driver();
    d.read(0, 0);
    d.write(1000 * ns, 0);
    d.write(1100 * ns, 512, 32, false); // a miss, acknowledged from below; takes no line
    d.read(2000 * ns, 0);
    d.read(3000 * ns, 512);
    rig.run();
    const auto& s = rig.cache().stat;
    CHECK(value(s.hits) == 2);
    CHECK(value(s.passed_on) == 2);
    CHECK(value(rig.memory().stat.writes) == 2);
    CHECK(d.answered(2) == 1100 * ns + miss_time);
    CHECK(value(s.fetches) == 2);
}

TEST_CASE("write-evict and atomics drop the copy above", "[mem][cache]") {
    const bool atomic = GENERATE(true, false);
    Rig rig(std::string("write_policy=") + (atomic ? "write_through" : "write_evict"));
    Driver& d = rig.driver();
    d.read(0, 0, 64);
    d.plan(1000 * ns, atomic ? Command::atomic : Command::write, 0, 32);
    d.read(2000 * ns, 32); // the other sector stays
    d.read(3000 * ns, 0);
    rig.run();
    CHECK(value(rig.cache().stat.read_hits) == 1);
    CHECK(value(rig.cache().stat.sector_misses) == 1);
    CHECK(value(rig.memory().stat.writes) == 1);
}

TEST_CASE("data fetched before a write that drops the line are not kept", "[mem][cache]") {
    Rig rig("write_policy=write_evict");
    Driver& d = rig.driver();
    d.read(0, 0);
    d.write(10 * ns, 0);
    d.read(1000 * ns, 0);
    rig.run();
    CHECK(value(rig.cache().stat.hits) == 0);
    CHECK(value(rig.cache().stat.fetches) == 2);
}

TEST_CASE("stamps say how long a request was in the cache", "[mem][cache]") {
    Rig rig("");
    rig.m.sim().stamps().enable(1);
    rig.driver().read(0, 0);
    rig.driver().read(1000 * ns, 0);
    for (auto& p : rig.driver().state.plan.entries)
        p.message.stamps = rig.m.sim().stamps().open(p.at, p.message.address);
    rig.run();
    auto& stamps = rig.m.sim().stamps();
    for (const auto& a : rig.driver().state.answers)
        stamps.close(a.response.stamps, protocol::Stage::response, a.at);
    // The miss: 2 fs on the way below, the memory, the cache's latency. The hit: all of its time.
    const Tick latency = hit_time - 1; // without the path to the cache
    CHECK(stamps.sum(protocol::Stage::l1) == 2 + hit_time + latency);
    CHECK(stamps.sum(protocol::Stage::dram) == 100 * ns);
    CHECK(stamps.sum(protocol::Stage::response) == miss_time - 2 - 100 * ns - latency);
}

TEST_CASE("write-through with allocation takes whole sectors", "[mem][cache]") {
    Rig rig("write_allocate=true fetch_on_write=false");
    rig.driver().write(0, 0, 48); // sector 0, half of sector 1
    rig.driver().read(1000 * ns, 0);
    rig.driver().read(2000 * ns, 32);
    rig.run();
    CHECK(value(rig.cache().stat.read_hits) == 1);
    CHECK(value(rig.cache().stat.fetches) == 1);
}

TEST_CASE("write-back keeps writes and evicts dirty sectors", "[mem][cache]") {
    Rig rig("write_policy=write_back write_allocate=true");
    Driver& d = rig.driver();
    d.write(0, 0, 32, false); // sectors 0 and 2, 3 of line 0
    d.write(0, 64, 64);
    d.read(100 * ns, 256); // lines 2 and 4 take its place
    d.read(1000 * ns, 512);
    d.read(2000 * ns, 768);
    rig.run();
    const auto& s = rig.cache().stat;
    CHECK(d.answered(0) == hit_time);
    CHECK(value(s.writebacks) == 1);
    CHECK(value(s.written_back_bytes) == 96);
    CHECK(value(rig.memory().stat.writes) == 1);
    CHECK(value(rig.memory().stat.bytes) == 96 + 3 * 32);
}

TEST_CASE("write-back fetches a sector written in part, and performs atomics", "[mem][cache]") {
    Rig rig("write_policy=write_back write_allocate=true");
    Driver& d = rig.driver();
    d.write(0, 8, 8, false);
    d.plan(1000 * ns, Command::atomic, 128, 4);
    d.plan(2000 * ns, Command::atomic, 128, 4);
    rig.run();
    CHECK(d.answered(0) == miss_time);
    CHECK(d.answered(1) == 1000 * ns + miss_time);
    CHECK(d.answered(2) == 2000 * ns + hit_time);
    CHECK(value(rig.memory().stat.writes) == 0);
    CHECK(value(rig.memory().stat.reads) == 2);
    const auto& tags = rig.cache().state.tags;
    CHECK(tags.dirty(tags.find(0, 0)) == 1);
    CHECK(tags.dirty(tags.find(1, 1)) == 1);
}

TEST_CASE("write-back without allocation passes misses on", "[mem][cache]") {
    Rig rig("write_policy=write_back");
    rig.driver().write(0, 0, 32, false);
    rig.run();
    CHECK(rig.driver().answered(0) == miss_time);
    CHECK(value(rig.cache().stat.passed_on) == 1);
}

TEST_CASE("invalidate drops clean lines, including those being fetched", "[mem][cache]") {
    Rig rig("write_policy=write_back write_allocate=true");
    Driver& d = rig.driver();
    d.write(0, 0);
    d.read(0, 128);
    d.read(1000 * ns, 256);
    d.plan(1010 * ns, Command::invalidate, 0, 0, true);
    d.read(2000 * ns, 0); // dirty: kept
    d.read(2000 * ns, 128);
    d.read(2000 * ns, 256);
    rig.run();
    CHECK(value(rig.cache().stat.read_hits) == 1);
    CHECK(value(rig.cache().stat.invalidations) == 1);
    CHECK(d.state.answers.size() == 5);
}

TEST_CASE("evictions wait for room below and nothing is lost", "[mem][cache]") {
    // Every access evicts a dirty line into a slow memory, through the smallest queues.
    Rig rig("write_policy=write_back write_allocate=true mem_queue=4 outstanding=1 mshrs=2",
            "100MB/s");
    Rng random(1, "evictions");
    for (int i = 0; i < 2000; ++i) {
        const std::uint64_t line = random.below(64);
        if (random.below(2))
            rig.driver().write(0, line * 128, 128, random.below(2));
        else
            rig.driver().read(0, line * 128, 128);
    }
    rig.run();
    CHECK(value(rig.cache().stat.stalled_by_mem_side) > 100);
    CHECK(value(rig.memory().stat.bytes) ==
          value(rig.cache().stat.fetched_bytes) + value(rig.cache().stat.written_back_bytes));
}

TEST_CASE("a slice of an interleaved cache uses all its sets", "[mem][cache]") {
    // Slice 1 of 3, chunks of 256 B: 4 lines fill 2 sets of 2 lines exactly.
    Rig rig("interleave_ways=3 interleave_granularity=256B");
    Tick t = 0;
    for (int round = 0; round < 2; ++round)
        for (std::uint64_t a : {256, 384, 1024, 1152}) rig.driver().read(t += 1000 * ns, a);
    rig.run();
    CHECK(value(rig.cache().stat.misses) == 4);
    CHECK(value(rig.cache().stat.hits) == 4);
}

TEST_CASE("a cache rejects invalid requests and parameters with a message", "[mem][cache]") {
    CHECK_THAT(refused("capacity=500B"),
               Catch::StartsWith("cache.capacity: 500B is not a whole number of sets"));
    CHECK_THAT(refused("capacity=128B"), Catch::StartsWith("cache.capacity:"));
    CHECK_THAT(refused("line=96B"), Catch::StartsWith("cache.line:"));
    CHECK_THAT(refused("sector=256B"), Catch::StartsWith("cache.sector:"));
    CHECK_THAT(refused("mem_queue=2"), Catch::StartsWith("cache.mem_queue:"));
    CHECK_THAT(refused("interleave_ways=2 interleave_granularity=64B"),
               Catch::StartsWith("cache.interleave_granularity:"));
    CHECK(refused("capacity=768B").empty()); // 3 sets

    Rig rig("");
    rig.driver().read(0, 64, 128);
    rig.m.start();
    CHECK_THROWS_WITH(rig.m.run(never), Catch::StartsWith("cache.line: a request of 128B"));
}

namespace {

/// What a blocking cache of whole sectors would do, written as plainly as can be.
struct Reference {
    struct Line {
        std::uint64_t number = 0;
        unsigned valid = 0;
    };
    std::vector<std::vector<Line>> sets; ///< each from the next victim to the last
    std::size_t ways;
    bool lru, allocate;

    bool access(std::uint64_t address, std::uint32_t bytes, bool write) {
        auto& set = sets[address / 128 % sets.size()];
        unsigned touched = 0;
        for (std::uint64_t s = address % 128 / 32; s <= (address % 128 + bytes - 1) / 32; ++s)
            touched |= 1u << s;
        for (std::size_t i = 0; i < set.size(); ++i) {
            if (set[i].number != address / 128) continue;
            const bool hit = (set[i].valid & touched) == touched;
            set[i].valid |= touched;
            if (lru)
                std::rotate(set.begin() + static_cast<long>(i),
                            set.begin() + static_cast<long>(i) + 1, set.end());
            return hit;
        }
        if (write && !allocate) return false;
        if (set.size() == ways) set.erase(set.begin());
        set.push_back({address / 128, touched});
        return false;
    }
};

} // namespace

TEST_CASE("random accesses hit and miss as in a plain cache", "[mem][cache]") {
    const bool lru = GENERATE(true, false);
    const bool allocate = GENERATE(true, false);
    constexpr std::size_t sets = 7, ways = 3; // no powers of two
    Rig rig(std::string("capacity=") + std::to_string(sets * ways * 128) + "B" +
            " ways=" + std::to_string(ways) + " replacement=" + (lru ? "lru" : "fifo") +
            " write_policy=write_back write_allocate=" + (allocate ? "true" : "false"));
    Reference reference {std::vector<std::vector<Reference::Line>>(sets), ways, lru, allocate};
    Rng random(7, "reference");
    std::vector<bool> expected;
    for (Tick i = 0; i < 20'000; ++i) { // one at a time
        const std::uint64_t line = random.below(40);
        const std::uint64_t first = random.below(4);
        const std::uint64_t n = 1 + random.below(4 - first);
        const bool write = random.below(3) == 0;
        const std::uint64_t address = line * 128 + first * 32;
        rig.driver().plan(i * 1000 * ns, write ? Command::write : Command::read, address,
                          static_cast<std::uint32_t>(n * 32));
        expected.push_back(reference.access(address, static_cast<std::uint32_t>(n * 32), write));
    }
    rig.run();
    std::size_t differing = 0, hits = 0;
    for (std::uint32_t i = 0; i < expected.size(); ++i) {
        const auto& sent = rig.driver().state.plan[i];
        const auto& a = rig.driver().state.answers[i];
        REQUIRE(a.response.tag == i);
        hits += expected[i];
        // An allocating whole-sector write is answered as fast as a hit: the counter distinguishes
        // them.
        const bool fast = a.at - sent.at == hit_time;
        const bool fast_miss = sent.message.command == Command::write &&
                               (allocate || fast); // without: in a present line
        if (fast != expected[i] && !fast_miss) ++differing;
    }
    CHECK(differing == 0);
    CHECK(value(rig.cache().stat.hits) == hits);
    CHECK(hits > 1000);
}

} // namespace memsim::mem::cache_test
