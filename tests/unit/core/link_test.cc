#include "support.hh"

using namespace memsim;
using namespace memsim::test;

namespace memsim::test {
static const Registration<Source> source_registered {"Sends notes (a test's)."};
static const Registration<Sink> sink_registered {"Takes notes (a test's)."};

} // namespace memsim::test

TEST_CASE("a message is seen one latency after it was sent, not a femtosecond sooner") {
    for (const char* latency : {"1fs", "7fs", "100ns"}) {
        Pair p({{"count", "1"}, {"latency", latency}}, {});
        const Tick arrival = Text<Time>::parse(latency).raw;
        CHECK(p.run(arrival) == Stop::limit); // every tick before it
        CHECK(p.sink.state.taken_at.empty());
        p.run(arrival + 1);
        CHECK(p.sink.state.taken_at == std::vector<Tick> {arrival});
    }
}

TEST_CASE("a wire takes bytes / rate, exactly, over a million messages") {
    // 7 bytes at 3 GB/s are 2333333 1/3 fs: rounding each would be 333 ps off at the end.
    Pair p({{"count", "1000000"}, {"bytes", "7"}, {"rate", "3GB/s"}, {"latency", "1fs"}},
           {{"depth", "16"}});
    CHECK(p.run() == Stop::idle);
    REQUIRE(p.sink.state.taken_at.size() == 1'000'000);
    bool exact = true;
    for (std::int64_t i = 0; i < 1'000'000; ++i)
        exact = exact && p.sink.state.taken_at[static_cast<std::size_t>(i)] ==
                             Int128 {i + 1} * 7'000'000'000'000'000 / 3'000'000'000 + 1;
    CHECK(exact);
}

TEST_CASE("credits: never more than the depth on the way, one back a latency after the pop") {
    for (QueueKind kind : {QueueKind::fast, QueueKind::naive}) {
        Pair p({{"count", "20"}, {"latency", "10ns"}}, {{"depth", "3"}, {"pause", "1ns"}}, kind);
        p.run();
        const auto& sent = p.source.state.sent_at;
        const auto& taken = p.sink.state.taken_at;
        REQUIRE(sent.size() == 20);
        REQUIRE(taken.size() == 20);
        for (std::size_t i = 0; i < 20; ++i) {
            // The sender is woken at the very tick at which the credit can be seen.
            CHECK(sent[i] == (i < 3 ? 0 : taken[i - 3] + (10_ns).raw));
        }
        CHECK(p.machine.imbalances().empty());
        CHECK_FALSE(p.machine.pending());
    }
}

TEST_CASE("a clocked component sees messages and room at the next edge") {
    Pair p({{"count", "20"}, {"latency", "10ns"}, {"clock", "7GHz"}},
           {{"depth", "3"}, {"clock", "300MHz"}});
    p.run();
    const auto& sent = p.source.state.sent_at;
    const auto& seen = p.sink.state.taken_at; // at once
    REQUIRE(seen.size() == 20);
    for (std::size_t i = 0; i < 20; ++i) {
        CHECK(seen[i] == Clock(300_MHz).at_or_after(sent[i] + (10_ns).raw).tick);
        if (i >= 3) CHECK(sent[i] == Clock(7_GHz).at_or_after(seen[i - 3] + (10_ns).raw).tick);
    }
}

TEST_CASE("a message behind another one wakes no receiver and is seen when it is the first") {
    // One each 8 ns; the first at 18 ns, while it is held until 1018 ns the others arrive.
    Pair p({{"count", "4"}, {"rate", "1GB/s"}}, {{"depth", "4"}, {"pause", "1us"}});
    CHECK(p.run(1'000'000'000) == Stop::limit);
    CHECK(p.sink.wakes == 2); // for the first, which is taken, and for the second
    p.run();
    const Tick first = (18_ns).raw, pause = (1_us).raw;
    CHECK(p.sink.state.taken_at ==
          std::vector<Tick> {first, first + pause, first + 2 * pause, first + 3 * pause});
    CHECK(p.sink.wakes == 6); // and one each as the pauses end
}

TEST_CASE(
    "a queue that is not emptied stops its sender, and the report names the waiting component") {
    Pair p({{"count", "20"}}, {{"depth", "3"}, {"stuck", "true"}});
    CHECK(p.run() == Stop::idle);
    CHECK(p.source.state.sent_at.size() == 3);
    CHECK(p.machine.pending());
    CHECK(p.machine.wait_report() ==
          std::vector<std::string> {"source.out waits for space at sink",
                                    "sink.in has 3 messages that sink has not taken"});
    CHECK(p.machine.imbalances() == std::vector<std::string> {"sink: notes were never taken"});
}

TEST_CASE("sending without can_send() is detected") {
    Pair p({{"count", "0"}}, {{"depth", "1"}});
    p.source.port.out.send({});
    CHECK_THROWS_AS(p.source.port.out.send({}), Panic);
}

TEST_CASE(
    "a series accepts [*] for every index and * for any text, and rejects names without a match") {
    Pair p({}, {});
    const auto sampled = [&](const std::string& pattern) {
        p.machine.sample_every(10_ns, {pattern});
        p.run(p.machine.sim().now() + (10_ns).raw + 1);
        std::string all;
        for (const SeriesRow& row : p.machine.take_series())
            all += (all.empty() ? "" : " ") + row.path + "." + row.stat;
        return all;
    };
    CHECK(sampled("*") == "source.sent sink.taken");
    CHECK(sampled("s*k.t*n") == "sink.taken");
    CHECK(sampled("sink.taken*") == "sink.taken");
    CHECK(error_of([&] { sampled("sink.takn"); }) ==
          "no statistic is named 'sink.takn' (did you mean 'sink.taken'?): write its path, such as "
          "'gpu.l2[0].hits', with [*] for every index or * for any text");
    CHECK_THAT(error_of([&] { sampled("sink[*].taken"); }),
               Catch::Matchers::StartsWith("no statistic is named 'sink[*].taken' (did you mean "));
    CHECK_THAT(error_of([&] { sampled(""); }),
               Catch::Matchers::StartsWith("no statistic is named ''"));
    const std::string before = p.machine.save().shared; // a series that was refused changes nothing
    CHECK(error_of([&] { p.machine.sample_every(1_ns, {"sink.taken", "x"}); }) != "");
    CHECK(p.machine.save().shared == before);
}

TEST_CASE("a series changes nothing: events, wakes and times are equal with and without it") {
    auto run = [](bool series) {
        Pair p({{"count", "500"}, {"rate", "1GB/s"}}, {{"depth", "3"}, {"pause", "3ns"}});
        if (series) p.machine.sample_every(1_ns, {"sink.*"});
        CHECK(p.run(700'000'001) == Stop::limit);
        CHECK(p.run() == Stop::idle);
        const auto& sim = p.machine.sim();
        CHECK((p.machine.take_series().size() > 1000) == series);
        return std::tuple {p.sink.state.taken_at, p.source.state.sent_at,
                           sim.events_executed(), sim.ticks_of_parts(),
                           sim.wakes(),           sim.now()};
    };
    CHECK(run(true) == run(false));
}

TEST_CASE("running in pieces equals running at once") {
    Pair whole({{"count", "50"}}, {{"pause", "3ns"}}),
        pieces({{"count", "50"}}, {{"pause", "3ns"}});
    whole.run();
    for (Tick t = 0; t < 400'000'000; t += 333'333) pieces.run(t);
    pieces.run();
    CHECK(whole.sink.state.taken_at == pieces.sink.state.taken_at);
    CHECK(whole.machine.sim().events_executed() == pieces.machine.sim().events_executed());
}

TEST_CASE("the attention flag stops a run between two ticks") {
    Pair p({}, {});
    p.machine.sim().attention() = true;
    CHECK(p.run() == Stop::attention);
    CHECK(p.machine.sim().ticks_of_parts() == 0);
    CHECK(p.run() == Stop::idle);
}
