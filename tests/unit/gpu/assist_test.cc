#include "../core/plan.hh"
#include "core/kernel/registry.hh"
#include "script.hh"

/// An assist warp of an SM: whose instructions take issue slots.
namespace memsim::test {

/// Asks for instructions at given times and notes when they were done.
class HelperThread final : public Model<HelperThread> {
  public:
    struct Params {};
    struct Ports {
        Requester<protocol::Assist> sm {{.depth = [](const void*) { return 1u; }}, "The SM"};
    };
    struct Stats {};
    struct State {
        Plan<protocol::AssistRequest> plan;
        std::vector<Tick> done;
        Timer next;
    };
    explicit HelperThread(const Params& p) : params(p) {}
    void start() override { arm(state.next, state.plan.due()); }
    void wake() override {
        while (!port.sm.empty()) {
            port.sm.pop();
            state.done.push_back(now());
        }
        arm(state.next, state.plan.send(port.sm, now()));
    }
    const Params params;
    Ports port;
    Stats stat;
    State state;
};
static const Registration<HelperThread> asker {
    "Asks for an assist warp's instructions (a test's)."};

} // namespace memsim::test

using namespace memsim;
using namespace memsim::test;

namespace {

/// An SM of 1 GHz that runs a warp of so many instructions, and an assist warp's of 10 at 50 ns.
struct AssistRig {
    Machine m;
    AssistRig(unsigned latency, unsigned instructions) {
        Script s;
        s.write = [instructions](auto& w, unsigned) { w.compute(~0u, instructions); };
        scripts() = {s};
        m.add("dispatcher", "gpu.Dispatcher", {{"sms", "1"}, {"clock", "1GHz"}});
        m.add("host", "test.ScriptHost", {{"script", "0"}});
        m.bind("host", "dispatcher", "dispatcher", "host");
        m.add("sm", "gpu.Sm", {{"clock", "1GHz"}, {"arithmetic_latency", std::to_string(latency)}});
        m.add("memory", "mem.SimpleMemory", {});
        m.add("asker", "test.HelperThread", {});
        m.bind("dispatcher", "sm_side[0]", "sm", "blocks");
        m.bind("sm", "mem_side", "memory", "cpu_side");
        m.bind("asker", "sm", "sm", "helper");
        m.build();
        auto& plan = m.get<HelperThread>("asker").state.plan;
        for (const std::uint32_t n : {10u, 1u}) plan.add(50'000'000, {n});
        m.start();
        REQUIRE(m.run(never) == Stop::idle);
        REQUIRE(m.imbalances().empty());
        CHECK(m.get<gpu::Sm>("sm").stat.assist_instructions.value() == 11);
    }
    Tick done(unsigned i) { return m.get<HelperThread>("asker").state.done.at(i); }
    std::uint64_t cycles() {
        return static_cast<std::uint64_t>(m.get<gpu::Dispatcher>("dispatcher").stat.cycles.value());
    }
};

} // namespace

TEST_CASE("Instructions of an assist warp use issue slots like those of other warps", "[sm]") {
    constexpr Tick ns = 1'000'000;
    {
        AssistRig rig(4, 5); // ended before
        // Arrives 1 fs after the edge at 50 ns; the next one is requested when the response has
        // arrived.
        CHECK(rig.done(0) == 51 * ns + 10 * 4 * ns + 1);
        CHECK(rig.done(1) == 92 * ns + 1 * 4 * ns + 1);
    }
    // Both at once: with a latency of 4 cycles there are slots for both, with 1 the warp's come
    // first, since it has them already; but its exit waits.
    const std::uint64_t alone = AssistRig(1, 20).cycles();
    AssistRig beside(4, 25), behind(1, 100);
    CHECK(beside.done(0) == 51 * ns + 10 * 4 * ns + 1);
    CHECK(behind.cycles() == alone + 80 + 10);
    // The warp's first instruction issues 1 fs + 1 ns + 1 cycle after time 0.
    CHECK(behind.done(0) == 2 * ns + 100 * ns + 10 * ns + 1);
}
