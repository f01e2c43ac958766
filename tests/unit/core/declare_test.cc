#include "protocol/mem.hh"
#include "support.hh"

using namespace memsim;
using namespace memsim::test;
using Catch::Matchers::Contains;

namespace memsim::test {

enum class Drawer : std::uint8_t { top, bottom };
constexpr std::array<std::string_view, 2> names_of(Drawer) { return {"top", "bottom"}; }

/// Declares one of each kind: constraints, ports that may be missing or many, counters by them.
class Desk final : public Model<Desk> {
  public:
    struct Params {
        Param<unsigned> depth {4, {1, 64}, "Of each queue"};
        Param<unsigned> ways {4, {0, 64}, "Ways", power_of_two().or_zero()};
        Param<unsigned> sets {8, {1, 64}, "Sets", multiple_of(ways), at_most(pages)};
        Param<unsigned> pages {64, {1, 64}, "Pages"};
        Param<Bytes> unit {2_KiB, {1_B, 1_GiB}, "Unit", multiple_of(1_KiB), divides(space)};
        Param<Bytes> space {8_KiB, {1_B, 1_GiB}, "Space", at_least(unit)};
        Param<unsigned> low {1, {0, 64}, "Low mark", less_than(ways)};
        Param<Bytes> keeps {0_B, {0_B, 1_GiB}, "What it keeps of memory"};
        Param<Bytes> from {0_B, {0_B, 1_GiB}, "From which address on"};
    };
    struct Ports {
        Many<In<Note>> in {{.depth = from<&Params::depth>}, "Notes"};
        Optional<Out<Note>> out {{}, "Where they go, if anywhere"};
    };
    struct Stats {
        Each<Counter> of_port {bound<&Ports::in>, Unit::count, "Notes of this port"};
        Each<Counter, Drawer> drawers {Unit::count, "Notes in this drawer"};
    };
    struct State {};
    explicit Desk(const Params& p) : params(p) {}
    void wake() override {
        for (unsigned i = 0; i < port.in.size(); ++i)
            while (!port.in[i].empty() && (!port.out || port.out->can_send())) {
                const Note n = port.in[i].pop();
                ++stat.of_port[i];
                ++stat.drawers[i % 2 ? Drawer::bottom : Drawer::top];
                if (port.out) port.out->send({state_number(), n.bytes});
            }
    }
    std::vector<MemoryUse> memory_uses() const override {
        return {{"its papers", static_cast<std::uint64_t>(params.from->raw),
                 static_cast<std::uint64_t>(params.keeps->raw)}};
    }
    std::uint64_t state_number() const {
        std::uint64_t sum = 0;
        for (unsigned i = 0; i < port.in.size(); ++i)
            sum += static_cast<std::uint64_t>(stat.of_port[i].value());
        return sum - 1;
    }
    const Params params;
    Ports port;
    Stats stat;
    State state;
};

struct HasDrawers {
    virtual ~HasDrawers() = default;
    virtual unsigned drawers() const = 0;
};

class DrawerUser final : public Model<DrawerUser> {
  public:
    struct Params {};
    struct Ports {
        Out<Note> out {{.needs = needs<HasDrawers>}, "To a component with drawers"};
    };
    struct Stats {};
    struct State {};
    explicit DrawerUser(const Params& p) : params(p) {}
    void wake() override {}
    const Params params;
    Ports port;
    Stats stat;
    State state;
};

class DrawerOwner final : public Model<DrawerOwner>, public HasDrawers {
  public:
    struct Params {};
    struct Ports {
        In<Note> in {{.depth = [](const void*) { return 1u; }}, "Notes"};
    };
    struct Stats {};
    struct State {};
    explicit DrawerOwner(const Params& p) : params(p) {}
    void wake() override {}
    unsigned drawers() const override { return 3; }
    const Params params;
    Ports port;
    Stats stat;
    State state;
};

static const Registration<Desk> desk_registered {"Declares one of each kind (a test's)."};
static const Registration<DrawerUser> drawer_user_registered {"Needs drawers (a test's)."};
static const Registration<DrawerOwner> drawer_owner_registered {"Has drawers (a test's)."};

/// Offers hints and takes some.
class Hinter final : public Model<Hinter> {
  public:
    struct Params {
        Param<unsigned> depth {2, "Of its queue"};
    };
    struct Ports {
        Requester<protocol::Mem> out {{.depth = from<&Params::depth>}, "Hints"};
        Responder<protocol::Mem> in {{.depth = from<&Params::depth>, .hints = true}, "Hints"};
    };
    struct Stats {};
    struct State {};
    explicit Hinter(const Params& p) : params(p) {}
    void wake() override {}
    const Params params;
    Ports port;
    Stats stat;
    State state;
};
static const Registration<Hinter> hinter_registered {"Offers and takes hints (a test's)."};

/// Takes requests, but no hints.
class Deaf final : public Model<Deaf> {
  public:
    struct Params {
        Param<unsigned> depth {2, "Of its queue"};
    };
    struct Ports {
        Responder<protocol::Mem> in {{.depth = from<&Params::depth>}, "Requests"};
        Requester<protocol::Mem> out {{.depth = from<&Params::depth>}, "Nothing"};
    };
    struct Stats {};
    struct State {};
    explicit Deaf(const Params& p) : params(p) {}
    void wake() override {}
    const Params params;
    Ports port;
    Stats stat;
    State state;
};
static const Registration<Deaf> deaf_registered {"Takes no hints (a test's)."};

} // namespace memsim::test

static std::string refusal(const Arguments& arguments) {
    return error_of([&] { Machine().add("desk", "test.Desk", arguments); });
}

TEST_CASE("a constraint has one form of message and is exact at its limit", "[core]") {
    CHECK(refusal({}) == "");
    CHECK(refusal({{"ways", "6"}}) == "desk.ways: '6' must be 0 or a power of two (Ways)");
    CHECK(refusal({{"sets", "6"}}) == "desk.sets: '6' must be a multiple of ways = 4 (Sets)");
    CHECK(refusal({{"unit", "1536B"}}) == "desk.unit: '1536B' must be a multiple of 1KiB (Unit)");
    CHECK(refusal({{"unit", "3KiB"}}) ==
          "desk.unit: '3KiB' must be a divisor of space = 8KiB (Unit)");
    CHECK(refusal({{"low", "4"}}) == "desk.low: '4' must be less than ways = 4 (Low mark)");
    CHECK(refusal({{"low", "3"}}) == "");
    CHECK(refusal({{"pages", "7"}}) == "desk.sets: '8' must be at most pages = 7 (Sets)");
    CHECK(refusal({{"pages", "8"}}) == "");
    CHECK_THAT(refusal({{"space", "1KiB"}, {"unit", "2KiB"}}), Contains("divisor of space = 1KiB"));
    // Whatever the order in which they are given; and a multiple of nothing is refused.
    CHECK(refusal({{"low", "7"}, {"ways", "8"}}) == "");
    CHECK_THAT(refusal({{"ways", "0"}}), Contains("a multiple of ways = 0"));
}

TEST_CASE("a single parameter is not checked against the others", "[core]") {
    const Schema& desk = registry().at("test.Desk");
    CHECK(desk.resolve("desk", "low", "9") == "9");
    CHECK(desk.resolve("desk", "unit", "1024B") == "1KiB");
    CHECK_THAT(error_of([&] { desk.resolve("desk", "ways", "3"); }), Contains("a power of two"));
    CHECK_THAT(error_of([&] { desk.resolve("desk", "way", "3"); }),
               Contains("did you mean 'ways'"));
    CHECK(desk.params[2].constraints ==
          std::vector<std::string> {"a multiple of ways", "at most pages"});
}

TEST_CASE("every component's defaults satisfy its constraints", "[core]") {
    for (const auto& entry : registry()) {
        INFO(entry.first);
        CHECK(error_of([&] { entry.second.create("it", {}); }) == "");
    }
}

TEST_CASE("a vector of ports has the number of bound ports, and counters for each", "[core]") {
    Machine m;
    for (const char* s : {"a", "b", "c"}) m.add(s, "test.Source", {{"count", "3"}});
    m.add("desk", "test.Desk", {});
    m.bind("a", "out", "desk", "in[2]"); // makes 0 and 1, too,
    m.bind("b", "out", "desk", "in");    // which come next
    CHECK_THAT(error_of([&] {
                   Machine hole;
                   hole.add("a", "test.Source", {});
                   hole.add("desk", "test.Desk", {});
                   hole.bind("a", "out", "desk", "in[1]");
                   hole.build();
               }),
               Contains("desk.in[0] is not bound"));
    for (const char* wrong : {"in[", "in[1", "in[x]", "in[-1]", "in[70000]", "inn"}) {
        INFO(wrong);
        CHECK_THAT(error_of([&] { m.bind("c", "out", "desk", wrong); }), Contains("has no port"));
    }
    m.bind("c", "out", "desk", "in[1]");
    m.build();
    auto& desk = m.get<Desk>("desk");
    CHECK(desk.ports().size() == 3); // none for `out`
    CHECK(desk.stat.of_port.size() == 3);
    m.start();
    m.run(never);
    for (unsigned i = 0; i < 3; ++i) CHECK(desk.stat.of_port[i].value() == 3);
    CHECK(m.stat_value("desk", "drawers[top]", "") == 6);
    CHECK(m.stat_value("desk", "drawers[bottom]", "") == 3);
    CHECK_NOTHROW(m.sample_every(1_ns, {"desk.drawers[*]", "desk.of_port[*]"}));
}

TEST_CASE("an optional port is used if it is bound, and saved", "[core]") {
    const auto make = [](Machine& m) {
        m.add("source", "test.Source", {{"count", "5"}});
        m.add("desk", "test.Desk", {});
        m.add("sink", "test.Sink", {{"pause", "3ns"}});
        m.bind("source", "out", "desk", "in");
        m.bind("desk", "out", "sink", "in");
        m.build();
    };
    Machine whole, first, second;
    make(whole), make(first), make(second);
    CHECK(whole.get<Desk>("desk").ports().size() == 2);
    whole.start(), whole.run(never);
    first.start(), first.run((12_ns).raw);
    second.load(first.save());
    second.run(never);
    CHECK(whole.get<Sink>("sink").state.taken_at.size() == 5);
    CHECK(second.get<Sink>("sink").state.taken_at == whole.get<Sink>("sink").state.taken_at);
}

TEST_CASE("only an optional port may be unbound; the schema marks optional ports", "[core]") {
    const auto port = [](const char* type, unsigned i) { return registry().at(type).ports.at(i); };
    CHECK_FALSE(port("test.Desk", 0).optional);
    CHECK(port("test.Desk", 1).optional);
    CHECK_FALSE(port("test.DrawerUser", 0).optional);
    Machine m;
    m.add("desk", "test.Desk", {});
    CHECK_FALSE(m.get<Desk>("desk").port.out);
    CHECK(error_of([&] { m.build(); }) == "");
    Machine n;
    n.add("user", "test.DrawerUser", {});
    CHECK(error_of([&] { n.build(); }) ==
          "user.out is not bound: bind it to a in port of family test.Note");
}

TEST_CASE("memory claimed twice is rejected with both names", "[core]") {
    const auto refused = [](const char* b_from, const char* b_keeps) {
        Machine m;
        m.add("a", "test.Desk", {{"from", "4KiB"}, {"keeps", "4KiB"}});
        m.add("b", "test.Desk", {{"from", b_from}, {"keeps", b_keeps}});
        return error_of([&] { m.build(); });
    };
    CHECK(refused("8KiB", "1KiB") == "");
    CHECK(refused("0B", "4KiB") == "");
    CHECK(refused("5KiB", "0B") == "");
    CHECK(refused("0B", "4097B") ==
          "b has its papers in memory from address 0 to 4096, where a has its papers, from address "
          "4096 to 8191: place one of them elsewhere");
    CHECK_THAT(refused("8191B", "1B"), Contains("from address 8191 to 8191"));
}

TEST_CASE("a hint is sent where hints are taken and there is room, and dropped elsewhere",
          "[core]") {
    Machine m;
    m.add("a", "test.Hinter", {});
    m.add("b", "test.Hinter", {});
    m.add("deaf", "test.Deaf", {});
    m.bind("a", "out", "b", "in");
    m.bind("b", "out", "deaf", "in");
    m.bind("deaf", "out", "a", "in");
    m.build();
    protocol::MemRequest hint;
    hint.command = protocol::Command::hint;
    hint.posted = true;
    auto& out = m.get<Hinter>("a").port.out;
    CHECK(out.offer(hint));
    CHECK(out.offer(hint));
    CHECK_FALSE(out.offer(hint)); // its queue holds two
    CHECK(out.outstanding() == 0);
    CHECK_FALSE(m.get<Hinter>("b").port.out.offer(hint)); // no component accepts it
    hint.command = protocol::Command::read;
    CHECK_THROWS_AS(out.offer(hint), Panic);
}

TEST_CASE("a port that needs an interface is bound to a component that offers it", "[core]") {
    Machine m;
    m.add("user", "test.DrawerUser", {});
    m.add("other", "test.DrawerUser", {});
    m.add("drawers", "test.DrawerOwner", {});
    m.add("sink", "test.Sink", {});
    CHECK(error_of([&] { m.bind("other", "out", "sink", "in"); }) ==
          "other.out is bound to sink, which offers no test.HasDrawers: bind it to a "
          "component that does");
    m.bind("user", "out", "drawers", "in");
    const auto& out = m.get<DrawerUser>("user").port.out;
    CHECK(out.interface<const HasDrawers>().drawers() == 3);
    CHECK(out.find_interface<const DrawerUser>() == nullptr);
    CHECK(out.neighbour_path() == "drawers");
    CHECK(out.same_neighbour(out));
}

TEST_CASE("a component may define a stage of its own", "[core]") {
    static const Stage lookup {"test lookup"}, again {"test lookup"}, other {"test other"};
    CHECK(lookup == again);
    CHECK(lookup.number() != other.number());
    CHECK(Stage::find("test lookup") == lookup);
    CHECK_THAT(error_of([] { Stage::find("test lockup"); }), Contains("is not one of"));
    Stamps stamps;
    stamps.enable(1);
    const auto id = stamps.open(10, 0);
    stamps.mark(id, lookup, 14);
    stamps.close(id, other, 20);
    CHECK(stamps.sum(lookup) == 4);
    CHECK(stamps.sum(other) == 6);
    CHECK(stamps.times(protocol::Stage::dram).count() == 0);
}
