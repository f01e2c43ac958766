#include "core/machine.hh"
#include "gpu/dispatcher.hh"
#include "gpu/sm.hh"
#include "mem/simple_memory.hh"
#include "workload/functional_state.hh"

#include <catch2/catch.hpp>

#include <functional>

using namespace memsim;
using protocol::WarpOpKind;

namespace memsim::test {

using namespace memsim::literals;

/// An application whose blocks a test writes by hand: each block is `warps` copies of one stream.
class Script final : public protocol::KernelSource {
  public:
    using Write = std::function<void(protocol::WarpStreamWriter&, unsigned warp)>;
    unsigned launches = 1, blocks = 1, warps = 1;
    Write write;

    bool next_launch(protocol::Launch& l) override {
        if (given == launches) return false;
        ++given;
        l.kernel = "script";
        l.grid = {blocks, 1, 1};
        l.block = {warps * 32, 1, 1};
        return true;
    }
    void run_block(protocol::u32, protocol::BlockStreams& out) override {
        out.warps.assign(warps, {});
        out.counts = {};
        for (unsigned w = 0; w < warps; ++w) {
            protocol::WarpStreamWriter writer(out.warps[w], out.counts);
            write(writer, w);
            writer.exit(~0u);
        }
    }
    protocol::u64 footprint_bytes() const override { return 1 << 20; }
    const std::vector<protocol::Allocation>& allocations() const override { return none_; }
    protocol::u64 result_digest() const override { return 0; }
    void save(Saver& s) const override { s(given); }
    void load(Loader& l) override { l(given); }

  private:
    unsigned given = 0;
    std::vector<protocol::Allocation> none_;
};

/// The host of a Script.
class ScriptHost final : public Model<ScriptHost>, public protocol::HasKernels {
  public:
    struct Params {};
    struct Ports {
        Responder<protocol::Host> dispatcher {{.depth = [](const void*) { return 1u; }},
                                              "Launches"};
    };
    struct Stats {};
    struct State {
        std::uint32_t launch = 0;
        workload::FunctionalState function;
    };
    explicit ScriptHost(const Params& p) : params(p) {}
    void wake() override {
        while (!port.dispatcher.empty() && port.dispatcher.can_send()) {
            port.dispatcher.pop();
            protocol::Launch l;
            const bool more = kernels().next_launch(l);
            port.dispatcher.send({!more, ++state.launch, l.blocks(), l.threads_per_block(), 0, 0});
        }
    }
    Script& script() {
        if (!state.function.source) state.function.source = std::make_unique<Script>();
        return static_cast<Script&>(*state.function.source);
    }
    protocol::KernelSource& kernels() override { return script(); }
    const Params params;
    Ports port;
    Stats stat;
    State state;
};
static const Registration<ScriptHost> registered {"A test's hand-written application."};

struct Rig {
    Machine machine;
    explicit Rig(const Script& script, Arguments sm = {}, unsigned sms = 1) {
        machine.add("host", "test.ScriptHost", {});
        machine.add("dispatcher", "gpu.Dispatcher", {{"sms", std::to_string(sms)}});
        machine.bind("host", "dispatcher", "dispatcher", "host");
        for (unsigned i = 0; i < sms; ++i) {
            const std::string n = "[" + std::to_string(i) + "]";
            machine.add("sm" + n, "gpu.Sm", sm);
            machine.add("memory" + n, "mem.SimpleMemory", {{"latency", "100ns"}});
            machine.bind("dispatcher", "sm_side" + n, "sm" + n, "blocks");
            machine.bind("sm" + n, "mem_side", "memory" + n, "cpu_side");
        }
        machine.get<ScriptHost>("host").script() = script;
        machine.build();
        machine.start();
    }
    gpu::Sm& sm(unsigned i = 0) { return machine.get<gpu::Sm>("sm[" + std::to_string(i) + "]"); }
    gpu::Dispatcher& dispatcher() { return machine.get<gpu::Dispatcher>("dispatcher"); }
    double cycles() { return static_cast<double>(dispatcher().stat.cycles.value()); }
    void run() {
        REQUIRE(machine.run(never) == Stop::idle);
        REQUIRE_FALSE(machine.pending());
        REQUIRE(machine.imbalances().empty());
    }
};

constexpr protocol::WarpStreamWriter::Addresses word(std::uint64_t base, std::uint64_t stride) {
    protocol::WarpStreamWriter::Addresses a {};
    for (unsigned i = 0; i < 32; ++i) a[i] = base + stride * i;
    return a;
}

} // namespace memsim::test

using namespace memsim::test;

TEST_CASE("A stretch of n instructions takes n cycles", "[sm]") {
    auto cycles_of = [](unsigned n) {
        Script s;
        s.write = [n](auto& w, unsigned) { w.compute(~0u, n); };
        Rig rig(s);
        rig.run();
        return rig.cycles();
    };
    CHECK(cycles_of(1100) - cycles_of(100) == 1000);
}

TEST_CASE("One scheduler issues one instruction a cycle whatever the number of warps", "[sm]") {
    Script s;
    s.warps = 8;
    s.write = [](auto& w, unsigned) { w.compute(~0u, 1000); };
    Rig rig(s);
    rig.run();
    CHECK(rig.cycles() >= 8000);
    CHECK(rig.cycles() <= 8000 + 20);
    CHECK(rig.sm().stat.thread_instructions.value() == 8 * 32 * 1001);
}

TEST_CASE("A load holds its warp until the answer, a store or reduction does not", "[sm]") {
    auto time_of = [](WarpOpKind kind) {
        Script s;
        s.write = [kind](auto& w, unsigned) {
            for (unsigned i = 0; i < 10; ++i) {
                w.access(kind, 16, ~0u, 4, word(i * 128, 4));
                w.compute(~0u, 1, 1);
            }
        };
        Rig rig(s);
        rig.run();
        return rig.cycles() / 1.2; // ns
    };
    CHECK(time_of(WarpOpKind::load) >= 10 * 100); // the memory's latency, ten times in a row
    CHECK(time_of(WarpOpKind::atomic) >= 10 * 100);
    CHECK(time_of(WarpOpKind::store) < 100);
    CHECK(time_of(WarpOpKind::reduce) < 100);
}

TEST_CASE("Loads in a row go out together", "[sm]") {
    Script s;
    s.write = [](auto& w, unsigned) {
        for (unsigned i = 0; i < 10; ++i) w.access(WarpOpKind::load, 16, ~0u, 4, word(i * 128, 4));
        w.compute(~0u, 1, 1023);
    };
    Rig rig(s);
    rig.run();
    CHECK(rig.cycles() / 1.2 < 2 * 100);
    CHECK(rig.sm().stat.requests.value() == 10);
}

TEST_CASE("An operation waits for the results that it names and for no other", "[sm]") {
    auto issued_at = [](std::uint64_t waits) { // how many by 60 ns: the memory answers after 100
        Script s;
        s.write = [waits](auto& w, unsigned) {
            w.access(WarpOpKind::load, 16, ~0u, 4, word(0, 4));
            for (unsigned i = 0; i < 9; ++i) w.barrier(~0u);
            w.barrier(~0u, waits);
        };
        Rig rig(s);
        rig.machine.run(60'000'000);
        const auto issued = static_cast<unsigned>(rig.sm().stat.warp_instructions.value());
        rig.run();
        CHECK(rig.sm().stat.warp_instructions.value() == 12);
        return issued;
    };
    CHECK(issued_at(0) == 12);
    CHECK(issued_at(1) == 10);
    CHECK(issued_at(2) == 12); // there was no result before that one
}

TEST_CASE("64 results of a warp may be on their way, not 65", "[sm]") {
    auto issued_at_60ns = [](unsigned loads) {
        Script s;
        s.write = [loads](auto& w, unsigned) {
            for (unsigned i = 0; i < loads; ++i)
                w.access(WarpOpKind::load, 16, 1, 4, word(i * 128, 4));
        };
        Rig rig(s);
        rig.machine.run(60'000'000);
        const auto issued = static_cast<unsigned>(rig.sm().stat.memory_instructions.value());
        rig.run();
        CHECK(rig.sm().stat.memory_instructions.value() == loads);
        return issued;
    };
    CHECK(issued_at_60ns(64) == 64);
    CHECK(issued_at_60ns(70) == 64);
}

TEST_CASE("A warp that ends with answers out keeps its slot until they are there", "[sm]") {
    Script s;
    s.write = [](auto& w, unsigned) { w.access(WarpOpKind::load, 16, ~0u, 4, word(0, 4)); };
    Rig rig(s);
    rig.machine.run(60'000'000);
    CHECK(rig.sm().stat.warp_instructions.value() == 2); // the exit, too
    CHECK(rig.sm().stat.blocks.value() == 0);
    rig.run();
    CHECK(rig.sm().stat.blocks.value() == 1);
    CHECK(rig.machine.sim().now() > 100'000'000);
}

TEST_CASE("Shared memory takes its passes, one access after the other, and a latency", "[sm]") {
    auto cycles_of = [](unsigned warps, unsigned passes, bool load, bool used) {
        Script s;
        s.warps = warps;
        s.write = [=](auto& w, unsigned) {
            for (unsigned i = 0; i < 10; ++i) {
                w.shared(16, ~0u, passes, load, used && i > 0);
            }
        };
        Rig rig(s, {{"shared_latency", "20"}});
        rig.run();
        return static_cast<unsigned>(rig.cycles());
    };
    // Ten issue in cycles 0 to 9, the exit in 10.
    const unsigned start = cycles_of(1, 1, false, false) - 10;
    CHECK(cycles_of(1, 8, false, false) == start + 9 * 8 + 1); // the last one's passes hold nobody
    CHECK(cycles_of(4, 8, false, false) == start + 39 * 8 + 1);
    CHECK(cycles_of(1, 8, true, true) == start + 10 * (8 + 20));
}

TEST_CASE("Warps hide each other's latency", "[sm]") {
    auto time_of = [](unsigned warps) {
        Script s;
        s.warps = warps;
        s.write = [](auto& w, unsigned index) {
            for (unsigned i = 0; i < 10; ++i) {
                w.access(WarpOpKind::load, 16, ~0u, 4, word((index * 10 + i) * 128, 4));
                w.compute(~0u, 1, 1);
            }
        };
        Rig rig(s);
        rig.run();
        return rig.cycles();
    };
    CHECK(time_of(8) < 1.2 * time_of(1));
}

TEST_CASE("A barrier holds all warps of a block until the last arrives", "[sm]") {
    Script s;
    s.warps = 4;
    s.write = [](auto& w, unsigned index) {
        w.compute(~0u, index == 3 ? 5000 : 1);
        w.barrier(~0u);
        w.access(WarpOpKind::load, 16, ~0u, 4, word(index * 128, 4));
        w.compute(~0u, 1);
    };
    Rig rig(s);
    rig.machine.run(4'000'000'000); // 4 us: the fourth warp still computes
    CHECK(rig.sm().stat.memory_instructions.value() == 0);
    rig.run();
    CHECK(rig.sm().stat.memory_instructions.value() == 4);
}

TEST_CASE("Blocks go to the SM with the most room; no SM holds more than fit", "[dispatcher]") {
    Script s;
    s.blocks = 40;
    s.warps = 16; // 48 slots hold three blocks
    s.write = [](auto& w, unsigned) { w.compute(~0u, 100); };
    Rig rig(s, {}, 2);
    rig.machine.run(3'000'000); // 3 ns: the first blocks have come
    CHECK(rig.dispatcher().state.running == 6);
    rig.run();
    CHECK(rig.sm(0).stat.blocks.value() + rig.sm(1).stat.blocks.value() == 40);
    CHECK(rig.sm(0).stat.blocks.value() == 20);
}

TEST_CASE("Each launch empties the L1 of every SM that takes part", "[sm]") {
    Script s;
    s.launches = 3;
    s.write = [](auto& w, unsigned) { w.compute(~0u, 1); };
    Rig rig(s);
    rig.run();
    CHECK(rig.machine.stat_value("memory[0]", "writes", "") == 3); // it counts them as no reads
    CHECK(rig.dispatcher().stat.launches.value() == 3);
}

TEST_CASE("A limit of instructions ends the run after the block that reaches it", "[dispatcher]") {
    Script s;
    s.blocks = 100;
    s.write = [](auto& w, unsigned) { w.compute(~0u, 99); }; // and an exit: 3200 a block
    Machine machine;
    machine.add("host", "test.ScriptHost", {});
    machine.add("dispatcher", "gpu.Dispatcher", {{"sms", "1"}, {"max_instructions", "10000"}});
    machine.add("sm", "gpu.Sm", {});
    machine.add("memory", "mem.SimpleMemory", {});
    machine.bind("host", "dispatcher", "dispatcher", "host");
    machine.bind("dispatcher", "sm_side[0]", "sm", "blocks");
    machine.bind("sm", "mem_side", "memory", "cpu_side");
    machine.get<ScriptHost>("host").script() = s;
    machine.build();
    machine.start();
    CHECK(machine.run(never) == Stop::idle);
    CHECK_FALSE(machine.pending());
    CHECK(machine.get<gpu::Sm>("sm").stat.thread_instructions.value() == 4 * 3200);
}

TEST_CASE("A block that fits in no SM is refused", "[dispatcher]") {
    Script s;
    s.warps = 49;
    s.write = [](auto& w, unsigned) { w.compute(~0u, 1); };
    Rig rig(s);
    CHECK_THROWS_WITH(rig.machine.run(never), Catch::Contains("does not fit in an SM of 48 warps"));
}
