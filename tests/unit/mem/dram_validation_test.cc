#include "support.hh"

#include <cmath>
#include <cstdio>

using namespace memsim;
using namespace memsim::mem;

namespace {

/// One point of a peer's curve: a read each `every` periods, and what the peer measured.
struct Point {
    double every;
    double random_ns, sequential_ns;       ///< 0: not judged, the peer is saturated
    double random_apart, sequential_apart; ///< how far ours may lie from it, in percent
};

double ours(const char* pattern, std::int64_t period, const Arguments& dram) {
    const auto m = machine({{"pattern", pattern},
                            {"period", std::to_string(period) + "fs"},
                            {"requests", "60000"},
                            {"range", "16GiB"},
                            {"outstanding", "1000"}},
                           dram);
    m->start();
    m->run(never);
    return m->stat_value("gen", "read_latency", "");
}

void compare(const char* peer, std::int64_t period, const std::vector<Point>& curve,
             const Arguments& dram) {
    std::printf("%s: mean read latency, ns\n  every    random:  peer   ours     %%   sequential:  "
                "peer   ours     %%\n",
                peer);
    for (const Point& p : curve) {
        const auto each = static_cast<std::int64_t>(p.every * static_cast<double>(period));
        const double random = ours("random", each, dram),
                     sequential = ours("sequential", each, dram);
        const double r = p.random_ns ? 100 * (random / p.random_ns - 1) : 0;
        const double s = p.sequential_ns ? 100 * (sequential / p.sequential_ns - 1) : 0;
        std::printf("  %5.1f           %6.1f %6.1f %+5.1f                %6.1f %6.1f %+5.1f\n",
                    p.every, p.random_ns, random, r, p.sequential_ns, sequential, s);
        INFO(peer << ", a read each " << p.every);
        CHECK(std::abs(r) <= p.random_apart);
        CHECK(std::abs(s) <= p.sequential_apart);
    }
}

} // namespace

// The peers' figures and settings are those of peers.md; docs/validation.md discusses the points
// that lie further apart than 5 %. A saturated point shows the depth of queues and is not judged.

TEST_CASE("DRAMsim3's curve on DDR4-3200", "[validation]") {
    compare(
        "DRAMsim3 DDR4-3200 (one cycle of its own in the answer's way)", 630'000,
        {{7, 84.8, 0, 7, 0},
         {8, 77.5, 59.2, 5, 5},
         {10, 69.7, 39.0, 5, 5},
         {16, 61.5, 34.4, 5, 5},
         {32, 57.2, 29.7, 5, 5},
         {64, 53.6, 28.3, 5, 5},
         {200, 49.7, 27.2, 5, 5}},
        {{"timing", "ddr4_3200"}, {"map", "rochrababgco"}, {"queue", "1"}, {"latency", "630ps"}});
}

TEST_CASE("gem5's curve on DDR4-2400", "[validation]") {
    compare("gem5 DDR4_2400_8x8 (its 20 ns of static latency in the answer's way)", 3'332'000,
            {{2, 106.3, 120.2, 16, 15},
             {3, 90.7, 65.2, 10, 5},
             {5, 79.6, 53.2, 5, 5},
             {10, 74.8, 49.0, 5, 5},
             {30, 69.5, 47.8, 5, 5}},
            {{"timing", "ddr4_2400"},
             {"queue", "1"},
             {"read_queue", "64"},
             {"write_queue", "128"},
             {"write_high", "109"},
             {"write_low", "64"},
             {"page", "open_adaptive"},
             {"most_accesses", "16"},
             {"latency", "20ns"}});
}
