#include "mem/victim_buffer.hh"

#include "cache_rig.hh"
#include "core/kernel/registry.hh"

/// The seam between a cache and the level below, by its first user; and probes.
namespace memsim::mem::victim_buffer_test {

namespace {

/// driver - cache - buffer of 4 sectors - memory of 100 ns.
struct Bench {
    explicit Bench(const std::string& cache, const std::string& buffer = "sectors=4") {
        Arguments all {
            {"capacity", "512B"}, {"ways", "2"}, {"latency", "10ns"}, {"fill_port", "true"}};
        for (const auto& a : test_mem::arguments(cache)) all.push_back(a);
        m.add("driver", "test_mem.Driver", {});
        m.add("manager", "test_mem.Driver", {});
        all.emplace_back("control_ports", "1");
        m.add("cache", "mem.Cache", all);
        m.add("buffer", "mem.VictimBuffer", test_mem::arguments(buffer));
        m.add("memory", "mem.SimpleMemory", {{"bandwidth", "1000000GB/s"}});
        m.bind("driver", "mem_side", "cache", "cpu_side");
        m.bind("manager", "mem_side", "cache", "control[0]");
        m.bind("cache", "mem_side", "buffer", "cpu_side");
        m.bind("buffer", "mem_side", "memory", "cpu_side");
        m.build();
    }
    void run() {
        m.start();
        CHECK(m.run(never) == Stop::idle);
        CHECK_FALSE(m.pending());
        CHECK(m.imbalances().empty());
    }
    Driver& driver() { return m.get<Driver>("driver"); }
    Driver& manager() { return m.get<Driver>("manager"); }
    VictimBuffer& buffer() { return m.get<VictimBuffer>("buffer"); }
    SimpleMemory& memory() { return m.get<SimpleMemory>("memory"); }
    Cache& cache() { return m.get<Cache>("cache"); }
    std::vector<std::uint64_t> held() {
        std::vector<std::uint64_t> all;
        for (std::uint32_t i = 0; i < buffer().state.held.size(); ++i)
            all.push_back(buffer().state.held[i].sector);
        return all;
    }
    Machine m;
};

using Sectors = std::vector<std::uint64_t>;
constexpr Tick us = 1000 * ns;
const std::string write_back = "write_policy=write_back write_allocate=true";

} // namespace

TEST_CASE("clean victims are kept, the oldest is evicted first, a hit returns them to the cache",
          "[mem][cache]") {
    Bench b(write_back);
    Driver& d = b.driver();
    d.read(0, 0, 96); // line 0: sectors 0 to 2
    d.read(1 * us, 256, 64);
    d.read(2 * us, 512, 32); // set 0 is full: line 0 leaves
    d.read(3 * us, 768, 32); // line 2 leaves: sectors 8 and 9; 0 is pushed out
    b.m.start();
    b.m.run(4 * us);
    CHECK(b.held() == Sectors {1, 2, 8, 9});
    CHECK(b.buffer().stat.pushed_out.value() == 1);
    const auto reads = b.memory().stat.reads.value();
    Bench again(write_back, "sectors=5"); // a victim precedes the fetch that replaces it
    again.driver().state.plan.entries = d.state.plan.entries;
    again.driver().read(4 * us, 32, 64);  // sectors 1 and 2; line 4 leaves: sector 16
    again.driver().read(5 * us, 256, 96); // 8 and 9 are here, 10 is not
    again.run();
    CHECK(again.memory().stat.reads.value() == reads + 1);
    CHECK(again.buffer().stat.hits.value() == 1);
    CHECK(again.buffer().stat.part_hits.value() == 1);
    CHECK(again.buffer().stat.hit_sectors.value() == 4);
    // The first read finds 1 and 2 of 1 2 8 9 16, at the places 5 and then 4 from the youngest; the
    // second finds 8 and 9 of 8 9 16 24, at 4 and then 3.
    const auto& distance = again.buffer().stat.hit_distance;
    CHECK(distance.count() == 4);
    CHECK(distance.sum() == 5 + 4 + 4 + 3);
    CHECK(again.held() == Sectors {16, 24});
    // To the cache and back, and the time of a search; no way below.
    CHECK(again.driver().answered(4) == 4 * us + 1 + 1 + 1 * ns + 10 * ns);
}

TEST_CASE("written lines are dropped from the victim buffer, from above or below", "[mem][cache]") {
    const std::string command = GENERATE("write", "evict", "invalidate", "flush", "through");
    Bench b(command == "through" ? "write_policy=write_through" : write_back, "sectors=8");
    Driver& d = b.driver();
    d.read(0, 0, 64);
    d.read(1 * us, 256);
    d.read(2 * us, 512); // sectors 0 and 1 leave
    if (command == "write" || command == "through")
        d.write(3 * us, 32);
    else if (command == "evict")
        b.manager().plan(3 * us, Command::flush, 0, 0).application = 5; // an unused application
    else
        b.manager()
            .plan(3 * us, command == "flush" ? Command::flush : Command::invalidate, 0, 0)
            .application = 0;
    b.run();
    if (command == "write")
        CHECK(b.held() == Sectors {0, 8}); // the write took the way of sector 8
    else if (command == "through")
        CHECK(b.held() == Sectors {0});
    else if (command == "evict")
        CHECK(b.held() == Sectors {0, 1});
    else
        CHECK(b.held().empty());
}

TEST_CASE("a cache above anything else offers no victims", "[mem][cache]") {
    Rig rig("write_policy=write_back write_allocate=true");
    for (std::uint64_t line : {0, 2, 4, 6})
        rig.driver().read(static_cast<Tick>(line) * us, line * 128);
    rig.driver().write(9 * us, 0);
    rig.run();
    CHECK(value(rig.cache().stat.evictions) == 3);
    CHECK(value(rig.cache().stat.victims) + value(rig.cache().stat.claims) == 0);
    CHECK(value(rig.memory().stat.writes) == 0);
}

TEST_CASE("the queue of a cache that offers victims must hold all messages of one request",
          "[mem][cache]") {
    CHECK_THROWS_WITH(Bench(write_back + " mem_queue=3"),
                      Catch::Contains("cache.mem_queue: must hold all messages of one request: 4"));
}

TEST_CASE("a probe reports the state of a sector and changes nothing", "[mem][cache]") {
    const bool contents = GENERATE(false, true);
    Machine m;
    if (contents) m.carry_contents();
    m.add("driver", "test_mem.Driver", {});
    m.add("asker", "test_mem.Driver", {});
    m.add("cache", "mem.Cache",
          test_mem::arguments(write_back + " capacity=512B ways=2 control_ports=1"));
    m.add("memory", "mem.SimpleMemory", {});
    m.bind("driver", "mem_side", "cache", "cpu_side");
    m.bind("asker", "mem_side", "cache", "control[0]");
    m.bind("cache", "mem_side", "memory", "cpu_side");
    m.build();
    Driver& d = m.get<Driver>("driver");
    d.read(0, 0);
    protocol::MemRequest& w = d.plan(1 * us, Command::write, 32, 32, true);
    if (contents) {
        w.contents = m.sim().contents().create();
        SectorBytes data;
        data.known = SectorBytes::all;
        data.bytes.fill(7);
        data.order.fill(1);
        m.sim().contents()[w.contents].pieces.push_back({0, data});
    }
    m.start();
    REQUIRE(m.run(never) == Stop::idle);
    for (const auto& a : d.state.answers) m.sim().contents().release(a.response.contents);
    Saver first;
    m.get<Cache>("cache").save_state(first), m.get<Cache>("cache").save_stats(first);
    const auto ask = [&](std::uint64_t address) {
        protocol::SectorProbe p {address, false, false, {}};
        protocol::probed(m.get<Driver>("asker").port.mem_side)->probe(p);
        return p;
    };
    CHECK(ask(0).clean());
    CHECK(ask(32).valid);
    CHECK(ask(32).dirty);
    CHECK_FALSE(ask(32).clean());
    for (const std::uint64_t absent :
         {64, 4096}) { // of a line that is here, and of one that is not
        CHECK_FALSE(ask(absent).valid);
        CHECK_FALSE(ask(absent).clean());
    }
    CHECK((ask(32).data.known == SectorBytes::all) == contents);
    if (contents) CHECK(ask(32).data.bytes[5] == 7);
    Saver second;
    m.get<Cache>("cache").save_state(second), m.get<Cache>("cache").save_stats(second);
    CHECK(first.bytes == second.bytes);
}

} // namespace memsim::mem::victim_buffer_test
