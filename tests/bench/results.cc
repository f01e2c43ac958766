#include "checkpoint/file.hh"
#include "core/base/rng.hh"
#include "stats/database.hh"

#include <benchmark/benchmark.h>

#include <cstring>
#include <filesystem>

#include <unistd.h>

/// What results and checkpoints cost: a dump of 10,000 statistics, a snapshot of 300 MB.
namespace {

using namespace memsim;

std::string place(const char* name) {
    return (std::filesystem::temp_directory_path() / (std::to_string(getpid()) + name)).string();
}

void dump_of_10000_statistics(benchmark::State& state) {
    Machine m;
    std::size_t stats = 0;
    for (int i = 0; stats < 10'000; ++i) {
        const std::string n = "[" + std::to_string(i) + "]", gen = "gen" + n, memory = "memory" + n;
        m.add(gen, "mem.TrafficGen", {{"requests", "100"}, {"read_share", "50%"}});
        m.add(memory, "mem.SimpleMemory", {});
        m.bind(gen, "mem_side", memory, "cpu_side");
        stats += m.at(gen).stats().size() + m.at(memory).stats().size();
    }
    m.build();
    m.start();
    m.run(ticks_per_second);
    const std::string path = place("-bench.db");
    auto run = stats::Database::open(path).begin_run({"bench", "", {}, 1, "", ""});
    run.write_machine(m);
    for (auto _ : state) run.dump(m, "");
    state.counters["statistics"] = static_cast<double>(stats);
    std::filesystem::remove(path);
}
BENCHMARK(dump_of_10000_statistics)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();

/// 300 MB of what a machine is made of: tables of small numbers, tags of lines, a share of noise.
const checkpoint::Checkpoint& large() {
    static const checkpoint::Checkpoint c = [] {
        checkpoint::Checkpoint all;
        Rng random(1, "bench");
        for (int i = 0; i < 100; ++i) {
            std::vector<std::uint64_t> words(3'000'000 / 8);
            for (std::size_t w = 0; w < words.size(); ++w)
                words[w] = w % 4 == 0   ? random.next() & 0x3fff'ffc0 // a tag
                           : w % 4 == 1 ? w                           // a time
                                        : random.below(4);            // state bits
            auto& o = all.snapshot.objects.emplace_back();
            o.path = "cache[" + std::to_string(i) + "]";
            o.state.assign(reinterpret_cast<const char*>(words.data()), words.size() * 8);
        }
        return all;
    }();
    return c;
}

void write_300_MB(benchmark::State& state) {
    const std::string path = place("-bench.ckpt");
    const auto& c = large();
    for (auto _ : state) checkpoint::write(path, c);
    state.counters["MB in the file"] = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
    std::filesystem::remove(path);
}
BENCHMARK(write_300_MB)->Unit(benchmark::kMillisecond)->UseRealTime();

void read_300_MB(benchmark::State& state) {
    const std::string path = place("-bench.ckpt");
    checkpoint::write(path, large());
    for (auto _ : state) benchmark::DoNotOptimize(checkpoint::read(path));
    std::filesystem::remove(path);
}
BENCHMARK(read_300_MB)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace
