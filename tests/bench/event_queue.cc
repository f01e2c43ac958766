#include "core/event_queue.hh"
#include "core/rng.hh"

#include <benchmark/benchmark.h>

#include <cmath>
#include <queue>

/// Schedule and dispatch of a handler with a 16-byte payload, with so many pending: our queue
/// against a std::priority_queue of the same events (which cannot cancel). Each event that fires
/// schedules one; in the re-arm benchmark it also moves another one. The ratio is the time of
/// priority_queue over that of ours, of one run.
using namespace memsim;

namespace {

enum Mix { uniform, log_uniform };

/// Delays in femtoseconds: uniform up to 2 ns, or log-uniform from 0.8 ns to 100 us.
std::vector<Tick> delays(Mix mix) {
    Rng r(1, "delays");
    std::vector<Tick> all(1 << 14);
    for (Tick& d : all) {
        const double u = static_cast<double>(r.below(1u << 30)) / (1u << 30);
        d = mix == uniform ? 1 + static_cast<Tick>(u * 2e6)
                           : static_cast<Tick>(8e5 * std::pow(1e11 / 8e5, u));
    }
    return all;
}

struct Payload {
    std::uint64_t a = 1, b = 2;
};
std::uint64_t seen;

struct Ours {
    EventQueue queue;
    std::vector<Tick> delay;
    std::size_t i = 0;
    Tick now = 0;
    bool rearm = false;
    std::vector<EventId> timers {};

    Tick at() { return now + delay[i++ % delay.size()]; }
    static void fire(void* object, const void* payload) {
        auto& self = *static_cast<Ours*>(object);
        Payload p;
        std::memcpy(&p, payload, sizeof p);
        seen += p.a++;
        const EventId id = self.queue.schedule(self.at(), fire, object, p);
        if (!self.rearm) return;
        EventId& timer = self.timers[self.i % self.timers.size()];
        if (self.queue.cancel(timer)) self.queue.schedule(self.at(), fire, object, p);
        timer = id;
    }
    void step() {
        now = queue.next_tick();
        queue.set_floor(now);
        queue.run_next();
    }
};

struct Theirs {
    struct Event {
        Tick tick;
        std::uint64_t sequence;
        Fire fire;
        void* object;
        Payload payload;
        bool operator<(const Event& o) const {
            return tick != o.tick ? tick > o.tick : sequence > o.sequence;
        }
    };
    std::priority_queue<Event> queue;
    std::vector<Tick> delay;
    std::size_t i = 0;
    Tick now = 0;
    std::uint64_t sequence = 0;

    Tick at() { return now + delay[i++ % delay.size()]; }
    void push(const Payload& p) { queue.push({at(), sequence++, fire, this, p}); }
    static void fire(void* object, const void* payload) {
        auto& self = *static_cast<Theirs*>(object);
        Payload p;
        std::memcpy(&p, payload, sizeof p);
        seen += p.a++;
        self.push(p);
    }
    void step() {
        const Event e = queue.top();
        queue.pop();
        now = e.tick;
        e.fire(e.object, &e.payload);
    }
};

template <class Q>
void dispatch(benchmark::State& state, Mix mix) {
    const auto pending = static_cast<std::size_t>(state.range(0));
    Q q;
    q.delay = delays(mix);
    for (std::size_t i = 0; i < pending; ++i) {
        if constexpr (std::is_same_v<Q, Ours>)
            q.queue.schedule(1 + q.at(), Q::fire, &q, Payload {});
        else
            q.push({});
    }
    for (std::size_t i = 0; i < 2 * pending; ++i) q.step();
    for (auto _ : state) q.step();
    state.SetItemsProcessed(state.iterations());
}

/// The same with a cancel and a re-arm an event.
void rearm_ours(benchmark::State& state, Mix mix) {
    const auto pending = static_cast<std::size_t>(state.range(0));
    Ours q;
    q.delay = delays(mix);
    q.rearm = true;
    q.timers.resize(pending / 4 + 1);
    for (std::size_t i = 0; i < pending; ++i)
        q.queue.schedule(1 + q.at(), Ours::fire, &q, Payload {});
    for (std::size_t i = 0; i < 2 * pending; ++i) q.step();
    for (auto _ : state) q.step();
    state.SetItemsProcessed(state.iterations());
}

void ours(benchmark::State& state, Mix mix) { dispatch<Ours>(state, mix); }
void priority_queue(benchmark::State& state, Mix mix) { dispatch<Theirs>(state, mix); }

#define MEMSIM_SIZES ->Arg(10)->Arg(1'000)->Arg(100'000)->Arg(1'000'000)
BENCHMARK_CAPTURE(ours, uniform, uniform) MEMSIM_SIZES;
BENCHMARK_CAPTURE(priority_queue, uniform, uniform) MEMSIM_SIZES;
BENCHMARK_CAPTURE(ours, log_uniform, log_uniform) MEMSIM_SIZES;
BENCHMARK_CAPTURE(priority_queue, log_uniform, log_uniform) MEMSIM_SIZES;
BENCHMARK_CAPTURE(rearm_ours, uniform, uniform) MEMSIM_SIZES;
BENCHMARK_CAPTURE(rearm_ours, log_uniform, log_uniform) MEMSIM_SIZES;

} // namespace

BENCHMARK_MAIN();
