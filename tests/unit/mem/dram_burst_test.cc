#include "support.hh"

#include <algorithm>

namespace memsim::dram_burst_test {

using namespace memsim::mem;

namespace {

/// The commands for random requests of one to eight bursts, of demand and migration, of which some
/// cross a side bus or nothing, in queues that are seldom empty. With `anew` all banks are looked
/// at after every command.
std::vector<DramIssued> commands(const DramTiming& t, std::uint64_t seed, bool anew) {
    Scheduled s(t, {.read_queue = 64, .write_queue = 64, .patience = 64}, true);
    std::vector<DramIssued> log;
    s.device.log_to(&log);
    Rng rng(seed, "test");
    const auto run_to = [&](Tick until) {
        while (s.dram.next_action() < until) {
            s.now = std::max(s.now, s.dram.next_action());
            s.dram.run(s.now);
            if (anew) s.dram.lend_bus(false, s.now); // plans
        }
        s.now = until;
    };
    const Tick mean = 4 * s.bus.transfer_time(t.burst).raw;
    for (std::uint32_t i = 0; i < 3'000; ++i) {
        run_to(s.now + static_cast<Tick>(rng.below(static_cast<std::uint64_t>(2 * mean))));
        DramAccess a;
        a.context = i;
        a.bank = static_cast<std::uint32_t>(rng.below(s.device.banks()));
        a.row = static_cast<std::uint32_t>(rng.below(3));
        a.column = 8 * i; // none is answered from the queue
        a.bursts = static_cast<std::uint16_t>(1 + rng.below(8));
        a.write = rng.chance(300'000'000);
        const bool migrates = rng.chance(200'000'000), apart = rng.chance(100'000'000);
        const bool beside = rng.chance(500'000'000);
        if (migrates) a.priority = DramPriority::migration;
        if (apart) a.wires = beside ? DramWires::side : DramWires::none;
        if (s.dram.can_accept(a.write)) s.dram.enqueue(a, s.now);
    }
    run_to(s.now + 1'000'000'000'000);
    return log;
}

} // namespace

TEST_CASE("the bursts of a request continue as if all banks were examined after each", "[dram]") {
    const auto preset = GENERATE("ohm_table1", "ohm_cycles", "gddr6", "ddr4_3200", "hbm2");
    const auto ranks = GENERATE(1u, 2u);
    const auto gap = GENERATE(0_ns, 2_ns);
    DramTiming t = DramTable::find(preset);
    t.ranks = ranks;
    t.tRTRS = gap;
    const auto seed = GENERATE(1u, 2u, 3u);
    const auto known = commands(t, seed, false), looked = commands(t, seed, true);
    REQUIRE(known.size() > 3'000);
    REQUIRE(known.size() == looked.size());
    const auto same = [](const DramIssued& a, const DramIssued& b) {
        return a.at == b.at && a.command == b.command && a.bank == b.bank && a.row == b.row;
    };
    CHECK(std::equal(known.begin(), known.end(), looked.begin(), same));
}

} // namespace memsim::dram_burst_test
