#include "support.hh"

namespace memsim::dram_wires_test {

/// Accesses whose data crosses a second bus, or none.
using namespace memsim::mem;

namespace {

/// Columns take 1 ns of a bus in quiet(); here a bus is 8 times as slow, so that it is what
/// decides.
DramTiming slow_bus() {
    DramTiming t = quiet();
    t.rate = 8_GBps;
    t.tRTRS = 3_ns;
    return t;
}

struct Wired : Scheduled {
    explicit Wired(const DramTiming& t) : Scheduled(t, {}, true) {}
    void read_over(DramWires wires, std::uint32_t context, std::uint32_t bank) {
        dram.enqueue({context, bank, 3, 0, 1, false, DramPriority::demand, wires}, now);
    }
    void write_over(DramWires wires, std::uint32_t context, std::uint32_t bank) {
        dram.enqueue({context, bank, 3, 0, 1, true, DramPriority::demand, wires}, now);
    }
    Tick when(const std::vector<Seen>& all, std::uint32_t context) const {
        for (const Seen& s : all)
            if (s.context == context) return s.at;
        return never;
    }
};

} // namespace

TEST_CASE("transfers over data bus and side bus overlap; two over one bus do not") {
    // A row opens in 5 ns, the read's data arrives 10 ns later and takes 8 ns.
    Wired one(slow_bus());
    one.read_over(DramWires::data, 1, first);
    one.read_over(DramWires::data, 2, same_rank);
    const auto queued = one.finish();
    CHECK(one.when(queued, 1) == Time {23_ns}.raw);
    CHECK(one.when(queued, 2) == Time {31_ns}.raw);

    Wired two(slow_bus());
    two.read_over(DramWires::data, 1, first);
    two.read_over(DramWires::side, 2, same_rank);
    const auto at_once = two.finish();
    CHECK(two.when(at_once, 1) == Time {23_ns}.raw);
    CHECK(two.when(at_once, 2) == Time {24_ns}.raw); // tRRD and tCCD of the device, 1 ns
    CHECK(two.bus_busy.value() == 8'000'000);
    CHECK(two.side_busy.value() == 8'000'000);
    CHECK(two.bus_bytes.value() == 64);
}

TEST_CASE("each bus has its own turnaround") {
    // tRTRS between ranks: on the side bus, the last user of the side bus counts.
    const auto second = [](DramWires before, DramWires then) {
        Wired w(slow_bus());
        w.read_over(before, 1, first);
        w.read_over(then, 2, other_rank);
        return w.when(w.finish(), 2);
    };
    CHECK(second(DramWires::data, DramWires::data) == Time {34_ns}.raw); // 23 + 3 + 8
    CHECK(second(DramWires::side, DramWires::side) == Time {34_ns}.raw);
    const Tick apart = second(DramWires::data, DramWires::side);
    CHECK(apart <= Time {27_ns}.raw);
    CHECK(second(DramWires::side, DramWires::data) == apart);
}

TEST_CASE("an access to the register occupies no bus at any time") {
    Wired w(slow_bus());
    w.read_over(DramWires::data, 1, first);
    w.read_over(DramWires::side, 2, same_rank);
    w.read_over(DramWires::none, 3, same_group);
    const auto all = w.finish(1_us);
    // Neither bus keeps it: it is read two ticks of tRRD after the first, 8 ns to the register.
    CHECK(w.when(all, 3) == Time {25_ns}.raw);
    CHECK(w.bus_busy.value() + w.side_busy.value() == 16'000'000);
    w.write_over(DramWires::none, 4, first);
    const auto write = w.finish(2_us);
    CHECK(w.when(write, 4) == Time {1016_ns}.raw); // tCWL and 8 ns; no way over wires
    CHECK(w.bus_state.free_at < Time {100_ns}.raw);
    CHECK(w.side_state.free_at < Time {100_ns}.raw);
}

TEST_CASE("scheduling accounts for other users of the side bus") {
    Wired w(slow_bus());
    w.read_over(DramWires::side, 1, first);
    CHECK(w.dram.next_action() == 0);
    w.run_to(1_ns);
    w.side.reserve(Time {14_ns}.raw, 64, 9, false);   // until 22 ns; another user
    CHECK(w.when(w.finish(), 1) == Time {33_ns}.raw); // 22 + 3 + 8
}

TEST_CASE("bytes for the side bus need one") {
    Scheduled s(quiet());
    CHECK_THROWS(
        s.dram.enqueue({1, first, 3, 0, 1, false, DramPriority::demand, DramWires::side}, 0));
}

} // namespace memsim::dram_wires_test
