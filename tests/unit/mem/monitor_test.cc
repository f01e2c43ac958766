#include "mem/traffic/monitor.hh"

#include "core/kernel/registry.hh"
#include "driver.hh"
#include "mem/simple_memory.hh"

#include <catch2/catch.hpp>

namespace memsim::test_mem {

/// Records the messages of a monitor, one per `pause`.
class Listener final : public Model<Listener> {
  public:
    struct Params {
        Param<Time> pause {1_fs, "From taking a message to taking the next"};
        Param<unsigned> queue {1, "Messages waiting or in flight"};
    };
    struct Ports {
        In<protocol::Observed> passed {{.depth = from<&Params::queue>}, "What has passed"};
    };
    struct Stats {};
    struct State {
        std::vector<protocol::Observed> seen;
        Tick due = 0;
        Timer next;
    };
    explicit Listener(const Params& p) : params(p) {}
    void wake() override {
        if (port.passed.empty()) return;
        if (now() < state.due) return arm(state.next, state.due);
        state.seen.push_back(port.passed.pop());
        state.due = now() + params.pause->raw;
        arm(state.next, state.due);
    }
    const Params params;
    Ports port;
    Stats stat;
    State state;
};
static const Registration<Listener> listener {"Writes down what passes (a test's)."};

TEST_CASE("a hint passes a monitor to a memory that takes hints, and is counted where it does not",
          "[mem][monitor]") {
    for (const bool takes : {true, false}) {
        Machine m;
        m.add("driver", "test_mem.Driver", {});
        m.add("monitor", "mem.Monitor", {});
        m.add("memory", takes ? "test_mem.HintSink" : "mem.SimpleMemory", {});
        m.bind("driver", "mem_side", "monitor", "cpu_side");
        m.bind("monitor", "mem_side", "memory", "cpu_side");
        auto& driver = m.get<test_mem::Driver>("driver");
        driver.plan(0, protocol::Command::hint, 128, 64, true);
        driver.read(0, 128);
        m.build(), m.start(), m.run(never);
        const auto& stat = m.get<mem::Monitor>("monitor").stat;
        CHECK(test_mem::value(stat.hints) == (takes ? 1 : 0));
        CHECK(test_mem::value(stat.hints_dropped) == (takes ? 0 : 1));
        CHECK(test_mem::value(stat.reads) == 1);
        CHECK(driver.state.answers.size() == 1);
    }
}

} // namespace memsim::test_mem

using namespace memsim;
using namespace memsim::test_mem;
using protocol::Command;

static std::vector<std::string> recorded(const std::string& pause, std::size_t& answers) {
    Machine m;
    m.add("driver", "test_mem.Driver", {});
    m.add("monitor", "mem.Monitor", {{"listeners", "1"}});
    m.add("memory", "mem.SimpleMemory", {});
    m.add("listener", "test_mem.Listener", {{"pause", pause}});
    m.bind("driver", "mem_side", "monitor", "cpu_side");
    m.bind("monitor", "mem_side", "memory", "cpu_side");
    m.bind("monitor", "passed[0]", "listener", "passed");
    m.build();
    auto& driver = m.get<Driver>("driver");
    driver.read(0, 64);
    driver.write(0, 128);
    driver.plan(0, Command::atomic, 192, 32);
    driver.plan(0, Command::flush, 0, 32, true); // for a cache: no access
    driver.read(0, 256);
    m.start();
    REQUIRE(m.run(never) == Stop::idle);
    answers = driver.state.answers.size();
    std::vector<std::string> seen;
    for (const protocol::Observed& o : m.get<Listener>("listener").state.seen)
        seen.push_back(std::to_string(o.address) + (o.write ? " written" : " read"));
    return seen;
}

TEST_CASE("A monitor reports each read, write and atomic to its listeners", "[mem]") {
    for (const std::string pause : {"1fs", "1us"}) { // a slow listener holds up what passes
        std::size_t answers = 0;
        CHECK(recorded(pause, answers) ==
              std::vector<std::string> {"64 read", "128 written", "192 written", "256 read"});
        CHECK(answers == 3);
    }
}
