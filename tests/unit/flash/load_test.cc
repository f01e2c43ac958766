#include "../mem/driver.hh"
#include "core/kernel/registry.hh"
#include "flash/drive/drive.hh"
#include "flash/drive/fixed_drive.hh"
#include "probes.hh"
#include "protocol/device_load.hh"
#include "support.hh"

#include <catch2/catch.hpp>

/// Drives announce their own tasks: garbage collection, wear levelling.
namespace memsim::test_flash {

/// Records the loads that a device reports and the times at which its tasks begin.
class LoadListener final : public Model<LoadListener> {
  public:
    struct Params {
        Param<unsigned> queue {64, "Messages that it has not seen"};
    };
    struct Ports {
        Optional<In<protocol::DeviceLoad>> load {{.depth = from<&Params::queue>},
                                                 "A device's load"};
        Optional<In<protocol::DriveTask>> tasks {{.depth = from<&Params::queue>}, "Its tasks"};
    };
    struct Stats {};
    struct Report {
        Tick at = 0;
        protocol::DevLoad load = protocol::DevLoad::light;
    };
    struct State {
        std::vector<Report> reports;
        std::vector<Tick> begun;
    };
    explicit LoadListener(const Params& p) : params(p) {}
    void wake() override {
        while (port.load && !port.load->empty())
            state.reports.push_back({now(), port.load->pop().load});
        while (port.tasks && !port.tasks->empty()) {
            port.tasks->pop();
            state.begun.push_back(now());
        }
    }
    const Params params;
    Ports port;
    Stats stat;
    State state;
};
static const Registration<LoadListener> load_listener {
    "Notes a drive's load and tasks (a test's)."};

} // namespace memsim::test_flash

using namespace memsim;
using namespace memsim::test_flash;
using protocol::BlockOp;
using protocol::DevLoad;

namespace {

/// The reports of a drive of two planes whose pages are rewritten repeatedly.
struct Written {
    Machine m;
    explicit Written(const Arguments& drive, bool listens, unsigned rewrites) {
        Flash f {1, 1, 1, 2, 16, 8};
        f.drive = with({{"page", "4KiB"}, {"over_provisioning", "50%"}, {"observers", "1"}}, drive);
        f.package = {{"media", "slc"}, {"independent_planes", "true"}};
        f.channel = {{"independent_planes", "true"}};
        m.add("host", "test_flash.HostScript", {});
        f.add(m);
        m.add("listener", "test_flash.LoadListener", {});
        m.bind("host", "to", "drive", "host[0]");
        m.bind("drive", "tasks[0]", "listener", "tasks");
        if (listens) m.bind("drive", "load", "listener", "load");
        m.build();
        auto& script = m.get<HostScript>("host").state.script;
        Rng random(5, "pages");
        for (std::uint32_t i = 0; i < rewrites; ++i)
            script.push({i * 700 * us, {8 * random.below(100), 8, {}, i, BlockOp::write, false}});
    }
    const LoadListener::State& heard() { return m.get<LoadListener>("listener").state; }
    flash::Drive& drive() { return m.get<flash::Drive>("drive"); }
};

} // namespace

TEST_CASE("A collection begins when it has been announced, not a femtosecond sooner", "[flash]") {
    const auto first = [](const char* announce, bool listens) {
        Written w({{"announce", announce}}, listens, 400);
        run(w.m);
        REQUIRE(!w.heard().begun.empty());
        return std::pair {w.heard().begun.front(),
                          w.heard().reports.empty() ? Tick {0} : w.heard().reports.front().at};
    };
    const auto [unheard, none] = first("10us", false);
    CHECK(none == 0);
    const std::vector<std::pair<const char*, Tick>> times {
        {"0fs", 0}, {"10us", 10 * us}, {"100us", 100 * us}};
    for (const auto& [text, time] : times) {
        const auto [begun, reported] = first(text, true);
        CHECK(reported == unheard); // the time at which it would have begun
        CHECK(begun == reported + time);
    }
}

TEST_CASE("A drive's load is severe from an announcement until no task is in progress or due",
          "[flash]") {
    Written w({{"announce", "50us"}, {"static_wear_levelling", "2"}}, true, 3000);
    run(w.m);
    const auto& reports = w.heard().reports;
    const auto& stat = w.drive().stat;
    REQUIRE(reports.size() > 20);
    CHECK(reports.size() % 2 == 0);
    CHECK(value(stat.announcements) == reports.size() / 2);
    CHECK(value(stat.ftl.levellings) > 0);
    CHECK(w.heard().begun.size() == value(stat.ftl.collections) + value(stat.ftl.levellings));
    for (std::size_t i = 0; i < reports.size(); ++i)
        CHECK(reports[i].load == (i % 2 ? DevLoad::light : DevLoad::severe));
    // Every task begins while the load is severe, at least the announcement's time after it.
    for (const Tick at : w.heard().begun) {
        std::size_t i = 0;
        while (i + 1 < reports.size() && reports[i + 1].at <= at) ++i;
        REQUIRE(i % 2 == 0);
        REQUIRE(at >= reports[i].at + 50 * us);
    }
}

TEST_CASE("Collections of fewer planes than announce_from begin without an announcement",
          "[flash]") {
    const auto written = [](const char* from) {
        Written w({{"announce", "50us"}, {"announce_from", from}}, true, 3000);
        run(w.m);
        // Each announcement is made while both planes collect, or are to.
        for (std::size_t i = 0; i < w.heard().reports.size(); ++i)
            CHECK(w.heard().reports[i].load == (i % 2 ? DevLoad::light : DevLoad::severe));
        CHECK(w.heard().reports.size() % 2 == 0);
        return std::pair {value(w.drive().stat.ftl.collections),
                          value(w.drive().stat.announcements)};
    };
    const auto [all, every] = written("0%");
    CHECK(written("50%") == std::pair {all, every}); // one of two planes
    const auto [both, seldom] = written("100%");
    CHECK(both > all / 2);
    CHECK(seldom > 0);
    CHECK(seldom * 2 < every);
}

TEST_CASE("A collection that has begun continues to its target", "[flash]") {
    // Of 16 blocks a plane, 8 of data: collected below 2 free ones, up to 2, or 4.
    const auto free_at_end = [](const char* target) {
        Written w({{"gc_threshold", "12.5%"}, {"gc_target", target}}, true, 1500);
        run(w.m);
        return std::pair {w.drive().ftl().free_blocks(0), value(w.drive().stat.announcements)};
    };
    const auto [low, often] = free_at_end("0%");
    const auto [high, seldom] = free_at_end("25%");
    CHECK(low <= 2);
    CHECK(high > 1);
    CHECK(seldom * 3 < often * 2);
    CHECK_THAT(error_of([] {
                   Written w({{"gc_target", "31.25%"}}, true, 1);
               }),
               Catch::Contains("needs 9 (gc_target's 5 and 4 open blocks)"));
}

TEST_CASE("A fixed drive takes nothing during its task, which it announces", "[flash]") {
    const auto answers = [](Tick second) {
        Machine m;
        m.add("host", "test_flash.HostScript", {{"latency", "1fs"}});
        m.add("drive", "flash.FixedDrive",
              {{"read_latency", "1us"},
               {"write_latency", "1us"},
               {"bandwidth", "1000000GB/s"},
               {"task_writes", "2"},
               {"task_time", "7us"},
               {"announce", "10us"}});
        m.add("listener", "test_flash.LoadListener", {});
        m.bind("host", "to", "drive", "requests");
        m.bind("drive", "load", "listener", "load");
        m.build();
        auto& script = m.get<HostScript>("host").state.script;
        script.push({0, {0, 1, {}, 0, BlockOp::write, false}});
        script.push({us, {0, 1, {}, 1, BlockOp::write, false}});
        script.push({second, {0, 1, {}, 2, BlockOp::read, false}});
        run(m);
        const auto& reports = m.get<LoadListener>("listener").state.reports;
        REQUIRE(reports.size() == 2);
        CHECK(reports[0].load == DevLoad::severe);
        CHECK(reports[0].at == us + 1 + 1); // the second write arrives, the message leaves
        CHECK(reports[1].load == DevLoad::light);
        const Tick severe =
            reports[1].at - reports[0].at; // data of a read may be in transfer before
        CHECK(severe >= 17 * us);
        CHECK(severe < 17 * us + ns);
        return m.get<HostScript>("host").state.log.back().at - second;
    };
    // A read in the last tick before the task takes its time; one in the next waits for it.
    const Tick alone = answers(3 * us);
    CHECK(answers(us + 10 * us - 1) == alone);
    CHECK(answers(us + 10 * us) == alone + 7 * us);
    CHECK(answers(us + 17 * us) == alone);
}

TEST_CASE("A fixed drive's data path takes a time for each request and one for its bytes",
          "[flash]") {
    Machine m;
    m.add("host", "test_flash.HostScript", {{"latency", "1fs"}});
    m.add("drive", "flash.FixedDrive",
          {{"read_latency", "5us"},
           {"write_latency", "6us"},
           {"bandwidth", "1GB/s"},
           {"write_bandwidth", "500MB/s"},
           {"read_time", "100ns"},
           {"write_time", "80ns"},
           {"block", "256B"}});
    m.bind("host", "to", "drive", "requests");
    m.build();
    auto& script = m.get<HostScript>("host").state.script;
    for (std::uint32_t i = 0; i < 4; ++i)
        script.push({0, {i, 1, {}, i, i < 2 ? BlockOp::read : BlockOp::write, false}});
    run(m);
    std::array<Tick, 4> at {};
    for (const auto& s : m.get<HostScript>("host").state.log) at[s.response.tag] = s.at;
    CHECK(at[0] == 2 + 356 * ns + 5 * us);
    CHECK(at[1] == 2 + 2 * 356 * ns + 5 * us);
    CHECK(at[2] == 2 + (2 * 356 + 592) * ns + 6 * us);
    CHECK(at[3] == 2 + (2 * 356 + 2 * 592) * ns + 6 * us);
}

namespace {
/// A page cache, and a drive that has a task after each write. Listeners receive the cache's
/// reports.
void listen_to_cache(Machine& m, const Arguments& cache, const std::string& announce) {
    m.add("driver", "test_mem.Driver", {});
    m.add("cache", "mem.PageCache", cache);
    m.add("dram", "mem.SimpleMemory", {});
    m.add("drive", "flash.FixedDrive",
          {{"task_writes", "1"}, {"task_time", "50us"}, {"announce", announce}});
    m.add("listener", "test_flash.LoadListener", {});
    m.bind("driver", "mem_side", "cache", "cpu_side");
    m.bind("cache", "dram_side", "dram", "cpu_side");
    m.bind("cache", "drive_side", "drive", "requests");
    m.bind("cache", "load", "listener", "load");
    m.bind("drive", "load", "cache", "drive_load");
    m.build();
}
} // namespace

TEST_CASE("A page cache reports the load of units in transfer, or the drive's if higher",
          "[flash][page_cache]") {
    // Units of 4 KiB, of which four are a full load: light, optimal from one, moderate from two.
    Machine m(1);
    listen_to_cache(m, {{"capacity", "64KiB"}, {"full_load", "4"}}, "0fs");
    auto& driver = m.get<test_mem::Driver>("driver");
    for (const std::uint64_t unit : {0, 1, 1, 2, 3}) driver.read(0, unit * 4096);
    m.start();
    REQUIRE(m.run(never) == Stop::idle);
    const auto& reports = m.get<LoadListener>("listener").state.reports;
    REQUIRE(reports.size() >= 2);
    CHECK(reports.front().load == DevLoad::severe); // four of four, sent for in one tick
    CHECK(reports.back().load == DevLoad::light);
    for (std::size_t i = 1; i < reports.size(); ++i) CHECK(reports[i].load != reports[i - 1].load);
}

TEST_CASE("A page cache forwards announcements of its drive", "[flash][page_cache]") {
    Machine m(1);
    listen_to_cache(m, {{"capacity", "8KiB"}, {"full_load", "65536"}}, "5us");
    auto& driver = m.get<test_mem::Driver>("driver");
    for (unsigned unit = 0; unit < 3; ++unit) // the third makes the first go out
        driver.plan(unit * 1000 * us, protocol::Command::write, unit * 4096, 32);
    m.start();
    REQUIRE(m.run(never) == Stop::idle);
    const auto& reports = m.get<LoadListener>("listener").state.reports;
    REQUIRE(reports.size() == 2);
    CHECK(reports[0].load == DevLoad::severe);
    CHECK(reports[0].at > 2000 * us);
    CHECK(reports[1].load == DevLoad::light);
    CHECK(reports[1].at >= reports[0].at + 5 * us + 50 * us);
}
