#include "core/kernel/event_queue.hh"
#include "core/base/rng.hh"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <queue>

/// The event queue compared with a std::priority_queue of the same events: a handler with a payload
/// of 16 bytes that schedules its successor; and the same with a timer that every event moves. Both
/// take turns within each iteration, and the least CPU time of each counts, so that `ratio`
/// survives a noisy machine. Aims (ratio): 3 at 1,000 pending, 2 at 100,000, no cliff up to
/// 1,000,000.
namespace memsim::bench {
namespace {

struct Payload {
    std::uint64_t a, b;
};

/// Delays: uniform up to 1 us, or log-uniform from 0.8 ns to 100 us. Made beforehand.
std::vector<Tick> delays(bool log_uniform) {
    Rng random(1, "delays");
    std::vector<Tick> all(1 << 16);
    for (Tick& d : all) {
        const auto u = static_cast<double>(random.below(1u << 30)) / (1u << 30);
        d = log_uniform ? static_cast<Tick>(8e5 * std::pow(1e11 / 8e5, u))
                        : 1 + static_cast<Tick>(1e9 * u);
    }
    return all;
}

class Ours {
  public:
    using Id = EventId;
    Id schedule(Tick t, Fire fire, void* object, const Payload& p) {
        return queue_.schedule(t, fire, object, p);
    }
    void cancel(Id id) { queue_.cancel(id); }
    Tick run_one() { // as Simulation::run does
        if (!queue_.more_at(now_)) {
            now_ = queue_.next_tick();
            queue_.set_floor(now_);
        }
        queue_.run_next();
        return now_;
    }
    Tick now() const { return now_; }

  private:
    EventQueue queue_;
    Tick now_ = -1;
};

/// The rival. Events that are cancelled are skipped when they come up, found by the generation of a
/// slot, which is the cheapest way that a priority_queue offers.
template <bool cancels>
class Rival {
  public:
    struct Id {
        std::uint32_t slot = 0, generation = 0;
    };
    Id schedule(Tick t, Fire fire, void* object, const Payload& p) {
        Id id;
        if constexpr (cancels) {
            if (free_.empty()) {
                free_.push_back(static_cast<std::uint32_t>(generation_.size()));
                generation_.push_back(0);
            }
            id = {free_.back(), generation_[free_.back()]};
            free_.pop_back();
        }
        queue_.push({t, sequence_++, fire, object, p, id});
        return id;
    }
    void cancel(Id id) {
        if (generation_[id.slot] == id.generation) release(id.slot);
    }
    Tick run_one() {
        Event e = queue_.top();
        queue_.pop();
        if constexpr (cancels) {
            while (generation_[e.id.slot] != e.id.generation) {
                e = queue_.top();
                queue_.pop();
            }
            release(e.id.slot);
        }
        now_ = e.tick;
        e.fire(e.object, &e.payload);
        return now_;
    }
    Tick now() const { return now_; }

  private:
    struct Event {
        Tick tick;
        std::uint64_t sequence;
        Fire fire;
        void* object;
        Payload payload;
        Id id;
    };
    struct Later {
        bool operator()(const Event& x, const Event& y) const {
            return x.tick != y.tick ? x.tick > y.tick : x.sequence > y.sequence;
        }
    };
    void release(std::uint32_t slot) {
        ++generation_[slot];
        free_.push_back(slot);
    }
    std::priority_queue<Event, std::vector<Event>, Later> queue_;
    std::uint64_t sequence_ = 0;
    std::vector<std::uint32_t> generation_, free_;
    Tick now_ = -1;
};

/// So many events that each schedule their successor; with `rearm` each also moves a timer of a
/// sixteenth of them, which rarely expires.
template <class Queue, bool rearm>
class Load {
  public:
    Load(const std::vector<Tick>& delays, std::int64_t pending) : delays_(delays) {
        for (std::int64_t i = 0; i < pending; ++i)
            queue_.schedule(delay(), &event, this, {static_cast<std::uint64_t>(i), 0});
        if (rearm) timers_.resize(static_cast<std::size_t>(pending / 16 + 1));
        run(2 * pending);
    }
    void run(std::int64_t events) {
        for (; events > 0; --events) queue_.run_one();
    }

  private:
    Tick delay() { return delays_[next_++ & 0xffff]; }
    static void event(void* load, const void* payload) {
        auto& self = *static_cast<Load*>(load);
        Payload p;
        std::memcpy(&p, payload, sizeof p);
        p.b += p.a;
        self.queue_.schedule(self.queue_.now() + self.delay(), &event, load, p);
        if constexpr (rearm) {
            auto& timer = self.timers_[p.a % self.timers_.size()];
            self.queue_.cancel(timer);
            timer = self.queue_.schedule(self.queue_.now() + self.delay(), &gone_off, load, p);
        }
    }
    static void gone_off(void*, const void* payload) { benchmark::DoNotOptimize(payload); }

    const std::vector<Tick>& delays_;
    std::uint32_t next_ = 0;
    Queue queue_;
    std::vector<typename Queue::Id> timers_;
};

double cpu_seconds() {
    timespec t {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <bool rearm>
void compare(benchmark::State& state, bool log_uniform) {
    constexpr std::int64_t batch = 1 << 16;
    const std::vector<Tick> mix = delays(log_uniform);
    Load<Ours, rearm> ours(mix, state.range(0));
    Load<Rival<rearm>, rearm> rival(mix, state.range(0));
    double least_ours = std::numeric_limits<double>::max(), least_rival = least_ours;
    for (auto _ : state) {
        const double t0 = cpu_seconds();
        ours.run(batch);
        const double t1 = cpu_seconds();
        rival.run(batch);
        const double t2 = cpu_seconds();
        least_ours = std::min(least_ours, t1 - t0);
        least_rival = std::min(least_rival, t2 - t1);
    }
    state.counters["ours_ns"] = 1e9 * least_ours / batch;
    state.counters["rival_ns"] = 1e9 * least_rival / batch;
    state.counters["ratio"] = least_rival / least_ours;
}

void pending(benchmark::internal::Benchmark* b) {
    for (const int n : {10, 100, 1'000, 10'000, 100'000, 1'000'000}) b->Arg(n);
    b->Unit(benchmark::kMillisecond)->MinTime(0.3);
}
void plain(benchmark::State& state, bool log_uniform) { compare<false>(state, log_uniform); }
void rearm(benchmark::State& state, bool log_uniform) { compare<true>(state, log_uniform); }
BENCHMARK_CAPTURE(plain, uniform, false)->Apply(pending)->Name("event_queue/uniform");
BENCHMARK_CAPTURE(plain, log, true)->Apply(pending)->Name("event_queue/log_uniform");
BENCHMARK_CAPTURE(rearm, uniform, false)->Apply(pending)->Name("event_queue_rearm/uniform");
BENCHMARK_CAPTURE(rearm, log, true)->Apply(pending)->Name("event_queue_rearm/log_uniform");

} // namespace
} // namespace memsim::bench
