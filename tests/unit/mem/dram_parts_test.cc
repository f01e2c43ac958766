#include "support.hh"

namespace memsim::dram_parts_test {

/// The parts of a DRAM scheduler, each alone. The queue: dram_queue_test.cc.
using namespace memsim::mem;

TEST_CASE("writes are drained from the high to the low mark", "[dram]") {
    const WriteDrain::Limits limits {.high = 4, .low = 2};
    WriteDrain drain;
    CHECK_FALSE(drain.update(limits, 1, 3));
    CHECK_FALSE(drain.draining());
    CHECK(drain.update(limits, 1, 4));
    CHECK(drain.draining());
    CHECK_FALSE(drain.update(limits, 1, 3));
    CHECK_FALSE(drain.update(limits, 0, 2)); // no read waits for the end
    CHECK(drain.update(limits, 1, 2));
    CHECK_FALSE(drain.draining());
    CHECK(drain.update(limits, 0, 1)); // there is nothing else to do
    CHECK(drain.update(limits, 0, 0));
    CHECK_FALSE(drain.draining());
}

TEST_CASE("without reads a drain begins with the stated number of writes", "[dram]") {
    const WriteDrain::Limits limits {.high = 8, .low = 1, .alone = 4};
    WriteDrain drain;
    CHECK_FALSE(drain.update(limits, 0, 3));
    CHECK(drain.update(limits, 0, 4));
    CHECK_FALSE(drain.update(limits, 0, 1));
    CHECK(drain.update(limits, 0, 0));
    CHECK_FALSE(drain.update(limits, 0, 1));
    drain.start();
    CHECK(drain.draining());
    CHECK_FALSE(drain.update(limits, 0, 1));
}

TEST_CASE("a drain begins after its batch of reads and ends after its batch of writes", "[dram]") {
    const WriteDrain::Limits limits {.high = 4, .low = 1, .read_batch = 2, .write_batch = 2};
    WriteDrain drain;
    drain.serve();
    CHECK_FALSE(drain.update(limits, 1, 4));
    drain.serve();
    CHECK(drain.update(limits, 1, 4));
    drain.serve();
    CHECK_FALSE(drain.update(limits, 1, 3));
    drain.serve();
    CHECK(drain.update(limits, 1, 3));
    CHECK_FALSE(drain.draining());
}

TEST_CASE("a row is found closed, in conflict, then open", "[dram]") {
    RowHistory rows;
    rows.resize(2);
    rows.opened(0, true);
    CHECK(rows.fresh(0));
    CHECK(rows.access(0) == RowFound::closed);
    CHECK_FALSE(rows.fresh(0));
    CHECK(rows.access(0) == RowFound::open);
    CHECK(rows.accesses(0) == 2);
    rows.closed(0, true);
    rows.opened(0, true);
    CHECK(rows.accesses(0) == 0);
    CHECK(rows.access(0) == RowFound::conflict);
    rows.closes(0, true); // a column command closed it for another row
    rows.opened(0, true);
    CHECK(rows.access(0) == RowFound::conflict);
    rows.closed(0, true);
    rows.opened(0, false); // a row of another user: no conflict
    CHECK(rows.access(0) == RowFound::open);
}

namespace {
/// Refreshes of quiet(): two ranks of four banks, every 200 ns for 20 ns.
struct Refreshed : Dut {
    Counter refreshes {Unit::count, ""};
    RefreshState refresh_state;
    RefreshSchedule schedule;
    static DramTiming timing() {
        DramTiming t = quiet();
        t.tREFI = 200_ns, t.tRFCpb = 10_ns;
        return t;
    }
    Policy<RefreshPolicy> policy;
    explicit Refreshed(const std::string& name)
        : Dut(timing()), schedule(device, refresh_state, refreshes) {
        policy.make(name, "test", 1);
        schedule.init(*policy);
    }
    std::vector<std::uint32_t> stop_due(Time now) {
        std::vector<std::uint32_t> banks;
        schedule.stop_due(now.raw, [&](std::uint32_t b) { banks.push_back(b); });
        return banks;
    }
    static DramFloor floor(Time now) { return {now.raw, now.raw, now.raw}; }
};
using Banks = std::vector<std::uint32_t>;
} // namespace

TEST_CASE("refreshes are due by rank in turn, for all ranks at once, or bank by bank", "[dram]") {
    Refreshed in_turn("ranks_in_turn");
    CHECK(in_turn.schedule.next() == Time {100_ns}.raw);
    CHECK(in_turn.stop_due(100_ns - 1_fs).empty());
    CHECK(in_turn.stop_due(100_ns) == Banks {0, 1, 2, 3});
    CHECK(in_turn.schedule.stopped(3));
    CHECK_FALSE(in_turn.schedule.stopped(4));
    CHECK(in_turn.schedule.next() == Time {200_ns}.raw);

    Refreshed at_once("all_ranks");
    CHECK(at_once.stop_due(200_ns - 1_fs).empty());
    CHECK(at_once.stop_due(200_ns).size() == 8);

    Refreshed single("single_banks");
    CHECK(single.stop_due(25_ns) == Banks {0});
    CHECK(single.stop_due(50_ns) == Banks {1});
}

TEST_CASE("a unit is closed, refreshed and reopened; the next one is due tREFI later", "[dram]") {
    Refreshed r("ranks_in_turn");
    r.issue(DramCommand::activate, 1, 99_ns);
    r.stop_due(100_ns);
    const auto no_bank = [](std::uint32_t) { return false; };
    const DramPlan close = r.schedule.command(Refreshed::floor(100_ns), no_bank);
    CHECK(close.action == DramAction::precharge_all);
    CHECK(close.at == Time {104_ns}.raw); // tRAS of 5 ns
    Banks closed;
    r.schedule.issue(close, close.at, [&](std::uint32_t b) { closed.push_back(b); });
    CHECK(closed == Banks {0, 1, 2, 3});
    const DramPlan refresh = r.schedule.command(Refreshed::floor(104_ns), no_bank);
    CHECK(refresh.action == DramAction::refresh);
    CHECK(refresh.at == Time {109_ns}.raw); // tRP
    r.schedule.issue(refresh, refresh.at, [](std::uint32_t) {});
    CHECK_FALSE(r.schedule.any_stopped());
    CHECK(r.refreshes.value() == 1);
    CHECK(r.refresh_state.at[0] == Time {300_ns}.raw);
    r.ready_at(DramCommand::activate, 1, 129_ns); // tRFC
}

TEST_CASE(
    "refreshes that were due in an idle time are counted later, except those of a stopped rank",
    "[dram]") {
    Refreshed r("ranks_in_turn");
    r.schedule.catch_up(Time {100_ns - 1_fs}.raw);
    CHECK(r.refreshes.value() == 0);
    r.schedule.catch_up(Time {510_ns}.raw); // rank 0 at 100, 300, 500, rank 1 at 200, 400
    CHECK(r.refreshes.value() == 5);
    CHECK(r.schedule.next() == Time {600_ns}.raw);
    r.ready_at(DramCommand::activate, 0, 520_ns);
    r.stop_due(600_ns);
    r.schedule.catch_up(Time {750_ns}.raw); // rank 0 at 700; rank 1 is stopped
    CHECK(r.refreshes.value() == 6);
}

namespace {
struct Wires {
    Counter bytes {Unit::byte, ""};
    ElapsedTime busy {""}, side_busy {""};
    mem::DataBusState bus_state, side_state;
    mem::DataBus bus {{64_GBps, 3_ns, 2_ns}, bus_state}, side {{32_GBps, 3_ns}, side_state};
    bool lent = false;
    DramDataPath path {bus, DramSide {side, side_busy}, {bytes, busy}, 64, 0, lent};
    Time earliest(DramWires wires, std::uint32_t rank, bool write) const {
        return {path.earliest(rank, write, 0, Time {1_ns}.raw)[static_cast<std::size_t>(wires)]};
    }
};
} // namespace

TEST_CASE("a burst takes its bus, and the next rank or direction there waits for the gap",
          "[dram]") {
    Wires w;
    CHECK(w.path.move({.write = false, .wires = DramWires::data}, 0, 0, 0) ==
          Time {3_ns}.raw); // 1 ns, and the way
    CHECK(w.bytes.value() == 64);
    CHECK(w.earliest(DramWires::data, 0, false) == 0_ns); // data at 1 ns, a latency later
    CHECK(w.earliest(DramWires::data, 1, false) == 3_ns); // 1 + 3 - 1
    CHECK(w.earliest(DramWires::side, 0, false) == 0_ns); // its own turnaround
    CHECK(w.earliest(DramWires::none, 1, true) == 0_ns);
    const Tick before = w.path.reserved();
    CHECK(w.path.move({.write = false, .wires = DramWires::side}, 0, 0, 0) == Time {2_ns}.raw);
    CHECK(w.side_busy.value() == static_cast<std::uint64_t>(Time {2_ns}.raw));
    CHECK(w.path.reserved() > before);
    CHECK(w.path.move({.write = true, .wires = DramWires::none}, 0, 0, 100) ==
          100 + Time {1_ns}.raw);
    CHECK(w.bytes.value() == 64);
}

TEST_CASE("ranks have numbers at the bus from the one that they are given", "[dram]") {
    Wires w;
    DramDataPath beside(w.bus, {}, {w.bytes, w.busy}, 64, 5, w.lent);
    beside.move({.write = false, .wires = DramWires::data}, 1, 0, Time {3_ns}.raw);
    CHECK(w.bus_state.user == 6);
    CHECK_FALSE(beside.has_side());
}

TEST_CASE("no burst crosses a bus that is lent; the other ways are open", "[dram]") {
    Wires w;
    w.path.lend(true);
    CHECK(w.earliest(DramWires::data, 0, false).raw == never);
    CHECK(w.earliest(DramWires::side, 0, false) == 0_ns);
    w.path.lend(false);
    CHECK(w.earliest(DramWires::data, 0, false) == 0_ns);
}

} // namespace memsim::dram_parts_test
