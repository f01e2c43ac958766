#include "core/machine/machine.hh"

#include <benchmark/benchmark.h>

#include <string>

/// Requests per CPU second of a generator in front of one DRAM controller. Other simulators
/// process the same work at these rates, all measured on one computer (docs/validation.md, DRAM):
///
///     DDR4-3200, 2 reads : 1 write   DRAMsim3 stream 249k-281k, random 155k-164k
///                                    Ramulator 2.1 stream 227k, random 250k
///     DDR4-2400, reads               gem5 v24.0 linear 890k, random 355k
///     GDDR6, 2 reads : 1 write       DRAMsim3 stream 499k-541k, random 75k-82k
///                                    Ramulator 2.1 stream 666k, random 175k
///
/// and CPU microseconds a request over 1, 2, 4, 8 channels: gem5 linear 1.47 2.01 2.46 3.02, random
/// 3.28 3.60 3.96 4.43; DRAMsim3 stream 3.85 4.24 5.09 7.56, random 6.32 6.20 6.07 4.62.
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
        {{"timing", "dramsim3_ddr4_3200"}, {"map", "rochrababgco"}});
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

/// The tables of the peers' own GDDR6 runs, in our order: DRAMsim3's of 256 B a burst, Ramulator's
/// of 32 B.
void gddr6(benchmark::State& state, const char* pattern, const char* timing, const char* size) {
    run(state,
        {{"pattern", pattern},
         {"requests", "300000"},
         {"range", "1GiB"},
         {"size", size},
         {"read_share", "0.667"}},
        {{"timing", timing}, {"map", "rochrababgco"}, {"capacity", "1GiB"}});
}

/// One generator for each of so many channels; the same requests in all.
void channels(benchmark::State& state, const char* pattern) {
    const auto n = static_cast<std::uint64_t>(state.range(0));
    const std::uint64_t requests = 640'000;
    for (auto _ : state) {
        state.PauseTiming(); // set-up costs by the channel, not by the request
        memsim::Machine m;
        for (std::uint64_t i = 0; i < n; ++i) {
            const std::string number = std::to_string(i), gen = "gen" + number,
                              dram = "dram" + number;
            m.add(gen, "mem.TrafficGen",
                  {{"pattern", pattern},
                   {"requests", std::to_string(requests / n)},
                   {"range", "16GiB"},
                   {"read_share", "0.667"}});
            m.add(dram, "mem.DramController", {{"map", "rochrababgco"}});
            m.bind(gen, "mem_side", dram, "cpu_side");
        }
        m.build();
        m.start();
        state.ResumeTiming();
        m.run(memsim::never);
        benchmark::DoNotOptimize(m.sim().now());
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * requests));
}

/// One generator through a crossbar that limits nothing, spread over so many channels: 64 B each
/// 10 ns, which one channel can serve, too.
void spread(benchmark::State& state, const char* pattern) {
    const std::string n = std::to_string(state.range(0));
    for (auto _ : state) {
        state.PauseTiming();
        memsim::Machine m;
        m.add("gen", "mem.TrafficGen",
              {{"pattern", pattern},
               {"requests", "320000"},
               {"period", "10ns"},
               {"range", "16GiB"},
               {"outstanding", "256"},
               {"read_share", "0.667"}});
        m.add("net", "mem.Crossbar",
              {{"outputs", n}, {"granularity", "64B"}, {"width", "4KiB"}, {"clock", "4GHz"}});
        m.bind("gen", "mem_side", "net", "cpu_side[0]");
        for (std::int64_t i = 0; i < state.range(0); ++i) {
            const std::string number = std::to_string(i), dram = "dram" + number;
            m.add(dram, "mem.DramController",
                  {{"map", "rorababgcoch"}, {"channels", n}, {"channel", number}});
            m.bind("net", "mem_side[" + number + "]", dram, "cpu_side");
        }
        m.build();
        m.start();
        state.ResumeTiming();
        m.run(memsim::never);
        benchmark::DoNotOptimize(m.sim().now());
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * 320'000);
}

/// The eight channels of DRAMsim3's HBM2_8Gb_x128.ini behind a crossbar that limits nothing, with
/// its order of address digits. Its random generator sends one request a cycle of 1 ns.
void hbm2(benchmark::State& state, const char* pattern, const char* period) {
    for (auto _ : state) {
        state.PauseTiming();
        memsim::Machine m;
        m.add("gen", "mem.TrafficGen",
              {{"pattern", pattern},
               {"requests", "300000"},
               {"period", period},
               {"range", "8GiB"},
               {"outstanding", "256"},
               {"read_share", "0.667"}});
        m.add("net", "mem.Crossbar",
              {{"outputs", "8"}, {"granularity", "2KiB"}, {"width", "4KiB"}, {"clock", "4GHz"}});
        m.bind("gen", "mem_side", "net", "cpu_side[0]");
        for (unsigned i = 0; i < 8; ++i) {
            const std::string number = std::to_string(i), dram = "dram" + number;
            m.add(dram, "mem.DramController",
                  {{"timing", "dramsim3_hbm2"},
                   {"map", "rorabgbachco"},
                   {"channels", "8"},
                   {"channel", number}});
            m.bind("net", "mem_side[" + number + "]", dram, "cpu_side");
        }
        m.build();
        m.start();
        state.ResumeTiming();
        m.run(memsim::never);
        benchmark::DoNotOptimize(m.sim().now());
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * 300'000);
}

/// The cost of 63 unused channels in addition to a used one.
void idle_channels(benchmark::State& state) {
    for (auto _ : state) {
        memsim::Machine m;
        m.add("gen", "mem.TrafficGen", {{"requests", "320000"}, {"range", "16GiB"}});
        for (std::int64_t i = 0; i < state.range(0); ++i)
            m.add("dram" + std::to_string(i), "mem.DramController", {{"map", "rochrababgco"}});
        for (std::int64_t i = 1; i < state.range(0); ++i) {
            m.add("gen" + std::to_string(i), "mem.TrafficGen", {{"requests", "1"}});
            m.bind("gen" + std::to_string(i), "mem_side", "dram" + std::to_string(i), "cpu_side");
        }
        m.bind("gen", "mem_side", "dram0", "cpu_side");
        m.build();
        m.start();
        m.run(memsim::never);
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * 320'000);
}

BENCHMARK_CAPTURE(ddr4_3200, stream, "sequential")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ddr4_3200, random, "random")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ddr4_2400, linear_reads, "sequential")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ddr4_2400, random_reads, "random")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(gddr6, dramsim3_stream, "sequential", "dramsim3_gddr6", "256")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(gddr6, dramsim3_random, "random", "dramsim3_gddr6", "256")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(gddr6, ramulator_stream, "sequential", "ramulator_gddr6", "32")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(gddr6, ramulator_random, "random", "ramulator_gddr6", "32")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(hbm2, stream, "sequential", "0fs")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(hbm2, random, "random", "1ns")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(channels, stream, "sequential")
    ->RangeMultiplier(2)
    ->Range(1, 64)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(channels, random, "random")
    ->RangeMultiplier(2)
    ->Range(1, 64)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(spread, stream, "sequential")
    ->RangeMultiplier(2)
    ->Range(1, 64)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(spread, random, "random")
    ->RangeMultiplier(2)
    ->Range(1, 64)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(idle_channels)->Arg(1)->Arg(64)->Unit(benchmark::kMillisecond);

} // namespace
