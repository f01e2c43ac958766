#include "mem/cache/cache.hh"
#include "core/machine/machine.hh"
#include "mem/crossbar/crossbar.hh"
#include "mem/simple_memory.hh"

#include <benchmark/benchmark.h>

/// What an access costs in CPU time: a hit in an L1; a miss through L1, crossbar, L2 and memory.
/// Aim: below 250 ns for a hit and 1 us for a miss, traffic generator included.
namespace memsim::bench {

using namespace memsim::literals;
using protocol::Mem;

/// Random reads of 32 B in a footprint, one a cycle, so many in flight.
class Reader final : public Model<Reader> {
  public:
    struct Params {
        Param<unsigned> outstanding {64, {1, 65536}, "Reads in flight"};
        Param<std::uint64_t> footprint {1024, {32, std::uint64_t {1} << 40}, "Bytes from 0"};
        Param<std::uint64_t> step {32, {1, 1 << 20}, "Addresses are its multiples"};
        Param<Frequency> clock {1.2_GHz, {1_MHz, 100_GHz}, "One read a cycle"};
    };
    struct Ports {
        Requester<Mem> mem_side {{.depth = from<&Params::outstanding>}, "Reads"};
    };
    struct Stats {
        Counter answers {Unit::count, "Answers"};
    };
    struct State {
        Rng random;
        device_parts::CycleSlots slots;
        Timer next;
    };

    explicit Reader(const Params& p) : params(p), clock_(p.clock()) {}
    void start() override { arm(state.next, 1); }
    void wake() override {
        auto& out = port.mem_side;
        for (; !out.empty(); out.pop()) ++stat.answers;
        while (out.can_send()) {
            if (!state.slots.free(clock_, now(), 1)) {
                arm(state.next, state.slots.next.tick);
                break;
            }
            state.slots.take();
            protocol::MemRequest r;
            r.address = state.random.below(params.footprint() / params.step()) * params.step();
            r.bytes = 32;
            out.send(r);
        }
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    Clock clock_;
};
static const Registration<Reader> reader {"Reads at full speed; for benchmarks."};

namespace {

std::string numbered(const std::string& name, std::int64_t i) {
    return name + "[" + std::to_string(i) + "]";
}

/// Readers with an L1 each; behind them, unless they only hit, crossbar, n L2s and memories.
std::uint64_t run(benchmark::State& state, std::int64_t readers, std::int64_t n, bool miss) {
    Machine m;
    const std::string many = std::to_string(n);
    for (std::int64_t i = 0; i < readers; ++i) {
        m.add(numbered("reader", i), "bench.Reader",
              {{"footprint", miss ? "1073741824" : "16384"}, {"step", miss ? "128" : "32"}});
        m.add(numbered("l1", i), "mem.Cache",
              {{"mshrs", "64"}, {"mem_queue", "64"}, {"fill_port", "true"}});
        m.bind(numbered("reader", i), "mem_side", numbered("l1", i), "cpu_side");
    }
    if (miss)
        m.add("xbar", "mem.Crossbar", {{"inputs", std::to_string(readers)}, {"outputs", many}});
    for (std::int64_t i = 0; i < readers; ++i)
        if (miss) m.bind(numbered("l1", i), "mem_side", "xbar", numbered("cpu_side", i));
    for (std::int64_t i = 0; i < n; ++i) {
        m.add(numbered("memory", i), "mem.SimpleMemory", {});
        if (!miss) {
            m.bind(numbered("l1", i), "mem_side", numbered("memory", i), "cpu_side");
            continue;
        }
        m.add(numbered("l2", i), "mem.Cache",
              {{"capacity", "128KiB"},
               {"ways", "8"},
               {"mshrs", "64"},
               {"mem_queue", "64"},
               {"fill_port", "true"},
               {"write_policy", "write_back"},
               {"write_allocate", "true"},
               {"interleave_ways", many}});
        m.bind("xbar", numbered("mem_side", i), numbered("l2", i), "cpu_side");
        m.bind(numbered("l2", i), "mem_side", numbered("memory", i), "cpu_side");
    }
    m.build();
    m.start();
    m.run(10'000'000'000); // warm
    m.reset_stats();
    const std::uint64_t events = m.sim().events_executed(), wakes = m.sim().wakes();
    for (auto _ : state) m.run(m.sim().now() + 10'000'000'000);
    std::uint64_t accesses = 0;
    for (std::int64_t i = 0; i < readers; ++i)
        accesses +=
            static_cast<std::uint64_t>(m.get<Reader>(numbered("reader", i)).stat.answers.value());
    const double each = 1 / static_cast<double>(accesses);
    state.counters["events_each"] = static_cast<double>(m.sim().events_executed() - events) * each;
    state.counters["wakes_each"] = static_cast<double>(m.sim().wakes() - wakes) * each;
    return accesses;
}

void count(benchmark::State& state, std::uint64_t accesses) {
    const double n = static_cast<double>(accesses);
    state.counters["accesses"] = benchmark::Counter(n, benchmark::Counter::kIsRate);
    state.counters["time_each"] =
        benchmark::Counter(n, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void l1_hits(benchmark::State& state) {
    count(state, run(state, state.range(0), state.range(0), false));
}
void misses_to_memory(benchmark::State& state) {
    count(state, run(state, state.range(0), state.range(0), true));
}
/// The same traffic over a growing number of slices: idle slices cost nothing.
void misses_over_slices(benchmark::State& state) {
    count(state, run(state, 1, state.range(0), true));
}
BENCHMARK(l1_hits)->Arg(1)->Arg(16)->Unit(benchmark::kMillisecond);
BENCHMARK(misses_to_memory)->Arg(1)->Arg(6)->Arg(16)->Arg(64)->Unit(benchmark::kMillisecond);

BENCHMARK(misses_over_slices)->Arg(1)->Arg(4)->Arg(16)->Arg(64)->Unit(benchmark::kMillisecond);

} // namespace

} // namespace memsim::bench
