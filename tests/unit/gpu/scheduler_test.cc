#include "script.hh"

namespace memsim::scheduler_test {

using namespace memsim::test;
using gpu_program::WarpOpKind;
using Issues = std::vector<ScriptRig::Issue>;

namespace {

Issues issues_of(const Script& script, const Arguments& sm) {
    ScriptRig rig(script, sm);
    rig.trace();
    rig.run();
    return rig.issues();
}

double cycles_of(const Script& script, const Arguments& sm) {
    ScriptRig rig(script, sm);
    rig.run();
    return rig.cycles();
}

Script computing(unsigned warps, unsigned instructions) {
    Script s;
    s.warps = warps;
    s.write = [=](auto& w, unsigned) { w.compute(~0u, instructions); };
    return s;
}
Script storing(unsigned warps, unsigned stores) {
    Script s;
    s.warps = warps;
    s.write = [=](auto& w, unsigned) {
        for (unsigned i = 0; i < stores; ++i) w.access(WarpOpKind::store, 16, 1, 4, word(0, 4));
    };
    return s;
}

} // namespace

TEST_CASE("Dependent instructions of a warp issue a latency apart, others in between", "[sm]") {
    // The exit is the next instruction after three.
    CHECK(issues_of(computing(1, 3), {{"arithmetic_latency", "1"}}) == Issues {{0, 0}, {3, 0}});
    CHECK(issues_of(computing(1, 3), {{"arithmetic_latency", "4"}}) == Issues {{0, 0}, {12, 0}});
    CHECK(issues_of(computing(3, 3), {{"arithmetic_latency", "4"}}) ==
          Issues {{0, 0}, {1, 1}, {2, 2}, {12, 0}, {13, 1}, {14, 2}});
    // Four fill all cycles: a fifth begins when the first four are through.
    CHECK(
        issues_of(computing(5, 3), {{"arithmetic_latency", "4"}}) ==
        Issues {
            {0, 0}, {1, 1}, {2, 2}, {3, 3}, {12, 0}, {13, 1}, {14, 2}, {15, 3}, {16, 4}, {28, 4}});
}

TEST_CASE("A store fills a cycle between the instructions of another warp's stretch", "[sm]") {
    Script s;
    s.warps = 2;
    s.write = [](auto& w, unsigned index) {
        if (index == 0) w.compute(~0u, 10);
        if (index == 1)
            for (int i = 0; i < 4; ++i) w.access(WarpOpKind::store, 16, 1, 4, word(0, 4));
    };
    // Warp 0 issues in cycles 0, 2, 4, ...
    CHECK(issues_of(s, {{"arithmetic_latency", "2"}}) ==
          Issues {{0, 0}, {1, 1}, {3, 1}, {5, 1}, {7, 1}, {9, 1}, {20, 0}});
}

TEST_CASE("Greedy then oldest stays with a warp, round robin moves on", "[sm]") {
    CHECK(issues_of(storing(3, 2), {{"scheduler", "greedy_then_oldest"}}) ==
          Issues {{0, 0}, {1, 0}, {2, 0}, {3, 1}, {4, 1}, {5, 1}, {6, 2}, {7, 2}, {8, 2}});
    CHECK(issues_of(storing(3, 2), {{"scheduler", "loose_round_robin"}}) ==
          Issues {{0, 1}, {1, 2}, {2, 0}, {3, 1}, {4, 2}, {5, 0}, {6, 1}, {7, 2}, {8, 0}});
}

TEST_CASE("Round robin passes over warps that cannot issue", "[sm]") {
    Script s = storing(3, 2);
    s.write = [](auto& w, unsigned index) {
        w.access(index == 2 ? WarpOpKind::load : WarpOpKind::store, 16, 1, 4, word(0, 4));
        w.barrier(~0u, index == 2); // waits for the load
    };
    const Issues all = issues_of(s, {{"scheduler", "loose_round_robin"}});
    REQUIRE(all.size() == 9);
    CHECK(Issues(all.begin(), all.begin() + 5) == Issues {{0, 1}, {1, 2}, {2, 0}, {3, 1}, {4, 0}});
    CHECK(all[5].warp == 2); // 100 ns later
    CHECK(all[5].cycle >= 121);
}

TEST_CASE("The oldest warp is the first arrived, not the one in the lowest slot", "[sm]") {
    Script s; // the second block of one warp takes the slot that the first block leaves
    s.blocks = 3;
    s.write = [](auto& w, unsigned) {
        for (unsigned i = 0; i < 40; ++i) w.access(WarpOpKind::store, 16, 1, 4, word(0, 4));
    };
    ScriptRig rig({s}, {}, 1, {{"block_slots", "2"}});
    rig.trace();
    rig.run();
    const Issues all = rig.issues();
    // Block 0 ends, block 2 is placed in slot 0; slot 1 is older.
    for (std::size_t i = 0; i < all.size(); ++i)
        CHECK(all[i].warp == (i < 41 ? 0u : i < 82 ? 1u : 0u));
}

TEST_CASE("Each scheduler issues for its own warps, one load-store unit serves all", "[sm]") {
    const Arguments two {{"schedulers", "2"}, {"arithmetic_latency", "1"}};
    CHECK(issues_of(computing(4, 3), two) ==
          Issues {{0, 0}, {0, 1}, {3, 0}, {3, 1}, {4, 2}, {4, 3}, {7, 2}, {7, 3}});
    // A lone warp has one scheduler; of two warps of one scheduler, one waits.
    CHECK(issues_of(storing(2, 2), two) == Issues {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {3, 1}, {4, 1}});
    CHECK(cycles_of(computing(8, 1000), {{"arithmetic_latency", "1"}, {"schedulers", "4"}}) ==
          cycles_of(computing(8, 1000), two) - 2002);
}

TEST_CASE("A scheduler of width two issues twice a cycle, also for one warp", "[sm]") {
    const Arguments wide {{"issue_width", "2"}, {"arithmetic_latency", "2"}};
    CHECK(issues_of(computing(2, 3), wide) == Issues {{0, 0}, {0, 1}, {6, 1}, {6, 0}});
    Script s; // a load and a barrier that does not wait for it
    s.write = [](auto& w, unsigned) {
        w.access(WarpOpKind::load, 16, 1, 4, word(0, 4));
        w.barrier(~0u);
    };
    const Issues all = issues_of(s, wide);
    CHECK(Issues(all.begin(), all.begin() + 2) == Issues {{0, 0}, {0, 0}});
}

TEST_CASE("An operation issues at the first edge at which its result is there", "[sm]") {
    // At 1 GHz; a load takes 1 fs to the memory, and the latency.
    auto issued_after = [](const char* latency) {
        Script s;
        s.write = [](auto& w, unsigned) {
            w.access(WarpOpKind::load, 16, 1, 4, word(0, 4));
            w.barrier(~0u, 1);
        };
        ScriptRig rig({s}, {{"clock", "1GHz"}}, 1, {}, {{"latency", latency}});
        rig.trace();
        rig.run();
        return rig.issues().at(1).cycle;
    };
    CHECK(issued_after("99999999fs") == 100); // there at the edge
    CHECK(issued_after("100ns") == 101);      // a femtosecond late
}

TEST_CASE("An operation that needs the first of two loads does not wait for the second", "[sm]") {
    // The last of the second load's 31 accesses follows its first after 15 ns.
    auto issued_after = [](std::uint64_t waits) {
        Script s;
        s.write = [waits](auto& w, unsigned) {
            w.access(WarpOpKind::load, 16, 1, 4, word(0, 4));
            w.access(WarpOpKind::load, 32, ~1u, 4, word(0, 128));
            w.barrier(~0u, waits);
        };
        ScriptRig rig({s}, {{"clock", "1GHz"}}, 1, {}, {{"latency", "99999999fs"}});
        rig.trace();
        rig.run();
        return rig.issues().at(2).cycle;
    };
    CHECK(issued_after(2) == 100);
    CHECK(issued_after(1) == 1 + 100 + 15);
    CHECK(issued_after(3) == 1 + 100 + 15);
}

} // namespace memsim::scheduler_test
