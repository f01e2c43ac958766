#include "support.hh"

#include <cstdio>
#include <fstream>

using namespace memsim;
using namespace memsim::test_flash;

namespace {

const char* const trace = "../shared/data/block_io/tpcc-small.trace";

void row(const char* what, double theirs, double ours) {
    std::printf("%-34s %9.1f %9.1f %+6.1f %%\n", what, theirs, ours, (ours / theirs - 1) * 100);
}

} // namespace

TEST_CASE("MQSim's tpcc trace on a drive of its geometry: mean response within 15 %",
          "[validation][flash]") {
    if (!std::ifstream(trace)) {
        WARN("there is no " << trace);
        return;
    }
    Machine m(1);
    m.add("host", "flash.BlockTraffic",
          {{"pattern", "trace"},
           {"trace", trace},
           {"trace_unit", "1ns"},
           {"outstanding", "65535"},
           {"range", "998579888"},
           {"fold", "true"}});
    mqsim_drive().add(m);
    m.bind("host", "drive", "drive", "host[0]");
    m.build();
    run(m);
    const auto& s = m.get<flash::Drive>("drive").stat;
    std::printf("\nMQSim's tpcc-small.trace             MQSim      ours\n");
    row("mean response, us", 3458.6, m.stat_value("host", "latency", "") / 1000);
    row("reads", 1046.4, m.stat_value("host", "read_latency", "") / 1000);
    row("writes", 7495.3, m.stat_value("host", "write_latency", "") / 1000);
    row("translation pages read", 6921, static_cast<double>(value(s.map_reads)));
    row("pages read", 8231, static_cast<double>(value(s.host_page_reads)));
    row("pages programmed", 5007, static_cast<double>(value(s.programs)));
    // Their figures are our own run of MQSim 7ec40e3. Bounds: 15 % on the mean was asked for.
    CHECK(m.stat_value("host", "latency", "") / 1000 == Approx(3458.6).epsilon(0.06));
    CHECK(m.stat_value("host", "read_latency", "") / 1000 == Approx(1046.4).epsilon(0.05));
    CHECK(static_cast<double>(value(s.map_reads)) == Approx(6921).epsilon(0.01));
    CHECK(static_cast<double>(value(s.programs)) == Approx(5007).epsilon(0.01));
}
