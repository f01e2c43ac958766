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
}

TEST_CASE("flash scratch", "[.scratch]") {
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
    for (const char* n :
         {"cache_sectors", "host_page_reads", "merge_reads", "map_reads", "map_hits", "map_misses",
          "host_page_writes", "buffer_waits", "zero_pages"})
        std::printf("%s %g\n", n, m.stat_value("drive", n, ""));
    double ops = 0, pr = 0, se = 0;
    for (int i = 0; i < 32; ++i) {
        auto p = "package[" + std::to_string(i) + "]";
        ops += m.stat_value(p, "operations", "");
        pr += m.stat_value(p, "programs", "");
        se += m.stat_value(p, "senses", "");
    }
    double rl = 0, pl = 0, bb = 0;
    for (int i = 0; i < 8; ++i) {
        auto p = "channel[" + std::to_string(i) + "]";
        rl += m.stat_value(p, "read_latency", "") / 8;
        pl += m.stat_value(p, "program_latency", "") / 8;
        bb += m.stat_value(p, "bus_busy", "") / 8;
    }
    std::printf("ops %g programs %g senses %g; read lat %g prog lat %g bus %g end %g\n", ops, pr,
                se, rl, pl, bb, (double)m.sim().now() / 1e9);
}
