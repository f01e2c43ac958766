#include "support.hh"

#include <algorithm>

namespace memsim::dram_scheduler_test {

using namespace memsim::mem;
using Order = std::vector<std::uint32_t>;

TEST_CASE("a read takes tRCD, tCL and its burst; a conflict tRP before") {
    const DramTiming t = quiet();
    Scheduled s(t);
    s.read(1, first, 3);
    CHECK(s.finish(1_us).at(0).at == Time {16_ns}.raw); // 5 + 10 + 1
    s.read(2, first, 3);
    CHECK(s.finish(2_us).at(0).at == Time {1011_ns}.raw);
    s.read(3, first, 4);
    CHECK(s.finish(3_us).at(0).at == Time {2021_ns}.raw);
    CHECK(s.misses.value() == 1);
    CHECK(s.hits.value() == 1);
    CHECK(s.conflicts.value() == 1);
    CHECK(s.activates.value() == 2);
    CHECK(s.dram.idle());
    CHECK(s.dram.next_action() == never);
}

TEST_CASE("open rows are served first, then the oldest") {
    Scheduled s(quiet());
    s.read(1, first, 3);
    s.read(2, first, 4);
    s.read(3, first, 3, 1);
    s.read(4, same_rank, 9);
    CHECK(order_of(s.finish()) == Order {1, 3, 4, 2});
}

TEST_CASE("demand requests precede migration if both are ready") {
    DramTiming t = quiet();
    t.tRCDRD = t.tRCDWR = 20_ns, t.tRAS = 20_ns, t.tRC = 25_ns, t.tCCD_S = t.tCCD_L = 5_ns;
    Scheduled s(t);
    for (std::uint32_t i = 0; i < 3; ++i)
        s.dram.enqueue({i, first, 3, i, 1, false, DramPriority::migration}, s.now);
    for (std::uint32_t i = 3; i < 6; ++i) s.read(i, first, 3, i);
    CHECK(order_of(s.finish()) == Order {3, 4, 5, 0, 1, 2});
}

TEST_CASE("a migration that waited long enough counts as demand") {
    const auto place = [](std::uint32_t patience) {
        Scheduled s(quiet(), {.patience = patience});
        s.dram.enqueue({1000, same_rank, 3, 0, 1, false, DramPriority::migration}, s.now);
        for (std::uint32_t i = 0; i < 400; ++i) { // hits without end in another bank
            while (!s.dram.can_accept(false)) s.run_to(Time {s.now + 100'000});
            s.read(i, first, 3, 0);
        }
        const auto order = order_of(s.finish());
        return std::find(order.begin(), order.end(), 1000u) - order.begin();
    };
    CHECK(place(1000) == 400);
    CHECK(place(64) >= 64 - 32);
    CHECK(place(64) <= 64 + 64);
}

TEST_CASE("a stream of reads reaches the rate of the bus or the limit of tCCD") {
    DramTiming t = quiet();
    const auto last = [&](bool one_group) {
        Scheduled s(t);
        for (std::uint32_t i = 0; i < 16; ++i)
            s.read(i, one_group || i % 2 == 0 ? first : same_rank, 3, i);
        return s.finish().back().at;
    };
    CHECK(last(true) == Time {31_ns}.raw); // 16 ns, then one a nanosecond
    t.tCCD_L = 3_ns;
    CHECK(last(true) == Time {61_ns}.raw);
    // Between groups tCCD_S = 1 ns holds, but a group has its turn only every second command.
    t.tCCD_L = 2_ns;
    CHECK(last(false) == Time {31_ns}.raw);
}

TEST_CASE("a request of several bursts is done when its last one is") {
    Scheduled s(quiet());
    s.read(1, first, 3, 0, 4);
    const auto done = s.finish();
    REQUIRE(done.size() == 1);
    CHECK(done[0].at == Time {19_ns}.raw);
    CHECK(s.misses.value() + s.hits.value() == 1);
    CHECK(s.bus_bytes.value() == 256);
    CHECK(s.bus_busy.value() == Uint128(Time {4_ns}.raw));
}

TEST_CASE("writes wait for the high mark, then drain to the low one") {
    Scheduled s(quiet(), {.read_queue = 32, .write_queue = 8, .write_high = 6, .write_low = 2});
    // Reads for as long as the test lasts, all hits.
    for (std::uint32_t i = 0; i < 30; ++i) s.read(100 + i, first, 3, 0);
    for (std::uint32_t i = 0; i < 5; ++i) s.write(i, same_rank, 5, i);
    s.run_to(20_ns);
    CHECK(s.dram.writes() == 5);
    CHECK_FALSE(s.dram.draining());
    s.write(5, same_rank, 5, 5);
    CHECK(s.dram.draining());
    const auto reads_before = s.dram.reads();
    while (s.dram.draining()) s.run_to(Time {s.now + 1'000'000});
    CHECK(s.dram.writes() == 2);
    CHECK(s.dram.reads() == reads_before);
    s.finish();
    CHECK(s.dram.idle()); // the last two go when no read is left
}

TEST_CASE("a row serves the request that opened it, also if the bus direction has changed since") {
    const auto order = GENERATE("first_ready", "oldest_ready", "bank_rotation");
    DramTiming t = quiet();
    t.tRCDRD = t.tRCDWR = 40_ns;
    Scheduled s(t, {.write_high = 2, .write_low = 0, .order = order});
    s.read(1, first, 1);
    s.run_to(1_ns); // the row is being opened
    s.write(2, first, 2);
    s.write(3, same_rank, 3);
    CHECK(s.dram.draining());
    CHECK(order_of(s.finish()) == std::vector<std::uint32_t> {1, 3, 2});
    CHECK(s.activates.value() == 3);
}

TEST_CASE("an ACT-2 lets other commands go first, but not past tAAD") {
    DramTiming t = quiet();
    t.tAAD = 3_ns;
    Scheduled s(t);
    std::vector<DramIssued> log;
    s.device.log_to(&log);
    s.read(1, first, 1, 0, 20); // its bursts take the command bus
    s.read(2, same_rank, 1);
    s.finish();
    std::vector<Tick> first_half, second_half;
    for (const DramIssued& c : log) {
        if (c.command == DramCommand::activate) first_half.push_back(c.at);
        if (c.command == DramCommand::activate_2) second_half.push_back(c.at);
    }
    REQUIRE(second_half.size() == 2);
    CHECK(second_half[0] - first_half[0] == Time {1_ns}.raw);
    CHECK(second_half[1] - first_half[1] <= Time {3_ns}.raw);
}

TEST_CASE("few writes are drained write_idle after the last data") {
    DramTiming t = quiet();
    t.tREFI = 50_ns, t.tRFC = 1_ns; // refreshes prolong nothing
    Scheduled s(t, {.write_high = 4, .write_low = 1, .write_idle = Time {200_ns}.raw});
    s.read(0, first, 3);
    s.run_to(100_ns);
    CHECK(s.dram.pop_done().at == Time {16_ns}.raw); // the end of its data
    s.write(1, same_rank, 5, 0);
    s.write(2, same_rank, 5, 1);
    s.run_to(216_ns);
    CHECK_FALSE(s.dram.draining());
    CHECK(s.activates.value() == 1);
    s.run_to(Time {Time {216_ns}.raw + 1});
    CHECK(s.dram.draining());
    CHECK(order_of(s.finish(500_ns)) == Order {1, 2});
    for (std::uint32_t i = 3; i < 6; ++i) s.write(i, same_rank, 5, i);
    CHECK_FALSE(s.dram.draining());
    s.write(6, same_rank, 5, 6); // the fourth starts a drain at once
    CHECK(s.dram.draining());
    CHECK(order_of(s.finish(550_ns)) == Order {3, 4, 5, 6});
}

TEST_CASE("the data bus turns round between reads and writes") {
    DramTiming t = quiet();
    t.tRTRS = 3_ns;
    Scheduled s(t);
    s.read(1, first, 3);
    s.write(2, same_rank, 3);
    const auto done = s.finish();
    // The read's data ends at 16; the write's begins 3 later.
    CHECK(done.at(0).at == Time {16_ns}.raw);
    CHECK(done.at(1).at == Time {20_ns}.raw);
}

TEST_CASE("ranks that follow each other on the bus leave a gap") {
    DramTiming t = quiet();
    t.tRTRS = 3_ns;
    Scheduled s(t);
    s.read(1, first, 3);
    s.read(2, other_rank, 3);
    const auto done = s.finish();
    CHECK(done.at(1).at - done.at(0).at == Time {4_ns}.raw);
}

TEST_CASE("a read of data in the write queue is answered from the queue") {
    Scheduled s(quiet(), {.write_queue = 8, .write_high = 8, .write_low = 2});
    s.read(9, first, 3, 0);
    s.write(1, first, 5, 2);
    s.read(2, first, 5, 2);
    s.read(3, first, 5, 1);
    CHECK(s.forwarded.value() == 1);
    CHECK(s.dram.next_done() == 0);
    CHECK(s.finish().size() == 4);
}

TEST_CASE("page policies") {
    DramTiming t = quiet();
    const auto after_one_read = [&](const char* page, bool conflict) {
        Scheduled s(t, {.page = page});
        s.read(1, first, 3);
        if (conflict) s.read(2, first, 4);
        s.run_to(6_ns);
        return s.device.row(first) == DramBank::closed;
    };
    CHECK_FALSE(after_one_read("open", false));
    CHECK_FALSE(after_one_read("open", true));
    CHECK_FALSE(after_one_read("open_adaptive", false));
    CHECK(after_one_read("open_adaptive", true));
    CHECK(after_one_read("closed", false));

    Scheduled capped(t, {.most_accesses = 4});
    for (std::uint32_t i = 0; i < 12; ++i) capped.read(i, first, 3, i);
    capped.finish();
    CHECK(capped.activates.value() == 3);
}

TEST_CASE("a refresh starts when it is due and stops only its rank") {
    DramTiming t = quiet();
    t.tREFI = 200_ns, t.tRFC = 50_ns;
    Scheduled s(t); // rank 0 is due at 100 ns, rank 1 at 200 ns
    s.read(1, first, 3);
    s.run_to(99_ns);
    s.read(2, first, 4); // its precharge may go at 99; the refresh is due before its activate
    s.read(3, other_rank, 4);
    const auto done = s.finish(199_ns);
    CHECK(s.refreshes.value() == 1);
    REQUIRE(done.size() == 3);
    CHECK(done[1].context == 3);
    CHECK(done[1].at == Time {116_ns}.raw); // its activate had to wait for the command bus
    CHECK(done[2].at == Time {170_ns}.raw); // 99 + tRP, + tRFC, + 16
}

TEST_CASE("a request with an open row precedes a refresh if the policy allows it") {
    DramTiming t = quiet();
    t.tREFI = 200_ns, t.tRFC = 50_ns; // rank 0 is due at 100 ns
    const auto order =
        GENERATE("first_ready", "oldest_ready", "bank_rotation", "fcfs", "per_bank_mixed");
    const auto data_at = [&](const char* refresh, Time opened, bool write = false) {
        Scheduled s(
            t,
            {.write_high = 1, .write_low = 0, .order = order, .refresh = refresh, .bank_queue = 4});
        s.run_to(opened);
        write ? s.write(1, first, 3) : s.read(1, first, 3);
        const auto done = s.finish(400_ns);
        REQUIRE(done.size() == 1);
        return Time {done[0].at};
    };
    const char* const late = "ranks_in_turn(opened_first=true)";
    // Its activate may go until the refresh is due: at 99 ns; its read then, 5 ns later, all the
    // same.
    CHECK(data_at("ranks_in_turn", 94_ns) == 94_ns + 16_ns);
    CHECK(data_at("ranks_in_turn", 99_ns) > 160_ns); // closed, refreshed, opened again
    CHECK(data_at(late, 99_ns) == 99_ns + 16_ns);
    CHECK(data_at(late, 99_ns, true) == 99_ns + 14_ns);
    CHECK(data_at(late, 100_ns - 1_fs) == 100_ns - 1_fs + 16_ns);
    CHECK(data_at(late, 100_ns) >= 150_ns + 16_ns); // its row was not open: after the refresh
}

TEST_CASE("before a refresh a rank's rows are closed by one command, or one by one") {
    DramTiming t = quiet();
    t.tREFI = 200_ns, t.tRFC = 50_ns;
    const auto refreshed = [&](const char* refresh) {
        Scheduled s(t, {.refresh = refresh});
        std::vector<DramIssued> log;
        s.device.log_to(&log);
        s.read(1, first, 3), s.read(2, same_group, 3), s.read(3, same_rank, 3);
        s.run_to(99_ns);
        s.read(4, other_rank, 3); // a request waits: the refresh is not only caught up with
        s.finish(199_ns);
        std::vector<std::pair<DramCommand, Time>> all;
        for (const DramIssued& c : log)
            if (c.command == DramCommand::precharge || c.command == DramCommand::precharge_all ||
                c.command == DramCommand::refresh)
                all.emplace_back(c.command, Time {c.at});
        return all;
    };
    using All = std::vector<std::pair<DramCommand, Time>>;
    CHECK(refreshed("ranks_in_turn") ==
          All {{DramCommand::precharge_all, 100_ns}, {DramCommand::refresh, 105_ns}});
    CHECK(refreshed("ranks_in_turn(closes_singly=true)") == All {{DramCommand::precharge, 100_ns},
                                                                 {DramCommand::precharge, 101_ns},
                                                                 {DramCommand::precharge, 102_ns},
                                                                 {DramCommand::refresh, 107_ns}});
}

namespace {

DramScheduler::Config mixed(std::uint32_t bank_queue, const char* order = "per_bank_mixed") {
    return {.write_queue = 8,
            .write_high = 4,
            .write_low = 2,
            .order = order,
            .bank_queue = bank_queue};
}

} // namespace

TEST_CASE("per_bank_mixed: writes enter the banks' queues when enough of them wait") {
    // A read keeps the queues busy until its column command, at 5 ns.
    const auto data_of_writes = [](std::uint32_t writes) {
        Scheduled s(quiet(), mixed(8));
        s.read(100, first, 3);
        s.run_to(1_ns);
        for (std::uint32_t i = 0; i < writes; ++i) s.write(i, same_rank, 5, i);
        Tick at = never;
        for (const auto& d : s.finish(10_us))
            if (d.context < 100) at = std::min(at, d.at);
        return Time {at};
    };
    const Time write = 5_ns + 8_ns + 1_ns;           // tRCD, tCWL, burst
    CHECK(data_of_writes(4) == 16_ns + 1_ns);        // write_high: at once, behind the read's data
    CHECK(data_of_writes(3) == 5_ns + 1_ns + write); // more than write_low: with the read's command
    CHECK(data_of_writes(2) == 1_us + 1_ns + write); // else when nothing has come for 1 us
}

TEST_CASE("per_bank_mixed: one request enters a clock, writes of a drain before reads") {
    Scheduled s(quiet(), mixed(8));
    for (std::uint32_t i = 0; i < 3; ++i)
        s.write(i, first, 3, i); // more than write_low: they enter
    s.read(9, other_rank, 3);    // after the three, at 3 ns
    for (const auto& d : s.finish(10_us))
        if (d.context == 9) CHECK(d.at == Time {3_ns + 16_ns}.raw);
}

TEST_CASE(
    "per_bank_mixed: a request whose bank queue is full is overtaken by requests to other banks") {
    Scheduled s(quiet(), mixed(1));
    s.read(1, first, 3), s.read(2, first, 4), s.read(3, other_rank, 3);
    const auto done = s.finish(1_us);
    CHECK(order_of(done) == std::vector<std::uint32_t> {1, 3, 2});
    CHECK(done[1].at == Time {1_ns + 16_ns}.raw); // it entered a clock after the first
    // Those outside alone count against the queues' capacity.
    Scheduled full(quiet(), mixed(1));
    for (std::uint32_t i = 0; i < 4; ++i) full.write(i, first, 3, i); // one has entered
    for (std::uint32_t i = 4; i < 9; ++i) {
        CHECK(full.dram.can_accept(true));
        full.write(i, first, 3, i);
    }
    CHECK_FALSE(full.dram.can_accept(true));
}

TEST_CASE("per_bank_mixed: the oldest request of a bank is served first, row hits before the row "
          "is closed") {
    // All enter before the row is open, but for one a clock: a read of row 3, writes, reads.
    DramTiming t = quiet();
    t.tRCDRD = t.tRCDWR = 40_ns, t.tRAS = 40_ns, t.tRC = 45_ns;
    const auto served = [&](const char* order) {
        Scheduled s(t, mixed(8, order));
        s.read(1, first, 3);
        for (std::uint32_t i = 0; i < 4; ++i) s.write(10 + i, first, i ? 3 : 7, i);
        s.run_to(10_ns);
        s.read(2, first, 3), s.read(3, first, 3);
        std::vector<DramIssued> log;
        s.device.log_to(&log);
        s.finish(10_us);
        std::string all;
        for (const DramIssued& c : log)
            if (c.command != DramCommand::activate)
                all += c.command == DramCommand::read    ? 'r'
                       : c.command == DramCommand::write ? 'w'
                                                         : 'p';
        return all;
    };
    // Of row 3 the reads, which can go before the writes that entered earlier: the bus turns round
    // once. Then the write of row 7, which entered first of those.
    CHECK(served("per_bank_mixed(row_limit=0)") == "rrrwwwpw");
    // After two accesses the row is closed for it, and opened again for those that are left: the
    // writes, which entered before the read.
    CHECK(served("per_bank_mixed(row_limit=2)") == "rrpwpwwwr");
}

TEST_CASE("refreshes that fell due while nothing waited are caught up with") {
    DramTiming t = quiet();
    t.tREFI = 200_ns, t.tRFC = 50_ns;
    Scheduled s(t);
    s.read(1, first, 3);
    s.run_to(10_us);
    CHECK(s.dram.next_action() == never); // an idle DRAM costs nothing
    s.run_to(10_us + 110_ns);
    s.read(2, first, 3);
    // Rank 0 was refreshed at 100, 300, ... 10,100 ns, and its row closed; it is busy until 10,150.
    CHECK(s.refreshes.value() == 51 + 50);
    CHECK(s.finish(11_us).back().at == Time {10'166_ns}.raw);
}

TEST_CASE("another user of the data bus delays column commands, and they it") {
    Scheduled s(quiet());
    s.read(1, first, 3);
    s.run_to(3_ns);
    constexpr std::uint16_t other = 17;
    CHECK(s.bus.earliest(other, false) == 0);
    CHECK(s.bus.reserve(Time {5_ns}.raw, 64 * 20, other, false) == Time {25_ns}.raw);
    CHECK(s.finish().at(0).at == Time {26_ns}.raw);
    CHECK(s.bus.earliest(other, false) == Time {26_ns}.raw);
}

TEST_CASE("run() at other times changes nothing") {
    const auto times = [](bool restless) {
        DramTiming t = quiet();
        t.tREFI = 300_ns, t.tRTRS = 2_ns;
        Scheduled s(t);
        Rng rng(3, "test");
        std::vector<Tick> all;
        for (std::uint32_t i = 0; i < 400; ++i) {
            const Time until {s.now + static_cast<Tick>(rng.below(9'000'000))};
            const bool write = rng.chance(400'000'000);
            const auto bank = static_cast<std::uint32_t>(rng.below(8));
            const auto row = static_cast<std::uint32_t>(rng.below(3));
            if (restless)
                while (s.now + 100'000 < until.raw) {
                    s.run_to(Time {s.now + 77'777});
                    s.dram.run(s.now);
                }
            s.run_to(until);
            if (!s.dram.can_accept(write)) continue;
            write ? s.write(i, bank, row) : s.read(i, bank, row);
        }
        for (const auto& d : s.finish()) all.push_back(d.at);
        CHECK(all.size() > 300);
        return all;
    };
    CHECK(times(false) == times(true));
}

} // namespace memsim::dram_scheduler_test
