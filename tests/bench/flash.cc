#include "core/machine/machine.hh"

#include <benchmark/benchmark.h>

#include <fstream>
#include <string>

/// Block requests per CPU second on a drive of MQSim's default geometry and policies. MQSim 7ec40e3
/// processes the same work at these rates, without its start-up (docs/validation.md, flash):
///
///     random writes, 10 s, two queues (16 and 2)     62.7k, mean 484 us
///     random reads, 10 s, two queues of 16           87.9k, mean 176 and 256 us
///     tpcc-small.trace                               about 100k, mean 3458 us
namespace {

using memsim::Arguments;
using memsim::Machine;

std::string at(const char* name, unsigned i) {
    return std::string(name) + "[" + std::to_string(i) + "]";
}

void drive(Machine& m, const char* queues) {
    m.add("drive", "flash.Drive",
          {{"queues", queues},
           {"over_provisioning", "0.07"},
           {"unwritten", "past"},
           {"map_cache", "2MiB"},
           {"keep_rewritten", "true"},
           {"commands", "4096"},
           {"queue_depth", "4096"}});
    for (unsigned c = 0; c < 8; ++c) {
        m.add(at("channel", c), "flash.Channel",
              {{"bus", "nv_ddr2_333"}, {"dies_at_once", "1"}, {"queue", "4096"}});
        m.bind("drive", at("channel", c), at("channel", c), "controller");
        for (unsigned p = 0; p < 4; ++p) {
            m.add(at("package", c * 4 + p), "flash.Package",
                  {{"media", "mlc"},
                   {"dies", "2"},
                   {"planes", "2"},
                   {"blocks", "2048"},
                   {"pages", "256"},
                   {"registers", "1"}});
            m.bind(at("channel", c), at("package", p), at("package", c * 4 + p), "io[0]");
        }
    }
}

void finish(benchmark::State& state, Machine& m, double& requests, unsigned hosts) {
    const double before = requests;
    m.build();
    state.ResumeTiming();
    m.start();
    m.run(memsim::never);
    state.PauseTiming();
    for (unsigned i = 0; i < hosts; ++i) {
        requests +=
            m.stat_value(at("host", i), "reads", "") + m.stat_value(at("host", i), "writes", "");
        state.counters["mean_us_" + std::to_string(i)] =
            m.stat_value(at("host", i), "latency", "") / 1000;
    }
    state.counters["events"] = static_cast<double>(m.sim().events_executed()) / (requests - before);
}

/// Two queues of random requests of 4 KiB for a time, each in its half of the drive.
void flash_random(benchmark::State& state, const char* reads, const char* second,
                  const char* until) {
    double requests = 0;
    for (auto _ : state) {
        state.PauseTiming();
        Machine m;
        drive(m, "2");
        const Arguments both {
            {"read_share", reads}, {"align", "16"}, {"until", until}, {"range", "499200000"}};
        for (unsigned i = 0; i < 2; ++i) {
            Arguments a = both;
            a.emplace_back("outstanding", i ? second : "16");
            a.emplace_back("base", i ? "499200000" : "0");
            // In its workload 2 the first flow is of class URGENT.
            a.emplace_back("urgent", i == 0 && reads[0] == '1' ? "true" : "false");
            m.add(at("host", i), "flash.BlockTraffic", a);
            m.bind(at("host", i), "drive", "drive", at("host", i));
        }
        finish(state, m, requests, 2);
        state.ResumeTiming();
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(requests));
}

void flash_tpcc(benchmark::State& state) {
    const char* const trace = "../shared/data/block_io/tpcc-small.trace";
    if (!std::ifstream(trace)) {
        state.SkipWithError("the trace is not there");
        return;
    }
    double requests = 0;
    for (auto _ : state) {
        state.PauseTiming();
        Machine m;
        drive(m, "1");
        m.add("host[0]", "flash.BlockTraffic",
              {{"pattern", "trace"},
               {"trace", trace},
               {"trace_unit", "1ns"},
               {"outstanding", "65535"},
               {"range", "998579888"},
               {"fold", "true"}});
        m.bind("host[0]", "drive", "drive", "host[0]");
        finish(state, m, requests, 1);
        state.ResumeTiming();
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(requests));
}

BENCHMARK_CAPTURE(flash_random, writes_1s, "0%", "2", "1s")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(flash_random, writes_10s, "0%", "2", "10s")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(flash_random, reads_1s, "100%", "16", "1s")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(flash_random, reads_10s, "100%", "16", "10s")->Unit(benchmark::kMillisecond);
BENCHMARK(flash_tpcc)->Unit(benchmark::kMillisecond);

} // namespace
