#include "protocol/mem.hh"
#include "support.hh"

using namespace memsim;
using namespace memsim::test;
using protocol::Mem;

namespace memsim::test {

/// Sends requests whenever possible and consumes answers only on command; with `deaf`, never.
class Asker final : public Model<Asker> {
  public:
    struct Params {
        Param<unsigned> places {3, "Answers that have a place"};
        Param<bool> deaf {true, "Takes no answer"};
    };
    struct Ports {
        Requester<Mem> mem_side {{.depth = from<&Params::places>}, "Questions"};
    };
    struct Stats {};
    struct State {
        std::uint32_t sent = 0, posted = 0;
        Timer first;
    };
    explicit Asker(const Params& p) : params(p) {}
    void start() override { arm(state.first, Tick {0}); }
    void wake() override {
        while (!params.deaf && !port.mem_side.empty()) port.mem_side.pop();
        protocol::MemRequest r;
        r.bytes = 8;
        while (state.sent < 100 && port.mem_side.can_send()) port.mem_side.send(r), ++state.sent;
    }
    const Params params;
    Ports port;
    Stats stat;
    State state;
};
static const Registration<Asker> asker {"Asks, and may not listen."};

/// Two of these bound in a ring wait for each other's word for ever.
class Polite final : public Model<Polite> {
  public:
    struct Params {
        Param<unsigned> depth {1, "Words that wait"};
    };
    struct Ports {
        Out<Note> to {{.latency = 1_ns}, "What it sends after it has received something"};
        In<Note> from_other {{.depth = from<&Params::depth>}, "What it hears"};
    };
    struct Stats {};
    struct State {
        bool spoken = false;
        Timer first;
    };
    explicit Polite(const Params& p) : params(p) {}
    void start() override { arm(state.first, Tick {0}); }
    void wake() override {
        if (port.from_other.empty() || !port.to.can_send()) return;
        port.from_other.pop();
        port.to.send({});
        state.spoken = true;
    }
    bool pending() const override { return !state.spoken; }
    void waits_on(WaitReport& report) const override {
        if (!state.spoken) report.add(path() + " waits for the other to speak first");
    }
    const Params params;
    Ports port;
    Stats stat;
    State state;
};
static const Registration<Polite> polite {"Never speaks first."};

} // namespace memsim::test

TEST_CASE("every answer has a reserved place before its request is sent") {
    Machine m;
    m.add("asker", "test.Asker", {});
    m.add("memory", "mem.SimpleMemory", {});
    m.bind("asker", "mem_side", "memory", "cpu_side");
    m.build();
    m.start();
    // Answers are not consumed: requests are limited by the places, and the memory is not blocked.
    CHECK(m.run(never) == Stop::idle);
    CHECK(m.get<Asker>("asker").state.sent == 3);
    CHECK(m.stat_value("memory", "reads", "") == 3);
    CHECK(m.get<Asker>("asker").port.mem_side.outstanding() == 3);
}

TEST_CASE("a consumed answer makes room for a request") {
    Machine m;
    m.add("asker", "test.Asker", {{"deaf", "false"}});
    m.add("memory", "mem.SimpleMemory", {});
    m.bind("asker", "mem_side", "memory", "cpu_side");
    m.build();
    m.start();
    CHECK(m.run(never) == Stop::idle);
    CHECK(m.get<Asker>("asker").state.sent == 100);
    CHECK_FALSE(m.pending());
}

TEST_CASE("components that wait for each other stall the machine, which is reported") {
    Machine m;
    m.add("one", "test.Polite", {});
    m.add("two", "test.Polite", {});
    m.bind("one", "to", "two", "from_other");
    m.bind("two", "to", "one", "from_other");
    m.build();
    m.start();
    CHECK(m.run(never) == Stop::idle);
    CHECK(m.pending());
    CHECK(m.wait_report() == std::vector<std::string> {"one waits for the other to speak first",
                                                       "two waits for the other to speak first"});
}
