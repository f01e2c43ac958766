#include "flash/nand/package.hh"
#include "probes.hh"
#include "support.hh"

namespace memsim::package_test {

using namespace memsim::test_flash;
using flash::Package;
using protocol::FlashOp;
using protocol::FlashPlace;

namespace {

/// Z-NAND: tR 3 us, tPROG 100 us, tBERS 1 ms; commands and ready take 1 ns each.
struct Bench {
    Machine machine;
    explicit Bench(const Arguments& more = {}) {
        machine.add("pins", "test_flash.Pins", {});
        machine.add(
            "package", "flash.Package",
            with({{"dies", "2"}, {"planes", "2"}, {"blocks", "4"}, {"pages", "4"}, {"t_rr", "1ns"}},
                 more));
        machine.bind("pins", "to", "package", "io[0]");
        machine.build();
    }
    Package& package() { return machine.get<Package>("package"); }
    Bench& at(Tick when, FlashOp op, FlashPlace place, unsigned reg = 0, bool more = false) {
        machine.get<Pins>("pins").state.script.push(
            {when, {place, {}, 0, static_cast<std::uint8_t>(reg), op, more}});
        return *this;
    }
    const std::vector<Pins::Seen>& log() { return machine.get<Pins>("pins").state.log; }
};

constexpr FlashPlace page(unsigned p, unsigned plane = 0, unsigned die = 0, unsigned block = 0) {
    return {block, static_cast<std::uint16_t>(p), 0, static_cast<std::uint8_t>(die),
            static_cast<std::uint8_t>(plane)};
}

} // namespace

TEST_CASE("A package's operations take tPROG, tR and tBERS, to the tick", "[flash]") {
    Bench b;
    b.at(0, FlashOp::program, page(0), 0);
    b.at(200 * us, FlashOp::read, page(0));
    b.at(300 * us, FlashOp::erase, page(0));
    run(b.machine);
    REQUIRE(b.log().size() == 3);
    CHECK(b.log()[0].at == 100 * us + 2 * ns);
    CHECK(b.log()[1].at == 203 * us + 2 * ns);
    CHECK(b.log()[2].at == 1300 * us + 2 * ns);
}

TEST_CASE("A die does one operation at a time, dies do not wait for each other", "[flash]") {
    Bench b(Arguments {{"registers", "2"}});
    b.at(0, FlashOp::program, page(0), 0);
    b.at(0, FlashOp::program, page(0, 1), 1);    // the same die: waits in its register
    b.at(0, FlashOp::program, page(0, 0, 1), 0); // the other one
    run(b.machine);
    CHECK(b.log()[0].at == 100 * us + 2 * ns);
    CHECK(b.log()[1].at == 100 * us + 2 * ns);
    CHECK(b.log()[2].at == 200 * us + 2 * ns);
    CHECK(value(b.package().stat.cached) == 1);
}

TEST_CASE("Planes of one command work together; independent planes need none", "[flash]") {
    Bench together;
    together.at(0, FlashOp::program, page(0), 0, true).at(0, FlashOp::program, page(0, 1, 0, 3));
    run(together.machine);
    CHECK(together.log()[1].at == 100 * us + 2 * ns);
    CHECK(value(together.package().stat.operations) == 1);
    CHECK(value(together.package().stat.programs) == 2);

    Bench apart(Arguments {{"independent_planes", "true"}});
    apart.at(0, FlashOp::program, page(0)).at(10 * us, FlashOp::program, page(0, 1));
    run(apart.machine);
    CHECK(apart.log()[0].at == 100 * us + 2 * ns);
    CHECK(apart.log()[1].at == 110 * us + 2 * ns);
}

TEST_CASE("Page types of a multi-level cell have times of their own", "[flash]") {
    Bench b(Arguments {{"media", "tlc"}});
    for (unsigned p = 0; p < 4; ++p) b.at(p * 10'000 * us, FlashOp::program, page(p));
    run(b.machine);
    CHECK(b.log()[0].at == 820'500 * ns + 2 * ns);
    CHECK(b.log()[1].at == (10'000 + 2225) * us + 2 * ns);
    CHECK(b.log()[2].at == (20'000 + 5734) * us + 2 * ns);
    CHECK(b.log()[3].at == 30'000 * us + 820'500 * ns + 2 * ns);
}

TEST_CASE("A read suspends an erase, which then takes its whole time", "[flash]") {
    // Block 1 is written first; the erase of block 0 begins at 200 us and 1 ns. Suspended
    // operations stop after 20 us, at the earliest 100 us after they began or were resumed.
    const Tick erase = 200 * us + 1 * ns, ms = 1000 * us;
    const auto done = [&](const char* suspend, std::vector<Tick> reads) {
        Bench b(Arguments {{"registers", "3"}, {"suspend", suspend}});
        b.at(0, FlashOp::program, page(0, 0, 0, 1), 0).at(200 * us, FlashOp::erase, page(0));
        for (unsigned i = 0; i < reads.size(); ++i)
            b.at(reads[i] - 1 * ns, FlashOp::read, page(0, 0, 0, 1), i);
        run(b.machine);
        Tick erased = 0, first_read = 0;
        for (const auto& seen : b.log()) {
            if (seen.response.op == FlashOp::erase) erased = seen.at - 1 * ns - erase;
            if (seen.response.op == FlashOp::read && seen.response.reg == 0)
                first_read = seen.at - 1 * ns - reads[0];
        }
        CHECK(b.package().stat.erase_time.value() == static_cast<Uint128>(1 * ms));
        CHECK(b.package().stat.suspensions.value() == static_cast<Uint128>(erased > 1 * ms));
        return std::pair {first_read, erased};
    };
    const Tick stop = 20 * us, sense = 3 * us;
    CHECK(done("none", {erase + 500 * us}) == std::pair {500 * us + sense, 1 * ms});
    CHECK(done("erases", {erase + 500 * us}) == std::pair {stop + sense, 1 * ms + stop + sense});
    // Reads that come while it is suspended are served first; a second suspension does not pay.
    CHECK(done("erases", {erase + 500 * us, erase + 510 * us, erase + 525 * us}) ==
          std::pair {stop + sense, 1 * ms + stop + 3 * sense});
    // Not before it has worked for 100 us, and not if it ends as soon.
    CHECK(done("erases", {erase + 100 * us - 1}) ==
          std::pair {stop + sense + 1, 1 * ms + stop + sense});
    CHECK(done("erases", {erase + 1 * us}) == std::pair {119 * us + sense, 1 * ms + stop + sense});
    CHECK(done("erases", {erase + 980 * us - 1}).second == 1 * ms + stop + sense);
    CHECK(done("erases", {erase + 980 * us}) == std::pair {20 * us + sense, 1 * ms});
}

TEST_CASE("A suspended operation works for suspend_gap before the next suspension", "[flash]") {
    Bench b(Arguments {{"suspend", "erases"}, {"suspend_gap", "300us"}, {"registers", "2"}});
    b.at(0, FlashOp::program, page(0, 0, 0, 1)).at(200 * us, FlashOp::erase, page(0));
    b.at(600 * us, FlashOp::read, page(0, 0, 0, 1), 0); // 600 to 623: suspended; 600 us are left
    b.at(624 * us, FlashOp::read, page(0, 0, 0, 1), 1); // waits until 923
    run(b.machine);
    CHECK(b.log()[1].at == 623 * us + 2 * ns);
    CHECK(b.log()[2].at == 946 * us + 2 * ns);
    CHECK(b.log()[3].at == 1246 * us + 2 * ns); // 1000 us and twice 23
    CHECK(value(b.package().stat.suspensions) == 2);
}

TEST_CASE("The end of an erase is not delayed by a later end on another die", "[flash]") {
    Bench b(Arguments {{"suspend", "erases"}});
    b.at(0, FlashOp::erase, page(0)).at(950 * us, FlashOp::program, page(0, 0, 1));
    run(b.machine);
    CHECK(b.log()[0].response.op == FlashOp::erase);
    CHECK(b.log()[0].at == 1000 * us + 2 * ns);
    CHECK(b.log()[1].at == 1050 * us + 2 * ns);
}

TEST_CASE("Programs are suspended if they are to be, and keep their register", "[flash]") {
    for (const bool programs : {false, true}) {
        Bench b(Arguments {{"suspend", programs ? "programs_and_erases" : "erases"},
                           {"suspend_time", "5us"},
                           {"suspend_gap", "10us"},
                           {"registers", "2"}});
        b.at(0, FlashOp::program, page(0), 0).at(200 * us, FlashOp::program, page(1), 0);
        b.at(209 * us, FlashOp::program, page(0, 1), 0);
        b.at(210 * us, FlashOp::read, page(0), 1); // passes the program that waits
        run(b.machine);
        INFO(programs);
        CHECK(b.log()[1].response.op == (programs ? FlashOp::read : FlashOp::program));
        CHECK(b.log()[1].at == (programs ? 218 * us : 300 * us) + 2 * ns);
        CHECK(b.log()[2].at == (programs ? 308 * us : 400 * us) + 2 * ns);
        CHECK(b.log()[3].at == (programs ? 408 * us : 403 * us) + 2 * ns);
        CHECK(b.package().stat.program_time.value() == static_cast<Uint128>(300 * us));
        CHECK(value(b.package().stat.suspensions) == (programs ? 1 : 0));
    }
}

TEST_CASE("A package refuses a checkpoint with works that it cannot have", "[flash]") {
    using Catch::Contains;
    // At 50 us an erase is in progress and a program waits for it.
    const auto fault = [](const std::function<void(Package&)>& forge) {
        const Arguments suspends {{"suspend", "erases"}};
        Bench b(suspends), copy(suspends);
        b.at(0, FlashOp::erase, page(0, 0, 0, 1)).at(10 * us, FlashOp::program, page(0), 0);
        b.machine.start(), b.machine.run(50 * us);
        forge(b.package());
        try {
            copy.machine.load(b.machine.save());
        } catch (const std::exception& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    CHECK(fault([](Package&) {}).empty());
    CHECK_THAT(fault([](Package& p) { p.state.units[0].works[0].port = 1; }),
               Contains("units.works is 1 and not below"));
    CHECK_THAT(fault([](Package& p) { p.state.units[0].works[0].command.place.page = 4; }),
               Contains("units.works is 4 and not below"));
    CHECK_THAT(fault([](Package& p) { p.state.units[0].suspendable[0].command.place.block = 4; }),
               Contains("units.suspendable is 4 and not below"));
    CHECK_THAT(fault([](Package& p) { p.state.units[0].open = 2; }),
               Contains("has more works than it holds"));
    CHECK_THAT(fault([](Package& p) { p.state.units[1].left = 1; }),
               Contains("has suspended no operation"));
    CHECK_THAT(fault([](Package& p) { ++p.state.waiting; }),
               Contains("counts other works than it holds"));
}

TEST_CASE("Breaking a rule of NAND stops the run", "[flash]") {
    const auto fault = [](const std::function<void(Bench&)>& script, const Arguments& more = {}) {
        Bench b(more);
        script(b);
        b.machine.start();
        try {
            b.machine.run(never);
        } catch (const std::exception& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    using Catch::Contains;
    CHECK_THAT(fault([](Bench& b) { b.at(0, FlashOp::read, page(0)); }),
               Contains("an erased page is read"));
    CHECK_THAT(fault([](Bench& b) { b.at(0, FlashOp::program, page(1)); }),
               Contains("out of order"));
    CHECK_THAT(fault([](Bench& b) {
                   b.at(0, FlashOp::program, page(0)).at(200 * us, FlashOp::program, page(0));
               }),
               Contains("twice without an erase"));
    CHECK_THAT(fault([](Bench& b) {
                   b.at(0, FlashOp::program, page(0)).at(1 * us, FlashOp::program, page(1));
               }),
               Contains("a register is assigned to the array twice"));
    CHECK_THAT(fault([](Bench& b) {
                   b.at(0, FlashOp::program, page(0)).at(200 * us, FlashOp::erase, page(0));
                   b.at(2000 * us, FlashOp::read, page(0));
               }),
               Contains("an erased page is read"));
}

TEST_CASE("An idle package causes no events, and untouched blocks need no memory", "[flash]") {
    Bench b(Arguments {{"dies", "8"}, {"planes", "8"}, {"blocks", "1024"}, {"pages", "384"}});
    run(b.machine);
    CHECK(b.machine.sim().events_executed() == 0);
    CHECK(b.package().array().touched() == 0);
}

TEST_CASE("Contradictory parameters of a package are rejected with a message", "[flash]") {
    const auto refusal = [](const Arguments& more) { return error_of([&] { Bench b(more); }); };
    CHECK(refusal({{"dies", "0"}}).find("package.dies: ") == 0);
    CHECK(refusal({{"timing_changes", "tR0=0ns"}}) ==
          "package.timing_changes: tR0 is 0fs: it must be more than 0fs");
    CHECK(refusal({{"timing_changes", "tPROG0=1us"}}) ==
          "package.timing_changes: tPROG0 is 1us, less than tR0 = 3us: the values contradict each "
          "other");
    CHECK(refusal({{"timing_changes", "tERASE=1ms"}}).find("there is no 'tERASE'") !=
          std::string::npos);
    CHECK(refusal({{"dies", "64"}, {"planes", "64"}}) ==
          "package.planes: there are 4096 planes in the package: dies x planes is at most 256");
    CHECK(error_of([] {
              Bench b;
              b.at(0, FlashOp::read, page(0, 0, 0, 4)); // of blocks 0 to 3
              b.machine.start(), b.machine.run(never);
          }) == "package: a command names a place that does not exist: give drive, channels and "
                "packages the same geometry and number of registers");
}

} // namespace memsim::package_test
