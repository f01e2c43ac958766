#include "bench.hh"

#include <catch2/catch.hpp>

namespace memsim::function_test {

/// The functions that take migration off the channel: snarfing, the swap function, its two codings,
/// and a channel of migration's own.
using namespace memsim::test_ohm;
using Clean = std::vector<std::string>;
using A = Arguments;

namespace {

const A at_once {{"behind_writes", "false"}};
constexpr Tick ps = 1000;
constexpr Tick one_way = 3300 * ps;

/// Six reads that make the page hot; the controller decides to swap when it accepts them, 1 ns
/// later.
void heat(Bench& b, std::uint64_t group, std::uint64_t slot, Tick at = 0) {
    for (unsigned i = 0; i < 6; ++i) b.read(at, b.at(group, slot, 1024 + 128 * i));
}
Tick sum(const Distribution& d) { return static_cast<Tick>(d.sum()); }

/// Runs while `until` is false. Returns the last tick at whose start it was false.
template <class Until>
Tick step(Bench& b, Tick from, Tick by, Until&& until) {
    Tick t = from;
    while (!until() && b.machine.run(t + by) == Stop::limit) t += by;
    return t;
}

} // namespace

TEST_CASE("Channel traffic of a swap: four pages, three with snarfing, or a command", "[ohm]") {
    constexpr std::uint64_t page = 2048;
    struct Sent {
        const char* name;
        std::uint64_t channel, snarfed, beside;
    };
    for (const Sent& of : {Sent {"hetero", 4 * page, 0, 0}, Sent {"ohm-base", 4 * page, 0, 0},
                           Sent {"auto-rw", 3 * page, page, 0}, Sent {"ohm-wom", 16, 0, 2 * page},
                           Sent {"ohm-bw", 16, 0, 2 * page}, Sent {"dedicated", 0, 0, 4 * page}}) {
        INFO(of.name);
        Bench b(platform(of.name));
        heat(b, 0, 1);
        CHECK(b.run_to_end() == Clean {});
        const auto& stat = b.controller().stat;
        CHECK(value(stat.swap.swaps) == 1);
        CHECK(b.controller().location(b.at(0, 1)) == 0);
        CHECK(value(stat.channel.migration_bytes) == of.channel);
        CHECK(value(stat.swap.snarfed) == of.snarfed);
        CHECK(value(stat.channel.side_bytes) == of.beside);
    }
}

TEST_CASE("The memory route takes bytes / rate, and 3/2 of this with WOM code", "[ohm]") {
    for (const bool wom : {false, true}) {
        Bench b(platform(wom ? "ohm-wom" : "ohm-bw"));
        heat(b, 0, 1);
        CHECK(b.run_to_end() == Clean {});
        const Tick exact = static_cast<Tick>(2 * 2048 * 1'000'000ull * (wom ? 3 : 2) / 120);
        const Tick taken = static_cast<Tick>(value(b.controller().stat.channel.side_time));
        CHECK(taken <= exact);
        CHECK(taken > exact - 2 * 64); // a femtosecond a burst at most
    }
}

TEST_CASE("Latency of an unloaded swap by XPoint: route, media read, row writes and handshake",
          "[ohm]") {
    Bench b(platform("ohm-bw") + at_once);
    heat(b, 0, 1);
    CHECK(b.run_to_end() == Clean {});
    // SWAP-CMD there; lines of eight partitions at once; DDR commands there, tCWL, 64 bursts of 32
    // bytes; their end back; ready.
    const Tick row = 2048 * 1'000'000ull / 60;
    CHECK(sum(b.controller().stat.swap.command_latency) ==
          one_way + 190 * ns + one_way + 4 * ns + row + one_way + 5 * ns);
}

TEST_CASE("The channel is coded while pieces cross the memory route, to the femtosecond", "[ohm]") {
    for (const bool wom : {false, true}) {
        const A of = platform(wom ? "ohm-wom" : "ohm-bw") + at_once;
        Bench b(of);
        heat(b, 0, 1);
        b.machine.start();
        const auto& state = b.controller().state;
        const auto& swap = state.pages.swaps[0];
        step(b, 0, 1 * ns, [&] { return swap.ordered != 0; });
        // SWAP-CMD there, commands for the open row back: XPoint reads it while its media read.
        const Tick asked = swap.ordered + 2 * one_way;
        b.machine.run(asked + 20 * ns);
        const Tick begin = state.channel.side.free_at;
        b.machine.run(asked + 150 * ns);
        const Tick read = state.channel.side.free_at;
        CHECK(read > begin);
        CHECK_FALSE(state.channel.bus.coded); // XPoint still reads
        b.finish();
        const Tick written = state.channel.side.free_at;

        const std::pair<Tick, bool> edges[] {
            {asked, true}, {read, false}, {asked + 190 * ns, true}, {written, false}};
        for (const auto& [edge, coded] : edges) { // the same run, stopped at its edges
            INFO(edge << " " << coded);
            Bench again(of);
            heat(again, 0, 1);
            again.machine.start();
            const auto& is = again.controller().state.channel.bus.coded;
            again.machine.run(edge); // all before it
            CHECK(is == (wom && !coded));
            again.machine.run(edge + 1);
            CHECK(is == (wom && coded));
        }
    }
}

TEST_CASE(
    "With WOM code a read crosses the channel in 3/2 of its time while pieces of a swap cross",
    "[ohm]") {
    // The read, of another group's page in XPoint, comes so that its data crosses while the row is
    // written: what it takes alone, less the answer's way, before the middle of the writes.
    const A wom_at_once = platform("ohm-wom") + at_once;
    Bench swap(wom_at_once), alone(wom_at_once);
    heat(swap, 0, 1);
    CHECK(swap.run_to_end() == Clean {});
    const auto one = alone.read(0, alone.at(3, 2));
    CHECK(alone.run_to_end() == Clean {});
    const Tick middle = swap.controller().state.channel.side.free_at - 25 * ns;
    const Tick at = middle - alone.latency(one, 0) + one_way;
    Tick taken[2];
    for (const bool wom : {false, true}) {
        Bench b(platform(wom ? "ohm-wom" : "ohm-bw") + at_once);
        heat(b, 0, 1);
        const auto read = b.read(at, b.at(3, 2));
        CHECK(b.run_to_end() == Clean {});
        CHECK(value(b.controller().stat.channel.coded_bytes) == (wom ? 128 : 0));
        taken[wom] = b.latency(read, at);
    }
    CHECK(taken[true] - taken[false] == (128 * 1'000'000 / 60 + 1) / 2); // 1066.67 ps
}

TEST_CASE("The memory route waits for the end of transfers booked without the code", "[ohm]") {
    // A read's data is in transfer when pieces are requested: on light that is not encoded.
    Tick first[2];
    for (const bool wom : {false, true}) {
        Bench b(platform(wom ? "ohm-wom" : "ohm-bw") + at_once);
        heat(b, 0, 1);
        b.machine.start();
        auto& controller = b.controller();
        step(b, 0, 1 * ns, [&] { return controller.state.pages.swaps[0].ordered != 0; });
        const Tick asked = controller.state.pages.swaps[0].ordered + 2 * one_way;
        b.machine.run(asked);
        controller.state.channel.bus.free_at = asked + 40 * ns; // booked
        b.machine.run(asked + 60 * ns);
        first[wom] =
            controller.state.channel.side.free_at - value(controller.stat.channel.side_time);
        CHECK((first[wom] >= asked + 40 * ns) == wom);
    }
}

TEST_CASE("Demand of the pages and of their bank waits until ready, to the femtosecond", "[ohm]") {
    Bench b(platform("ohm-bw") + at_once, A {}, A {});
    heat(b, 0, 1);
    const auto in = b.read(300 * ns, b.at(0, 1));   // moved to DRAM
    const auto free = b.read(300 * ns, b.at(1, 0)); // of another bank
    CHECK(b.run_to_end() == Clean {});
    const auto& stat = b.controller().stat;
    CHECK(value(stat.postponed.requests_postponed) == 1);
    const Tick ready = 1 * ns + sum(stat.swap.swap_latency);
    // Its row is open, so the column command is issued at once: tCL, four bursts, there and back,
    // lookup.
    const Tick transfer = 128 * 1'000'000 / 60;
    CHECK(b.sender().when(in) == ready + 11 * ns + transfer + 2 * one_way + 833 * ps);
    CHECK(b.sender().when(free) < ready);

    // A row of the same bank: sixteen banks, so group 16.
    Bench c(platform("ohm-bw") + at_once + A {{"dram", "64KiB"}}, A {{"capacity", "256KiB"}});
    heat(c, 0, 1);
    const auto conflict = c.read(300 * ns, c.at(16, 0));
    CHECK(c.run_to_end() == Clean {});
    CHECK(value(c.controller().stat.demand.conflicts) == 1);
    const Tick until = 1 * ns + sum(c.controller().stat.swap.swap_latency);
    const Tick row = 10 * ns + 25 * ns; // tRP, tRCD
    // tWR after the last write is over before: its end has had its way, and ready after it.
    CHECK(c.sender().when(conflict) >= until + row + 11 * ns + transfer + 2 * one_way + 833 * ps);
    CHECK(c.sender().when(conflict) < until + row + 30 * ns);
}

TEST_CASE("SWAP-CMD waits until the row of the DRAM page is open", "[ohm]") {
    // If another row of the bank is open at the decision to swap, the swap takes a precharge
    // longer.
    Tick before[2];
    for (const bool other : {false, true}) {
        Bench b(platform("ohm-bw") + at_once + A {{"dram", "64KiB"}}, A {{"capacity", "256KiB"}});
        b.read(0, b.at(other ? 16 : 0, 0));
        heat(b, 0, 1, 100 * ns);
        CHECK(b.run_to_end() == Clean {});
        const auto& stat = b.controller().stat;
        before[other] = sum(stat.swap.swap_latency) - sum(stat.swap.command_latency);
    }
    CHECK(before[true] - before[false] == 10 * ns); // tRP: SWAP-CMD follows the activation at once
}

TEST_CASE("A swap whose last line is in XPoint's write buffer completes", "[ohm]") {
    Bench b(platform("ohm-bw") + at_once, {{"loads", "1"}}); // its lines are read one by one
    b.write(0, b.at(0, 1, 1792));
    b.write(0, b.at(0, 1, 1920));
    heat(b, 0, 1);
    b.machine.start();
    b.machine.run(20'000 * ns);
    REQUIRE(value(b.controller().stat.swap.swaps) == 1);
    CHECK(value(b.module(0).stat.device.forwarded) == 1);
    CHECK(b.finish() == Clean {});
}

TEST_CASE("behind_writes: while reads wait, a swap begins at its patience or with writes",
          "[ohm]") {
    const auto begun_after = [](const A& more, protocol::Command command) {
        Bench b(platform("ohm-bw") + A {{"swap_patience", "600ns"}} + more);
        heat(b, 0, 1);
        for (unsigned i = 0; i < 500; ++i) b.send(0, b.at(7, 0, i % 16 * 128), command, 128, true);
        const auto last = b.read(0, b.at(6, 0));
        CHECK(b.run_to_end() == Clean {});
        CHECK(b.sender().when(last) > 900 * ns);
        const auto& stat = b.controller().stat;
        return sum(stat.swap.swap_latency) - sum(stat.swap.command_latency);
    };
    // The six reads of the page are outstanding for about 230 ns in each case.
    CHECK(begun_after(at_once, protocol::Command::read) < 400 * ns);
    CHECK(begun_after({}, protocol::Command::read) > 600 * ns);
    CHECK(begun_after({}, protocol::Command::write) < 400 * ns);
}

TEST_CASE("A dedicated channel leaves the channel to demand", "[ohm]") {
    // As in "Migration takes the channel from demand": the same reads, with swaps of other groups.
    Tick ends[2];
    for (const bool dedicated : {false, true}) {
        Bench b(A {{"swap_patience", "0fs"}} + platform(dedicated ? "dedicated" : "ohm-base"));
        for (std::uint64_t g = 0; g < 4; ++g) heat(b, g, 1);
        for (unsigned i = 0; i < 400; ++i) b.read(300 * ns, b.at(7, 0, i % 16 * 128));
        CHECK(b.run_to_end() == Clean {});
        ends[dedicated] = 0;
        for (const auto& s : b.sender().state.log)
            ends[dedicated] = std::max(ends[dedicated], s.at);
        CHECK(value(b.controller().stat.swap.swaps) == 4);
        CHECK((b.controller().stat.channel.migration_share.value() == 0) == dedicated);
    }
    CHECK(ends[true] < ends[false] - 100 * ns);
}

TEST_CASE("Reports of waiting components while XPoint performs a swap", "[ohm]") {
    Bench b(platform("ohm-wom") + at_once);
    heat(b, 0, 1);
    b.write(300 * ns, b.at(0, 1));
    b.machine.start();
    b.machine.run(320 * ns);
    const auto report = b.machine.wait_report();
    const auto reports = [&](const std::string& text) {
        for (const auto& line : report)
            if (line.find(text) != std::string::npos) return true;
        return false;
    };
    CHECK(reports("controller: the swap of group 0 is performed by XPoint"));
    CHECK(reports("controller: 1 requests outstanding, 1 of them wait for a swap"));
    CHECK(reports("module0: a swap is being read"));
}

TEST_CASE("A swap function without its route is rejected with a message", "[ohm]") {
    using Catch::Contains;
    const A swap {{"swap_function", "true"}};
    CHECK_THROWS_WITH(
        Bench(swap),
        Contains("controller.swap_function: it requires a memory route: routes is 'optical'"));
    CHECK_THROWS_WITH(Bench(swap + A {{"routes", "electrical"}}),
                      Contains("routes is 'electrical', and only 'wom' and 'half_coupled'"));
    CHECK_THROWS_WITH(Bench(platform("ohm-wom") + A {{"migration_channel", "dedicated"}}),
                      Contains("controller.migration_channel"));
    CHECK_THROWS_WITH(Bench(A {{"behind_writes", "true"}}), Contains("controller.behind_writes"));
    CHECK_THROWS_WITH(Bench(A {{"routes", "wom"}}),
                      Contains("controller.routes: only the swap function uses the second route of "
                               "'wom': set swap_function, or routes to optical"));
    CHECK_THROWS_WITH(Bench(platform("ohm-bw") + A {{"page", "4KiB"}, {"swap_buffer", "32KiB"}}),
                      Contains("controller.page: 4KiB does not divide a row of the DRAM, 2KiB"));
    CHECK_THROWS_WITH(Bench(platform("ohm-bw"), A {{"swaps", "3"}}),
                      Contains("module0.swaps: 3 is less than swaps of controller, 4"));
}

TEST_CASE("The memory route precedes demand when it has waited for its patience", "[ohm]") {
    // Over eight waveguides demand for an open row takes every column command of the DRAM.
    const auto swap_takes = [](const char* patience) {
        Bench b(platform("ohm-bw") + at_once +
                A {{"swap_patience", patience},
                   {"width", "128"},
                   {"requests", "4096"},
                   {"queue", "4096"}});
        heat(b, 0, 1);
        for (unsigned i = 0; i < 3000; ++i) b.read(0, b.at(7, 0, i % 16 * 128));
        CHECK(b.run_to_end() == Clean {});
        CHECK(value(b.controller().stat.swap.swaps) == 1);
        return sum(b.controller().stat.swap.command_latency);
    };
    const Tick soon = swap_takes("100ns"), late = swap_takes("1ms");

    CHECK(2 * soon < late);
}

} // namespace memsim::function_test
