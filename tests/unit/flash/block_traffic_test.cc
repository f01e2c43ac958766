#include "flash/drive/block_traffic.hh"
#include "support.hh"

#include <cstdio>
#include <fstream>

namespace memsim::block_traffic_test {

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

TEST_CASE("Periodic requests end with simulated time, or are refused", "[flash]") {
    auto m = machine({{"period", "1s"}, {"requests", "0"}, {"range", "1000"}});
    m->start();
    CHECK(m->run(never) == Stop::idle);
    CHECK(value(m->get<flash::BlockTraffic>("host").stat.reads) == 9224); // the first at time 0
    CHECK_NOTHROW(machine({{"period", "1s"}, {"requests", "9224"}}));
    CHECK(error_of([] {
              machine({{"period", "1s"}, {"requests", "9225"}});
          }) ==
          "host.period: the last of 9225 requests, one every 1s, is beyond the maximum simulated "
          "time");
}

TEST_CASE("Recorded requests that a drive cannot accept are rejected", "[flash]") {
    const auto refusal = [](const std::string& text, const char* unit) {
        const File f(text);
        auto m = machine({{"pattern", "trace"}, {"trace", f.path}, {"trace_unit", unit}});
        return error_of([&] {
            m->start();
            m->run(never);
        });
    };
    CHECK(refusal("10 0 1 1024 1\n10 0 1 18446744073709551615 1\n", "1ns")
              .ends_with(": line 2, column 8: the number of sectors is '18446744073709551615', "
                         "where a number from 1 to 4194304, which are 2 GiB, is right"));
    CHECK(refusal("10 0 1 4194304 1\n", "1ns").find("are beyond the drive's") != std::string::npos);
    CHECK(refusal("0 0 0 8 1\n9224 0 0 8 1\n", "1s")
              .ends_with(": line 2: the time is beyond the maximum simulated time"));
}

TEST_CASE("A request larger than a command becomes several and is answered with the last",
          "[flash]") {
    // 64 MiB of flash, half of it to be seen: commands of at most 512 KiB.
    const auto run = [](const std::string& text, const Arguments& more = {}) {
        const File f(text);
        auto m = std::make_unique<Machine>(1);
        Flash flash {2, 2, 2, 2, 32, 16};
        flash.drive = {{"over_provisioning", "50%"}};
        m->add("host", "flash.BlockTraffic",
               with({{"pattern", "trace"}, {"trace", f.path}, {"trace_unit", "1ns"}}, more));
        flash.add(*m);
        m->bind("host", "drive", "drive", "host[0]");
        m->build();
        test_flash::run(*m);
        return m;
    };
    const auto latency = [](Machine& m) { return m.stat_value("host", "latency", "mean"); };
    const auto large = run("0 0 100 2222 0\n100000000 0 100 2222 1\n");
    CHECK(large->stat_value("host", "writes", "") == 1);
    CHECK(large->stat_value("host", "reads", "") == 1);
    CHECK(large->stat_value("host", "bytes", "") == 2 * 2222 * 512);
    CHECK(large->stat_value("host", "latency", "count") == 2);
    // 924 to the multiple of 1024, 1024, 274: cut by hand, and due at one time.
    const auto cut = run("0 0 100 924 0\n0 0 1024 1024 0\n0 0 2048 274 0\n100000000 0 100 924 1\n"
                         "100000000 0 1024 1024 1\n100000000 0 2048 274 1\n");
    CHECK(cut->stat_value("host", "reads", "") == 3);
    CHECK(cut->sim().now() == large->sim().now());
    for (const char* stat : {"read_latency", "write_latency"}) {
        CAPTURE(stat);
        CHECK(large->stat_value("host", stat, "max") == cut->stat_value("host", stat, "max"));
        CHECK(large->stat_value("host", stat, "min") > cut->stat_value("host", stat, "min"));
    }
    // A queue of one command: one after the other.
    const auto one = run("0 0 100 2222 0\n100000000 0 100 2222 1\n", {{"outstanding", "1"}});
    CHECK(one->stat_value("host", "bytes", "") == 2 * 2222 * 512);
    CHECK(latency(*one) > latency(*large));
    // Longer than the range that it is folded into: it begins again at its start.
    const auto folded = run("0 0 100 2222 0\n", {{"fold", "true"}, {"range", "1000"}});
    CHECK(folded->stat_value("host", "bytes", "") == 2222 * 512);
}

TEST_CASE("A trace plays at its own times, in the stated unit", "[flash]") {
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

TEST_CASE("Invalid block traffic gives an error message", "[flash]") {
    const File f("100 0 0 8 0\n");
    const auto refusal = [](const Arguments& a) { return error_of([&] { machine(a)->start(); }); };
    CHECK(refusal({{"pattern", "trace"}}) ==
          "host.trace: the pattern is a trace: give the path of its file");
    CHECK(refusal({{"pattern", "trace"}, {"trace", f.path}}) ==
          "host.trace_unit: the trace does not define the unit of its arrival times: give 1ns, 1us "
          "or similar (MQSim's default is 1ns)");
    CHECK(refusal({{"trace", f.path}}) ==
          "host.trace: the pattern is random: set pattern to trace");
    CHECK(
        refusal({{"pattern", "trace"}, {"trace", "/nowhere"}, {"trace_unit", "1ns"}}) ==
        "host.trace: /nowhere: cannot be opened (No such file or directory): name a file that can "
        "be read");
    CHECK(refusal({{"trace_unit", "1ns"}}) ==
          "host.trace_unit: the pattern is random: set pattern to trace, or leave the unit at 0fs");
    CHECK(refusal({{"fold", "true"}}) ==
          "host.fold: the pattern is random: set pattern to trace, or fold to false");
    const auto traced = [&](const Arguments::value_type& more) {
        return refusal({{"pattern", "trace"}, {"trace", f.path}, {"trace_unit", "1ns"}, more});
    };
    CHECK(traced({"period", "1us"}) ==
          "host.period: requests have the times of the trace: leave it at 0fs");
    CHECK(traced({"read_share", "50%"}) ==
          "host.read_share: the trace states which requests are reads: leave it at 100%");
    CHECK(refusal({{"range", "4"}}) == "host.range: 4 sectors are fewer than one request of 8");
}

} // namespace memsim::block_traffic_test
