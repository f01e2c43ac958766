#include "core/kernel/registry.hh"
#include "core/machine/machine.hh"

#include <benchmark/benchmark.h>

/// What a message costs in the kernel alone: two components throw balls to and fro. A message is a
/// send, an event, a wake and a credit on its way back.
namespace memsim::bench {

using namespace memsim::literals;

struct Ball {
    static constexpr std::uint32_t largest_wire_bytes = 8;
    std::uint64_t bounces = 0;
};

class Player final : public Model<Player> {
  public:
    struct Params {
        Param<unsigned> balls {0, {0, 1024}, "Balls it throws at first"};
        Param<unsigned> queue {1024, {1, 65536}, "Balls waiting or in flight to it"};
        Param<Time> flight {1_ns, {1_fs, 1_ms}, "Of a ball that it throws"};
        Param<Time> apart {10_ps, {0_fs, 1_ns}, "Between the first balls"};
    };
    struct Ports {
        In<Ball> in {{.depth = from<&Params::queue>}, "Balls that come"};
        Out<Ball> out {{.latency = from<&Params::flight>}, "Balls that go"};
    };
    struct Stats {
        Counter caught {Unit::count, "Balls that came"};
    };
    struct State {
        unsigned thrown = 0;
        Timer next;
    };

    explicit Player(const Params& p) : params(p) {}
    void start() override { arm(state.next, 1); }
    void wake() override {
        while (!port.in.empty() && port.out.can_send()) {
            Ball ball = port.in.pop();
            ++ball.bounces;
            ++stat.caught;
            port.out.send(ball);
        }
        if (state.thrown < params.balls() && !state.next.armed()) {
            port.out.send({});
            if (++state.thrown < params.balls()) arm(state.next, params.apart());
        }
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;
};
static const Registration<Player> player {"Throws balls back; for benchmarks."};

namespace {

void ping_pong(benchmark::State& state) {
    Machine m;
    m.add("left", "bench.Player", {{"balls", std::to_string(state.range(0))}});
    m.add("right", "bench.Player", {});
    m.bind("left", "out", "right", "in");
    m.bind("right", "out", "left", "in");
    m.build();
    m.start();
    m.run(20'000'000);
    auto caught = [&] {
        return static_cast<double>(m.get<Player>("left").stat.caught.value() +
                                   m.get<Player>("right").stat.caught.value());
    };
    const double before = caught();
    for (auto _ : state) m.run(m.sim().now() + 100'000'000'000 / state.range(0));
    state.counters["messages"] = benchmark::Counter(caught() - before, benchmark::Counter::kIsRate);
}
BENCHMARK(ping_pong)->Arg(1)->Arg(16)->Arg(64)->Unit(benchmark::kMillisecond);

} // namespace

} // namespace memsim::bench
