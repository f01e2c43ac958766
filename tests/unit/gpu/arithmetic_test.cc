#include "script.hh"

/// Arithmetic units of an SM: when instructions issue, to the cycle.
namespace memsim::arithmetic_test {

using namespace memsim::test;
using gpu_program::ArithmeticUnit;
using gpu_program::WarpOpKind;
using gpu_program::WarpStreamWriter;
using enum gpu_program::ArithmeticUnit;

namespace {

Arguments units(Arguments changes = {}) {
    Arguments all {{"arithmetic_latency", "5"}, {"fp32_lanes", "16"},   {"int32_lanes", "32"},
                   {"fp64_lanes", "8"},         {"special_lanes", "4"}, {"fp32_latency", "4"},
                   {"int32_latency", "4"},      {"fp64_latency", "9"},  {"special_latency", "23"}};
    for (const auto& change : changes) {
        std::erase_if(all, [&](const auto& a) { return a.first == change.first; });
        all.push_back(change);
    }
    return all;
}

/// The cycles in which the instructions of one warp issue, without its exit.
std::vector<std::int64_t> cycles_of(const std::function<void(WarpStreamWriter&)>& write,
                                    const Arguments& sm = units()) {
    Script s;
    s.write = [&](auto& w, unsigned) { write(w); };
    ScriptRig rig(s, sm);
    rig.trace();
    rig.run();
    std::vector<std::int64_t> cycles;
    for (const ScriptRig::Issue& i : rig.issues()) cycles.push_back(i.cycle);
    cycles.pop_back();
    return cycles;
}

/// Cycles of `warps` warps that each issue n instructions of a unit.
unsigned cycles_of(unsigned warps, ArithmeticUnit unit, unsigned n, bool chained,
                   const Arguments& sm = units()) {
    Script s;
    s.warps = warps;
    s.write = [=](auto& w, unsigned) { w.arithmetic(unit, ~0u, n, chained); };
    ScriptRig rig(s, sm);
    rig.run();
    return static_cast<unsigned>(rig.cycles());
}

using Cycles = std::vector<std::int64_t>;

} // namespace

TEST_CASE("An instruction issues when the arithmetic results that it needs are available",
          "[sm][arithmetic]") {
    const auto then = [](std::uint64_t operands) {
        return cycles_of([=](WarpStreamWriter& w) {
            w.arithmetic(fp64, ~0u);
            w.arithmetic(int32, ~0u);
            w.needs_arithmetic(operands);
            w.arithmetic(fp32, ~0u);
        });
    };
    CHECK(then(0) == Cycles {0, 1, 2});
    CHECK(then(1) == Cycles {0, 1, 1 + 4});
    CHECK(then(2) == Cycles {0, 1, 9});
    CHECK(then(3) == Cycles {0, 1, 9});
    CHECK(then(4) == Cycles {0, 1, 2}); // there was no operation before those
}

TEST_CASE("Other operations wait for arithmetic results, too", "[sm][arithmetic]") {
    const auto then = [](auto&& next) {
        return cycles_of([=](WarpStreamWriter& w) {
                   w.arithmetic(fp64, ~0u);
                   w.needs_arithmetic(1);
                   next(w);
               })
            .at(1);
    };
    CHECK(then([](auto& w) { w.access(WarpOpKind::store, 16, ~0u, 4, word(0, 4)); }) == 9);
    CHECK(then([](auto& w) { w.access(WarpOpKind::load, 16, ~0u, 4, word(0, 4)); }) == 9);
    CHECK(then([](auto& w) { w.shared(16, ~0u, 1, true); }) == 9);
    CHECK(then([](auto& w) { w.matrix(~0u, 16); }) == 9);
    CHECK(then([](auto& w) { w.compute(~0u, 3); }) == 9);
    CHECK(then([](auto& w) { w.barrier(~0u); }) == 9);
}

TEST_CASE("Arithmetic waits for a load that it needs", "[sm][arithmetic]") {
    const auto of = [](std::uint64_t waits) {
        return cycles_of([=](WarpStreamWriter& w) {
            w.access(WarpOpKind::load, 16, ~0u, 4, word(0, 4));
            w.arithmetic(fp32, ~0u);
            w.needs_arithmetic(1);
            w.arithmetic(fp32, ~0u, 1, false, waits);
        });
    };
    CHECK(of(0) == Cycles {0, 1, 5});
    CHECK(of(1)[1] == 1);
    CHECK(of(1)[2] >= 120); // the memory answers after 100 ns, which are 120 cycles
}

TEST_CASE("An instruction occupies its unit for 32 / lanes cycles", "[sm][arithmetic]") {
    const auto twice = [](ArithmeticUnit unit, const Arguments& sm) {
        return cycles_of(
                   [=](WarpStreamWriter& w) {
                       w.arithmetic(unit, ~0u);
                       w.arithmetic(unit, ~0u);
                   },
                   sm)
            .at(1);
    };
    CHECK(twice(fp32, units()) == 2);
    CHECK(twice(int32, units()) == 1);
    CHECK(twice(fp64, units()) == 4);
    CHECK(twice(special, units()) == 8);
    CHECK(twice(special, units({{"special_lanes", "5"}})) == 7); // rounded up
    // Instructions of other units issue meanwhile.
    CHECK(cycles_of([](WarpStreamWriter& w) {
              w.arithmetic(special, ~0u);
              w.arithmetic(fp64, ~0u);
              w.arithmetic(fp32, ~0u);
              w.arithmetic(fp64, ~0u);
          }) == Cycles {0, 1, 2, 5});
}

TEST_CASE("An operation of several instructions issues them one by one", "[sm][arithmetic]") {
    const auto of = [](bool chained) {
        return cycles_of([=](WarpStreamWriter& w) {
            w.arithmetic(fp32, ~0u, 3, chained);
            w.arithmetic(int32, ~0u);
            w.needs_arithmetic(2);
            w.arithmetic(int32, ~0u);
        });
    };
    CHECK(of(true) == Cycles {0, 4, 8, 9, 12});
    CHECK(of(false) == Cycles {0, 2, 4, 5, 8}); // the result is that of the last instruction
}

TEST_CASE("Each scheduler has units of its own", "[sm][arithmetic]") {
    const auto of = [](const char* schedulers) {
        Script s;
        s.warps = 2;
        s.write = [](auto& w, unsigned) { w.arithmetic(fp64, ~0u); };
        ScriptRig rig(s, units({{"schedulers", schedulers}}));
        rig.trace();
        rig.run();
        return rig.issues();
    };
    using Issues = std::vector<ScriptRig::Issue>;
    CHECK(of("2") == Issues {{0, 0}, {0, 1}, {1, 0}, {1, 1}});
    const auto shared = of("1"); // the other warp's instruction waits for the unit
    CHECK(std::ranges::count(shared, ScriptRig::Issue {4, 1}) == 1);
}

TEST_CASE("Dependent instructions of W warps reach min(1 / interval, W / latency) a cycle",
          "[sm][arithmetic]") {
    constexpr unsigned n = 50;
    // In turn: the greedy scheduler would run the last warps alone.
    const Arguments in_turn = units({{"scheduler", "loose_round_robin"}});
    const auto more = [&](unsigned warps, ArithmeticUnit unit, bool chained) {
        return cycles_of(warps, unit, 2 * n, chained, in_turn) -
               cycles_of(warps, unit, n, chained, in_turn);
    };
    for (const unsigned warps : {1u, 2u, 3u, 5u, 8u}) {
        CHECK(more(warps, fp32, true) == n * std::max(4u, warps * 2));
        CHECK(more(warps, fp64, true) == n * std::max(9u, warps * 4));
        CHECK(more(warps, special, true) == n * std::max(23u, warps * 8));
        CHECK(more(warps, fp64, false) == n * warps * 4);
    }
    CHECK(more(1, int32, false) == n); // the scheduler's rate
    CHECK(more(4, int32, true) == n * 4);
}

TEST_CASE("Without a unit arithmetic is a stretch", "[sm][arithmetic]") {
    const auto of = [](const Arguments& sm, auto&& first) {
        return cycles_of(
                   [=](WarpStreamWriter& w) {
                       first(w);
                       w.needs_arithmetic(1);
                       w.arithmetic(fp32, ~0u);
                   },
                   sm)
            .at(1);
    };
    const auto arithmetic = [](auto& w) { w.arithmetic(fp64, ~0u, 7); };
    const Arguments none {{"arithmetic_latency", "5"}};
    CHECK(of(none, arithmetic) == 7 * 5);
    CHECK(of(none, [](auto& w) { w.compute(~0u, 7); }) == 7 * 5);
    CHECK(of(units({{"fp64_lanes", "0"}}), arithmetic) == 7 * 5);
}

TEST_CASE("Statistics of arithmetic units", "[sm][arithmetic]") {
    const auto stalls = [](ArithmeticUnit unit, bool chained) {
        Script s;
        s.write = [=](auto& w, unsigned) { w.arithmetic(unit, ~0u, 10, chained); };
        ScriptRig rig(s, units());
        rig.run();
        const auto& stat = rig.sm().stat;
        CHECK(stat.warp_instructions.value() == 11);
        CHECK(stat.thread_instructions.value() == 11 * 32);
        CHECK(stat.arithmetic.unit_instructions[unit].value() == 10);
        CHECK(stat.arithmetic.unit_busy[unit].total(never) == (unit == fp32 ? 20 : 10));
        return stat.arithmetic.unit_stalls[unit].value();
    };
    CHECK(stalls(fp32, false) == 9);
    CHECK(stalls(fp32, true) == 0);
    CHECK(stalls(int32, false) == 0);
}

} // namespace memsim::arithmetic_test
