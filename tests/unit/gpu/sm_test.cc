#include "script.hh"

namespace memsim::sm_test {

using namespace memsim::test;
using gpu_program::WarpOpKind;

TEST_CASE("A load holds its warp until the answer, a store or reduction does not", "[sm]") {
    auto time_of = [](WarpOpKind kind) {
        Script s;
        s.write = [kind](auto& w, unsigned) {
            for (unsigned i = 0; i < 10; ++i) {
                w.access(kind, 16, ~0u, 4, word(i * 128, 4));
                w.compute(~0u, 1, 1);
            }
        };
        ScriptRig rig(s, {{"arithmetic_latency", "1"}});
        rig.run();
        return rig.cycles() / 1.2; // ns
    };
    CHECK(time_of(WarpOpKind::load) >= 10 * 100); // the memory's latency, ten times in a row
    CHECK(time_of(WarpOpKind::atomic) >= 10 * 100);
    CHECK(time_of(WarpOpKind::store) < 100);
    CHECK(time_of(WarpOpKind::reduce) < 100);
}

TEST_CASE("Atomics may be the loads that tracers write", "[sm]") {
    const auto run = [](WarpOpKind kind, const char* atomics) {
        Script s;
        s.write = [kind](auto& w, unsigned) {
            for (unsigned i = 0; i < 10; ++i) {
                w.access(kind, 16, ~0u, 4, word(i * 128, 4));
                w.compute(~0u, 1, 1);
            }
        };
        ScriptRig rig(s, {{"arithmetic_latency", "1"}, {"atomics", atomics}});
        rig.run();
        return std::pair(rig.sm().stat.memory.read_requests.value(), rig.cycles() / 1.2);
    };
    CHECK(run(WarpOpKind::atomic, "performed").first == 0);
    CHECK(run(WarpOpKind::atomic, "loads").first == 10);
    CHECK(run(WarpOpKind::atomic, "loads").second >= 10 * 100);
    CHECK(run(WarpOpKind::reduce, "loads").first == 10);
    CHECK(run(WarpOpKind::reduce, "loads").second < 100); // no warp waits for it
    CHECK(run(WarpOpKind::store, "loads").first == 0);
}

TEST_CASE("Atomics of a warp on one word are apart where they are split", "[sm]") {
    const auto requests = [](const char* atomics, WarpOpKind kind, std::int64_t stride) {
        Script s;
        s.write = [=](auto& w, unsigned) {
            w.access(kind, 16, ~0u, 4, word(0, stride));
            w.compute(~0u, 1, kind == WarpOpKind::reduce ? 0 : 1);
        };
        ScriptRig rig(s, {{"atomics", atomics}});
        rig.run();
        return rig.sm().stat.memory.requests.value();
    };
    CHECK(requests("split", WarpOpKind::atomic, 0) == 32);
    CHECK(requests("split", WarpOpKind::reduce, 0) == 32);
    CHECK(requests("split", WarpOpKind::atomic, 4) == 1);
    CHECK(requests("split", WarpOpKind::load, 0) == 1);
    CHECK(requests("performed", WarpOpKind::atomic, 0) == 1);
    CHECK(requests("loads", WarpOpKind::atomic, 0) == 1);
}

TEST_CASE("An instruction takes a cycle for each group of lanes that has an active thread",
          "[sm]") {
    const auto cycles = [](const char* lanes, std::uint32_t mask, WarpOpKind kind) {
        Script s;
        s.write = [=](auto& w, unsigned) {
            for (unsigned i = 0; i < 100; ++i)
                if (kind == WarpOpKind::compute)
                    w.compute(mask, 1, i); // apart from the one before
                else
                    w.access(kind, 16, mask, 4, word(0, 0));
        };
        ScriptRig rig(s, {{"arithmetic_latency", "1"}, {"lanes", lanes}});
        rig.run();
        return rig.cycles();
    };
    for (const WarpOpKind kind : {WarpOpKind::compute, WarpOpKind::store}) {
        const auto all = cycles("32", ~0u, kind);
        CHECK(cycles("8", ~0u, kind) - all == 3 * 100);
        CHECK(cycles("8", 0xff, kind) == all);
        CHECK(cycles("8", 0x80000001, kind) - all == 100);
        CHECK(cycles("8", 0x18, kind) == all); // both in the first group
        CHECK(cycles("1", 0xf, kind) - all == 3 * 100);
    }
}

TEST_CASE("Consecutive loads are issued without waiting for each other", "[sm]") {
    Script s;
    s.write = [](auto& w, unsigned) {
        for (unsigned i = 0; i < 10; ++i) w.access(WarpOpKind::load, 16, ~0u, 4, word(i * 128, 4));
        w.compute(~0u, 1, 1023);
    };
    ScriptRig rig(s);
    rig.run();
    CHECK(rig.cycles() / 1.2 < 2 * 100);
    CHECK(rig.sm().stat.memory.requests.value() == 10);
}

TEST_CASE("An operation waits for the results that it names and for no other", "[sm]") {
    auto issued_at = [](std::uint64_t waits) { // how many by 60 ns: the memory answers after 100
        Script s;
        s.write = [waits](auto& w, unsigned) {
            w.access(WarpOpKind::load, 16, ~0u, 4, word(0, 4));
            for (unsigned i = 0; i < 9; ++i) w.barrier(~0u);
            w.barrier(~0u, waits);
        };
        ScriptRig rig(s);
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
        ScriptRig rig(s);
        rig.machine.run(60'000'000);
        const auto issued = static_cast<unsigned>(rig.sm().stat.memory.memory_instructions.value());
        rig.run();
        CHECK(rig.sm().stat.memory.memory_instructions.value() == loads);
        return issued;
    };
    CHECK(issued_at_60ns(64) == 64);
    CHECK(issued_at_60ns(70) == 64);
}

TEST_CASE("A warp that exits with outstanding loads keeps its slot until their responses arrive",
          "[sm]") {
    Script s;
    s.write = [](auto& w, unsigned) { w.access(WarpOpKind::load, 16, ~0u, 4, word(0, 4)); };
    ScriptRig rig(s);
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
        ScriptRig rig(s, {{"shared_latency", "20"}});
        rig.run();
        return static_cast<unsigned>(rig.cycles());
    };
    // Ten issue in cycles 0 to 9, the exit in 10.
    const unsigned start = cycles_of(1, 1, false, false) - 10;
    CHECK(cycles_of(1, 8, false, false) ==
          start + 9 * 8 + 1); // the passes of the last one delay no warp
    CHECK(cycles_of(4, 8, false, false) == start + 39 * 8 + 1);
    CHECK(cycles_of(1, 8, true, true) == start + 10 * (8 + 20));
}

TEST_CASE("A matrix operation occupies its scheduler's tensor core, then its latency passes",
          "[sm][tensor]") {
    const auto cycles_of = [](unsigned warps, unsigned products, bool chained, Arguments sm) {
        Script s;
        s.warps = warps;
        s.write = [=](auto& w, unsigned) {
            for (unsigned i = 0; i < 10; ++i) w.matrix(~0u, products, chained && i > 0);
        };
        const Arguments cores {{"schedulers", "2"},      {"tensor_cores", "2"},
                               {"tensor_rate", "256"},   {"tensor_interval", "4"},
                               {"tensor_latency", "17"}, {"arithmetic_latency", "5"}};
        ScriptRig rig(s, sm.empty() ? cores : sm);
        rig.run();
        if (sm.empty()) {
            CHECK(rig.sm().stat.tensor.matrix_operations[0].value() == 10u * ((warps + 1) / 2));
            const unsigned busy = std::max((products + 255) / 256, 4u);
            CHECK(rig.sm().stat.tensor.tensor_busy[0].total(never) ==
                  10 * busy * ((warps + 1) / 2));
        }
        return static_cast<unsigned>(rig.cycles());
    };
    const auto at = [&](unsigned warps, unsigned products, bool chained) {
        return cycles_of(warps, products, chained, {});
    };
    // The last result, 17 cycles after its core is free, ends the warp.
    const unsigned start = at(1, 2048, false) - (10 * 8 + 17);
    CHECK(at(1, 2048, true) == start + 10 * (8 + 17));
    CHECK(at(1, 2049, true) == start + 10 * (9 + 17)); // a part of a cycle is one
    CHECK(at(1, 512, true) == start + 10 * (4 + 17));  // the least interval
    CHECK(at(2, 2048, false) == at(1, 2048, false));   // the other scheduler's core
    CHECK(at(3, 2048, false) == start + 20 * 8 + 17);  // two warps share a core
    // Without tensor cores the 32 lanes perform them.
    const auto on_lanes = [&](const char* lanes) {
        return cycles_of(1, 2048, true, {{"arithmetic_latency", "5"}, {"lanes", lanes}});
    };
    CHECK(on_lanes("32") == start + 10 * (64 + 5));
    CHECK(on_lanes("24") == start + 10 * (86 + 5)); // 2048 / 24, rounded up
    CHECK(on_lanes("8") == start + 10 * (256 + 5));
}

TEST_CASE("Operands in shared memory occupy its port, and the tensor core until they have arrived",
          "[sm][tensor]") {
    const auto cycles_of = [](unsigned warps, unsigned passes) {
        Script s;
        s.warps = warps;
        s.write = [=](auto& w, unsigned) {
            for (unsigned i = 0; i < 10; ++i) w.matrix(~0u, 2048, 0, passes); // 8 cycles
        };
        ScriptRig rig(s, {{"schedulers", "2"},
                          {"tensor_cores", "2"},
                          {"tensor_rate", "256"},
                          {"tensor_latency", "17"},
                          {"arithmetic_latency", "5"}});
        rig.run();
        CHECK(rig.sm().stat.shared_passes.total(never) == 10 * warps * passes);
        return static_cast<unsigned>(rig.cycles());
    };
    const unsigned start = cycles_of(1, 0) - (10 * 8 + 17);
    CHECK(cycles_of(1, 8) == start + 10 * 8 + 17); // as fast as the core
    CHECK(cycles_of(1, 9) == start + 10 * 9 + 17);
    // Two cores: the second one's first operands wait for the port, then there is time for both.
    CHECK(cycles_of(2, 4) == start + 4 + 10 * 8 + 17);
    CHECK(cycles_of(2, 5) == start + 20 * 5 + (8 - 5) + 17); // the port limits both
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
        ScriptRig rig(s);
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
    ScriptRig rig(s);
    rig.machine.run(4'000'000'000); // 4 us: the fourth warp still computes
    CHECK(rig.sm().stat.memory.memory_instructions.value() == 0);
    rig.run();
    CHECK(rig.sm().stat.memory.memory_instructions.value() == 4);
}

TEST_CASE("Each launch empties the L1 of every SM that takes part", "[sm]") {
    Script s;
    s.launches = 3;
    s.write = [](auto& w, unsigned) { w.compute(~0u, 1); };
    ScriptRig rig({s}, {}, 1, {}, {}, "test_mem.HintSink");
    rig.run();
    CHECK(rig.machine.stat_value("memory[0]", "taken", "") == 3);
    CHECK(rig.dispatcher().stat.launches.value() == 3);
}

TEST_CASE("Warps that have ended hold no barrier up", "[sm]") {
    Script s;
    s.warps = 4;
    s.write = [](auto& w, unsigned index) {
        if (index == 0) w.access(WarpOpKind::load, 16, ~0u, 4, word(0, 4)); // then it ends
        if (index == 1) w.compute(~0u, 500);                                // the last to come
        if (index > 0) w.barrier(~0u);
        w.compute(~0u, 1);
    };
    ScriptRig rig(s);
    rig.run();
    CHECK(rig.sm().stat.warp_instructions.value() == 4 * 2 + 3 + 1 + 500);
}

TEST_CASE("An SM keeps its L1 between launches if configured", "[sm]") {
    Script s;
    s.launches = 3;
    ScriptRig rig(s, {{"empty_l1", "false"}});
    rig.run();
    CHECK(rig.machine.stat_value("memory[0]", "writes", "") == 0);
}

TEST_CASE("An SM with more schedulers than warp slots is refused", "[sm]") {
    CHECK_THROWS_WITH(ScriptRig(Script(), {{"schedulers", "8"}, {"warp_slots", "7"}}),
                      Catch::StartsWith("sm[0].schedulers: '8' must be at most warp_slots = 7"));
    CHECK_THROWS_WITH(ScriptRig(Script(), {{"warp_slots", "0"}}), Catch::Contains("from 1 to 128"));
}

TEST_CASE("An idle SM costs nothing", "[sm]") {
    struct Cost {
        std::uint64_t events, wakes;
        bool operator==(const Cost&) const = default;
    };
    auto cost_of = [](unsigned sms, const char* latency) {
        Script s; // one block, whose warp waits for a load, a barrier and a stretch
        s.write = [](auto& w, unsigned) {
            w.access(WarpOpKind::load, 16, ~0u, 4, word(0, 4));
            w.barrier(~0u, 1);
            w.compute(~0u, 100'000);
        };
        ScriptRig rig({s}, {}, sms, {}, {{"latency", latency}});
        rig.run();
        return Cost {rig.machine.sim().events_executed(), rig.machine.sim().wakes()};
    };
    const Cost one = cost_of(1, "100ns");
    CHECK(one.events < 20);
    CHECK(cost_of(64, "100ns") == one); // 63 SMs without a block
    CHECK(cost_of(1, "1ms") == one);    // an SM whose warps all wait
}

TEST_CASE("An access to local memory touches a row of lanes for each word", "[sm]") {
    const auto requests = [](gpu_program::u8 width, std::uint64_t offset, std::uint64_t stride) {
        Script s;
        s.local = 1024;
        s.write = [&](auto& w, unsigned) {
            w.access(WarpOpKind::load, 16, ~0u, width, word(offset, stride), nullptr, 0, true);
        };
        ScriptRig rig(s);
        rig.run();
        CHECK(rig.sm().stat.memory.memory_instructions.value() == 1);
        CHECK(rig.sm().stat.memory.bytes.value() == 128 * rig.sm().stat.memory.requests.value());
        return static_cast<unsigned>(rig.sm().stat.memory.requests.value());
    };
    CHECK(requests(4, 16, 0) == 1);
    CHECK(requests(8, 16, 0) == 2);
    CHECK(requests(16, 16, 0) == 4);
    Script s;
    s.local = 1024;
    s.write = [&](auto& w, unsigned) { // a different variable in each lane, of a byte, then of 16
        w.access(WarpOpKind::store, 16, ~0u, 1, word(0, 5), nullptr, 0, true);
        w.access(WarpOpKind::load, 16, ~0u, 16, word(0, 16), nullptr, 0, true);
    };
    ScriptRig rig(s);
    rig.run();
    CHECK(rig.sm().stat.memory.requests.value() ==
          32 + 128); // offset 5 x 31 is word 38: 32 words of 39
}

TEST_CASE("A warp slot has its place in local memory, in each launch or each occupancy", "[sm]") {
    // Blocks of one warp, then of three, then of one again; the second of each is on SM 1.
    const auto places = [](const char* pool) {
        Script s;
        s.warps_of_launch = {1, 3, 1};
        s.launches = 3, s.blocks = 2, s.local = 1024, s.footprint = 64 << 20;
        s.write = [](auto& w, unsigned) {
            w.access(WarpOpKind::load, 16, ~0u, 4, word(8, 0), nullptr, 0, true);
        };
        ScriptRig rig(s, {}, 2, {{"local_pool", pool}});
        std::vector<std::uint64_t> all;
        for (Tick t = 0; all.size() < 3 && t < 1'000'000'000; t += 1'000'000) {
            rig.machine.run(t);
            const auto& block = rig.sm(1).state.blocks[0];
            if (block.live && block.launch == all.size() + 1) all.push_back(block.local);
        }
        return all;
    };
    // SM 1's rows stand behind SM 0's, in a pool for all 96 warp slots.
    constexpr std::uint64_t pool = 1024 * 32 * 96, first = (64 << 20) - pool + 128;
    CHECK(places("context") == std::vector<std::uint64_t> {first, first, first});
    CHECK(places("occupancy") == std::vector<std::uint64_t> {first, first - pool, first});
}

} // namespace memsim::sm_test
