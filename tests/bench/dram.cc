#include "core/machine.hh"

#include <benchmark/benchmark.h>

#include <string>

/// Requests per CPU second of a generator in front of one DRAM controller, on the work that
/// peers.md states for others (their figures, requests per CPU second, on its machine):
///
///     DDR4-3200, 2 reads : 1 write   DRAMsim3 stream 249k-281k, random 155k-164k
///                                    Ramulator 2.1 stream 227k, random 250k
///     DDR4-2400, reads               gem5 v24.0 linear 890k, random 355k
namespace {

using memsim::Arguments;

void run(benchmark::State& state, const Arguments& generator, const Arguments& dram) {
    double reads = 0, latency = 0, bandwidth = 0;
    for (auto _ : state) {
        memsim::Machine m;
        m.add("gen", "mem.TrafficGen", generator);
        m.add("dram", "mem.DramController", dram);
        m.bind("gen", "mem_side", "dram", "cpu_side");
        m.build();
        m.start();
        m.run(memsim::never);
        reads += m.stat_value("dram", "reads", "") + m.stat_value("dram", "writes", "");
        latency = m.stat_value("gen", "read_latency", "");
        bandwidth = m.stat_value("dram", "bandwidth", "") / 1e9;
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(reads));
    state.counters["read_ns"] = latency;
    state.counters["GB/s"] = bandwidth;
}

void ddr4_3200(benchmark::State& state, const char* pattern) {
    run(state,
        {{"pattern", pattern}, {"requests", "300000"}, {"range", "16GiB"}, {"read_share", "0.667"}},
        {{"timing", "ddr4_3200"}, {"map", "rochrababgco"}});
}

void ddr4_2400(benchmark::State& state, const char* pattern) {
    run(state,
        {{"pattern", pattern}, {"requests", "300000"}, {"range", "16GiB"}, {"outstanding", "128"}},
        {{"timing", "ddr4_2400"},
         {"read_queue", "64"},
         {"write_queue", "128"},
         {"write_high", "109"},
         {"write_low", "64"},
         {"page", "open_adaptive"},
         {"most_accesses", "16"}});
}

BENCHMARK_CAPTURE(ddr4_3200, stream, "sequential")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ddr4_3200, random, "random")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ddr4_2400, linear_reads, "sequential")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ddr4_2400, random_reads, "random")->Unit(benchmark::kMillisecond);

} // namespace
