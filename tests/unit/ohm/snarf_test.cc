#include "../xpoint/probe.hh"
#include "core/machine/machine.hh"
#include "ohm/channel/xpoint_module.hh"

#include <catch2/catch.hpp>

namespace memsim::snarf_test {

/// Auto-read/write: lines of DRAM that the controller in the module sees passing.
using memsim::test_xpoint::Probe;
using Module = memsim::ohm::XpointModule;

namespace {

constexpr Tick ns = 1'000'000;

struct Bench {
    Machine machine {1};
    explicit Bench(const Arguments& module = {}) {
        machine.carry_contents();
        machine.add("probe", "test_xpoint.Probe", {});
        Arguments m {{"capacity", "1MiB"}, {"channel_latency", "3ns"}};
        m.insert(m.end(), module.begin(), module.end());
        machine.add("module", "ohm.XpointModule", m);
        machine.bind("probe", "commands", "module", "commands");
        machine.bind("probe", "transfers", "module", "transfers");
        machine.build();
    }
    Probe& probe() { return machine.get<Probe>("probe"); }
    Module& module() { return machine.get<Module>("module"); }
    void command(Tick at, const protocol::DdrtCommand& c, std::uint32_t number = 0) {
        probe().state.script.push({at, c, number});
    }
    void read(Tick at, std::uint64_t address, std::uint32_t id) {
        command(at, {address, 256, id, {}, false, false});
    }
    void write(Tick at, std::uint64_t address) {
        command(at, {address, 256, 0, {}, true, true}, 1);
    }
    /// For a request at `address` the line of `held` is read from DRAM.
    void snarf(Tick at, std::uint64_t address, std::uint64_t held, bool dirty, std::uint32_t id) {
        protocol::DdrtCommand c {address, 256, id, {}, false, false};
        c.snarf = true, c.other = held, c.dirty = dirty;
        command(at, c, 7);
    }
    void run() {
        machine.start();
        REQUIRE(machine.run(never) == Stop::idle);
        REQUIRE_FALSE(machine.pending());
        REQUIRE(machine.imbalances().empty());
    }
};

template <class Total>
std::uint64_t value(const Total& c) {
    return static_cast<std::uint64_t>(c.value());
}

} // namespace

TEST_CASE("The module snarfs only passing dirty lines of another address") {
    Bench b;
    b.snarf(0, 1024, 1024, true, 1);  // a hit
    b.snarf(0, 1024, 2048, false, 2); // a clean victim
    b.snarf(0, 1024, 4096, true, 3);  // a dirty one
    b.read(1000 * ns, 4096, 4);
    b.read(1000 * ns, 2048, 5);
    b.run();
    CHECK(value(b.module().stat.snarfs) == 3);
    CHECK(value(b.module().stat.snarfed) == 1);
    CHECK(value(b.module().stat.device.writes) == 1);
    CHECK(value(b.module().stat.device.forwarded) == 1); // it is still in the write buffer
    std::uint32_t taken = 0;
    for (const auto& s : b.probe().state.log) {
        taken += s.taken;
        if (s.taken) CHECK((s.id == 3 && s.at == (1 + 5) * ns)); // at once, and the handshake
        if (s.data) CHECK(s.numbers[0] == (s.id == 4 ? 7u : 0u));
    }
    CHECK(taken == 1);
}

TEST_CASE("A victim waits in the register for the media; other commands pass") {
    Bench b(Arguments {{"write_buffer", "1"}, {"drain_high", "1"}, {"drain_low", "0"}});
    b.write(0, 0); // drains from 1 ns on, to 764
    b.snarf(10 * ns, 0, 512, true, 1);
    b.read(20 * ns, 4352, 2); // of another partition
    b.run();
    CHECK(b.probe().when(1, false) == (1 + 763 + 5) * ns);
    CHECK(b.probe().when(2, false) == (20 + 1 + 190 + 5) * ns);
    CHECK(value(b.module().stat.device.stalls) == 0);
}

TEST_CASE("A command to a line in the snarf register executes after it") {
    Bench b(Arguments {{"write_buffer", "1"}, {"drain_high", "1"}, {"drain_low", "0"}});
    b.write(0, 0);
    b.snarf(10 * ns, 0, 512, true, 1);
    b.read(20 * ns, 512, 2);
    b.run();
    CHECK(value(b.module().stat.device.stalls) == 1);
    CHECK(b.module().stat.device.stall_time.value() == (764 - 21) * ns);
    CHECK(b.probe().when(2, false) == (764 + 5) * ns); // forwarded
    for (const auto& s : b.probe().state.log)
        if (s.data) CHECK(s.numbers[0] == 7);
}

TEST_CASE("Victims leave the register in order; exceeding its capacity is an error") {
    Bench b(Arguments {{"write_buffer", "1"},
                       {"drain_high", "1"},
                       {"drain_low", "0"},
                       {"snarf_register", "512B"}});
    b.write(0, 0);
    b.snarf(10 * ns, 0, 512, true, 1);
    b.snarf(11 * ns, 0, 768, true, 2);
    b.run();
    CHECK(b.probe().when(2, false) == b.probe().when(1, false) + 763 * ns);

    Bench over(Arguments {{"write_buffer", "1"},
                          {"drain_high", "1"},
                          {"drain_low", "0"},
                          {"snarf_register", "256B"}});
    over.write(0, 0);
    over.snarf(10 * ns, 0, 512, true, 1);
    over.snarf(11 * ns, 0, 768, true, 2);
    over.machine.start();
    CHECK_THROWS(over.machine.run(never));
}

} // namespace memsim::snarf_test
