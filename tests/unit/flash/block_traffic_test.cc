#include "flash/block_traffic.hh"
#include "support.hh"

#include <cstdio>
#include <fstream>

using namespace memsim;
using namespace memsim::test_flash;

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

TEST_CASE("Recorded requests that no drive takes, or never, are refused", "[flash]") {
    const auto said = [](const std::string& text, const char* unit) {
        const File f(text);
        auto m = machine({{"pattern", "trace"}, {"trace", f.path}, {"trace_unit", unit}});
        const std::string e = error_of([&] {
            m->start();
            m->run(never);
        });
        return e.substr(e.find(": line") + 2);
    };
    CHECK(said("10 0 1 1024 1\n10 0 1 1025 1\n", "1ns") ==
          "line 2, column 8: the sectors is '1025', where a number from 1 to 1024 is right");
    CHECK(said("0 0 0 8 1\n9224 0 0 8 1\n", "1s") ==
          "line 2: the time is beyond the end of simulated time");
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
    CHECK(
        said({{"pattern", "trace"}, {"trace", "/nowhere"}, {"trace_unit", "1ns"}}) ==
        "host.trace: /nowhere: cannot be opened (No such file or directory): name a file that can "
        "be read");
    CHECK(said({{"range", "4"}}) == "host.range: 4 sectors do not hold one request of 8");
}
