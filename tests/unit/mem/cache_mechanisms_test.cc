#include "../gpu/mmu_support.hh"
#include "cache_rig.hh"
#include "mem/crossbar/crossbar.hh"

/// One mechanism a test, at the edge where it begins to matter.
namespace memsim::mem::cache_mechanisms_test {

namespace {

/// A clock of whole nanoseconds, and banks that accesses and fills share.
const std::string one_ns = "clock=1GHz ";
/// A request sent at n ns is looked up 1 fs later and answered `latency` after that.
Tick hit_at(Tick sent) { return sent + hit_time; }

std::uint64_t stalls(Rig& rig) { return value(rig.cache().stat.stalled_by_bank); }

} // namespace

// ---- banks -----------------------------------------------------------------------------------

TEST_CASE("a bank serves one access a cycle, two banks two", "[mem][cache]") {
    const bool same = GENERATE(true, false);
    Rig rig(one_ns + "accesses_per_cycle=2 banks=2 warm_bytes=512B");
    rig.driver().read(1000 * ns, 0);
    rig.driver().read(1000 * ns, same ? 256 : 128);
    rig.run();
    CHECK(rig.driver().answered(0) == hit_at(1000 * ns));
    // The next cycle begins at 1001 ns.
    CHECK(rig.driver().answered(1) == (same ? 1001 * ns + 10 * ns : hit_at(1000 * ns)));
    CHECK(stalls(rig) == (same ? 1 : 0));
    CHECK(value(rig.cache().stat.bank_busy) == 2);
}

TEST_CASE("a bank with two ports serves two accesses a cycle, not three", "[mem][cache]") {
    Rig rig(one_ns + "accesses_per_cycle=4 bank_ports=2 warm_bytes=512B");
    for (int i = 0; i < 3; ++i) rig.driver().read(1000 * ns, 0);
    rig.run();
    CHECK(rig.driver().answered(1) == hit_at(1000 * ns));
    CHECK(rig.driver().answered(2) == 1011 * ns);
}

TEST_CASE("a bank that a fill occupies is free a cycle later; other banks are free at once",
          "[mem][cache]") {
    const bool same = GENERATE(true, false);
    Rig rig(one_ns + "accesses_per_cycle=2 banks=2 warm_bytes=512B");
    rig.driver().read(1000 * ns, same ? 256 : 128);
    rig.m.start();
    rig.m.run(1000 * ns);
    rig.cache().take_bank(0);
    rig.run();
    CHECK(rig.driver().answered(0) == (same ? 1001 * ns + 10 * ns : hit_at(1000 * ns)));
    CHECK(stalls(rig) == (same ? 1 : 0));
    CHECK(value(rig.cache().stat.bank_busy) == 2);
}

TEST_CASE("a slow write holds its bank and its answer, and no other bank", "[mem][cache]") {
    Rig rig(one_ns + "write_cycles=5 banks=2 accesses_per_cycle=2 write_policy=write_back "
                     "write_allocate=true warm_bytes=512B");
    rig.driver().write(1000 * ns, 0, 32, false);
    rig.driver().read(1001 * ns, 128); // the other bank
    rig.driver().read(1002 * ns, 256); // the same: free in the fifth cycle after 1000
    rig.run();
    CHECK(rig.driver().answered(0) == hit_at(1000 * ns) + 4 * ns);
    CHECK(rig.driver().answered(1) == hit_at(1001 * ns));
    CHECK(rig.driver().answered(2) == 1005 * ns + 10 * ns);
    CHECK(stalls(rig) == 1);
    CHECK(value(rig.cache().stat.bank_busy) == 5 + 1 + 1);
}

TEST_CASE("a fill takes its bank for a write, unless it has a port", "[mem][cache]") {
    const bool own_port = GENERATE(true, false);
    Rig rig(one_ns + "write_cycles=3 fill_port=" + (own_port ? "true" : "false"));
    rig.driver().read(0, 0); // its fill arrives at 100 ns + 2 fs: cycles 100 to 102
    rig.driver().read(100 * ns, 0);
    rig.driver().read(110 * ns, 0);
    rig.run();
    CHECK(rig.driver().answered(0) == miss_time);
    // The second is looked up before the fill, in the same cycle, and merges; the third finds it.
    CHECK(rig.driver().answered(2) == hit_at(110 * ns));
    CHECK(value(rig.cache().stat.bank_busy) == (own_port ? 3 : 6));

    Rig late(one_ns + "write_cycles=3 fill_port=" + (own_port ? "true" : "false"));
    late.driver().read(0, 0);
    late.driver().read(101 * ns, 0);
    late.run();
    CHECK(late.driver().answered(1) == (own_port ? hit_at(101 * ns) : 103 * ns + 10 * ns));
}

// ---- writes ----------------------------------------------------------------------------------

TEST_CASE("Atomics on one sector start an interval apart, exactly; on others they do not wait",
          "[mem][cache]") {
    Rig rig(one_ns + "write_policy=write_back write_allocate=true banks=2 bank_ports=2 "
                     "accesses_per_cycle=4 atomic_interval=9 atomic_latency=5");
    Driver& d = rig.driver();
    d.read(0, 0, 64);
    d.plan(1000 * ns, Command::atomic, 0, 4);
    d.plan(1000 * ns, Command::atomic, 32, 4); // another sector
    d.plan(1000 * ns, Command::atomic, 8, 4);  // another word of the first
    d.plan(1008 * ns, Command::read, 0, 4);    // behind it
    d.plan(1020 * ns, Command::atomic, 0, 4);  // after the interval
    rig.run();
    CHECK(d.answered(1) == 1005 * ns + hit_time);
    CHECK(d.answered(2) == 1005 * ns + hit_time);
    CHECK(d.answered(3) == 1009 * ns + 5 * ns + hit_time - 1); // at the beginning of a cycle
    CHECK(d.answered(4) == 1009 * ns + hit_time - 1);
    CHECK(d.answered(5) == 1025 * ns + hit_time);
    CHECK(stalls(rig) == 1);
    CHECK(value(rig.cache().stat.atomics) == 4);
}

TEST_CASE("a sector written in part is fetched when it is read", "[mem][cache]") {
    Rig rig("write_policy=write_back write_allocate=true fetch_on_write=false");
    Driver& d = rig.driver();
    d.write(0, 8, 8, false);
    d.write(100 * ns, 16, 8, false); // a hit: written here
    rig.m.start();
    rig.m.run(500 * ns);
    CHECK(d.answered(0) == hit_time);
    CHECK(d.answered(1) == 100 * ns + hit_time);
    CHECK(value(rig.cache().stat.fetches) == 0);
    CHECK(value(rig.cache().stat.write_hits) == 1);

    Rig read("write_policy=write_back write_allocate=true fetch_on_write=false");
    read.driver().write(0, 8, 8);
    read.driver().read(1000 * ns, 0); // the rest is fetched now
    read.driver().read(2000 * ns, 0);
    read.run();
    CHECK(read.driver().answered(1) == 1000 * ns + miss_time);
    CHECK(read.driver().answered(2) == 2000 * ns + hit_time);
    const auto& tags = read.cache().state.tags;
    CHECK(tags.dirty(tags.find(0, 0)) == 1);
    CHECK(tags.valid(tags.find(0, 0)) == 1);
}

TEST_CASE("a mask marks the sectors that a write covers in part", "[mem][cache]") {
    const bool fetches = GENERATE(true, false);
    Rig rig(std::string("write_policy=write_back write_allocate=true fetch_on_write=") +
            (fetches ? "true" : "false"));
    rig.driver().plan(0, Command::write, 0, 128, false).partial = 0b0100;
    rig.run();
    const auto& tags = rig.cache().state.tags;
    const std::uint32_t line = tags.find(0, 0);
    CHECK(tags.dirty(line) == 0b1111);
    CHECK(tags.valid(line) == (fetches ? 0b1111 : 0b1011));
    CHECK(value(rig.cache().stat.fetched_bytes) == (fetches ? 32 : 0));
}

TEST_CASE("a partly written evicted line is marked as partial", "[mem][cache]") {
    Machine m;
    m.add("driver", "test_mem.Driver", {});
    m.add("cache", "mem.Cache",
          test_mem::arguments("capacity=512B ways=2 write_policy=write_back write_allocate=true "
                              "fetch_on_write=false"));
    m.add("memory", "test_mmu.Recorder", {});
    m.bind("driver", "mem_side", "cache", "cpu_side");
    m.bind("cache", "mem_side", "memory", "cpu_side[0]");
    m.build();
    auto& driver = m.get<Driver>("driver");
    auto& w = driver.plan(0, Command::write, 0, 128, true);
    w.sectors = 0b1101, w.partial = 0b0100;
    driver.read(1000 * ns, 256);
    driver.read(2000 * ns, 512);
    m.start();
    CHECK(m.run(never) == Stop::idle);
    protocol::MemRequest last;
    for (const auto& seen : m.get<test_mmu::Recorder>("memory").state.seen)
        if (seen.request.command == Command::write) last = seen.request;
    CHECK(last.bytes == 128);
    CHECK(last.sectors == 0b1101);
    CHECK(last.partial == 0b0100);
}

TEST_CASE("write-through with allocation and fetch fetches the rest of the sector at once",
          "[mem][cache]") {
    Rig rig("write_allocate=true");
    rig.driver().write(0, 0, 48); // sector 0, half of sector 1
    rig.driver().read(1000 * ns, 0, 64);
    rig.run();
    CHECK(value(rig.cache().stat.read_hits) == 1);
    CHECK(value(rig.cache().stat.fetches) == 1);
    CHECK(value(rig.cache().stat.fetched_bytes) == 32);
    CHECK(value(rig.memory().stat.writes) == 1);
}

TEST_CASE("a read does not merge with a fetch older than a write before it", "[mem][cache]") {
    Rig rig("write_policy=write_evict");
    Driver& d = rig.driver();
    d.read(0, 0);
    d.write(10 * ns, 0);
    d.read(20 * ns, 0); // must not have what left at 0
    rig.run();
    CHECK(value(rig.cache().stat.fetches) == 2);
    CHECK(value(rig.cache().stat.stalled_by_targets) == 1);
    CHECK(d.answered(2) > d.answered(0) + 100 * ns);
}

// ---- reserved ways ---------------------------------------------------------------------------

TEST_CASE("reserved ways keep writes from a cache of reads, and reads from them", "[mem][cache]") {
    Rig rig("capacity=1KiB ways=4 write_policy=write_evict reserved_ways=1"); // 2 sets
    Driver& d = rig.driver();
    d.write(0, 0, 128); // kept
    for (std::uint64_t line = 2; line < 12; line += 2) d.read(100 * ns, line * 128);
    d.read(2000 * ns, 0); // five reads went through three ways: it is still there
    rig.m.start();
    rig.m.run(3000 * ns);
    CHECK(value(rig.cache().stat.kept_writes) == 1);
    CHECK(value(rig.cache().stat.passed_on) == 0);
    CHECK(value(rig.memory().stat.writes) == 0);
    CHECK(d.answered(6) == 2000 * ns + hit_time);

    Rig second("capacity=1KiB ways=4 write_policy=write_evict reserved_ways=1");
    second.driver().read(0, 256, 128); // an ordinary way, which the write leaves
    second.driver().write(1000 * ns, 0, 128);
    second.driver().write(1100 * ns, 256, 32); // the only reserved way: 0 is written back
    second.driver().read(2000 * ns, 256, 128);
    second.run();
    CHECK(value(second.memory().stat.writes) == 1);
    CHECK(value(second.cache().stat.writebacks) == 1);
    CHECK(second.driver().answered(3) == 2000 * ns + hit_time);
    const auto& tags = second.cache().state.tags;
    CHECK(tags.find(0, 2) == tags.line(0, 0));
    CHECK(tags.dirty(tags.find(0, 2)) == 0b0001);
    CHECK(tags.valid(tags.find(0, 2)) == 0b1111);
}

TEST_CASE("ways are reserved and given back while it runs", "[mem][cache]") {
    Rig rig("capacity=1KiB ways=4 control_ports=1");
    rig.driver().write(0, 0, 32, false);         // passed on
    rig.driver().write(1000 * ns, 0, 32, false); // kept
    rig.driver().write(2000 * ns, 256, 32, false);
    rig.driver().write(2100 * ns, 0, 32, false);         // kept lines remain kept
    rig.driver().plan(2200 * ns, Command::atomic, 0, 4); // and is performed where the data is
    rig.manager().plan(500 * ns, Command::reserve, 0, 2);
    rig.manager().plan(1500 * ns, Command::reserve, 0, 0);
    rig.run();
    CHECK(rig.driver().answered(0) == miss_time);
    CHECK(rig.driver().answered(1) == 1000 * ns + hit_time);
    CHECK(rig.driver().answered(2) == 2000 * ns + miss_time);
    CHECK(rig.driver().answered(3) == 2100 * ns + hit_time);
    CHECK(rig.driver().answered(4) == 2200 * ns + hit_time);
    CHECK(value(rig.cache().stat.kept_writes) == 2);
    CHECK(rig.manager().state.answers.size() == 2);
}

TEST_CASE("a write that waits for a reserved way continues when it does not need one",
          "[mem][cache]") {
    Rig rig("control_ports=1 reserved_ways=1");  // 2 sets of 2
    rig.driver().write(0, 0, 4, false);          // fetched into the reserved way
    rig.driver().write(20 * ns, 256, 32, false); // waits for that way
    rig.manager().plan(50 * ns, Command::reserve, 0, 0);
    rig.run();
    CHECK(value(rig.cache().stat.stalled_by_set) == 1);
    CHECK(rig.driver().answered(1) == 50 * ns + miss_time); // passed on at once
}

// ---- flushes ---------------------------------------------------------------------------------

TEST_CASE("a flush writes back and drops the lines of one application", "[mem][cache]") {
    Rig rig("capacity=2KiB write_policy=write_back write_allocate=true control_ports=1");
    Driver& d = rig.driver();
    d.plan(0, Command::write, 0, 128, true).application = 1;
    d.plan(0, Command::read, 128, 32).application = 1;
    d.plan(0, Command::write, 256, 32, true).application = 2;
    d.plan(2000 * ns, Command::read, 0, 32).application = 1;
    d.plan(2010 * ns, Command::read, 256, 32).application = 2;
    rig.manager().plan(1000 * ns, Command::flush, 0, 0).application = 1;
    rig.run();
    const auto& s = rig.cache().stat;
    CHECK(value(s.flushes) == 1);
    CHECK(value(s.flushed_lines) == 2);
    CHECK(value(s.writebacks) == 1);
    CHECK(value(rig.memory().stat.writes) == 1);
    // Answered when the level below has the line: a way down and back more than a hit.
    CHECK(rig.manager().answered(0) == 1000 * ns + miss_time);
    CHECK(d.answered(3) == 2000 * ns + miss_time);
    CHECK(d.answered(4) == 2010 * ns + hit_time);
}

TEST_CASE("requests of a flushed application wait for the walk; other requests do not",
          "[mem][cache]") {
    // Four dirty lines through the smallest queues to a memory of 100 ns a write.
    Rig rig("capacity=2KiB write_policy=write_back write_allocate=true control_ports=1 "
            "outstanding=1 mem_queue=3 accesses_per_cycle=4 bank_ports=8");
    Driver& d = rig.driver();
    for (std::uint64_t line = 0; line < 4; ++line)
        d.plan(0, Command::write, line * 128, 128, true).application = 1;
    d.plan(0, Command::write, 1024, 128, true).application = 2;
    d.plan(1010 * ns, Command::read, 1024, 32).application = 2;
    d.plan(1020 * ns, Command::read, 0, 32).application = 1;
    rig.manager().plan(1000 * ns, Command::flush, 0, 0).application = 1;
    rig.manager().plan(1000 * ns, Command::flush, 0, 0).application = 3; // nothing of it
    rig.run();
    CHECK(d.answered(5) == 1010 * ns + hit_time);
    CHECK(d.answered(6) > rig.manager().answered(0));
    CHECK(rig.manager().answered(0) > 1000 * ns + 4 * 100 * ns);
    CHECK(rig.manager().answered(1) >= rig.manager().answered(0));
    CHECK(value(rig.cache().stat.stalled_by_flush) == 1);
    CHECK(value(rig.cache().stat.flushed_lines) == 4);
}

/// 4 sets of a line, and a manager.
const std::string four_lines = "ways=1 write_policy=write_back write_allocate=true "
                               "control_ports=1 acknowledged_writebacks=";

TEST_CASE("a flush waits for its own write-backs and for those of lines evicted before",
          "[mem][cache]") {
    for (const bool acknowledged : {false, true}) {
        Rig rig(four_lines + (acknowledged ? "true" : "false"));
        Driver& d = rig.driver();
        d.plan(0, Command::write, 0, 128, true).application = 1;
        d.plan(100 * ns, Command::write, 512, 128, true).application = 1; // takes its place
        rig.manager().plan(130 * ns, Command::flush, 0, 0).application = 2;
        d.plan(300 * ns, Command::read, 128, 32).application = 1;
        rig.manager().plan(330 * ns, Command::flush, 0, 0).application = 1;
        rig.run();
        const Tick written = 100 * ns + 1 + 1 + 100 * ns; // when the memory has line 0
        CHECK(rig.manager().answered(0) ==
              (acknowledged ? written + 10 * ns : 130 * ns + hit_time));
        // The read line arrives later than the write-back of line 512.
        CHECK(d.answered(2) == 300 * ns + miss_time);
        CHECK(rig.manager().answered(1) == 330 * ns + miss_time);
    }
    Rig rig("control_ports=1");
    rig.driver().read(0, 0);
    rig.manager().plan(50 * ns, Command::flush, 0, 0).application = 0;
    rig.run();
    CHECK(rig.manager().answered(0) == rig.driver().answered(0));
    CHECK(value(rig.cache().stat.flushed_lines) == 0); // it never became valid
}

TEST_CASE("a flush waits for the fetch of a partly written line and writes the line back",
          "[mem][cache]") {
    for (const bool acknowledged : {false, true}) {
        Rig rig(four_lines + (acknowledged ? "true" : "false"));
        Driver& d = rig.driver();
        d.plan(0, Command::write, 0, 16, true).application = 1;
        d.plan(1 * ns, Command::write, 128, 128, true).application = 1;
        rig.manager().plan(50 * ns, Command::flush, 0, 0).application = 1;
        d.plan(60 * ns, Command::write, 640, 128, true).application = 2; // evicts line 1
        d.plan(70 * ns, Command::read, 0, 16).application = 1;           // waits for the walk
        rig.run();
        const Tick fetched = miss_time - 10 * ns, written = fetched + 1 + 100 * ns;
        CHECK(rig.manager().answered(0) == written + 10 * ns);
        CHECK(d.answered(3) == fetched + 32 + miss_time - 1); // behind 32 bytes written back
        CHECK(value(rig.cache().stat.flushed_lines) == 1);
        CHECK(value(rig.memory().stat.writes) == 2);
    }
}

TEST_CASE("the write-back of an evicted line occupies the bank of that line", "[mem][cache]") {
    Rig rig("capacity=256B ways=2 banks=2 clock=1GHz read_cycles=8 write_policy=write_back "
            "write_allocate=true");
    Driver& d = rig.driver(); // one set; odd lines are in bank 1
    d.plan(0, Command::write, 0, 128, true);
    d.plan(20 * ns, Command::write, 128, 128, true);
    d.plan(100 * ns, Command::write, 384, 128, true); // evicts line 0 of bank 0
    d.plan(101 * ns, Command::write, 384, 128);       // finds bank 1 free
    d.plan(102 * ns, Command::write, 256, 128);       // waits for bank 0
    rig.run();
    CHECK(d.answered(3) == 101 * ns + hit_time);
    CHECK(d.answered(4) == 108 * ns + 10 * ns);
    CHECK(value(rig.cache().stat.writebacks) == 2);
}

TEST_CASE("a line is evicted when a place is reserved for the response to its write-back",
          "[mem][cache]") {
    for (const char* outstanding : {"1", "2"}) {
        Rig rig("write_policy=write_back write_allocate=true acknowledged_writebacks=true ways=1 "
                "capacity=256B outstanding=" +
                std::string(outstanding));
        Driver& d = rig.driver(); // 2 sets of a line
        d.plan(0, Command::write, 0, 128, true);
        d.plan(0, Command::write, 128, 128, true);
        d.plan(100 * ns, Command::write, 256, 128);
        d.plan(100 * ns, Command::write, 384, 128);
        rig.run();
        const bool waits = std::string(outstanding) == "1";
        CHECK(d.answered(2) == 100 * ns + hit_time);
        CHECK((d.answered(3) > 200 * ns) == waits);
        CHECK(value(rig.cache().stat.writebacks) == 2);
        CHECK(value(rig.cache().stat.stalled_by_mem_side) == waits);
    }
}

TEST_CASE("An MSHR of several lines is one miss, whichever of its lines are fetched",
          "[mem][cache]") {
    const auto stalls = [](const char* lines) {
        Rig rig(std::string("capacity=2KiB ways=4 mshrs=1 mshr_lines=") + lines);
        rig.driver().read(0, 512);
        rig.driver().read(1 * ns, 640);  // another line of the same 512 bytes
        rig.driver().read(2 * ns, 896);  // and another
        rig.driver().read(3 * ns, 1024); // the next 512 bytes: waits for the MSHR
        rig.run();
        CHECK(rig.cache().state.mshr_use.empty());
        CHECK(rig.m.stat_value("cache", "mshrs_used", "peak") == 1);
        const Tick last = rig.driver().answered(3);
        return std::pair(value(rig.cache().stat.stalled_by_mshrs), last);
    };
    const auto [one, one_by_one] = stalls("1");
    CHECK(one == 3);
    CHECK(one_by_one > 400 * ns);
    // A line that a write drops while it is on its way gives its share back, too.
    Rig drops("write_policy=write_evict write_allocate=false mshrs=1 mshr_lines=4");
    drops.driver().read(0, 512);
    drops.driver().write(1 * ns, 512, 128, true);
    drops.run();
    CHECK(drops.cache().state.mshr_use.empty());
    const auto [page, two] = stalls("4");
    CHECK(page == 1);
    CHECK(two > 200 * ns);
    CHECK(two < 300 * ns);
}

TEST_CASE("A hint for lines of an outstanding miss allocates no further MSHR", "[mem][cache]") {
    const auto prefetched = [](const char* lines) {
        Rig rig(
            std::string("capacity=2KiB ways=4 mshrs=2 demand_mshrs=1 hint_ports=1 mshr_lines=") +
            lines);
        rig.driver().read(0, 512);
        rig.driver().read(1 * ns, 2048);
        rig.hinter().plan(20 * ns, 512, 512); // the other three lines
        rig.run();
        CHECK(rig.m.stat_value("cache", "mshrs_used", "peak") == 2);
        return value(rig.cache().stat.prefetches);
    };
    CHECK(prefetched("1") == 0);
    CHECK(prefetched("4") == 3);
}

// ---- hints -----------------------------------------------------------------------------------

TEST_CASE("a hint fetches missing lines once and leaves MSHRs for demand", "[mem][cache]") {
    Rig rig("capacity=2KiB ways=4 mshrs=3 demand_mshrs=1 hint_ports=1");
    rig.hinter().plan(0, 64, 192);         // the end of line 0 and line 1
    rig.hinter().plan(10 * ns, 0, 32);     // line 0 is on its way: dropped
    rig.hinter().plan(20 * ns, 256, 32);   // the last MSHR is not for it
    rig.hinter().plan(500 * ns, 128, 128); // here
    rig.driver().read(30 * ns, 256);       // it is for this
    rig.driver().read(1000 * ns, 64, 64);
    rig.driver().read(1000 * ns, 64, 64);
    rig.run();
    const auto& s = rig.cache().stat;
    CHECK(value(s.hints) == 5);
    CHECK(value(s.prefetches) == 2);
    CHECK(value(s.hints_dropped) == 2);
    CHECK(value(s.hints_useless) == 1);
    CHECK(value(s.prefetches_used) == 1);
    CHECK(value(s.fetched_bytes) == 64 + 128 + 32);
    CHECK(value(s.misses) == 1);
    CHECK(rig.driver().answered(0) == 30 * ns + miss_time);
    CHECK(rig.driver().answered(1) == 1000 * ns + hit_time);
}

TEST_CASE("a prefetch that is evicted before its use is counted", "[mem][cache]") {
    Rig rig("hint_ports=1"); // 2 sets of 2
    rig.hinter().plan(0, 0, 128);
    rig.driver().read(1000 * ns, 256);
    rig.driver().read(2000 * ns, 512);
    rig.run();
    CHECK(value(rig.cache().stat.prefetches_unused) == 1);
    CHECK(value(rig.cache().stat.prefetches_used) == 0);
}

TEST_CASE("hints use the look-up slots that accesses leave free", "[mem][cache]") {
    Rig rig(one_ns + "hint_ports=1 warm_bytes=512B");
    rig.hinter().plan(1000 * ns, 1024, 32);
    for (int i = 0; i < 3; ++i) rig.driver().read(1000 * ns, 0);
    rig.run();
    CHECK(rig.driver().answered(2) == 1002 * ns + 10 * ns);
    CHECK(value(rig.cache().stat.prefetches) == 1);
    CHECK(rig.m.sim().now() == 1003 * ns + 1 + 100 * ns); // sent in the fourth cycle
}

TEST_CASE("hints reach the slices of a cache through a crossbar", "[mem][cache]") {
    Machine m;
    m.add("hinter", "test_mem.Hinter", {});
    m.add("xbar", "mem.Crossbar",
          test_mem::arguments("clock=1GHz latency=5ns granularity=128B outputs=2"));
    m.bind("hinter", "hints", "xbar", "cpu_side[0]");
    for (const std::string i : {"0", "1"}) {
        m.add("driver" + i, "test_mem.Driver", {});
        m.add("l2" + i, "mem.Cache",
              test_mem::arguments("capacity=512B ways=2 hint_ports=1 interleave_ways=2 "
                                  "interleave_granularity=128B interleave_index=" +
                                  i));
        m.add("memory" + i, "mem.SimpleMemory", {});
        m.bind("driver" + i, "mem_side", "l2" + i, "cpu_side");
        m.bind("xbar", "mem_side[" + i + "]", "l2" + i, "hints[0]");
        m.bind("l2" + i, "mem_side", "memory" + i, "cpu_side");
    }
    m.build();
    m.get<test_mem::Hinter>("hinter").plan(0, 0, 32);
    m.get<test_mem::Hinter>("hinter").plan(0, 128, 128);
    m.get<Driver>("driver0").read(1000 * ns, 0);
    m.start();
    CHECK(m.run(never) == Stop::idle);
    CHECK(m.imbalances().empty());
    const auto& first = m.get<Cache>("l20").stat;
    CHECK(value(first.prefetches) == 1);
    CHECK(value(first.fetched_bytes) == 32);
    CHECK(value(first.prefetches_used) == 1);
    CHECK(value(m.get<Cache>("l21").stat.fetched_bytes) == 128);
    CHECK(value(m.get<Crossbar>("xbar").stat.hints_dropped) == 0);
}

TEST_CASE("a request that arrives at a port for hints must be a hint", "[mem][cache]") {
    Machine m;
    m.add("driver", "test_mem.Driver", {});
    m.add("other", "test_mem.Driver", {});
    m.add("cache", "mem.Cache", test_mem::arguments("capacity=512B ways=2 hint_ports=1"));
    m.add("memory", "mem.SimpleMemory", {});
    m.bind("driver", "mem_side", "cache", "cpu_side");
    m.bind("other", "mem_side", "cache", "hints[0]");
    m.bind("cache", "mem_side", "memory", "cpu_side");
    m.build();
    m.get<Driver>("other").read(0, 0);
    m.start();
    CHECK_THROWS_WITH(m.run(never),
                      Catch::Contains("cache.hint_ports") && Catch::Contains("to cpu_side"));
}

TEST_CASE("a write that waits to move its line stays when a hint's fetch has locked it",
          "[mem][cache]") {
    Rig rig("hint_ports=1 reserved_ways=1");      // 2 sets of 2
    rig.driver().read(0, 256, 32);                // half of it, in the other way
    rig.driver().write(200 * ns, 0, 4, false);    // fetched into the reserved way
    rig.driver().write(220 * ns, 256, 32, false); // waits for that way
    rig.hinter().plan(250 * ns, 288, 32);
    rig.run();
    CHECK(value(rig.cache().stat.stalled_by_set) == 1);
    CHECK(rig.driver().answered(2) < 300 * ns);
    CHECK(rig.driver().answered(2) >= 250 * ns + hit_time);
}

// ---- sets, initial contents ------------------------------------------------------------------

TEST_CASE("hashed sets hold the lines of a stride that linear sets map to one set",
          "[mem][cache]") {
    const bool hashed = GENERATE(true, false);
    Rig rig(std::string("capacity=4KiB ways=2 set_hash=") +
            (hashed ? "polynomial" : "linear")); // 16
    Tick t = 0;
    for (int round = 0; round < 2; ++round)
        for (std::uint64_t i = 0; i < 16; ++i) rig.driver().read(t += 1000 * ns, i * 16 * 128);
    rig.run();
    CHECK(value(rig.cache().stat.hits) == (hashed ? 16 : 0));
}

TEST_CASE("a warm cache holds its range, clean, a slice its part of it", "[mem][cache]") {
    Rig rig("warm_base=256B warm_bytes=512B");
    Tick t = 0;
    for (std::uint64_t a : {256, 640, 0, 768}) rig.driver().read(t += 1000 * ns, a, 128);
    rig.run();
    CHECK(value(rig.cache().stat.hits) == 2);
    CHECK(value(rig.cache().stat.evictions) == 2);
    CHECK(value(rig.memory().stat.writes) == 0);

    Rig slice("interleave_ways=3 interleave_index=1 warm_bytes=6KiB"); // more than it holds
    for (std::uint64_t a : {4864, 4992, 5632, 5760, 256})              // chunks 19 and 22, not 1
        slice.driver().read(t += 1000 * ns, a, 128);
    slice.run();
    CHECK(value(slice.cache().stat.hits) == 4);
}

// ---- misuse ----------------------------------------------------------------------------------

TEST_CASE("a cache refuses a hash where addresses are dealt in turn", "[mem][cache]") {
    Machine m;
    m.add("driver", "test_mem.Driver", {});
    m.add("xbar", "mem.Crossbar", test_mem::arguments("outputs=2 granularity=256B"));
    m.bind("driver", "mem_side", "xbar", "cpu_side[0]");
    for (const std::string i : {"[0]", "[1]"}) {
        m.add("cache" + i, "mem.Cache",
              test_mem::arguments("interleave_ways=2 hash_rounds=4 interleave_index=" +
                                  i.substr(1, 1)));
        m.add("memory" + i, "mem.SimpleMemory", {});
        m.bind("xbar", "mem_side" + i, "cache" + i, "cpu_side");
        m.bind("cache" + i, "mem_side", "memory" + i, "cpu_side");
    }
    CHECK_THROWS_WITH(m.build(), "cache[0].hash_rounds: xbar sends it part 0 of 2 in "
                                 "chunks of 256B in turn: give both the same");
}

TEST_CASE("contradictory mechanisms of a cache are rejected with a message", "[mem][cache]") {
    CHECK_THAT(refused("reserved_ways=2"),
               Catch::StartsWith("cache.reserved_ways: must leave at least one of the 2 ways"));
    CHECK_THAT(refused("interleave_ways=2 interleave_index=2"),
               Catch::StartsWith("cache.interleave_index:"));
    CHECK_THAT(
        refused("interleave_index=1"),
        Catch::Equals("cache.interleave_index: this cache has all addresses: leave it at 0"));
    CHECK_THAT(refused("hash_rounds=4"),
               Catch::Equals("cache.hash_rounds: the caches that a hash selects are not known from "
                             "the connection: give interleave_ways, too"));
    CHECK_THAT(refused("mshrs=4 demand_mshrs=4 hint_ports=1"),
               Catch::StartsWith("cache.demand_mshrs: leaves none of the 4 MSHRs"));
    CHECK_THAT(refused("mshrs=4096 mshr_lines=32"),
               Catch::StartsWith("cache.mshr_lines: 4096 MSHRs of 32 lines are more than"));
    CHECK_THAT(refused("capacity=0B"), Catch::Contains("cache.capacity"));
    CHECK_THAT(refused("sector=512B"), Catch::StartsWith("cache.sector:"));

    Rig rig("control_ports=1");
    rig.manager().plan(0, Command::reserve, 0, 2);
    rig.m.start();
    CHECK_THROWS_WITH(rig.m.run(never), Catch::StartsWith("cache.ways: a command to reserve 2"));
    Rig reads("control_ports=1");
    reads.manager().read(0, 0);
    reads.m.start();
    CHECK_THROWS_WITH(reads.m.run(never), Catch::StartsWith("cache.control_ports:"));
    Rig far("");
    far.driver().plan(0, Command::read, 0, 32).application = 64;
    far.m.start();
    CHECK_THROWS_WITH(far.m.run(never), Catch::Contains("64 applications apart"));
}

} // namespace memsim::mem::cache_mechanisms_test
