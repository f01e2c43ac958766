#include "flash/channel/channel.hh"
#include "flash/nand/package.hh"
#include "probes.hh"
#include "support.hh"

namespace memsim::channel_test {

using namespace memsim::test_flash;
constexpr Tick ms = 1000 * us;
using flash::Channel;
using protocol::FlashClass;
using protocol::FlashOp;
using protocol::FlashPlace;

namespace {

/// MLC with one time for all pages: tR 75 us, tPROG 750 us. Bus: 1 GB/s, so a byte takes 1 ns; a
/// command takes 20 + 7 x 25 = 195 ns, a program's 70 + 21 more. Links: 1 ns from the controller,
/// tWB 100 and tRR 20 ns.
struct Bench {
    Machine machine;
    explicit Bench(const Arguments& more = {}, unsigned registers = 1, unsigned packages = 2,
                   const char* suspend = "none") {
        machine.add("controller", "test_flash.Controller", {});
        machine.add("channel", "flash.Channel",
                    with({{"packages", std::to_string(packages)},
                          {"rate", "1GB/s"},
                          {"registers", std::to_string(registers)}},
                         more));
        machine.bind("controller", "to", "channel", "controller");
        const bool independent = !pick(more, {"independent_planes"}).empty();
        for (unsigned i = 0; i < packages; ++i) {
            const std::string path = "package[" + std::to_string(i) + "]";
            machine.add(path, "flash.Package",
                        {{"dies", "2"},
                         {"planes", "2"},
                         {"blocks", "8"},
                         {"pages", "8"},
                         {"media", "mlc"},
                         {"suspend", suspend},
                         {"registers", std::to_string(registers)},
                         {"independent_planes", independent ? "true" : "false"}});
            machine.bind("channel", path, path, "io[0]");
        }
        machine.build();
    }
    Channel& channel() { return machine.get<Channel>("channel"); }
    Bench& at(Tick when, FlashOp op, FlashPlace place, FlashClass urgency = FlashClass::normal) {
        machine.get<Controller>("controller")
            .state.script.push({when,
                                {place,
                                 {},
                                 4096,
                                 tags++,
                                 op == FlashOp::read ? std::uint16_t {8} : std::uint16_t {0},
                                 op,
                                 urgency}});
        return *this;
    }
    /// The same of a collection that other programs wait for.
    Bench& collect(Tick when, FlashOp op, FlashPlace place, bool begins = false) {
        at(when, op, place, FlashClass::mapping);
        auto& script = machine.get<Controller>("controller").state.script;
        script[script.size() - 1].request.collects = true;
        script[script.size() - 1].request.begins = begins;
        return *this;
    }
    /// Time of the response to the i-th request, after a clean run.
    std::vector<Tick> answers() {
        run(machine);
        std::vector<Tick> at(tags);
        for (const auto& s : machine.get<Controller>("controller").state.log)
            at[s.response.tag] = s.at;
        return at;
    }
    std::uint32_t tags = 0;
};

constexpr FlashPlace page(unsigned p, unsigned package = 0, unsigned die = 0, unsigned plane = 0,
                          unsigned block = 0) {
    return {block, static_cast<std::uint16_t>(p), static_cast<std::uint16_t>(package),
            static_cast<std::uint8_t>(die), static_cast<std::uint8_t>(plane)};
}

constexpr Tick command = 195 * ns, wires = 120 * ns, data = 4096 * ns, sense = 75 * us;
constexpr Tick program_command = command + 91 * ns + data;
constexpr Tick read_alone = 1 * ns + command + wires + sense + data + 1; // and 1 fs to answer

} // namespace

TEST_CASE("A read takes command, tWB, tR, tRR and its data, to the tick", "[flash]") {
    Bench b;
    b.at(0, FlashOp::read, page(0));
    CHECK(b.answers()[0] == read_alone);
    CHECK(value(b.channel().stat.bus_busy) == static_cast<std::uint64_t>(command + data));
}

TEST_CASE("Reads of a page that is sensed or in a register share one sensing", "[flash]") {
    const Tick column = 7 * 25 * ns; // another column of the register
    const auto senses = [](const Bench& b) {
        return b.machine.get<flash::Package>("package[0]").stat.senses.value();
    };
    for (const bool joins : {false, true}) {
        Bench b(Arguments {{"join_reads", joins ? "true" : "false"}});
        b.at(0, FlashOp::read, page(0)).at(0, FlashOp::read, page(0)); // waits with the first
        b.at(10 * us, FlashOp::read, page(0));                         // while it is sensed
        b.at(read_alone + 1 * us, FlashOp::read, page(0));             // the register is full still
        b.at(0, FlashOp::read, page(1));                               // another page
        const auto answers = b.answers();
        INFO(joins);
        CHECK(answers[0] == read_alone);
        CHECK(senses(b) == (joins ? 2 : 5));
        if (!joins) continue;
        for (unsigned i = 1; i < 4; ++i) CHECK(answers[i] == answers[i - 1] + column + data);
        CHECK(answers[4] > answers[3] + sense); // when the register is free
        CHECK(b.channel().stat.joined_reads.value() == 3);
    }
    Bench late(Arguments {{"join_reads", "true"}});
    late.at(0, FlashOp::read, page(0)).at(read_alone + 1, FlashOp::read, page(0));
    CHECK(late.answers()[1] == read_alone + 1 + read_alone); // its data were overwritten
    CHECK(senses(late) == 2);
}

TEST_CASE("A program takes command and data, tWB, tPROG and tRR; an erase five cycles", "[flash]") {
    Bench b;
    b.at(0, FlashOp::program, page(0));
    b.at(2000 * us, FlashOp::erase, page(0));
    const auto at = b.answers();
    CHECK(at[0] == 1 * ns + program_command + wires + 750 * us + 1);
    CHECK(at[1] == 2000 * us + 1 * ns + (20 + 5 * 25) * ns + wires + 3800 * us + 1);
}

TEST_CASE("The bus is shared: data wait for a command, a command for data", "[flash]") {
    Bench b;
    b.at(0, FlashOp::read, page(0)).at(0, FlashOp::read, page(0, 1));
    auto at = b.answers();
    CHECK(at[0] == read_alone);
    CHECK(at[1] == read_alone + data); // sensed a command later, but the bus is taken

    Bench c; // a program's data just before the first page is ready: it waits for them
    c.at(0, FlashOp::read, page(0));
    const Tick ready = 1 * ns + command + wires + sense;
    c.at(ready - 10 * ns, FlashOp::program, page(0, 1));
    at = c.answers();
    CHECK(at[0] == ready - 9 * ns + program_command + data + 1);
}

TEST_CASE("Planes of one die work in sequence, two dies in parallel", "[flash]") {
    Bench b(Arguments {{"multi_plane", "false"}});
    b.at(0, FlashOp::read, page(0)).at(0, FlashOp::read, page(1, 0, 0, 1));
    b.at(0, FlashOp::read, page(2, 0, 1));
    const auto at = b.answers();
    CHECK(at[0] == read_alone);
    CHECK(at[2] == read_alone + data);
    // The second plane's command waits for the end of the first one's data (one register), then for
    // the other die's.
    CHECK(at[1] == read_alone + data + command + wires + sense + data);
}

TEST_CASE("dies_at_once: a package whose dies work one at a time", "[flash]") {
    Bench b(Arguments {{"dies_at_once", "1"}});
    b.at(0, FlashOp::read, page(0)).at(0, FlashOp::read, page(1, 0, 1));
    const auto at = b.answers();
    CHECK(at[1] == at[0] + command + wires + sense + data);
}

TEST_CASE("dies_at_once counts dies, also if their planes are independent", "[flash]") {
    Bench b(Arguments {{"dies_at_once", "1"}, {"independent_planes", "true"}});
    b.at(0, FlashOp::read, page(0)).at(0, FlashOp::read, page(1, 0, 0, 1));
    b.at(0, FlashOp::read, page(2, 0, 1));
    const auto at = b.answers();
    CHECK(at[0] == read_alone);
    CHECK(at[1] == read_alone + data); // the other plane of the same die: sensed at once
    CHECK(at[2] == at[1] + command + wires + sense + data);
}

TEST_CASE("A rate of the bus with which time would end is refused", "[flash]") {
    CHECK(error_of([] {
              Bench b(Arguments {{"rate", "999kB/s"}});
          }) ==
          "channel.rate: '999kB/s' must be 0 or at least 1MB/s (Rate of the bus; 0: that of the "
          "preset)");
    CHECK_NOTHROW(Bench(Arguments {{"rate", "0B/s"}}));
}

TEST_CASE("The same page of two planes is one operation, other pages are two", "[flash]") {
    Bench b;
    b.at(0, FlashOp::read, page(0, 1));
    b.at(0, FlashOp::read, page(3, 0, 0, 0, 1)).at(0, FlashOp::read, page(3, 0, 0, 1, 2));
    const auto at = b.answers();
    CHECK(value(b.channel().stat.commands) == 2);
    const Tick both = command + 500 * ns + 7 * 25 * ns; // its package is examined first
    CHECK(at[1] == 1 * ns + both + wires + sense + data + 1);
    CHECK(at[2] == at[1] + data);

    Bench c;
    c.at(0, FlashOp::read, page(0, 1));
    c.at(0, FlashOp::read, page(3)).at(0, FlashOp::read, page(4, 0, 0, 1));
    c.answers();
    CHECK(value(c.channel().stat.commands) == 3);
}

TEST_CASE("With a second register, the next page is sensed while the first is transferred",
          "[flash]") {
    Bench one({}, 1, 1), two({}, 2, 1);
    for (Bench* b : {&one, &two}) b->at(0, FlashOp::read, page(0)).at(0, FlashOp::read, page(1));
    CHECK(one.answers()[1] == read_alone + command + wires + sense + data);
    // tRR and the ready wire of the first do not hold up the second.
    CHECK(two.answers()[1] == read_alone + sense);
}

TEST_CASE("Reads precede programs, mapping precedes data, old precedes young", "[flash]") {
    Bench b({}, 1, 1);
    b.at(0, FlashOp::erase, page(0, 0, 0, 0, 7)); // keeps the die
    b.at(10 * us, FlashOp::program, page(0));
    b.at(20 * us, FlashOp::read, page(0, 0, 0, 0, 1));
    b.at(30 * us, FlashOp::read, page(1, 0, 0, 0, 1), FlashClass::mapping);
    b.at(40 * us, FlashOp::read, page(2, 0, 0, 0, 1));
    const auto at = b.answers();
    CHECK(at[3] < at[2]);
    CHECK(at[2] < at[4]);
    CHECK(at[4] < at[1]);
}

TEST_CASE("Programs of a package wait until its last collection has ended, of others they do not",
          "[flash]") {
    Bench b;
    b.collect(0, FlashOp::read, page(0), true);
    b.at(1 * us, FlashOp::program, page(0, 0, 1, 0, 2)); // of a die that has nothing to do
    b.at(1 * us, FlashOp::program, page(0, 1));          // of another package
    b.collect(2 * ms, FlashOp::program, page(0, 0, 1, 0, 3));
    b.collect(5 * ms, FlashOp::erase, page(0, 0, 1, 1, 4), true); // a second one, without pages
    b.collect(6 * ms, FlashOp::erase, page(0));
    const auto at = b.answers();
    CHECK(at[2] < 1 * ms);
    CHECK(at[3] == 2 * ms + 1 * ns + program_command + wires + 750 * us + 1);
    CHECK(at[5] > at[4]);
    CHECK(at[1] == at[5] - 1 + program_command + wires + 750 * us + 1);
}

TEST_CASE("A read is sent to a die whose erase it suspends, a program is not", "[flash]") {
    const Tick erase = 3800 * us, stop = 20 * us;
    for (const char* suspend : {"none", "erases"}) {
        Bench b({}, 1, 1, suspend);
        b.at(0, FlashOp::erase, page(0, 0, 0, 0, 1));
        b.at(1 * ms, FlashOp::read, page(0)).at(1 * ms, FlashOp::program, page(0, 0, 0, 1));
        const auto answers = b.answers();
        const bool suspends = suspend == std::string("erases");
        INFO(suspend);
        const Tick erased =
            1 * ns + command - 2 * 25 * ns + wires + erase + (suspends ? stop + sense : 0) + 1;
        CHECK(answers[0] == erased);
        CHECK(answers[1] ==
              (suspends ? 1 * ms + stop + read_alone : erased - 1 + read_alone - 1 * ns));
        CHECK(answers[2] > erased + 750 * us);
    }
}

TEST_CASE("An idle channel costs no event", "[flash]") {
    Bench b;
    run(b.machine);
    CHECK(b.machine.sim().events_executed() == 0);
    Bench one({}, 1, 2), many({}, 1, 60); // idle packages cost nothing either
    for (Bench* c : {&one, &many}) c->at(0, FlashOp::read, page(0)), c->answers();
    CHECK(one.machine.sim().events_executed() == many.machine.sim().events_executed());
}

TEST_CASE("Invalid parameters of a channel give an error message", "[flash]") {
    CHECK(error_of([] {
              Bench b(Arguments {{"dies", "64"}});
          }) ==
          "channel.planes: there are 128 planes in a package: dies x planes is at most 64 on a "
          "channel");
    CHECK(error_of([] {
              Bench b(Arguments {{"dies_at_once", "3"}});
          }) == "channel.dies_at_once: exceeds the package's 2 dies");
    CHECK(error_of([] {
              Bench b(Arguments {{"packages", "0"}}, 1, 0);
          }).find("channel.packages: ") == 0);
    CHECK(error_of([] {
              Machine machine;
              machine.add("controller", "test_flash.Controller", {});
              machine.add("channel", "flash.Channel", {{"packages", "2"}});
              machine.bind("controller", "to", "channel", "controller");
              for (const std::string path : {"package[0]", "package[1]"}) {
                  machine.add(path, "flash.Package",
                              {{"dies", "2"},
                               {"planes", "2"},
                               {"suspend", path == "package[0]" ? "erases" : "none"}});
                  machine.bind("channel", path, path, "io[0]");
              }
              machine.build();
          }) == "channel.packages: some suspend erases and some do not: give all the same "
                "`suspend`");
    CHECK(error_of([] {
              Bench b;
              b.at(0, FlashOp::read, page(0, 0, 2)); // of dies 0 and 1
              b.machine.start(), b.machine.run(never);
          }) == "channel: a request names a plane that does not exist: give drive, channels and "
                "packages the same geometry");
}

} // namespace memsim::channel_test
