#include "workload/traces/trace_encoder.hh"
#include "workload/traces/trace_source.hh"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

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
        gpu_program::Launch launch;
        gpu_program::BlockStreams out;
        while (source.next_launch(launch))
            for (std::uint32_t b = 0; b < launch.blocks(); ++b) source.run_block(b, out);
        instructions += source.state.instructions;
    }
    state.counters["instructions"] = Counter(static_cast<double>(instructions), Counter::kIsRate);
}
BENCHMARK(accelsim)->Unit(benchmark::kMillisecond);

/// A million accesses with times, addresses, programs' counters and warps, as a recorder has them.
std::vector<TraceRecord> accesses(bool random) {
    std::vector<TraceRecord> records;
    std::uint64_t x = 1, time = 0;
    for (unsigned i = 0; i < 1'000'000; ++i) {
        x = x * 6364136223846793005 + 1442695040888963407;
        time += (x >> 40) % 20'000'000;
        records.push_back({static_cast<std::int64_t>(time),
                           random ? (x >> 28) & ~std::uint64_t {127} : 128ull * i,
                           random && x & 1 ? 32u : 128u,
                           (x >> 13) % 4 ? TraceCommandKind::read : TraceCommandKind::write, 0,
                           16 * ((x >> 22) % 32), static_cast<std::uint32_t>((x >> 33) % 48), 0});
    }
    return records;
}

std::string own_trace(bool random) {
    const auto records = accesses(random);
    std::string bytes;
    const auto encoder = memsim_encoder();
    encoder->head({"benchmark", true, false}, bytes);
    for (std::size_t i = 0; i < records.size(); i += 4096)
        encoder->batch(
            {records.begin() + static_cast<std::ptrdiff_t>(i),
             records.begin() + static_cast<std::ptrdiff_t>(std::min(i + 4096, records.size()))},
            {}, bytes);
    encoder->end(records.size(), bytes);
    return bytes;
}

void read_own(benchmark::State& state) {
    const std::string path = (std::filesystem::temp_directory_path() / "memsim-bench.mst").string();
    const std::string bytes = own_trace(state.range(0) == 1);
    std::ofstream(path, std::ios::binary) << bytes;
    std::uint64_t n = 0, sum = 0;
    for (auto _ : state) {
        const auto reader = open_trace(path);
        for (TraceRecord r; reader->next(r); ++n) sum += r.address;
    }
    benchmark::DoNotOptimize(sum);
    std::filesystem::remove(path);
    state.counters["records"] = Counter(static_cast<double>(n), Counter::kIsRate);
    state.counters["bytes_a_record"] = static_cast<double>(bytes.size()) / 1e6;
}
BENCHMARK(read_own)->ArgName("random")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void write_own(benchmark::State& state) {
    const auto records = accesses(state.range(0) == 1);
    const std::vector<TraceRecord> batch(records.begin(), records.begin() + 4096);
    const auto encoder = memsim_encoder();
    std::string bytes;
    for (auto _ : state) {
        bytes.clear();
        encoder->batch(batch, {}, bytes);
    }
    state.counters["records"] =
        Counter(4096 * static_cast<double>(state.iterations()), Counter::kIsRate);
}
BENCHMARK(write_own)->ArgName("random")->Arg(0)->Arg(1);

} // namespace

} // namespace memsim::workload
