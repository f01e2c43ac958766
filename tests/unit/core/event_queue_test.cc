#include "core/base/rng.hh"
#include "core/kernel/event_queue.hh"

#include <catch2/catch.hpp>

#include <algorithm>
#include <deque>

namespace memsim::event_queue_test {

namespace {

/// A queue under a script of random operations; what fired is kept in the order it fired.
struct Player {
    EventQueue queue;
    Tick now = -1;
    std::vector<std::pair<Tick, std::uint64_t>> fired;
    std::deque<EventId> ids; ///< by number of event; never shrinks

    explicit Player(QueueKind kind) : queue(kind) {}

    struct Payload {
        std::uint64_t number, check;
    };
    static void fire(void* object, const void* payload) {
        auto& self = *static_cast<Player*>(object);
        const auto& p = *static_cast<const Payload*>(payload);
        REQUIRE(p.check == ~p.number);
        self.fired.emplace_back(self.now, p.number);
    }
    void schedule(Tick delay) {
        const std::uint64_t n = ids.size();
        ids.push_back(queue.schedule(now + delay, fire, this, Payload {n, ~n}));
    }
    /// Runs one tick, as Simulation does.
    bool step() {
        const Tick tick = queue.next_tick();
        if (tick == never) return false;
        REQUIRE(tick > now);
        now = tick;
        queue.set_floor(now);
        do queue.run_next();
        while (queue.more_at(tick));
        return true;
    }
};

using DelayOf = Tick (*)(Rng&);
Tick few_ticks(Rng& r) { return 1 + static_cast<Tick>(r.below(4)); }
Tick uniform(Rng& r) { return 1 + static_cast<Tick>(r.below(2'000'000)); }
Tick of_any_size(Rng& r) {
    const auto bits = r.below(44);
    const auto rest = r.below(std::uint64_t {1} << bits);
    return static_cast<Tick>((std::uint64_t {1} << bits) + rest);
}
Tick bursts(Rng& r) {
    const auto step = r.below(3);
    return static_cast<Tick>(1 + step * 1'000'000);
}

/// The same random operations on both: schedule, cancel (pending, fired and cancelled ones alike),
/// re-arm, run; sometimes looking ahead before scheduling, sometimes not.
void play(Player& p, std::uint64_t seed, DelayOf delay, std::size_t target, unsigned operations) {
    Rng r(seed, "play");
    for (unsigned i = 0; i < operations; ++i) {
        const auto what = r.below(100);
        if (what < 45) {
            const auto n = p.queue.size() < target ? 1 + r.below(6) : 1;
            for (std::uint64_t k = 0; k < n; ++k) p.schedule(delay(r));
        } else if (what < 65 && !p.ids.empty()) {
            const auto back = r.below(std::min<std::uint64_t>(p.ids.size(), 2 * target));
            const EventId id = p.ids[p.ids.size() - 1 - back];
            p.queue.cancel(id);
            if (what < 55) p.schedule(delay(r));
        } else if (what < 70) {
            p.queue.next_tick();
        } else if (what == 70) {
            for (int k = 0; k < 200; ++k) p.schedule(1 + static_cast<Tick>(k % 2));
        } else {
            p.step();
        }
    }
    while (p.step()) {
    }
}

} // namespace

TEST_CASE("the fast queue fires in the order of the naive queue under random operations") {
    const auto seed = GENERATE(range(1, 7));
    const auto delay = GENERATE(values<DelayOf>({few_ticks, uniform, of_any_size, bursts}));
    const auto target = GENERATE(std::size_t {5}, std::size_t {300}, std::size_t {5000});
    Player fast(QueueKind::fast), naive(QueueKind::naive);
    play(fast, static_cast<std::uint64_t>(seed), delay, target, 15'000);
    play(naive, static_cast<std::uint64_t>(seed), delay, target, 15'000);
    REQUIRE(fast.fired.size() > 2'000);
    CHECK(fast.fired == naive.fired);
    CHECK(fast.queue.empty());
}

TEST_CASE("events of one tick fire in the order in which they were scheduled, also 100,000") {
    Player p(QueueKind::fast);
    for (int i = 0; i < 100'000; ++i) {
        p.schedule(1'000'000);
        if (i % 10 == 0) p.schedule(2'000'000); // interleaved with another tick
    }
    std::vector<std::uint64_t> order;
    REQUIRE(p.step());
    REQUIRE(p.fired.size() == 100'000);
    for (std::size_t i = 1; i < p.fired.size(); ++i)
        if (p.fired[i - 1].second >= p.fired[i].second) FAIL("out of order at " << i);
    REQUIRE(p.step());
    CHECK(p.fired.size() == 110'000);
}

TEST_CASE("events before those already looked ahead fire first") {
    Player p(QueueKind::fast);
    p.schedule(1'000'000'001);
    CHECK(p.queue.next_tick() == 1'000'000'000);
    for (int i = 0; i < 1000; ++i) p.schedule(1 + (i * 7919) % 1000);
    for (int i = 0; i < 1000; ++i) REQUIRE(p.step());
    CHECK(p.now == 999);
    for (int i = 0; i < 1000; ++i) CHECK(p.fired[static_cast<std::size_t>(i)].first == i);
    REQUIRE(p.step());
    CHECK(p.now == 1'000'000'000);
    CHECK_FALSE(p.step());
}

TEST_CASE("a tick is not split by events scheduled shortly after it") {
    const auto at_once = GENERATE(range(1, 300, 7));
    Player p(QueueKind::fast);
    p.schedule(1001);
    p.queue.next_tick(); // the next event is inserted into the sorted part
    for (int i = 1; i < at_once; ++i) p.schedule(1001);
    p.now = 1000;
    p.queue.set_floor(1000);
    p.queue.next_tick();
    for (int i = 0; i < at_once; ++i) {
        REQUIRE(p.queue.more_at(1000));
        p.queue.run_next();
        p.schedule(1 + i % 20), p.schedule(1);
    }
    CHECK_FALSE(p.queue.more_at(1000));
    while (p.step()) {
    }
    CHECK(p.fired.size() == static_cast<std::size_t>(3 * at_once));
}

TEST_CASE("an event is cancelled once, and not after it has fired") {
    for (QueueKind kind : {QueueKind::fast, QueueKind::naive}) {
        Player p(kind);
        p.schedule(5), p.schedule(5), p.schedule(6);
        CHECK(p.queue.cancel(p.ids[1]));
        CHECK_FALSE(p.queue.cancel(p.ids[1]));
        CHECK_FALSE(p.queue.cancel(EventId {}));
        CHECK(p.queue.size() == 2);
        p.step();
        CHECK_FALSE(p.queue.cancel(p.ids[0]));
        p.schedule(1); // takes the slot of a fired event: its old name must not reach it
        CHECK_FALSE(p.queue.cancel(p.ids[0]));
        CHECK_FALSE(p.queue.cancel(p.ids[1]));
        while (p.step()) {
        }
        CHECK(p.fired.size() == 3);
        CHECK(p.queue.empty());
        CHECK(p.queue.next_tick() == never);
    }
}

TEST_CASE("a payload of 48 bytes arrives as it was scheduled") {
    struct Large {
        std::uint64_t word[6];
    };
    static Large got;
    EventQueue q;
    q.schedule(
        3, [](void*, const void* p) { got = *static_cast<const Large*>(p); }, nullptr,
        Large {{1, 2, 3, 4, 5, 6}});
    CHECK(q.next_tick() == 3);
    q.set_floor(3);
    q.run_next();
    CHECK(std::vector<std::uint64_t>(got.word, got.word + 6) ==
          std::vector<std::uint64_t> {1, 2, 3, 4, 5, 6});
}

TEST_CASE("nothing is scheduled at or before the tick being executed") {
    Player p(QueueKind::fast);
    p.schedule(10);
    p.step();
    CHECK_THROWS_AS(p.schedule(0), Panic);
    CHECK_THROWS_AS(p.schedule(-1), Panic);
    CHECK_NOTHROW(p.schedule(1));
}

TEST_CASE("pending() lists the live events in the order in which they will fire") {
    for (QueueKind kind : {QueueKind::fast, QueueKind::naive}) {
        Player p(kind);
        Rng r(3, "pending");
        for (int i = 0; i < 3000; ++i) p.schedule(of_any_size(r) % 100'000 + 1);
        for (std::size_t i = 0; i < 3000; i += 3) p.queue.cancel(p.ids[i]);
        p.step(), p.step();
        const std::vector<PendingEvent> listed = p.queue.pending();
        std::vector<std::pair<Tick, std::uint64_t>> expected;
        for (const PendingEvent& e : listed)
            expected.emplace_back(e.tick, static_cast<const Player::Payload*>(e.payload)->number);
        p.fired.clear();
        while (p.step()) {
        }
        CHECK(p.fired == expected);
    }
}

TEST_CASE("repeated cancelling does not fill the queue") {
    Player p(QueueKind::fast);
    p.schedule(1'000'000'000'000);
    for (int i = 0; i < 300'000; ++i) {
        const EventId id = p.queue.schedule(1'000'000 + i, Player::fire, &p,
                                            Player::Payload {1, ~std::uint64_t {1}});
        REQUIRE(p.queue.cancel(id));
    }
    CHECK(p.queue.size() == 1);
    CHECK(p.queue.pending().size() == 1);
}

namespace {
/// Alarms and the times at which they went off.
struct Clockwork {
    struct Watch {
        std::uint32_t alarm = 0, number = 0;
        Tick when = never;
        bool flag = false;
    };
    EventQueue queue;
    Tick now = -1;
    std::vector<Watch> watches;
    std::vector<std::pair<Tick, std::uint32_t>> gone_off;

    Clockwork(QueueKind kind, std::uint32_t n) : queue(kind), watches(n) {
        for (std::uint32_t i = 0; i < n; ++i)
            watches[i] = {queue.add_alarm(watches[i].when, watches[i].flag, &watches[i]), i};
    }
    void set(std::uint32_t i, Tick tick) {
        queue.set_alarm(watches[i].alarm, watches[i].when = tick);
    }
    bool step() {
        const Tick tick = queue.next_tick();
        if (tick == never) return false;
        REQUIRE(tick > now);
        now = tick;
        queue.set_floor(now);
        do {
            auto& watch = *static_cast<Watch*>(queue.run_next());
            REQUIRE((watch.flag && watch.when == never));
            watch.flag = false;
            gone_off.emplace_back(now, watch.number);
        } while (queue.more_at(tick));
        return true;
    }
};
} // namespace

TEST_CASE("an alarm goes off once, at the time that it was set to last, on both queues") {
    const auto delay = GENERATE(values<DelayOf>({few_ticks, uniform, of_any_size, bursts}));
    const auto count = GENERATE(3u, 400u);
    auto play = [&](Clockwork& c) {
        Rng r(5, "alarms");
        std::vector<Tick> due(count, never);
        for (int i = 0; i < 30'000; ++i) {
            const auto w = static_cast<std::uint32_t>(r.below(count));
            const auto what = r.below(10);
            Tick to = what == 0 ? never : c.now + delay(r); // also back to where it was before
            if (what < 7) {
                if (to != due[w]) c.set(w, to);
                due[w] = to;
            } else {
                const std::size_t before = c.gone_off.size();
                c.step();
                for (std::size_t k = before; k < c.gone_off.size(); ++k) {
                    REQUIRE(due[c.gone_off[k].second] == c.now);
                    due[c.gone_off[k].second] = never;
                }
            }
            const auto set =
                std::count_if(due.begin(), due.end(), [](Tick t) { return t != never; });
            REQUIRE(c.queue.size() == static_cast<std::size_t>(set));
            REQUIRE(*std::min_element(due.begin(), due.end()) > c.now);
        }
    };
    Clockwork fast(QueueKind::fast, count), naive(QueueKind::naive, count);
    play(fast), play(naive);
    // In a tick their order is free: setting one back and forth may leave it its former place.
    std::sort(fast.gone_off.begin(), fast.gone_off.end());
    std::sort(naive.gone_off.begin(), naive.gone_off.end());
    CHECK(fast.gone_off.size() > 1'000);
    CHECK(fast.gone_off == naive.gone_off);
}

TEST_CASE("repeated setting of an alarm does not fill the queue") {
    Clockwork c(QueueKind::fast, 1);
    Tick t = 0;
    for (int i = 0; i < 3'000; ++i) {
        for (int k = 0; k < 1'000; ++k) c.set(0, t += 1'000);
        t -= 999'000;
        c.set(0, t);
        REQUIRE(c.step());
        REQUIRE(c.queue.size() == 0);
    }
    CHECK(c.gone_off.size() == 3'000);
}

} // namespace memsim::event_queue_test
