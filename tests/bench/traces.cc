#include "workload/traces/trace_source.hh"

#include <benchmark/benchmark.h>

#include <filesystem>

/// How fast traces are read and written.
namespace memsim::workload {

namespace {

using benchmark::Counter;

/// Accel-Sim's text to streams: the bfs trace of ../shared/data.
void accelsim(benchmark::State& state) {
    const std::string list = "../shared/data/accelsim/bfs-rodinia-2.0-ft/kernelslist.g";
    if (!std::filesystem::exists(list)) {
        state.SkipWithError("../shared/data is not here");
        return;
    }
    std::uint64_t instructions = 0;
    for (auto _ : state) {
        TraceSource source(list, {});
        protocol::Launch launch;
        protocol::BlockStreams out;
        while (source.next_launch(launch))
            for (std::uint32_t b = 0; b < launch.blocks(); ++b) source.run_block(b, out);
        instructions += source.state.instructions;
    }
    state.counters["instructions"] = Counter(static_cast<double>(instructions), Counter::kIsRate);
}
BENCHMARK(accelsim)->Unit(benchmark::kMillisecond);

} // namespace

} // namespace memsim::workload
