#include "flash/block_traffic.hh"
#include "support.hh"

#include <cstdio>
#include <fstream>

using namespace memsim;
using namespace memsim::test_flash;
using flash::BlockTrace;

namespace {

struct File {
    std::string path;
    explicit File(const std::string& text) {
        path = std::string(std::tmpnam(nullptr)) + ".trace";
        std::ofstream(path) << text;
    }
    ~File() { std::remove(path.c_str()); }
};

std::unique_ptr<Machine> machine(const Arguments& traffic) {
    auto m = std::make_unique<Machine>(1);
    Flash f {1, 1, 1, 1, 16, 8};
    f.drive = {{"over_provisioning", "50%"}};
    m->add("host", "flash.BlockTraffic", traffic);
    f.add(*m);
    m->bind("host", "drive", "drive", "host[0]");
    m->build();
    return m;
}

} // namespace

TEST_CASE("A block trace is read a line at a time, and its faults name the line", "[flash]") {
    const File good("10 0 100 16 1\n# a remark\n\n 20\t3 7 8 0\r\n");
    BlockTrace trace(good.path);
    BlockTrace::Place place;
    auto r = trace.next(place);
    REQUIRE(r);
    CHECK((r->arrival == 10 && r->sector == 100 && r->sectors == 16 && !r->write));
    r = trace.next(place);
    REQUIRE(r);
    CHECK((r->arrival == 20 && r->sector == 7 && r->sectors == 8 && r->write));
    CHECK_FALSE(trace.next(place));
    BlockTrace::Place again;
    CHECK(trace.next(again)->arrival == 10); // from wherever the caller is

    const auto said = [](const std::string& text) {
        const File f(text);
        BlockTrace t(f.path);
        BlockTrace::Place p;
        const std::string e = error_of([&] {
            while (t.next(p)) {
            }
        });
        return e.substr(e.find("', line") + 3);
    };
    CHECK(said("10 0 1 1 1\n5 0 1 1 1\n") ==
          "line 2: '5 0 1 1 1' arrives before the line above it");
    const std::string form =
        "is not '<arrival> <device> <sector> <sectors> <0 for a write, 1 for a read>'";
    CHECK(said("10 0 1 1\n") == "line 1: '10 0 1 1' " + form);
    CHECK(said("10 0 1 1 2\n") == "line 1: '10 0 1 1 2' " + form);
    CHECK(said("10 0 1 0 1\n") == "line 1: '10 0 1 0 1' " + form);
    CHECK(said("10 0 -1 1 1\n") == "line 1: '10 0 -1 1 1' " + form);
    CHECK(said("10 0 1 1 1 1\n") == "line 1: '10 0 1 1 1 1' " + form);
    CHECK(said("10 0 1 2000 1\n") == "line 1: '10 0 1 2000 1' asks for more than 1024 sectors");
}

TEST_CASE("A trace plays at its own times, in the unit that is said", "[flash]") {
    const File f("100 0 0 8 0\n20100 0 8 8 0\n");
    for (const auto& [unit, t] : {std::pair {"1ns", ns}, {"1us", us}}) {
        auto m = machine({{"pattern", "trace"}, {"trace", f.path}, {"trace_unit", unit}});
        m->start();
        m->run(20'000 * t + 1);
        CHECK(m->get<flash::BlockTraffic>("host").state.sent == 1);
        m->run(20'000 * t + 2);
        CHECK(m->get<flash::BlockTraffic>("host").state.sent == 2);
        REQUIRE(m->run(never) == Stop::idle);
        CHECK(m->stat_value("host", "writes", "") == 2);
    }
}

TEST_CASE("Block traffic that cannot be is one sentence", "[flash]") {
    const File f("100 0 0 8 0\n");
    const auto said = [](const Arguments& a) { return error_of([&] { machine(a)->start(); }); };
    CHECK(said({{"pattern", "trace"}}) ==
          "host.trace: the pattern is a trace: give the path of its file");
    CHECK(said({{"pattern", "trace"}, {"trace", f.path}}) ==
          "host.trace_unit: a trace does not say what its arrivals count: give 1ns, 1us or the "
          "like (MQSim's default is 1ns)");
    CHECK(said({{"trace", f.path}}) == "host.trace: the pattern is random: set pattern to trace");
    CHECK(said({{"pattern", "trace"}, {"trace", "/nowhere"}, {"trace_unit", "1ns"}}) ==
          "host.trace: '/nowhere' cannot be read: give the path of a trace");
    CHECK(said({{"range", "4"}}) == "host.range: 4 sectors do not hold one request of 8");
}
