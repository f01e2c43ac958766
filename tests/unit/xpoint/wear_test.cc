#include "core/machine/machine.hh"
#include "probe.hh"
#include "xpoint/module.hh"

#include <catch2/catch.hpp>

#include <algorithm>

namespace memsim::wear_test {

/// What Start-Gap does to the wear of a line that is written all the time.
using memsim::xpoint::Module;

namespace {

constexpr Tick ns = 1'000'000;
constexpr std::uint32_t lines = 16, psi = 3;

struct Worn {
    std::uint32_t most = 0, least = ~0u, places = 0;
    std::uint64_t squares = 0, hottest = 0;
};

/// After so many writes of one line, slow enough that each is drained and each copy is made.
Worn after(std::uint32_t writes, std::uint32_t gap_every = psi) {
    Machine machine {1};
    machine.add("probe", "test_xpoint.Probe", {});
    machine.add("module", "xpoint.Module",
                {{"capacity", "4KiB"},
                 {"partitions", "4"},
                 {"psi", std::to_string(gap_every)},
                 {"write_buffer", "1"},
                 {"drain_high", "1"},
                 {"drain_low", "0"}});
    machine.bind("probe", "commands", "module", "commands");
    machine.bind("probe", "transfers", "module", "transfers");
    machine.build();
    auto& probe = machine.get<test_xpoint::Probe>("probe");
    for (std::uint32_t i = 0; i < writes; ++i)
        probe.state.script.push({i * 5000 * ns, {5 * 256, 256, 0, {}, true, false}});
    machine.start();
    REQUIRE(machine.run(never) == Stop::idle);
    const xpoint::Wear& wear = machine.get<Module>("module").state.device.media.wear;
    Worn w;
    for (std::uint64_t p = 0; p <= lines; ++p)
        if (const std::uint32_t* n = wear.writes.find(p)) {
            w.most = std::max(w.most, *n);
            w.least = std::min(w.least, *n);
            ++w.places;
        }
    CHECK(wear.most == w.most);
    w.squares = wear.squares;
    w.hottest = wear.hottest;
    return w;
}

} // namespace

TEST_CASE(
    "Start-Gap levels a hot line: after N rounds of psi (N + 1) writes all have N (psi + 1)") {
    // In N rounds the line is for psi writes at each of the N + 1 places for each of its N
    // distances from the gap, and each place is copied into once a round.
    const Worn w = after(lines * psi * (lines + 1));
    CHECK(w.places == lines + 1);
    CHECK(w.most == lines * (psi + 1));
    CHECK(w.least == w.most);
    CHECK(w.squares == std::uint64_t {lines + 1} * w.most * w.most);
    CHECK(w.hottest == lines * psi * (lines + 1)); // what one place would bear without it
}

TEST_CASE("Without moves of the gap one place bears all; a round moves the line by one place") {
    const Worn none = after(200, 1u << 20);
    CHECK(none.places == 1);
    CHECK(none.most == 200);
    CHECK(none.squares == 200 * 200);
    // In the first round the line stays where it is until the gap has come down to it, and is at
    // the next place from then on: 16 - 5 moves of psi writes, and its own copy.
    const Worn round = after(psi * (lines + 1));
    CHECK(round.most == std::max((lines - 5) * psi, (lines + 1 - (lines - 5)) * psi) + 1);
}

} // namespace memsim::wear_test
