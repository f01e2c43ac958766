#include "cache_rig.hh"
#include "mem/crossbar/crossbar.hh"

/// A slice of an L2 of two partitions. A request of 32 bytes occupies the link to the slice for a
/// cycle, its response the link from the slice for three (40 of 16 bytes each).
namespace memsim::mem::cache_partitions_test {

namespace {

const std::string slice = "clock=1GHz accesses_per_cycle=8 partitions=2 "
                          "far_latency=100ns far_width=16B write_policy=write_back "
                          "write_allocate=true ";
/// The only requester has number 0: it belongs to partition 0.
const std::string far_slice = slice + "partition=1 ", near_slice = slice + "partition=0 ";
constexpr Tick link_time = 3 * ns + 100 * ns;
Tick hit_at(Tick sent) { return sent + hit_time; }
Tick far_hit_at(Tick sent) { return hit_at(sent) + link_time; }

} // namespace

TEST_CASE("A read of the other partition's line passes the link, a read of its copy does not",
          "[mem][cache]") {
    Rig rig(far_slice + "warm_bytes=256B");
    rig.driver().read(1000 * ns, 0);
    rig.driver().read(2000 * ns, 0);
    rig.driver().read(3000 * ns, 32); // another sector of the line
    rig.run();
    CHECK(rig.driver().answered(0) == far_hit_at(1000 * ns));
    CHECK(rig.driver().answered(1) == hit_at(2000 * ns));
    CHECK(rig.driver().answered(2) == far_hit_at(3000 * ns));
    CHECK(value(rig.cache().stat.partition_requests[0]) == 0);
    CHECK(value(rig.cache().stat.partition_requests[1]) == 3);
    CHECK(value(rig.cache().stat.copy_reads[1]) == 1);
    CHECK(value(rig.cache().stat.link_bytes[0]) == 3 * 8);
    CHECK(value(rig.cache().stat.link_bytes[1]) == 2 * 40);
}

TEST_CASE("A requester of the slice's own partition never passes the link", "[mem][cache]") {
    Rig rig(near_slice + "warm_bytes=256B");
    rig.driver().read(1000 * ns, 0);
    rig.driver().read(2000 * ns, 512); // a miss
    rig.run();
    CHECK(rig.driver().answered(0) == hit_at(1000 * ns));
    CHECK(rig.driver().answered(1) == 2000 * ns + miss_time);
    CHECK(value(rig.cache().stat.partition_requests[0]) == 2);
}

TEST_CASE("A miss from the other partition passes the link after the fetch", "[mem][cache]") {
    Rig rig(far_slice);
    rig.driver().read(1000 * ns, 0);
    rig.driver().read(3000 * ns, 0);
    rig.run();
    CHECK(rig.driver().answered(0) == 1000 * ns + miss_time + link_time);
    CHECK(rig.driver().answered(1) == hit_at(3000 * ns));
}

TEST_CASE("A copy is read when it has arrived, not a tick before", "[mem][cache]") {
    const Tick before = GENERATE(Tick {1}, Tick {0});
    Rig rig(far_slice + "warm_bytes=256B");
    rig.driver().read(1000 * ns, 0);
    const Tick arrival = 1000 * ns + link_time; // as sent, a request is looked up 1 fs later
    rig.driver().read(arrival - before, 0);
    rig.driver().read(arrival + 5 * ns, 0);
    rig.run();
    CHECK(rig.driver().answered(1) == hit_at(arrival)); // early or not
    CHECK(rig.driver().answered(2) == hit_at(arrival + 5 * ns));
    CHECK(value(rig.cache().stat.copy_reads[1]) == 2);
}

TEST_CASE("Requests and responses pass the link one after another", "[mem][cache]") {
    Rig rig(far_slice + "warm_bytes=256B");
    for (unsigned i = 0; i < 3; ++i) rig.driver().read(1000 * ns, 32 * i);
    rig.run();
    // Looked up a cycle apart; the link from the slice is the slower one.
    CHECK(rig.driver().answered(0) == far_hit_at(1000 * ns));
    CHECK(rig.driver().answered(1) == far_hit_at(1003 * ns));
    CHECK(rig.driver().answered(2) == far_hit_at(1006 * ns));
    CHECK(value(rig.cache().stat.stalled_by_bank) >= 2);
}

TEST_CASE("A link that holds all responses that it may stalls further requests", "[mem][cache]") {
    Rig rig(far_slice + "warm_bytes=256B far_queue=1");
    for (unsigned i = 0; i < 2; ++i) rig.driver().read(1000 * ns, 32 * i);
    rig.run();
    CHECK(rig.driver().answered(0) == far_hit_at(1000 * ns));
    CHECK(rig.driver().answered(1) == far_hit_at(1000 * ns + link_time));
}

TEST_CASE("A write drops the copy of its line", "[mem][cache]") {
    Rig rig(far_slice + "warm_bytes=256B");
    rig.driver().read(1000 * ns, 0);
    rig.driver().write(2000 * ns, 64, 32, false); // another sector
    rig.driver().read(3000 * ns, 0);
    rig.run();
    // The write occupies the link with its data, its response of 8 bytes takes a cycle.
    CHECK(rig.driver().answered(1) == hit_at(2000 * ns) + 101 * ns);
    CHECK(rig.driver().answered(2) == far_hit_at(3000 * ns));
    CHECK(value(rig.cache().stat.link_bytes[0]) == 8 + 40 + 8);
}

TEST_CASE("An atomic that waits for a line behind a read drops the copy that the read made",
          "[mem][cache]") {
    Rig rig(far_slice);
    rig.driver().read(1000 * ns, 0);
    rig.driver().plan(1010 * ns, Command::atomic, 0, 32); // both wait for one fetch
    rig.driver().read(3000 * ns, 0);
    rig.run();
    CHECK(value(rig.cache().stat.merged) == 1);
    CHECK(rig.driver().answered(2) == far_hit_at(3000 * ns));
}

TEST_CASE("A write of one partition drops the copy that the other one has", "[mem][cache]") {
    Machine m;
    for (const char* driver : {"lower", "upper"}) m.add(driver, "test_mem.Driver", {});
    m.add("network", "mem.Crossbar", {{"inputs", "2"}, {"outputs", "1"}, {"clock", "1GHz"}});
    m.add("cache", "mem.Cache",
          test_mem::arguments(far_slice + "capacity=512B ways=2 warm_bytes=256B"));
    m.add("memory", "mem.SimpleMemory", {});
    m.bind("lower", "mem_side", "network", "cpu_side[0]");
    m.bind("upper", "mem_side", "network", "cpu_side[1]");
    m.bind("network", "mem_side[0]", "cache", "cpu_side");
    m.bind("cache", "mem_side", "memory", "cpu_side");
    m.build();
    auto& lower = m.get<Driver>("lower");
    lower.read(1000 * ns, 0);
    lower.read(2000 * ns, 0);
    m.get<Driver>("upper").write(3000 * ns, 0);
    lower.read(4000 * ns, 0);
    m.start();
    CHECK(m.run(never) == Stop::idle);
    const Tick copy = lower.answered(1) - 2000 * ns;
    CHECK(lower.answered(0) - 1000 * ns == copy + link_time);
    CHECK(lower.answered(2) - 4000 * ns == copy + link_time);
    CHECK(value(m.get<Cache>("cache").stat.partition_requests[0]) == 1); // the write
}

TEST_CASE("Lines and copies of a set replace each other", "[mem][cache]") {
    SECTION("a copy replaces the least recently used line") {
        Rig rig(far_slice + "warm_bytes=512B"); // both sets are full
        rig.driver().read(1000 * ns, 0);        // its copy replaces line 2
        rig.driver().read(2000 * ns, 0);
        rig.driver().read(3000 * ns, 256); // line 2 again: replaces the copy of line 0, or line 0
        rig.run();
        CHECK(rig.driver().answered(0) == far_hit_at(1000 * ns));
        CHECK(rig.driver().answered(1) == hit_at(2000 * ns));
        CHECK(rig.driver().answered(2) == 3000 * ns + miss_time + link_time);
    }
    SECTION("a line replaces the least recently used copy") {
        Rig rig(far_slice + "capacity=1KiB ways=4 warm_bytes=512B"); // two of four ways
        for (unsigned i = 0; i < 2; ++i) rig.driver().read(1000 * (i + 1) * ns, 256 * i);
        rig.driver().read(3000 * ns, 256);
        rig.driver().read(4000 * ns, 0);                // both copies are there
        rig.driver().write(5000 * ns, 512, 128, false); // replaces line 2, whose copy leaves
        rig.driver().read(6000 * ns, 0);
        rig.driver().read(7000 * ns, 256);
        rig.run();
        CHECK(rig.driver().answered(2) == hit_at(3000 * ns));
        CHECK(rig.driver().answered(3) == hit_at(4000 * ns));
        CHECK(rig.driver().answered(5) == hit_at(6000 * ns));
        CHECK(rig.driver().answered(6) == 7000 * ns + miss_time + link_time);
    }
    SECTION("a dirty line is not replaced by a copy") {
        Rig rig(far_slice + "warm_bytes=256B");
        rig.driver().write(1000 * ns, 256, 128, false); // the other way of set 0
        rig.driver().read(2000 * ns, 0);
        rig.driver().read(3000 * ns, 0);
        rig.run();
        CHECK(rig.driver().answered(2) == far_hit_at(3000 * ns));
        CHECK(value(rig.cache().stat.evictions) == 0);
    }
    SECTION("a copy leaves with its line") {
        Rig rig(far_slice + "capacity=1KiB ways=4 warm_bytes=256B"); // one of four ways
        rig.driver().read(1000 * ns, 0);
        for (unsigned i = 1; i < 4; ++i)
            rig.driver().write(1000 * (i + 1) * ns, 256 * i, 128, false);
        rig.driver().read(6000 * ns, 0);
        rig.driver().read(8000 * ns, 0);
        rig.run();
        CHECK(rig.driver().answered(4) == 6000 * ns + miss_time + link_time);
        CHECK(value(rig.cache().stat.evictions) == 1);
    }
}

TEST_CASE("An invalidation drops copies", "[mem][cache]") {
    Rig rig(far_slice + "warm_bytes=256B");
    rig.driver().read(1000 * ns, 0);
    rig.driver().plan(2000 * ns, Command::invalidate, 0, 0, true);
    rig.driver().read(3000 * ns, 0);
    rig.run();
    CHECK(rig.driver().answered(2) == 3000 * ns + miss_time + link_time);
}

TEST_CASE("Crossbars state the number of their requesters, also of those above another crossbar",
          "[mem][cache]") {
    Machine m;
    const auto crossbar = [&](const char* name) {
        m.add(name, "mem.Crossbar", {{"inputs", "2"}, {"outputs", "1"}});
    };
    for (const char* name : {"left", "right", "apart"}) m.add(name, "test_mem.Driver", {});
    crossbar("upper");
    crossbar("lower");
    m.add("cache", "mem.Cache", {{"partitions", "2"}});
    m.add("memory", "mem.SimpleMemory", {});
    m.bind("left", "mem_side", "upper", "cpu_side[0]");
    m.bind("right", "mem_side", "upper", "cpu_side[1]");
    m.bind("upper", "mem_side[0]", "lower", "cpu_side[0]");
    m.bind("apart", "mem_side", "lower", "cpu_side[1]");
    m.bind("lower", "mem_side[0]", "cache", "cpu_side");
    m.bind("cache", "mem_side", "memory", "cpu_side");
    m.build();
    // The source is the number above x 2 + the input.
    CHECK(protocol::traffic_to(m.get<Cache>("cache").port.cpu_side).sources == 4);
}

TEST_CASE("Partitions need the number of requesters", "[mem][cache]") {
    CHECK(refused("partitions=2", 0).find("mem.Crossbar") != std::string::npos);
    CHECK(refused("partitions=2").empty());
}

} // namespace memsim::mem::cache_partitions_test
