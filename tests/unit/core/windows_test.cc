#include "core/parallel/by_hand.hh"
#include "support.hh"

#include <thread>

using namespace memsim;
using namespace memsim::test;

namespace memsim::test {

class HasBeats {
  public:
    virtual ~HasBeats() = default;
    virtual std::uint64_t beats() const = 0;
};

/// Beats every `period`: receives all notes, and sends one to the next of a ring.
class Beat final : public Model<Beat>, public HasBeats {
  public:
    struct Params {
        Param<Time> period {1_ns, "Between two beats"};
        Param<unsigned> beats {1000, "Number of beats"};
        Param<Time> latency {10_ns, "Of the link to the next"};
        Param<unsigned> depth {3, "Of its queue"};
        Param<unsigned> fails_at {0, "Number of the beat in which it breaks an invariant; 0: none"};
    };
    struct Ports {
        In<Note> in {{.depth = from<&Params::depth>}, "Notes of the previous"};
        Out<Note> out {{.latency = from<&Params::latency>}, "Notes to the next"};
    };
    struct Stats {
        Counter beats {Unit::count, "Beats"};
        Counter received {Unit::count, "Sum of the numbers received"};
        Counter refused {Unit::count, "Beats in which no note could be sent"};
    };
    struct State {
        Timer next;
        std::uint64_t mixed = 0; ///< depends on the order of all that happened
    };
    explicit Beat(const Params& p) : params(p) {}
    void start() override { arm(state.next, params.period); }
    void wake() override {
        while (!port.in.empty()) {
            const std::uint64_t number = port.in.pop().number;
            stat.received += number % 1000;
            state.mixed = state.mixed * 31 + number + static_cast<std::uint64_t>(now());
        }
        if (state.next.armed() || stat.beats.value() == params.beats()) return;
        ++stat.beats;
        MEMSIM_ASSERT(stat.beats.value() != params.fails_at(), "a beat fails");
        if (port.out.can_send())
            port.out.send({state.mixed + beats(), 8});
        else
            ++stat.refused;
        if (stat.beats.value() != params.beats()) arm(state.next, params.period);
    }
    std::uint64_t beats() const override { return static_cast<std::uint64_t>(stat.beats.value()); }
    const Params params;
    Ports port;
    Stats stat;
    State state;
};
static const Registration<Beat> beat_registered {"Beats in a ring (a test's)."};

/// A member of the ring that counts a launch of every note, and ends the run after `notes`.
class Ender final : public Model<Ender>, public EndsRuns, public GivesNotice {
  public:
    struct Params {
        Param<unsigned> notes {20, "Notes after which the run ends"};
        Param<Time> latency {10_ns, "Of the link to the next"};
        Param<bool> reads {false, "Whether it calls its neighbour"};
        Param<unsigned> depth {4, "Of its queue"};
        Param<bool> gives_notice {false, "Whether it gives notice of its acts"};
        Param<bool> lies {false, "Whether its notice is wrong"};
    };
    struct Ports {
        In<Note> in {{.depth = from<&Params::depth>}, "Notes of the previous"};
        Out<Note> out {{.latency = from<&Params::latency>}, "Notes to the next"};
    };
    struct Stats {
        Counter notes {Unit::count, "Notes received"};
    };
    struct State {
        std::uint64_t seen = 0;
    };
    explicit Ender(const Params& p) : params(p) {}
    void init() override {
        if (params.reads()) beat_ = port.out.find_interface<const HasBeats>();
        notes_ = port.in.incoming().front();
    }
    Time notice() const override {
        return params.gives_notice() ? Time {notes_->latency()} : Time {};
    }
    Tick quiet_until(Tick next) const override {
        if (params.lies()) return never;
        return notes_->in_queue() ? next : next + notes_->latency();
    }
    void wake() override {
        while (!port.in.empty() && port.out.can_send()) {
            const auto number = static_cast<std::uint32_t>(stat.notes.value());
            if (number) sim().launches().end(id(), 0, number, now(), 0, 0);
            if (beat_) state.seen += beat_->beats();
            port.out.send(port.in.pop());
            ++stat.notes;
            if (number + 1 == params.notes()) sim().request_exit("enough");
            sim().launches().begin({id(), 0, 0, number + 1, "note", now(), 0, 0, 0});
        }
    }
    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    const HasBeats* beat_ = nullptr;
    const LinkBase* notes_ = nullptr;
};
static const Registration<Ender> ender_registered {"Ends a run (a test's)."};

/// A ring of beats with various latencies and periods, and up to two Enders.
struct Ring {
    Machine machine;
    explicit Ring(unsigned enders, const Arguments& more = {}, const Arguments& of_ender = {}) {
        std::vector<std::string> paths;
        const auto add = [&](const std::string& path, const char* type, const Arguments& a) {
            machine.add(path, type, a);
            paths.push_back(path);
        };
        const char* const latencies[] = {"10ns", "7ns", "12345678fs", "10ns", "3ns"};
        const char* const periods[] = {"1ns", "3ns", "1001ps", "2ns", "1ns"};
        for (unsigned i = 0; i < 5; ++i) {
            // With two Enders there are times without a note on its way to one of them.
            const bool seldom = enders > 1 && i % 2 == 1;
            Arguments a {{"latency", latencies[i]}, {"period", seldom ? "40ns" : periods[i]}};
            if (i == 3) a.insert(a.end(), more.begin(), more.end());
            add("beat[" + std::to_string(i) + "]", "test.Beat", a);
            if (i == 1 && enders) add("ender", "test.Ender", of_ender);
            if (i == 3 && enders > 1) add("other", "test.Ender", of_ender);
        }
        for (std::size_t i = 0; i < paths.size(); ++i)
            machine.bind(paths[i], "out", paths[(i + 1) % paths.size()], "in");
        machine.build();
        machine.start();
    }
    /// All that can be seen of it, after a run.
    std::string shown() {
        TextSink sink;
        machine.dump("end", sink);
        std::string all = sink.text + machine.digest() + std::to_string(machine.sim().now());
        for (const auto& o : machine.save().objects) all += o.state + o.ports + "\n";
        for (const auto& row : machine.sim().launches().take_rows()) {
            all += std::to_string(row.launch.started) + " " + std::to_string(row.launch.ended);
            for (const auto& c : row.counted)
                all += " " + std::to_string(c.total) + ":" + to_text(static_cast<Int128>(c.value));
        }
        all += " events " + std::to_string(machine.sim().events_executed());
        return all + " wakes " + std::to_string(machine.sim().wakes());
    }
};

} // namespace memsim::test

TEST_CASE("a link is cut if its latency is at least the window", "[parallel]") {
    Pair pair({{"latency", "10ns"}}, {});
    const auto& all = pair.machine.components();
    CHECK(sets_of(all, Time {10_ns}.raw).count == 2);
    CHECK(sets_of(all, Time {10_ns}.raw + 1).count == 1);
    const auto partition = divide_at_longest(all);
    REQUIRE(partition);
    CHECK(partition->sets.window == Time {10_ns}.raw);
    CHECK(partition->parts == 2);
    CHECK_FALSE(partition->leads);
}

TEST_CASE("components that call each other, and those that end runs, are in one set",
          "[parallel]") {
    for (const char* reads : {"false", "true"}) {
        Ring ring(true, {}, {{"reads", reads}});
        const Sets sets = sets_of(ring.machine.components(), 1);
        CHECK(sets.count == (reads[0] == 't' ? 5 : 6));
        REQUIRE(sets.ends_runs); // components: beat[0], beat[1], ender, beat[2] ...
        CHECK(*sets.ends_runs == sets.set_of[2]);
        CHECK((sets.set_of[2] == sets.set_of[3]) == (reads[0] == 't'));
        const auto p = divide_at_random(ring.machine.components(), 1);
        REQUIRE(p);
        CHECK(p->leads);
        CHECK(p->part_of[2] == 0);
    }
}

TEST_CASE("components that follow each other are in one partition", "[parallel]") {
    Ring ring(false);
    const auto& all = ring.machine.components();
    const auto part_of = [&](ComponentWork work) {
        return choose(all, {std::move(work), Time {1_ns}.raw}, 2, 2)->partition.part_of;
    };
    // In windows of 10 ns the first and the last component are in one set.
    CHECK(part_of({100, 100, 100, 100, 100}) == std::vector<std::uint32_t> {0, 1, 1, 1, 0});
    CHECK(part_of({100, 100, 1, 1, 200}) == std::vector<std::uint32_t> {0, 0, 0, 1, 1});
    // With as many partitions as sets or more, each set is one.
    const MeasuredWork one {ComponentWork(all.size(), 1), Time {1_us}.raw};
    CHECK(choose(all, one, 2, 16)->partition.part_of == sets_of(all, Time {10_ns}.raw).set_of);
}

TEST_CASE("the window with the least cost is chosen", "[parallel]") {
    Ring ring(false); // links of 3, 7, 10, 10 and 12 ns
    const auto& all = ring.machine.components();
    // Much work in a window: as many sets as threads count. Little work: the longest window counts.
    const MeasuredWork much {ComponentWork(all.size(), 1'000'000), Time {100_ns}.raw};
    const MeasuredWork some {ComponentWork(all.size(), 100), Time {100_ns}.raw};
    const MeasuredWork little {ComponentWork(all.size(), 1), Time {100_ns}.raw};
    const auto window = [&](const MeasuredWork& work, unsigned parts) {
        return choose(all, work, parts, parts)->partition.sets.window;
    };
    CHECK(window(much, 5) == Time {3_ns}.raw);
    CHECK(window(much, 3) == Time {10_ns}.raw);
    CHECK(window(little, 5) == Time {10_ns}.raw);
    CHECK(choose(all, much, 5, 5)->cost == Approx(0.2).margin(0.01));
    CHECK(choose(all, some, 2, 2)->cost > 0.5);
    CHECK(choose(all, little, 5, 5)->cost > 1);
    CHECK(most_speed_up(sets_of(all, 1), much.wakes, 5) == Approx(5));
    CHECK(most_speed_up(sets_of(all, 1), much.wakes, 64) == Approx(5));
}

TEST_CASE("a window is exactly as long as the latency of its links", "[parallel]") {
    // Each message and each credit arrives at the first tick of another window at the earliest:
    // with a shorter latency it would arrive in the window in which it was sent.
    for (const char* const depth : {"1", "2", "4"})
        for (const char* const pause : {"0fs", "1fs", "9999999fs", "10ns", "10000001fs"})
            for (const char* const rate : {"0MB/s", "1GB/s"}) {
                const Arguments source {{"latency", "10ns"}, {"rate", rate}};
                const Arguments sink {{"depth", depth}, {"pause", pause}};
                Pair serial(source, sink), parts(source, sink);
                parts.machine.threads().set({1, 1});
                CHECK(serial.run() == Stop::idle);
                CHECK(parts.run() == Stop::idle);
                CHECK(parts.source.state.sent_at == serial.source.state.sent_at);
                CHECK(parts.sink.state.taken_at == serial.sink.state.taken_at);
                CHECK(parts.sink.wakes == serial.sink.wakes);
                CHECK(parts.machine.sim().now() == serial.machine.sim().now());
                CHECK_FALSE(parts.machine.threads().summary().empty());
            }
}

TEST_CASE("a summary has the windows of earlier partitions, too", "[parallel]") {
    Pair pair({{"latency", "10ns"}}, {});
    Threads& threads = pair.machine.threads();
    threads.set({1, 1});
    pair.machine.run(Time {200_ns}.raw);
    const auto before = threads.summary();
    REQUIRE_FALSE(before.empty());
    threads.divide(pair.machine.components(), {});
    REQUIRE_FALSE(threads.summary().empty());
    CHECK(threads.summary()[0] == before[0]);
}

TEST_CASE("a run in partitions equals a serial run", "[parallel]") {
    Ring serial(false);
    CHECK(serial.machine.run(never) == Stop::idle);
    const std::string expected = serial.shown();
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Ring ring(false);
        ring.machine.threads().set({1 + static_cast<unsigned>(seed % 3), seed});
        CHECK(ring.machine.run(never) == Stop::idle);
        CHECK(ring.shown() == expected);
    }
}

TEST_CASE("a run in partitions ends in the tick that asks for it and counts its launches",
          "[parallel]") {
    Ring serial(true);
    CHECK(serial.machine.run(never) == Stop::exit);
    const std::string expected = serial.shown();
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        Ring ring(true);
        ring.machine.threads().set({1 + static_cast<unsigned>(seed % 3), seed});
        CHECK(ring.machine.run(never) == Stop::exit);
        CHECK(ring.machine.sim().exit_cause() == "enough");
        CHECK(ring.shown() == expected);
    }
}

TEST_CASE("limits, samples and signals divide a run in partitions at will", "[parallel]") {
    const auto run = [](std::uint64_t seed, unsigned threads) {
        Ring ring(true);
        if (seed) ring.machine.threads().set({threads, seed});
        ring.machine.sample_every(Time {5_ns}, {"*"});
        std::string all;
        for (Tick until = 1'000'000;; until += 7'654'321) {
            ring.machine.sim().attention() = seed % 2 == 1; // ends a run at any time
            Stop stop = ring.machine.run(until);
            if (stop == Stop::attention) stop = ring.machine.run(until);
            if (stop != Stop::limit) break;
            CHECK(ring.machine.sim().now() == until);
            if (until > 40'000'000 && until < 50'000'000) ring.machine.reset_stats();
            for (const auto& o : ring.machine.save().objects) all += o.state + o.ports;
        }
        for (const auto& row : ring.machine.take_series())
            all += std::to_string(row.tick) + row.path + row.stat + std::to_string(row.value);
        return all + ring.shown();
    };
    const std::string expected = run(0, 1);
    for (std::uint64_t seed = 1; seed <= 12; ++seed) CHECK(run(seed, 1 + seed % 2) == expected);
}

TEST_CASE("components that give notice end runs and count launches from several partitions",
          "[parallel]") {
    const Arguments notice {{"gives_notice", "true"}};
    Ring serial(2, {}, notice);
    CHECK(serial.machine.run(never) == Stop::exit);
    const std::string expected = serial.shown();
    unsigned apart = 0, leading = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        Ring ring(2, {}, notice);
        const auto partition = divide_at_random(ring.machine.components(), seed);
        REQUIRE(partition);
        (partition->leads ? leading : apart) += 1;
        INFO("seed " << seed << (partition->leads ? ", leading, window " : ", apart, window ")
                     << partition->sets.window);
        ring.machine.threads().set({1 + static_cast<unsigned>(seed % 3), seed});
        CHECK(ring.machine.run(never) == Stop::exit);
        CHECK(ring.machine.sim().exit_cause() == "enough");
        CHECK(ring.shown() == expected);
    }
    CHECK(apart > 5);   // windows of up to 7 ns, the notice of `ender`
    CHECK(leading > 5); // longer ones
}

TEST_CASE("the notice limits the window of components that end runs", "[parallel]") {
    const Ring silent(2), ring(2, {}, {{"gives_notice", "true"}}), none(0);
    CHECK(least_notice(silent.machine.components()) == 0);
    CHECK(least_notice(ring.machine.components()) == Time {7_ns}.raw);
    CHECK(least_notice(none.machine.components()) == never);
    CHECK(sets_of(silent.machine.components(), 1).ends_runs);
    CHECK_FALSE(sets_of(ring.machine.components(), Time {7_ns}.raw).ends_runs);
    CHECK(sets_of(ring.machine.components(), Time {7_ns}.raw + 1).ends_runs);
}

TEST_CASE("an act without notice is a fault", "[parallel]") {
    Ring ring(2, {}, {{"gives_notice", "true"}, {"lies", "true"}});
    Windows windows(
        ring.machine.sim(), ring.machine.components(),
        divide_as(ring.machine.components(), parts_of(ring.machine.components(), {{"ender"}})), {});
    CHECK_THROWS_WITH(windows.run(never, ~std::uint64_t {0}), Catch::Contains("without notice"));
}

TEST_CASE("partitions of the user give the results of a serial run", "[parallel]") {
    const std::vector<std::vector<std::string>> divisions[] {
        {{"beat[0]"}},
        {{"beat[0]", "ender"}, {"beat[3]"}},
        {{"beat[4]"}, {"other", "beat[1]"}, {"beat[2]"}, {"ender"}},
    };
    for (const char* notice : {"true", "false"}) {
        const Arguments of_ender {{"gives_notice", notice}};
        const unsigned enders = notice[0] == 't' ? 2 : 1; // without notice they cannot be divided
        Ring serial(enders, {}, of_ender);
        CHECK(serial.machine.run(never) == Stop::exit);
        const std::string expected = serial.shown(); // once: a dump adds to the digest
        for (auto groups : divisions) {
            if (enders == 1 && groups.size() > 2) groups[1] = {"beat[1]"};
            Ring ring(enders, {}, of_ender);
            const auto& all = ring.machine.components();
            const Partition p = divide_as(all, parts_of(all, groups));
            CHECK(p.parts == groups.size() + 1);
            CHECK(p.leads == (enders == 1));
            Windows windows(ring.machine.sim(), all, p, {2, 0});
            CHECK(windows.run(never, ~std::uint64_t {0}) == Stop::exit);
            INFO("notice " << notice << ", groups " << groups.size());
            CHECK(windows.counts().windows > 10);
            CHECK(ring.shown() == expected);
        }
    }
}

TEST_CASE("the window of the user's partitions is the least latency between them", "[parallel]") {
    const Ring ring(0);
    const auto& all = ring.machine.components();
    const auto window = [&](const std::vector<std::vector<std::string>>& groups) {
        return divide_as(all, parts_of(all, groups)).sets.window;
    };
    CHECK(window({{"beat[1]", "beat[2]"}}) == Time {10_ns}.raw); // of beat[0]
    CHECK(window({{"beat[2]"}}) == Time {7_ns}.raw);             // of beat[1]
    CHECK(window({{"beat[0]"}, {"beat[2]"}}) == Time {3_ns}.raw);
    // Without a link between the partitions a window is still finite.
    Machine m;
    for (const char* path : {"a[0]", "a[1]", "b[0]", "b[1]"}) m.add(path, "test.Beat", {});
    for (const char* s : {"a", "b"})
        for (const char* i : {"[0]", "[1]"})
            m.bind(std::string(s) + i, "out", s + std::string(i[1] == '0' ? "[1]" : "[0]"), "in");
    m.build();
    CHECK(divide_as(m.components(), {0, 0, 1, 1}).sets.window == Time {1_ms}.raw);
}

TEST_CASE("partitions of the user that cannot be are refused", "[parallel]") {
    const auto error = [](const std::vector<std::vector<std::string>>& groups,
                          const Arguments& of_beat = {}, const Arguments& of_ender = {}) {
        Ring ring(2, of_beat, of_ender);
        const auto& all = ring.machine.components();
        return error_of([&] { ring.machine.threads().divide(all, parts_of(all, groups)); });
    };
    CHECK(error({{"beat[0]"}, {"beat[1]", "beat[0]"}}) ==
          "partitions: beat[0] is in two of them, 0 and 1: name each object once");
    CHECK(error({{"beat[9]"}}) ==
          "partitions: beat[9] has no component: name a component or a System that has some");
    CHECK(error({{"beat[0]", "beat[1]", "ender", "beat[2]", "beat[3]", "other", "beat[4]"}}) ==
          "partitions: all components are in one: name a group that leaves some out, or a second "
          "one");
    CHECK(error({{"beat[3]"}}, {{"latency", "1fs"}}) ==
          "partitions: beat[3] and other have a link without latency (out): put both into one "
          "partition");
    CHECK(error({{"ender"}}, {}, {{"reads", "true"}}) ==
          "partitions: ender and beat[2] call each other directly: put both into one partition");
    CHECK_THAT(error({{"ender"}}),
               Catch::StartsWith("partitions: ender and other count launches without notice"));
    CHECK(error({{"ender"}}, {}, {{"gives_notice", "true"}}).empty());
    CHECK(error({{"beat[0]"}}).empty());
}

TEST_CASE("threads run the user's partitions", "[parallel]") {
    if (std::thread::hardware_concurrency() < 2) return;
    Machine m;
    for (const char* path : {"beat[0]", "beat[1]", "beat[2]", "beat[3]"})
        m.add(path, "test.Beat", {{"latency", "200ns"}, {"beats", "300000"}, {"depth", "300"}});
    for (unsigned i = 0; i < 4; ++i)
        m.bind("beat[" + std::to_string(i) + "]", "out",
               "beat[" + std::to_string((i + 1) % 4) + "]", "in");
    m.build();
    m.start();
    m.threads().set({2, 0});
    m.threads().divide(m.components(),
                       parts_of(m.components(), {{"beat[0]"}, {"beat[1]"}, {"beat[2]"}}));
    CHECK(m.run(never) == Stop::idle);
    const auto notes = m.threads().take_notes();
    REQUIRE_FALSE(notes.empty());
    CHECK_THAT(notes.front(), Catch::StartsWith("4 partitions of 4 sets"));
}

TEST_CASE("an error in a partition ends the run, and the machine is whole", "[parallel]") {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        Ring ring(seed % 2, {{"fails_at", "37"}});
        ring.machine.threads().set({2, seed});
        CHECK_THROWS_WITH(ring.machine.run(never), Catch::Contains("a beat fails"));
        for (const Component* c : ring.machine.components())
            CHECK(&c->sim() == &ring.machine.sim());
        CHECK(ring.machine.save().objects.size() == ring.machine.components().size());
    }
}

namespace {

/// Two beats that have 200 beats each in a window, until the second one has ended.
struct Couple {
    Machine machine;
    Couple(const char* beats, const char* beats_of_second, const char* depth, double (*clock)()) {
        machine.add("beat[0]", "test.Beat",
                    {{"latency", "200ns"}, {"beats", beats}, {"depth", depth}});
        machine.add("beat[1]", "test.Beat",
                    {{"latency", "200ns"}, {"beats", beats_of_second}, {"depth", depth}});
        machine.bind("beat[0]", "out", "beat[1]", "in");
        machine.bind("beat[1]", "out", "beat[0]", "in");
        machine.build();
        machine.start();
        machine.threads().set({2, 0, clock});
    }
};

/// A clock for windows of a crew of two, of which it executes 62 of 64 and one is measured beside
/// them. That one takes a second, each of the others `crew` seconds.
struct WindowClock {
    static inline unsigned windows, reads;
    static inline double crew, time;
    static void set(double crew_seconds) { windows = reads = 0, crew = crew_seconds, time = 0; }
    static double read() {
        if (reads++ % 2 == 1) time += windows++ % 63 == 62 ? 1 : crew;
        return time;
    }
};

} // namespace

TEST_CASE("threads that take longer than one pause, and try again", "[parallel]") {
    if (std::thread::hardware_concurrency() < 2) return;
    for (const double crew : {0.99, 1.01}) {
        WindowClock::set(crew);
        Couple couple("800000", "800000", "300", WindowClock::read);
        Machine& m = couple.machine;
        // Each call but the first is a retry, or a pause of 1, 2, 4 ... calls.
        for (Tick until = Time {100_us}.raw; m.run(until) == Stop::limit;)
            until += Time {100_us}.raw;
        const auto notes = m.threads().take_notes();
        CAPTURE(notes, WindowClock::windows);
        REQUIRE(notes.size() == (crew < 1 ? 1 : 2));
        CHECK_THAT(notes.front(), Catch::StartsWith("2 partitions of 2 sets"));
        if (crew < 1) {
            CHECK(WindowClock::windows > 3300);
            continue;
        }
        CHECK_THAT(notes.back(), Catch::StartsWith("one thread: windows took 1.01 times"));
        CHECK(WindowClock::windows > 2 * 950); // judged after about 1000, and again
        CHECK(WindowClock::windows < 3000);
    }
}

TEST_CASE("a window with little work beside other work runs on one thread", "[parallel]") {
    if (std::thread::hardware_concurrency() < 2) return;
    WindowClock::set(1);
    // A window has 200 beats of each of them, until the second one ends.
    Couple couple("64000", "32000", "3", WindowClock::read);
    Machine& m = couple.machine;
    const auto& all = m.components();
    Windows windows(m.sim(), all, divide_as(all, parts_of(all, {{"beat[0]"}})),
                    {2, 32, WindowClock::read});
    constexpr std::uint64_t no_limit = ~std::uint64_t {0};
    CHECK(windows.run(Time {32_us}.raw, no_limit) == Stop::limit);
    CHECK(windows.counts().windows == 160);
    CHECK(windows.counts().of_crew == 160 - 1 - 2 * 2); // one knows nothing, four are compared
    CHECK(windows.counts().crew.wakes > 30 * windows.counts().alone.wakes);
    CHECK(windows.counts().alone.seconds == 2);
    CHECK(windows.run(never, no_limit) == Stop::idle);
    CHECK(windows.counts().windows > 300);
    CHECK(windows.counts().of_crew < 170);
}

TEST_CASE("a machine that cannot gain runs serially and names the reason", "[parallel]") {
    const auto notes_of = [](auto change) {
        Ring ring(false);
        ring.machine.threads().set({2, 0});
        change(ring.machine);
        CHECK(ring.machine.run(never) == Stop::idle);
        return ring.machine.threads().take_notes();
    };
    CHECK(notes_of([](Machine& m) { m.sim().stamps().enable(1); }) ==
          std::vector<std::string> {"one thread: requests are stamped, in records that all "
                                    "components share"});
    CHECK(notes_of([](Machine& m) {
              m.sim().set_debug(std::vector<std::uint8_t>(DebugFlag::all().size(), 0), 0, never,
                                [](const std::string&) {});
          }) == std::vector<std::string> {"one thread: debug output has one order"});
    Pair pair({{"latency", "1ns"}, {"count", "60000"}}, {});
    pair.machine.threads().set({2, 0});
    CHECK(pair.run() == Stop::idle);
    const auto notes = pair.machine.threads().take_notes();
    REQUIRE(notes.size() == 1);
    CHECK_THAT(notes[0],
               Catch::StartsWith("one thread: 2 partitions of 2 sets of components, "
                                 "windows of 1ns have ") &&
                   Catch::EndsWith(" wakes; several threads gain from 32 wakes a window"));
    CHECK(pair.machine.threads().summary().size() == 1);
    CHECK(pair.sink.stat.taken.value() == 60000);
}
