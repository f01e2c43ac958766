#include "dram_checker.hh"
#include "support.hh"

#include "core/base/rng.hh"

namespace memsim::dram_pseudo_test {

/// Two pseudo-channels behind one scheduler.
using namespace memsim::mem;

namespace {

/// The bus of a burst is 8 times as slow as a command.
DramTiming slow_bus() {
    DramTiming t = quiet();
    t.rate = 8_GBps;
    t.tRTRS = 3_ns;
    return t;
}

/// The second half of the ranks has the bus `side`.
struct Halves : Scheduled {
    DramSchedulerState own_state;
    DramScheduler own;
    std::vector<DramIssued> log;
    explicit Halves(const DramTiming& t, const DramScheduler::Config& figures = {})
        : Scheduled(t), own(figures, device, DramDataBuses(bus, side, t.ranks / 2), own_state,
                            {activates, precharges, refreshes, hits, misses, conflicts, forwarded,
                             bus_bytes, bus_busy}) {
        own.init("test", 1);
        device.log_to(&log);
    }
    void access(std::uint32_t context, std::uint32_t bank, bool write = false,
                std::uint32_t row = 3, std::uint16_t bursts = 1) {
        own.enqueue({context, bank, row, 0, bursts, write}, now);
    }
    std::vector<Tick> done() {
        while (own.next_action() < (1_ms).raw) {
            now = std::max(now, own.next_action());
            own.run(now);
        }
        std::vector<Tick> at(100);
        while (own.next_done() != never) {
            const DramDone d = own.pop_done();
            at[d.context] = d.at;
        }
        return at;
    }
};

} // namespace

TEST_CASE("bursts of two pseudo-channels overlap; their commands do not") {
    // ACT at 0 and 1 ns (one command bus), reads 5 ns later, data 10 ns later, 8 ns on the bus.
    Halves two(slow_bus());
    two.access(1, first);
    two.access(2, other_rank);
    const auto at = two.done();
    CHECK(at[1] == Time {23_ns}.raw);
    CHECK(at[2] == Time {24_ns}.raw);
    CHECK(two.bus_busy.value() == 16'000'000);
    CHECK(two.bus_bytes.value() == 128);
    // Over one bus the second waits for the first, and for the change of ranks.
    Scheduled one(slow_bus());
    one.read(1, first, 3);
    one.read(2, other_rank, 3);
    CHECK(one.finish().back().at == Time {34_ns}.raw); // 23 + 3 + 8
}

TEST_CASE("ranks of one pseudo-channel share its bus") {
    DramTiming t = slow_bus();
    t.ranks = 4;
    Halves two(t);
    two.access(1, 0); // ranks 0 and 1,
    two.access(2, 4);
    two.access(3, 8); // 2 and 3
    two.access(4, 12);
    const auto at = two.done();
    CHECK(at[1] == Time {23_ns}.raw);
    CHECK(at[2] == Time {34_ns}.raw);
    CHECK(at[3] == Time {25_ns}.raw);
    CHECK(at[4] == Time {36_ns}.raw);
}

TEST_CASE("a pseudo-channel's turnaround is its own") {
    const auto read_after_write = [](std::uint32_t written) {
        DramTiming t = slow_bus();
        t.tWTR_S = t.tWTR_L = 20_ns;
        Halves two(t);
        two.access(1, written, true);
        two.done();
        two.now = (13_ns).raw; // the write's command is long issued, its data is on the bus
        two.access(2, first);
        return two.done()[2];
    };
    CHECK(read_after_write(other_rank) == Time {36_ns}.raw); // 13 + 5 + 10 + 8
    CHECK(read_after_write(same_rank) > Time {50_ns}.raw);
}

TEST_CASE("queues are common to two pseudo-channels") {
    Halves two(slow_bus(), {.read_queue = 3});
    two.access(1, first);
    two.access(2, other_rank);
    CHECK(two.own.can_accept(false));
    two.access(3, first);
    CHECK_FALSE(two.own.can_accept(false));
}

TEST_CASE("commands for one pseudo-channel are issued during a long burst of the other") {
    // 8 bursts of 8 ns each; the other's read is served between them as soon as its row is open.
    Halves two(slow_bus());
    two.access(1, first, false, 3, 8);
    two.done();
    Halves both(slow_bus());
    both.access(1, first, false, 3, 8);
    both.access(2, other_rank);
    const auto at = both.done();
    CHECK(at[1] == Time {15_ns}.raw + 8 * Time {8_ns}.raw);
    CHECK(at[2] == Time {24_ns}.raw);
}

TEST_CASE("commands to two pseudo-channels keep every constraint in any order") {
    for (const char* order : {"first_ready", "oldest_ready", "bank_rotation", "fcfs"}) {
        INFO(order);
        DramTiming t = DramPreset("hbm2").timing();
        t.ranks = 2;
        Halves two(t, {.order = order, .bank_queue = 0});
        Rng random(5, "accesses");
        std::uint32_t context = 0;
        for (int i = 0; i < 4000; ++i) {
            const bool write = random.below(3) == 0;
            while (!two.own.can_accept(write)) {
                two.now = std::max(two.now, two.own.next_action());
                two.own.run(two.now);
                while (two.own.next_done() <= two.now) two.own.pop_done();
            }
            two.access(context++ % 100, static_cast<std::uint32_t>(random.below(32)), write,
                       static_cast<std::uint32_t>(random.below(4)),
                       static_cast<std::uint16_t>(1 + random.below(3)));
        }
        two.done();
        // The checker has one set of wires; each pseudo-channel has its own.
        for (const std::uint32_t half : {0u, 1u}) {
            std::vector<DramIssued> of_half;
            for (const DramIssued& c : two.log)
                if (c.bank / 16 == half) of_half.push_back(c);
            auto broken = DramChecker(t, two.bus.transfer_time(t.burst), true).broken(of_half);
            broken.erase("tREFI"); // the refreshes of the other half's rank are not in this log
            CHECK(broken == std::set<std::string> {});
        }
        CHECK_FALSE(
            DramChecker(t, two.bus.transfer_time(t.burst), true).broken(two.log).contains("tREFI"));
        // And the command buses are common: no two commands at once on either.
        std::array<Tick, 2> free {};
        std::stable_sort(two.log.begin(), two.log.end(),
                         [](const auto& a, const auto& b) { return a.at < b.at; });
        bool apart = true;
        for (const DramIssued& c : two.log) {
            if (c.unused) continue;
            const bool column = c.command == DramCommand::read || c.command == DramCommand::write;
            apart &= c.at >= free[column];
            free[column] = c.at + (c.command == DramCommand::activate ? 2 : 1) * t.tCK.raw;
        }
        CHECK(apart);
    }
}

TEST_CASE("a controller of two pseudo-channels has the banks and ranks of both") {
    const auto m = machine({{"requests", "2000"}, {"pattern", "random"}, {"range", "1GiB"}},
                           {{"timing", "hbm2"},
                            {"pseudo_channels", "2"},
                            {"capacity", "1GiB"},
                            {"map", "RoBaBgCoRa"}});
    m->start();
    m->run(never);
    digest_after(*m);
    for (const char* bank : {"bank_reads[0]", "bank_reads[31]"})
        CHECK(m->stat_value("dram", bank, "") > 0);
    CHECK_THROWS_WITH(
        machine({}, {{"timing", "ddr4_2400"}, {"pseudo_channels", "2"}, {"order", "committed"}}),
        "dram.order: a committed order supports one data bus, but pseudo_channels is 2: choose "
        "another order");
}

} // namespace memsim::dram_pseudo_test
