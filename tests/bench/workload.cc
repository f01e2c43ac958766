#include "workload/catalogue.hh"

#include <benchmark/benchmark.h>

/// How fast streams are made and read: a simulation of a million requests a second must not wait
/// for its instructions.
namespace memsim::workload {

namespace {

void make_streams(benchmark::State& state) {
    Options options;
    options.size = static_cast<u64>(state.range(0));
    std::uint64_t lanes = 0, operations = 0;
    for (auto _ : state) {
        state.PauseTiming();
        const auto search = make_workload("bfs1", options);
        state.ResumeTiming();
        BlockStreams out;
        for (Launch launch; search->next_launch(launch);)
            for (u32 block = 0; block < launch.blocks(); ++block) {
                search->run_block(block, out);
                lanes += out.counts.lane_accesses;
                operations += out.counts.operations;
            }
    }
    using benchmark::Counter;
    state.counters["lane_accesses"] = Counter(static_cast<double>(lanes), Counter::kIsRate);
    state.counters["operations"] = Counter(static_cast<double>(operations), Counter::kIsRate);
}
BENCHMARK(make_streams)->Arg(14)->Arg(18)->Unit(benchmark::kMillisecond);

void read_strided_stream(benchmark::State& state) {
    std::vector<u8> bytes;
    gpu_program::StreamCounts counts;
    gpu_program::WarpStreamWriter writer(bytes, counts);
    gpu_program::WarpStreamWriter::Addresses address;
    for (u64 n = 0; n < 10000; ++n) {
        for (u64 lane = 0; lane < warp_lanes; ++lane)
            address[lane] = (1 << 28) + 128 * n + 4 * lane;
        writer.access(WarpOpKind::load, 16, ~0u, 4, address);
    }
    gpu_program::WarpOp op;
    for (auto _ : state) {
        u64 position = 0;
        for (gpu_program::WarpStreamReader reader(bytes, position); reader.next(op);)
            benchmark::DoNotOptimize(op.address[31]);
    }
    state.SetItemsProcessed(state.iterations() * 10000);
}
BENCHMARK(read_strided_stream);

} // namespace

} // namespace memsim::workload
