#include "mem/simple_memory.hh"
#include "support.hh"

using namespace memsim;
using namespace memsim::test;

namespace memsim::test {

/// Logs its handlers and wakes into a journal that all of its kind share by index.
class Clerk final : public Model<Clerk> {
  public:
    struct Params {
        Param<unsigned> depth {4, "Of its queue"};
    };
    struct Ports {
        In<Note> in {{.depth = from<&Params::depth>}, "Notes from the other"};
        Out<Note> out {{}, "Notes to the other"};
    };
    struct Stats {};
    struct Line {
        int what = 0;
    };
    struct State {
        Timer a, b;
        Rng random;
        std::array<Rng, 2> more;
    };
    explicit Clerk(const Params& p) : params(p) {}
    void start() override {
        arm(state.a, 5);
        arm(state.b, 5);
        after<&Clerk::note>(Time {5}, {1});
        after<&Clerk::note>(Time {5}, {2});
    }
    void note(const Line& l) { log->push_back(path() + " handles " + std::to_string(l.what)); }
    void wake() override {
        log->push_back(path() + " wakes at " + std::to_string(now()));
        if (now() == 5 && port.out.can_send()) port.out.send({1, 8});
        while (!port.in.empty()) port.in.pop();
        if (now() == 6) {
            arm(state.a, 20), arm(state.a, 10), arm(state.b, 12);
            cancel(state.b);
            arm(state.b, never);
        }
    }
    const Params params;
    Ports port;
    Stats stat;
    State state;
    std::vector<std::string>* log = nullptr; // the test's, not the component's
};
static const Registration<Clerk> clerk_registered {"Writes down what happens (a test's)."};

static std::vector<std::string> clerks(bool reversed) {
    Machine m;
    std::vector<std::string> log;
    m.add("a", "test.Clerk", {});
    m.add("b", "test.Clerk", {});
    m.bind("a", "out", "b", "in");
    m.bind("b", "out", "a", "in");
    for (const char* path : {"a", "b"}) m.get<Clerk>(path).log = &log;
    m.build();
    m.get<Clerk>(reversed ? "b" : "a").start();
    m.get<Clerk>(reversed ? "a" : "b").start();
    m.run(never);
    return log;
}
} // namespace memsim::test

TEST_CASE("a tick has two phases: all deliveries, then each one's wake, once, in object order") {
    const std::vector<std::string> log = clerks(false);
    CHECK(log == std::vector<std::string> {"a handles 1", "a handles 2", "b handles 1",
                                           "b handles 2", "a wakes at 5", "b wakes at 5",
                                           "a wakes at 6", "b wakes at 6", "a wakes at 10",
                                           "b wakes at 10"});
    std::vector<std::string> reversed = clerks(true);
    std::rotate(reversed.begin(), reversed.begin() + 2, reversed.begin() + 4);
    CHECK(reversed == log); // only the handlers of different components change places
}

TEST_CASE("adding a component disturbs no other's random stream") {
    auto draw = [](bool another) {
        Machine m(7);
        for (const char* path : {"x", "a", "b", "y"})
            if (another || path[0] < 'x') m.add(path, "test.Clerk", {});
        m.bind("a", "out", "b", "in"), m.bind("b", "out", "a", "in");
        if (another) m.bind("x", "out", "y", "in"), m.bind("y", "out", "x", "in");
        m.build();
        auto& s = m.get<Clerk>("a").state;
        const auto first = s.random.next(), second = s.more[1].next();
        CHECK(first != second);
        CHECK(first != m.get<Clerk>("b").state.random.next());
        return std::pair {first, second};
    };
    CHECK(draw(false) == draw(true));
}

TEST_CASE("a wrongly built machine is rejected with the place and the expected value") {
    Machine m;
    auto add = [&](const char* path, const char* type, const Arguments& a = {}) {
        return error_of([&] { m.add(path, type, a); });
    };
    auto bind = [&](const char* a, const char* pa, const char* b, const char* pb) {
        return error_of([&] { m.bind(a, pa, b, pb); });
    };
    CHECK(add("m", "mem.SimpelMemory") ==
          "m: there is no component type 'mem.SimpelMemory' (did you mean 'mem.SimpleMemory'?)");
    CHECK(add("m", "mem.SimpleMemory", {{"latncy", "1ns"}}) ==
          "m has no parameter 'latncy' (did you mean 'latency'?)");
    CHECK(add("m", "mem.SimpleMemory", {{"latency", "190"}}) ==
          "m.latency: '190' has no unit of Time: write '190ns' or the like (Time from the data "
          "path to the response)");
    CHECK(add("m", "mem.SimpleMemory", {{"queue", "0"}}) ==
          "m.queue: '0' is outside its range: it must be from 1 to 65536 (Requests waiting or in "
          "flight to this component)");
    CHECK(add("m", "mem.SimpleMemory") == "");
    CHECK(add("m", "mem.SimpleMemory") == "m is added twice: give one another name");
    for (const char* const wrong :
         {"", "a b", "a.", ".a", "a..b", "_a", "1a", "a[]", "a[x]", "a[1]b", "a]", "a\x1b[1]",
          "<b>", "a-b", "gr\xc3\xb6\xc3\x9f\x65"})
        CHECK(add(wrong, "test.Source")
                  .ends_with("': a component's name consists of letters (a to z, A to Z), digits "
                             "and underscores, and "
                             "begins with a letter: give it such a name"));
    CHECK(add("a\nb", "test.Source").starts_with("'a\\nb': a component's name"));
    CHECK(add("s", "test.Source") == "");
    CHECK(add("t", "test.Source") == "");
    CHECK(add("k", "test.Sink") == "");
    CHECK(bind("s", "out", "m", "cpu_side") ==
          "s.out is a out port and m.cpu_side a responder port: a out port is bound to a in port");
    CHECK(bind("s", "out", "t", "out").find("a out port is bound to a in port") !=
          std::string::npos);
    CHECK(bind("s", "ot", "k", "in") == "s has no port 'ot' (did you mean 'out'?)");
    CHECK(bind("q", "out", "kk", "in").find("there is no component 'q'") == 0);
    CHECK(error_of([&] { m.build(); }) ==
          "m.cpu_side is not bound: bind it to a requester port of family protocol.Mem");
    CHECK(bind("s", "out", "k", "in") == "");
    CHECK(bind("t", "out", "k", "in") == "k.in is bound twice: it is already bound to s.out");

    auto build = [](const Arguments& source, const Arguments& sink) {
        return error_of([&] { Pair(source, sink); });
    };
    CHECK(build({{"latency", "0fs"}}, {}) == "source.out: the latency of a link is at least 1fs");
    CHECK(build({}, {{"depth", "0"}}) ==
          "sink.in: its queue has capacity 0 and could never be used");
}

TEST_CASE("a component type uses each name once, and none of Python's objects") {
    const ParamInfo param {"queue",   [] { return std::string("int"); }, "Count", "4", "", "",
                           "Capacity"};
    const PortInfo port {"queue", "in", "out", "test.Note", "", "Notes"};
    Schema s;
    s.name = "test.Ambiguous", s.params = {param}, s.ports = {port};
    CHECK_THROWS_WITH(register_schema(s), Catch::Contains("test.Ambiguous has two things named "
                                                          "queue"));
    s.ports.clear(), s.params[0].name = "children";
    CHECK_THROWS_WITH(register_schema(s), Catch::Contains("two things named children"));
    CHECK(registry().count("test.Ambiguous") == 0);
    s.name = "mem.SimpleMemory", s.params.clear();
    s.source = "mine.cc";
    CHECK_THROWS_WITH(register_schema(s),
                      "mine.cc: the component type mem.SimpleMemory is registered twice, also in "
                      "src/mem/simple_memory.cc: choose another name");
}

TEST_CASE("an armed timer cannot move") {
    mem::SimpleMemory sleeper {mem::SimpleMemory::Params {}};
    Simulation sim;
    sim.expect(1);
    std::vector<Timer> timers(1);
    sim.arm(timers[0], 5, sleeper);
    CHECK_THROWS_AS(timers.resize(1000), Panic);
    CHECK_THROWS_AS(Timer(timers[0]), Panic);
    CHECK_THROWS_AS(timers[0] = Timer(), Panic);
    CHECK(timers[0].when() == 5);
    CHECK(sim.run(never) == Stop::idle);
    timers.resize(1000);
    CHECK_FALSE(timers[0].armed());
}

TEST_CASE("ports of different families are not bound") {
    Machine m;
    m.add("s", "test.Source", {});
    m.add("h", "test.HintSink", {});
    CHECK(error_of([&] { m.bind("s", "out", "h", "in"); }) ==
          "s.out has messages of test.Note and h.in those of test.HintNote: bind ports of one "
          "family");
}

namespace memsim::test {
class HintSink final : public Model<HintSink> {
  public:
    struct Params {
        Param<unsigned> depth {2, "Of its queue"};
    };
    struct Ports {
        In<HintNote> in {{.depth = from<&Params::depth>}, "Hints"};
    };
    struct Stats {};
    struct State {};
    explicit HintSink(const Params& p) : params(p) {}
    void wake() override {}
    const Params params;
    Ports port;
    Stats stat;
    State state;
};
class HintSource final : public Model<HintSource> {
  public:
    struct Params {};
    struct Ports {
        Out<HintNote> out {{}, "Hints"};
    };
    struct Stats {
        Counter dropped {Unit::count, "Hints that were dropped"};
    };
    struct State {
        Timer first;
    };
    explicit HintSource(const Params& p) : params(p) {}
    void start() override { arm(state.first, 1); }
    void wake() override {
        if (now() != 1) return;
        for (std::uint64_t i = 0; i < 5; ++i)
            if (!port.out.offer({i})) ++stat.dropped;
    }
    const Params params;
    Ports port;
    Stats stat;
    State state;
};
static const Registration<HintSink> hint_sink {"Takes no hints (a test's)."};
static const Registration<HintSource> hint_source {"Offers five hints (a test's)."};
} // namespace memsim::test

TEST_CASE("a hint that finds no room is dropped, and the sender knows it") {
    Machine m;
    m.add("s", "test.HintSource", {}), m.add("k", "test.HintSink", {});
    m.bind("s", "out", "k", "in");
    m.build(), m.start(), m.run(never);
    CHECK(m.stat_value("s", "dropped", "") == 3);
    CHECK(m.get<HintSink>("k").port.in.incoming().front()->in_queue() == 2);
}

TEST_CASE("a queue shallower than bandwidth x round trip is warned of") {
    Pair p({{"rate", "64GB/s"}, {"latency", "100ns"}}, {{"depth", "4"}});
    REQUIRE(p.machine.warnings().size() == 1);
    CHECK(p.machine.warnings()[0] == "sink.in holds 4 messages; its link of 64GB/s and 100ns "
                                     "needs 100 to stay busy");
    CHECK(Pair({{"rate", "64GB/s"}, {"latency", "100ns"}}, {{"depth", "100"}})
              .machine.warnings()
              .empty());
}

TEST_CASE("the configuration's hash covers fixed parameters and not tunable ones") {
    auto hash = [](const char* depth, const char* stuck) {
        return Pair({}, {{"depth", depth}, {"stuck", stuck}}).machine.configuration();
    };
    CHECK(hash("4", "false") == hash("4", "true"));
    CHECK(hash("4", "false") != hash("5", "false"));
    Pair four({}, {{"depth", "4"}}), five({}, {{"depth", "5"}});
    const Snapshot s = four.machine.save();
    CHECK(error_of([&] { five.machine.load(s); }).find("of another configuration") !=
          std::string::npos);
}

TEST_CASE("debug lines come from enabled flags in their time range and change nothing") {
    static const DebugFlag flag {"TestFlag", "For this test"};
    Machine one, two;
    std::string lines;
    std::vector<std::uint8_t> on(DebugFlag::all().size());
    on[flag.index()] = 1;
    one.sim().set_debug(on, 10, 20, [&](const std::string& l) { lines += l; });
    for (Tick t : {9, 10, 19, 20}) {
        one.sim().set_now(t), two.sim().set_now(t);
        for (Machine* m : {&one, &two})
            if (m->sim().debugs(flag)) m->sim().debug(flag, "a.b", "text");
    }
    CHECK(lines == "0.000010ns: a.b: TestFlag: text\n0.000019ns: a.b: TestFlag: text\n");
}
