#include "core/machine/machine.hh"

#include <benchmark/benchmark.h>

#include <ctime>

/// Requests a CPU second through one planar controller with its DRAM and two XPoint modules. The
/// range is twice the DRAM: half of the pages are in DRAM, so that both paths and swaps are used.
namespace {

using namespace memsim;

void planar(benchmark::State& bench, const char* pattern, const char* swaps) {
    const std::uint64_t requests = 200'000;
    std::uint64_t done = 0;
    double dram = 0, share = 0;
    for (auto _ : bench) {
        Machine m;
        m.add("gen", "mem.TrafficGen",
              {{"pattern", pattern},
               {"range", "32MiB"},
               {"size", "128"},
               {"read_share", "90%"},
               {"outstanding", "128"},
               {"requests", std::to_string(requests)}});
        m.add("controller", "ohm.PlanarController",
              {{"controllers", "1"}, {"dram", "16MiB"}, {"swaps", swaps}});
        m.bind("gen", "mem_side", "controller", "cpu_side");
        for (const char* i : {"0", "1"}) {
            const std::string path = std::string("module") + i, of = std::string("[") + i + "]";
            m.add(path, "xpoint.Module", {{"capacity", "64MiB"}});
            m.bind("controller", "commands" + of, path, "commands");
            m.bind("controller", "transfers" + of, path, "transfers");
        }
        m.build();
        m.start();
        m.run(never);
        if (m.pending() || !m.imbalances().empty()) bench.SkipWithError("not a clean end");
        done += requests;
        dram = m.stat_value("controller", "dram_hit_rate", "");
        share = m.stat_value("controller", "migration_share", "");
    }
    bench.counters["requests"] =
        benchmark::Counter(static_cast<double>(done), benchmark::Counter::kIsRate);
    bench.counters["dram_hit_rate"] = dram;
    bench.counters["migration_share"] = share;
}

} // namespace

BENCHMARK_CAPTURE(planar, random, "random", "4")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(planar, random_without_swaps, "random", "0")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(planar, sequential, "sequential", "4")->Unit(benchmark::kMillisecond);
