#include "script.hh"

namespace memsim::dispatcher_test {

using namespace memsim::test;
using gpu_program::WarpOpKind;

namespace {

Script computing(unsigned blocks, unsigned instructions) {
    Script s;
    s.blocks = blocks;
    s.write = [=](auto& w, unsigned) { w.compute(~0u, instructions); };
    return s;
}

/// Blocks of the first launch that run at the same time on one SM.
unsigned resident(const Script& s, const Arguments& dispatcher = {}) {
    ScriptRig rig({s}, {}, 1, dispatcher);
    rig.machine.run(3'000'000); // 3 ns: the first blocks have come
    return rig.dispatcher().state.applications[0].running();
}

std::vector<unsigned> blocks_of_sms(ScriptRig& rig, unsigned sms) {
    std::vector<unsigned> blocks;
    for (unsigned i = 0; i < sms; ++i)
        blocks.push_back(static_cast<unsigned>(rig.sm(i).stat.blocks.value()));
    return blocks;
}

unsigned value(ScriptRig& rig, const std::string& stat) {
    return static_cast<unsigned>(rig.machine.stat_value("dispatcher", stat, ""));
}

} // namespace

TEST_CASE("Blocks go to the SM with the most room; no SM holds more than fit", "[dispatcher]") {
    Script s = computing(40, 100);
    s.warps = 16; // 48 slots hold three blocks
    ScriptRig rig(s, {}, 2);
    rig.machine.run(3'000'000);
    CHECK(rig.dispatcher().state.applications[0].running() == 6);
    rig.run();
    CHECK(blocks_of_sms(rig, 2) == std::vector<unsigned> {20, 20});
}

TEST_CASE("The scarcest resource decides how many blocks an SM holds", "[dispatcher]") {
    Script s = computing(100, 100);
    CHECK(resident(s) == 8); // block slots
    s.warps = 8;
    CHECK(resident(s) == 6);     // warp slots
    s.registers_per_thread = 20; // 640 a warp, 5120 a block
    CHECK(resident(s) == 6);
    s.registers_per_thread = 22; // 704 a warp, 5632 a block
    CHECK(resident(s) == 5);
    s.registers_per_thread = 21; // 672 a warp, handed out by 64: as 22
    CHECK(resident(s) == 5);
    CHECK(resident(s, {{"register_unit", "1"}}) == 6);
    s.registers_per_thread = 0;
    s.shared_bytes = 48 * 1024 / 4;
    CHECK(resident(s) == 4);
    s.shared_bytes += 1; // handed out by 128
    CHECK(resident(s) == 3);
    CHECK(resident(s, {{"shared", "64KiB"}}) == 5);
    Script odd = computing(100, 100);
    odd.warps = 5; // of whose registers six are taken
    odd.registers_per_thread = 32;
    CHECK(resident(odd) == 5);
    CHECK(resident(odd, {{"warp_unit", "1"}}) == 6);
}

TEST_CASE("A block that fits in no SM is refused before time 0", "[dispatcher]") {
    Script s = computing(1, 1);
    s.warps = 49;
    CHECK_THROWS_WITH(ScriptRig(s), Catch::Contains("dispatcher: a block of 1568 threads") &&
                                        Catch::Contains("does not fit in an SM of 48 warps"));
    s.warps = 1;
    s.registers_per_thread = 1025;
    CHECK_THROWS_WITH(ScriptRig(s), Catch::Contains("1025 registers"));
    s.registers_per_thread = 0;
    s.shared_bytes = 48 * 1024 + 1;
    CHECK_THROWS_WITH(ScriptRig(s), Catch::Contains("49153 bytes of shared memory"));
}

TEST_CASE("A limit of instructions ends the run after the block that reaches it", "[dispatcher]") {
    ScriptRig rig({computing(100, 99)}, {}, 1, {{"max_instructions", "10000"}}); // 3200 a block
    rig.run();
    CHECK(rig.sm().stat.thread_instructions.value() == 4 * 3200);
}

TEST_CASE("Work is the finished part of the current launch and of a limit of instructions",
          "[dispatcher]") {
    const auto progress = [](const Machine& m) {
        std::string all;
        for (const Work& w : work_of(m))
            all += w.what + " " + std::to_string(w.done) + "/" + std::to_string(w.all) + " " +
                   w.unit + (w.last ? " to the end\n" : "\n");
        return all;
    };
    Script s = computing(40, 100);
    s.warps = 16; // 48 slots hold three blocks
    ScriptRig rig({s}, {}, 1, {{"max_instructions", "1000000"}});
    CHECK(progress(rig.machine) == "dispatcher 0/1000000 thread instructions to the end\n");
    rig.machine.run(3'000'000);
    const std::string given_out = std::to_string(value(rig, "thread_instructions"));
    CHECK(progress(rig.machine) == "dispatcher " + given_out +
                                       "/1000000 thread instructions to the end\n"
                                       "dispatcher: launch 1 0/40 blocks\n");
    while (value(rig, "blocks") < 4) rig.machine.run(rig.machine.sim().now() + 1'000'000);
    CHECK(progress(rig.machine).find("launch 1 1/40 blocks") != std::string::npos);
    rig.run();
    CHECK(progress(rig.machine).find("launch") == std::string::npos);
}

TEST_CASE("A limit of an application's instructions ends it, and no other", "[dispatcher]") {
    Script long_one = computing(100, 99), short_one = computing(2, 99); // 3200 a block
    long_one.launches = 2;
    ScriptRig rig({long_one, short_one}, {}, 1,
                  {{"application_instructions", "10000"}, {"partition", "shared"}});
    rig.run();
    const auto& done = rig.dispatcher().stat.application_instructions;
    CHECK(done[0].value() == 4 * 3200); // of the first launch; the second does not begin
    CHECK(done[1].value() == 2 * 3200);
    CHECK(rig.dispatcher().stat.launches.value() == 2);
}

TEST_CASE("A region of launches is simulated, those before it are not", "[dispatcher]") {
    Script s = computing(2, 9);
    s.launches = 5;
    ScriptRig rig({s}, {}, 1, {{"first_launch", "1"}, {"launches", "3"}});
    rig.run();
    CHECK(rig.dispatcher().stat.launches.value() == 3);
    CHECK(rig.sm().stat.blocks.value() == 6);
    ScriptRig rest({s}, {}, 1, {{"first_launch", "1"}, {"launches", "4294967295"}});
    rest.run();
    CHECK(rest.dispatcher().stat.launches.value() == 4);
    ScriptRig last({s}, {}, 1, {{"first_launch", "4"}});
    last.run();
    CHECK(last.dispatcher().stat.launches.value() == 1);
}

TEST_CASE("A region that begins behind the last launch of all applications is refused",
          "[dispatcher]") {
    Script s = computing(2, 9), longer = s;
    s.launches = 2;
    longer.launches = 5;
    const auto refused = Catch::Contains("dispatcher: first_launch is 5, but there are only 5 "
                                         "launches, so nothing was simulated");
    ScriptRig none({s, longer}, {}, 1, {{"first_launch", "5"}, {"partition", "shared"}});
    CHECK_THROWS_WITH(none.machine.run(never), refused);
    ScriptRig one({s, longer}, {}, 1, {{"first_launch", "4"}, {"partition", "shared"}});
    one.run();
    CHECK(one.dispatcher().stat.launches.value() == 1);
}

TEST_CASE("A run pauses at the start of a launch and continues", "[dispatcher]") {
    Script s = computing(2, 9);
    s.launches = 4;
    ScriptRig rig({s}, {}, 1, {{"pause_at_launch", "2"}});
    CHECK(rig.machine.run(never) == Stop::exit);
    CHECK(rig.machine.sim().exit_cause() == "launch 2 begins");
    CHECK(rig.sm().stat.blocks.value() == 4);
    rig.run();
    CHECK(rig.sm().stat.blocks.value() == 8);
}

TEST_CASE("A run pauses in the tick in which the SMs have issued so many instructions",
          "[dispatcher]") {
    Script s; // each warp issues 11 times 9 instructions, and its end
    s.blocks = 10;
    s.warps = 2;
    s.write = [](auto& w, unsigned) {
        for (unsigned i = 0; i < 11; ++i) w.compute(~0u, 9);
    };
    const auto issued = [](ScriptRig& rig) {
        return rig.sm(0).stat.thread_instructions.value() +
               rig.sm(1).stat.thread_instructions.value();
    };
    const auto pause = [&](unsigned at) {
        ScriptRig rig({s}, {}, 2, {{"pause_at_instructions", std::to_string(at)}});
        REQUIRE(rig.machine.run(never) == Stop::exit);
        CHECK(rig.machine.sim().exit_cause() == std::to_string(at) + " thread instructions issued");
        const std::pair<std::uint64_t, Tick> reached {issued(rig), rig.machine.sim().now()};
        rig.run(); // and does not pause again
        CHECK(issued(rig) == 2 * 10 * 3200);
        return reached;
    };
    const auto [first, edge] = pause(20'000);
    CHECK(first >= 20'000);
    CHECK(pause(static_cast<unsigned>(first)) == std::pair {first, edge});
    const auto [more, later] = pause(static_cast<unsigned>(first) + 1);
    CHECK(more > first);
    CHECK(later > edge);

    // At the edge before, fewer have been issued.
    ScriptRig rig({s}, {}, 2);
    rig.machine.run(edge);
    CHECK(issued(rig) < 20'000);
}

TEST_CASE("A pause at instructions ends the run where it does after a restore", "[dispatcher]") {
    Script s = computing(20, 9);
    const Arguments pause {{"pause_at_instructions", "3000"}};
    ScriptRig rig({s}, {}, 1, pause);
    rig.machine.run(50'000'000);
    REQUIRE(rig.sm().stat.thread_instructions.value() < 3000);
    const Snapshot before = rig.machine.save();
    REQUIRE(rig.machine.run(never) == Stop::exit);
    const Tick at = rig.machine.sim().now();
    const Snapshot paused = rig.machine.save();

    ScriptRig back({s}, {}, 1, pause);
    back.machine.load(before);
    CHECK(back.machine.run(never) == Stop::exit);
    CHECK(back.machine.sim().now() == at);

    ScriptRig behind({s}, {}, 1, pause);
    behind.machine.load(paused);
    CHECK(behind.machine.run(never) == Stop::idle);
}

TEST_CASE("Applications have their own SMs: evenly divided, or by a list", "[dispatcher]") {
    const std::vector<Script> two {computing(12, 10), computing(20, 10)};
    ScriptRig even(two, {}, 5); // three and two
    even.run();
    CHECK(blocks_of_sms(even, 5) == std::vector<unsigned> {4, 4, 4, 10, 10});
    ScriptRig listed(two, {}, 5, {{"sm_split", "1, 4"}});
    listed.run();
    CHECK(blocks_of_sms(listed, 5) == std::vector<unsigned> {12, 5, 5, 5, 5});
}

TEST_CASE("Applications that share SMs are side by side in one", "[dispatcher]") {
    Script wide = computing(4, 1000), narrow = computing(4, 1000);
    wide.warps = 20, narrow.warps = 8; // 20 + 8 + 20 of 48
    ScriptRig rig({wide, narrow}, {}, 1, {{"partition", "shared"}});
    rig.machine.run(3'000'000);
    CHECK(rig.dispatcher().state.applications[0].running() == 2);
    CHECK(rig.dispatcher().state.applications[1].running() == 1);
    CHECK(rig.sm().state.blocks[1].application == 1);
    rig.run();
    CHECK(rig.sm().stat.blocks.value() == 8);
}

TEST_CASE("Launches of different streams run concurrently; launches of one stream run in order",
          "[dispatcher]") {
    Script one = computing(4, 1000), two = computing(1, 1000);
    one.warps = 20, two.warps = 8, two.launches = 3; // 20 + 20 + 8 of 48
    one.others = {two};
    ScriptRig rig({one}, {}, 1);
    const auto& streams = rig.dispatcher().state.applications[0].streams;
    rig.machine.run(3'000'000);
    // The launch that began first has all its blocks handed out first.
    CHECK(streams[0].running == 2);
    CHECK(streams[1].running == 0);
    bool beside = false;
    std::uint32_t last = 0;
    while (rig.dispatcher().pending()) {
        rig.machine.run(rig.machine.sim().now() + 10'000'000);
        beside |= streams[0].running && streams[1].running;
        CHECK(streams[1].launch >= last);
        last = streams[1].launch;
        CHECK(rig.dispatcher().state.applications[0].under_way <= 2);
    }
    CHECK(beside);
    rig.run();
    CHECK(rig.sm().stat.blocks.value() == 4 + 3);
    CHECK(value(rig, "launches") == 4);
    // All cycles in which any launch was in progress, each once.
    CHECK(value(rig, "cycles") == value(rig, "application_cycles[0]"));
}

TEST_CASE("Streams that take no room from each other take the time of the longest",
          "[dispatcher]") {
    Script one = computing(1, 1000);
    ScriptRig alone({one}, {}, 2);
    alone.run();
    Script both = one;
    both.others = {one};
    ScriptRig rig({both}, {}, 2);
    rig.run();
    CHECK(blocks_of_sms(rig, 2) == std::vector<unsigned> {1, 1});
    CHECK(rig.cycles() < 1.01 * alone.cycles());
    // An application that is begun again begins all of its streams again.
    Script longer = computing(1, 2500);
    ScriptRig again({longer, both}, {}, 3, {{"when_one_ends", "repeat"}});
    again.run();
    CHECK(value(again, "application_repeats[1]") >= 2);
    const unsigned launches = value(again, "launches");
    CHECK(launches >= 1 + 2 * 3);
}

TEST_CASE("Each application has its own address range", "[dispatcher]") {
    Script a = computing(1, 1000), b = computing(1, 1000);
    a.footprint = 10'000;
    auto bases = [&](const Arguments& dispatcher) {
        ScriptRig rig({a, b}, {}, 2, dispatcher);
        rig.machine.run(3'000'000);
        return std::pair(rig.sm(0).state.blocks[0].base, rig.sm(1).state.blocks[0].base);
    };
    CHECK(bases({}) == std::pair<std::uint64_t, std::uint64_t>(0, 12 * 1024));
    CHECK(bases({{"base_alignment", "1MiB"}}) ==
          std::pair<std::uint64_t, std::uint64_t>(0, 1 << 20));
    CHECK(bases({{"bases", "1GiB,16KiB"}}) ==
          std::pair<std::uint64_t, std::uint64_t>(1 << 30, 16384));
    CHECK(bases({{"translated", "true"}}) == std::pair<std::uint64_t, std::uint64_t>(0, 0));
}

TEST_CASE("Requests carry their application and its address range", "[dispatcher]") {
    Script a = computing(1, 1), b;
    b.write = [](auto& w, unsigned) { w.access(WarpOpKind::load, 16, ~0u, 4, word(256, 128)); };
    ScriptRig rig({a, b}, {}, 2, {{"bases", "0B,1GiB"}}, {{"queue", "1"}});
    rig.machine.run(5'000'000); // the memory takes one of the 32 at a time
    const auto& waiting = rig.sm(1).state.accesses.accesses;
    REQUIRE(waiting.size() > 20);
    CHECK(waiting.back().request.address == (1 << 30) + 256 + 31 * 128);
    CHECK(waiting.back().request.application == 1);
    rig.run();
}

TEST_CASE("When one application ends the others run on, or it repeats, or all stop",
          "[dispatcher]") {
    Script brief = computing(10, 99), lengthy = computing(10, 99); // 3200 instructions a block
    brief.launches = 2, lengthy.launches = 7;
    auto run = [&](const char* rule) {
        auto rig = std::make_unique<ScriptRig>(std::vector<Script> {brief, lengthy}, Arguments {},
                                               2, Arguments {{"when_one_ends", rule}});
        rig->run();
        return rig;
    };
    const auto on = run("run_on");
    CHECK(blocks_of_sms(*on, 2) == std::vector<unsigned> {20, 70});
    CHECK(value(*on, "application_instructions[0]") == 20 * 3200);
    CHECK(value(*on, "application_instructions[1]") == 70 * 3200);
    CHECK(on->machine.stat_value("dispatcher", "application_end[0]", "") <
          on->machine.stat_value("dispatcher", "application_end[1]", "") / 3);

    const auto stopped = run("stop");
    const auto of_both = blocks_of_sms(*stopped, 2);
    CHECK(of_both[0] == 20);
    CHECK(of_both[1] >= 20);
    CHECK(of_both[1] <= 30);
    CHECK(value(*stopped, "application_end[1]") == 0);

    const auto again = run("repeat");
    CHECK(value(*again, "application_repeats[0]") == 3);
    CHECK(value(*again, "application_repeats[1]") == 0);
    // Repeats are not counted for the application, only in the sums.
    CHECK(value(*again, "application_instructions[0]") == 20 * 3200);
    CHECK(value(*again, "thread_instructions") > 20 * 3200 + 70 * 3200 + 40 * 3200);
    CHECK(blocks_of_sms(*again, 2)[1] == 70);
    // Alone on its SM, the first one is equally fast in both cases.
    CHECK(value(*again, "application_cycles[0]") == value(*on, "application_cycles[0]"));
    const double sum = on->machine.stat_value("dispatcher", "ipc_sum", "");
    CHECK(sum == Approx(on->machine.stat_value("dispatcher", "application_ipc[0]", "") +
                        on->machine.stat_value("dispatcher", "application_ipc[1]", "")));
    CHECK(on->machine.stat_value("dispatcher", "application_ipc[0]", "") ==
          Approx(20 * 3200.0 / value(*on, "application_cycles[0]")));
}

TEST_CASE("An application that never takes time is not begun again for ever", "[dispatcher]") {
    Script empty;
    empty.launches = 0;
    ScriptRig rig({empty, computing(10, 99)}, {}, 2, {{"when_one_ends", "repeat"}});
    rig.run();
    CHECK(value(rig, "application_repeats[0]") == 0);
    CHECK(rig.sm(1).stat.blocks.value() == 10);
}

TEST_CASE("A machine that applications cannot share is refused before time 0", "[dispatcher]") {
    const std::vector<Script> two(2);
    auto refused = [&](unsigned sms, const Arguments& dispatcher) {
        try {
            ScriptRig rig(two, {}, sms, dispatcher);
        } catch (const ConfigError& e) {
            return std::string(e.what());
        }
        return std::string("accepted");
    };
    CHECK(refused(1, {}) == "dispatcher.sms: 2 applications need one SM each, but there are 1: use "
                            "more SMs, or partition='shared'");
    CHECK(refused(4, {{"sm_split", "2,1"}}) == "dispatcher.sm_split: '2,1' is for 2 applications "
                                               "and 3 SMs, but there are 2 and 4");
    CHECK(refused(4, {{"sm_split", "4"}}) == "dispatcher.sm_split: '4' is for 1 applications and 4 "
                                             "SMs, but there are 2 and 4");
    CHECK(refused(4, {{"sm_split", "4,0"}}) ==
          "dispatcher.sm_split: each application needs at least one SM");
    CHECK_THAT(refused(4, {{"sm_split", "3,x"}}), Catch::StartsWith("dispatcher.sm_split: 'x'"));
    CHECK_THAT(refused(4, {{"sm_split", "2,2"}, {"partition", "shared"}}),
               Catch::Contains("have no SMs of their own"));
    CHECK_THAT(refused(2, {{"bases", "0B,1KiB"}}),
               Catch::Contains("the data of application 0 in memory from address 0 to ") &&
                   Catch::Contains(
                       ", where dispatcher has the data of application 1, from address 1024 to"));
    CHECK_THAT(refused(2, {{"bases", "0B"}}), Catch::Contains("1 addresses for 2 applications"));
    CHECK_THAT(refused(2, {{"bases", "0B,7"}}), Catch::StartsWith("dispatcher.bases: "));
    CHECK_THAT(refused(2, {{"bases", "0B,1MiB"}, {"translated", "true"}}),
               Catch::Contains("an MMU places pages"));
    CHECK_THAT(refused(2, {{"warp_slots", "0"}}), Catch::Contains("from 1 to 128"));
    CHECK_THAT(refused(2, {{"block_slots", "0"}}), Catch::Contains("from 1 to 64"));
}

namespace {

/// What was counted during launches: 'kernel: instructions, dispatched in it, loads of its SMs'.
std::vector<std::string> counted(Machine& m) {
    std::vector<std::string> all;
    Launches& launches = m.sim().launches();
    for (const Launches::Row& row : launches.take_rows()) {
        std::string text = row.launch.kernel + ": " + std::to_string(row.launch.instructions);
        for (const Launches::Counted& c : row.counted) {
            const Launches::Total& t = launches.totals()[c.total];
            for (const char* shown : {"dispatcher.thread_instructions", "sm[*].load_latency.count"})
                if (t.path + "." + t.name == shown) text += ", " + to_text(Int128(c.value));
        }
        all.push_back(text);
    }
    return all;
}

/// Three launches of four blocks on two SMs, each block with a load and 320 instructions.
Script loading() {
    Script s = computing(4, 9);
    s.launches = 3;
    s.write = [](auto& w, unsigned) {
        w.compute(~0u, 8);
        w.access(WarpOpKind::load, 16, ~0u, 4, word(0, 4));
        w.compute(~0u, 1, 1); // waits for it
    };
    return s;
}

} // namespace

TEST_CASE("The counters of a launch are complete if the statistics are reset during it",
          "[dispatcher][launches]") {
    ScriptRig rig(loading(), {}, 2);
    rig.run();
    const auto whole = counted(rig.machine);
    REQUIRE(whole.size() == 3);
    CHECK(whole[0] == "kernel 1: " + std::to_string(value(rig, "thread_instructions") / 3) + ", " +
                          std::to_string(value(rig, "thread_instructions") / 3) + ", 4");
    CHECK(whole[2].substr(9) == whole[0].substr(9));

    ScriptRig other(loading(), {}, 2);
    for (Tick at = 0; at < 3'000'000'000; at += 10'000'000) {
        other.machine.run(at);
        other.machine.reset_stats();
    }
    CHECK(counted(other.machine) == whole);
}

TEST_CASE("A launch in progress continues after a restore and is counted as a whole",
          "[dispatcher][launches]") {
    ScriptRig rig(loading(), {}, 2);
    for (Tick at = 0; rig.dispatcher().stat.launches.value() < 2; at += 10'000'000)
        rig.machine.run(at);
    const Snapshot snapshot = rig.machine.save();
    rig.run();
    const auto rest = counted(rig.machine);
    REQUIRE(rest.size() == 3); // the first had ended, but was not consumed

    ScriptRig restored(loading(), {}, 2);
    restored.machine.load(snapshot);
    restored.run();
    CHECK(counted(restored.machine) == rest);
    CHECK(rig.machine.digest() == restored.machine.digest());
}

TEST_CASE("The longest launch is the greatest of their times", "[dispatcher]") {
    Script s = computing(1, 100);
    s.launches = 2;
    s.warps_of_launch = {1, 40}; // the second takes longer
    ScriptRig rig(s);
    rig.run();
    const auto rows = rig.machine.sim().launches().take_rows();
    const auto time = [&](int i) { return rows[i].launch.ended - rows[i].launch.started; };
    REQUIRE(time(1) > time(0));
    CHECK(rig.dispatcher().stat.longest_launch.value() == static_cast<std::uint64_t>(time(1)));
    rig.machine.reset_stats();
    CHECK(rig.dispatcher().stat.longest_launch.value() == 0);
}

} // namespace memsim::dispatcher_test
