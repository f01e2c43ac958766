#include "crossbar_rig.hh"
#include "hint_sink.hh"
#include "mem/cache/cache.hh"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <memory>

namespace memsim::mem::crossbar_test {

using protocol::Command;
using test_mem::value;

TEST_CASE("a crossbar takes its latency and the bytes on the wire, to the tick",
          "[mem][crossbar]") {
    Rig rig(1, 1);
    rig.driver(0).read(9 * ns - 1, 0, 128);
    rig.run();
    // Granted at the edge of 9 ns: 8 bytes of 32 a cycle, 5 ns; 100 ns; the answer is granted at
    // the next edge and takes 136 bytes and 5 ns.
    const Tick at_memory = 9 * ns + ns / 4 + 5 * ns;
    const Tick granted = (at_memory + 100 * ns + ns - 1) / ns * ns;
    CHECK(rig.driver(0).answered(0) == granted + 136 * ns / 32 + 5 * ns);
}

TEST_CASE("a crossbar's responses may have another latency than its requests", "[mem][crossbar]") {
    Rig rig(1, 1, "response_latency=2ns");
    rig.driver(0).read(9 * ns - 1, 0, 128);
    rig.run();
    const Tick granted = 9 * ns + (5 + 100 + 1) * ns; // the edge after the request's 8 bytes
    CHECK(rig.driver(0).answered(0) == granted + 136 * ns / 32 + 2 * ns);
}

TEST_CASE("an output carries exactly its width", "[mem][crossbar]") {
    SECTION("reads of 120 B: answers of four cycles") {
        Rig rig(2, 2);
        for (int i = 0; i < 1000; ++i) rig.driver(0).read(0, 0, 120);
        rig.run();
        const auto& a = rig.driver(0).state.answers;
        CHECK(a.back().at - a.front().at == 999 * 4 * ns);
        CHECK(value(rig.xbar().stat.requester_busy[0]) == 4000);
        CHECK(value(rig.xbar().stat.response_bytes) == 128'000);
    }
    SECTION("short messages: one a cycle") {
        Rig rig(1, 1);
        for (int i = 0; i < 1000; ++i) rig.driver(0).write(0, 0, 4, false);
        rig.run();
        const auto& a = rig.driver(0).state.answers;
        CHECK(a.back().at - a.front().at == 999 * ns);
    }
    SECTION("different outputs work side by side") {
        Rig rig(4, 4);
        for (unsigned i = 0; i < 4; ++i)
            for (int n = 0; n < 1000; ++n) rig.driver(i).read(0, i * 128, 120);
        rig.run();
        for (unsigned i = 0; i < 4; ++i) {
            const auto& a = rig.driver(i).state.answers;
            CHECK(a.back().at - a.front().at == 999 * 4 * ns);
        }
    }
}

TEST_CASE("a stride of many chunks uses all outputs that a hash selects", "[mem][crossbar]") {
    const auto most = [](const std::string& rounds, unsigned stride) {
        Rig rig(1, 80, "hash_rounds=" + rounds);
        constexpr unsigned requests = 1600;
        for (std::uint64_t i = 0; i < requests; ++i) rig.driver(0).read(0, i * stride * 128, 128);
        rig.run();
        std::uint64_t largest = 0, all = 0;
        for (unsigned o = 0; o < 80; ++o) {
            largest = std::max(largest, value(rig.xbar().stat.slice_requests[o]));
            all += value(rig.xbar().stat.slice_requests[o]);
        }
        CHECK(all == requests);
        return largest;
    };
    CHECK(most("0", 32) == 320); // 5 of 80 outputs
    CHECK(most("1", 32) < 40);
    CHECK(most("1", 80) < 40);
    CHECK(most("1", 1) == 20); // each round has a chunk in each
    CHECK(most("256", 1) > 26);
    CHECK(most("256", 32) < 40);
}

TEST_CASE("inputs share an output fairly", "[mem][crossbar]") {
    Rig rig(3, 5);
    for (unsigned i = 0; i < 3; ++i)
        for (int n = 0; n < 300; ++n) rig.driver(i).write(0, 128, 120, false);
    rig.m.start();
    rig.m.run(1000 * ns);
    const auto served = [&](unsigned i) { return rig.driver(i).state.answers.size(); };
    CHECK(served(0) > 50);
    for (unsigned i = 1; i < 3; ++i) {
        CHECK(served(i) + 1 >= served(0));
        CHECK(served(i) <= served(0) + 1);
    }
}

TEST_CASE("arbitration selects the first request", "[mem][crossbar]") {
    const std::string policy = GENERATE("round_robin", "fixed_priority", "oldest_first");
    // Writes of two cycles each to one slice. Inputs 1 and 2 begin; 0 joins while they wait.
    Rig rig(3, 1, "arbitration=" + policy);
    auto write = [&](unsigned input, Tick at) { rig.driver(input).write(at, 0, 56, false); };
    for (int i = 0; i < 3; ++i) write(1, 0), write(2, 0);
    write(0, 5 * ns);
    write(0, 5 * ns);
    rig.run();
    std::vector<std::pair<Tick, unsigned>> all;
    for (unsigned i = 0; i < 3; ++i)
        for (const auto& a : rig.driver(i).state.answers) all.emplace_back(a.at, i);
    std::sort(all.begin(), all.end());
    std::vector<unsigned> order;
    for (const auto& a : all) order.push_back(a.second);
    using Order = std::vector<unsigned>;
    // The messages of an input also arrive two cycles apart: the third pair at 5 ns.
    if (policy == "fixed_priority") CHECK(order == Order {1, 1, 1, 0, 0, 2, 2, 2});
    if (policy == "oldest_first") CHECK(order == Order {1, 2, 1, 2, 1, 2, 0, 0});
    if (policy == "round_robin") CHECK(order == Order {1, 2, 1, 2, 0, 1, 2, 0});
}

TEST_CASE("a blocked slice does not delay requests to other slices", "[mem][crossbar]") {
    // Memory 0 takes a microsecond a request and one at a time.
    Rig rig(2, 2, "buffer=16 outstanding=64", "latency=100ns bandwidth=120MB/s queue=1");
    for (int n = 0; n < 12; ++n) rig.driver(0).write(0, 0, 120, false);
    rig.driver(0).read(20 * ns, 128, 1);
    rig.run();
    CHECK(rig.driver(0).answered(12) < 200 * ns);
    CHECK(rig.driver(0).answered(11) > 10'000 * ns);
    CHECK(value(rig.xbar().stat.slice_stalls[0]) >= 10);
    CHECK(value(rig.xbar().stat.slice_stalls[1]) == 0);
}

TEST_CASE("a slice with one outstanding response receives one request after another",
          "[mem][crossbar]") {
    Rig rig(1, 1, "outstanding=1");
    for (int i = 0; i < 10; ++i) rig.driver(0).read(0, 0, 32);
    rig.run();
    const auto& a = rig.driver(0).state.answers;
    REQUIRE(a.size() == 10);
    CHECK(a.back().at - a.front().at > 9 * 100 * ns);
}

TEST_CASE("a place that a response frees is used at the next clock edge for any number of "
          "outstanding responses",
          "[mem][crossbar]") {
    Rig rig(1, 1, "outstanding=2");
    rig.driver(0).read(0, 0, 32);
    rig.driver(0).read(50 * ns, 0, 32);
    rig.driver(0).read(60 * ns, 0, 32);
    rig.run();
    const auto at_memory = [](Tick granted) { return granted + 8 * ns / 32 + 5 * ns; };
    const auto answered = [](Tick granted) { return granted + 40 * ns / 32 + 5 * ns; };
    const Tick first = (at_memory(ns) + 100 * ns) / ns * ns + ns; // the edge at which it is granted
    CHECK(rig.driver(0).answered(0) == answered(first));
    const Tick third = (at_memory(first + ns) + 100 * ns) / ns * ns + ns;
    CHECK(rig.driver(0).answered(2) == answered(third));
}

TEST_CASE("crossbars can be cascaded", "[mem][crossbar]") {
    Machine m;
    for (unsigned i = 0; i < 6; ++i) m.add(numbered("driver", i), "test_mem.Driver", {});
    for (unsigned x = 0; x < 2; ++x)
        m.add(numbered("near", x), "mem.Crossbar", test_mem::arguments("inputs=3 outputs=1"));
    m.add("far", "mem.Crossbar", test_mem::arguments("inputs=2 outputs=3"));
    for (unsigned i = 0; i < 6; ++i)
        m.bind(numbered("driver", i), "mem_side", numbered("near", i / 3),
               numbered("cpu_side", i % 3));
    for (unsigned x = 0; x < 2; ++x)
        m.bind(numbered("near", x), "mem_side[0]", "far", numbered("cpu_side", x));
    for (unsigned o = 0; o < 3; ++o) {
        m.add(numbered("memory", o), "mem.SimpleMemory", {});
        m.bind("far", numbered("mem_side", o), numbered("memory", o), "cpu_side");
    }
    m.build();
    for (unsigned i = 0; i < 6; ++i)
        for (std::uint64_t n = 0; n < 50; ++n) {
            Driver& d = m.get<Driver>(numbered("driver", i));
            d.plan(0, Command::read, n * 256 + i, 1).source = static_cast<std::uint16_t>(40 + i);
        }
    m.start();
    CHECK(m.run(never) == Stop::idle);
    for (unsigned i = 0; i < 6; ++i) {
        const Driver& d = m.get<Driver>(numbered("driver", i));
        REQUIRE(d.state.answers.size() == 50);
        for (const auto& a : d.state.answers) {
            CHECK(a.response.address == a.response.tag * 256 + i);
            CHECK(a.response.source == 40 + i);
        }
    }
    CHECK(m.imbalances().empty());
}

// ---- L1s, crossbar, L2 slices, memories: random traffic, and the oracles -----------------------

namespace {

constexpr unsigned sms = 5, slices = 3;

/// Small caches and short queues, so that everything stalls and evicts.
std::unique_ptr<Machine> system(QueueKind kind = QueueKind::fast, bool planned = true) {
    auto m = std::make_unique<Machine>(1, kind);
    for (unsigned i = 0; i < sms; ++i) {
        m->add(numbered("driver", i), "test_mem.Driver", test_mem::arguments("outstanding=40"));
        m->add(numbered("l1", i), "mem.Cache",
               test_mem::arguments("capacity=2304B ways=3 mshrs=6 targets=3 latency=20ns queue=4 "
                                   "mem_queue=4 outstanding=12"));
    }
    m->add("xbar", "mem.Crossbar",
           test_mem::arguments("inputs=5 outputs=3 queue=4 buffer=4 outstanding=20"));
    for (unsigned o = 0; o < slices; ++o) {
        m->add(numbered("l2", o), "mem.Cache",
               test_mem::arguments("capacity=7KiB ways=8 mshrs=8 targets=4 latency=30ns queue=6 "
                                   "mem_queue=6 outstanding=16 write_policy=write_back "
                                   "write_allocate=true interleave_ways=3 stage=l2 clock=700MHz"));
        m->add(numbered("memory", o), "mem.SimpleMemory",
               test_mem::arguments("bandwidth=10GB/s latency=80ns queue=4"));
    }
    for (unsigned i = 0; i < sms; ++i) {
        m->bind(numbered("driver", i), "mem_side", numbered("l1", i), "cpu_side");
        m->bind(numbered("l1", i), "mem_side", "xbar", numbered("cpu_side", i));
    }
    for (unsigned o = 0; o < slices; ++o) {
        m->bind("xbar", numbered("mem_side", o), numbered("l2", o), "cpu_side");
        m->bind(numbered("l2", o), "mem_side", numbered("memory", o), "cpu_side");
    }
    m->build();
    for (unsigned i = 0; planned && i < sms; ++i) {
        Rng random(i, "traffic");
        Tick at = 0;
        for (int n = 0; n < 1500; ++n) {
            const std::uint64_t line = random.below(256);
            const std::uint64_t first = random.below(4);
            const std::uint64_t sectors = 1 + random.below(4 - first);
            const std::uint64_t what = random.below(100);
            const bool posted = random.below(2);
            const Command c = what < 65   ? Command::read
                              : what < 90 ? Command::write
                              : what < 99 ? Command::atomic
                                          : Command::invalidate;
            at += static_cast<Tick>(random.below(20'000'000));
            const std::uint64_t part = c == Command::write ? random.below(3) * 8 : 0;
            m->get<Driver>(numbered("driver", i))
                .plan(at, c, line * 128 + first * 32 + part,
                      static_cast<std::uint32_t>(sectors * 32 - part),
                      c == Command::invalidate || (c != Command::read && posted));
        }
    }
    return m;
}

void finish(Machine& m) {
    REQUIRE(m.run(never) == Stop::idle);
    REQUIRE_FALSE(m.pending());
    REQUIRE(m.imbalances().empty());
}

} // namespace

TEST_CASE("under random traffic each request is answered once and the byte counts are consistent",
          "[mem][system]") {
    auto m = system();
    m->start();
    finish(*m);
    std::uint64_t fetched = 0, moved = 0;
    for (unsigned i = 0; i < sms; ++i) {
        const Driver& d = m->get<Driver>(numbered("driver", i));
        std::vector<int> answers(d.state.plan.size());
        for (const auto& a : d.state.answers) {
            ++answers[a.response.tag];
            const auto& asked = d.state.plan[a.response.tag].message;
            CHECK((a.response.address == asked.address && a.response.bytes == asked.bytes &&
                   a.response.command == asked.command));
        }
        for (std::size_t n = 0; n < answers.size(); ++n)
            REQUIRE(answers[n] == (d.state.plan[n].message.posted ? 0 : 1));
    }
    for (unsigned o = 0; o < slices; ++o) {
        const auto& l2 = m->get<Cache>(numbered("l2", o)).stat;
        CHECK(value(l2.stalled_by_mshrs) + value(l2.stalled_by_mem_side) > 0);
        CHECK(value(l2.writebacks) > 0);
        fetched += value(l2.fetched_bytes) + value(l2.written_back_bytes);
        moved += value(m->get<SimpleMemory>(numbered("memory", o)).stat.bytes);
    }
    CHECK(fetched == moved);
}

TEST_CASE("a resumed system, a perturbed one, a naive queue: equal digests", "[mem][system]") {
    auto whole = system();
    whole->start();
    finish(*whole);
    const Tick end = whole->sim().now();
    const std::string expected = test_mem::digest(*whole);

    SECTION("saved and loaded with misses in flight") {
        Rng random(3, "ticks");
        std::size_t in_flight = 0;
        for (int n = 0; n < 8; ++n) {
            const Tick at = static_cast<Tick>(random.below(static_cast<std::uint64_t>(end)));
            auto first = system();
            first->start();
            first->run(at);
            in_flight += first->get<Cache>("l2[0]").state.mshrs.size();
            const Snapshot s = first->save();
            auto second = system(QueueKind::fast, false);
            second->load(s);
            finish(*second);
            CHECK(test_mem::digest(*second) == expected);
        }
        CHECK(in_flight > 0);
    }
    SECTION("woken at random") {
        for (std::uint64_t seed : {1, 2, 3}) {
            auto m = system();
            std::vector<Component*> all;
            for (const auto& c : m->components()) all.push_back(c);
            m->sim().perturb(seed, 2, all);
            m->start();
            finish(*m);
            CHECK(test_mem::digest(*m) == expected);
        }
    }
    SECTION("with the naive queue") {
        auto m = system(QueueKind::naive);
        m->start();
        finish(*m);
        CHECK(test_mem::digest(*m) == expected);
    }
}

TEST_CASE("a hint passes a crossbar and is dropped where it would delay requests",
          "[mem][crossbar]") {
    Machine m;
    m.add("driver", "test_mem.Driver", {});
    m.add("xbar", "mem.Crossbar",
          test_mem::arguments("clock=1GHz latency=5ns granularity=128B outputs=2 buffer=2"));
    m.add("sink", "test_mem.HintSink", test_mem::arguments("depth=1 pause=100ns"));
    m.add("memory", "mem.SimpleMemory", {});
    m.bind("driver", "mem_side", "xbar", "cpu_side[0]");
    m.bind("xbar", "mem_side[0]", "sink", "cpu_side");
    m.bind("xbar", "mem_side[1]", "memory", "cpu_side");
    auto& driver = m.get<Driver>("driver");
    driver.plan(0, Command::hint, 128, 64, true);          // memory takes none
    for (const std::uint64_t address : {0, 256, 512, 768}) // one of them leaves, two wait
        driver.plan(0, Command::hint, address, 64, true);
    driver.read(0, 128); // is not held up by those that wait, once there is room
    m.build(), m.start(), m.run(never);
    CHECK(m.get<test_mem::HintSink>("sink").state.hinted ==
          std::deque<std::uint64_t> {0, 256, 512});
    CHECK(value(m.get<Crossbar>("xbar").stat.hints_dropped) == 2);
    CHECK(driver.state.answers.size() == 1);
    CHECK(m.imbalances().empty());
}

TEST_CASE("A limit of a pair holds a requester back until a response has passed",
          "[mem][crossbar]") {
    const unsigned limit = GENERATE(0u, 1u, 2u);
    Rig rig(2, 2, "of_a_pair=" + std::to_string(limit));
    for (int i = 0; i < 3; ++i) rig.driver(0).read(0, 0);
    rig.driver(0).read(0, 128); // to the other memory, behind them
    rig.driver(1).read(0, 0);   // another pair
    rig.run();
    const auto after_first = [&](std::uint32_t tag) {
        return rig.driver(0).answered(tag) - rig.driver(0).answered(0);
    };
    // A response takes two cycles. The first one passes 106 ns after its request entered; the
    // request that waits for it enters a cycle later.
    constexpr Tick round = 107 * ns;
    CHECK(after_first(1) == (limit == 0 ? 5 * ns : limit == 1 ? round : 4 * ns));
    CHECK(after_first(2) == (limit == 0 ? 7 * ns : limit == 1 ? 2 * round : round));
    CHECK(after_first(3) - after_first(2) == (limit == 0 ? -4 * ns : 2 * ns));
    CHECK(rig.driver(1).answered(0) - rig.driver(0).answered(0) == 2 * ns);
    if (limit == 0) return;
    CHECK(value(rig.xbar().stat.pair_stalls[0]) == (limit == 1 ? 2 : 1));
    CHECK(value(rig.xbar().stat.pair_stalls[1]) == 0);
}

} // namespace memsim::mem::crossbar_test
