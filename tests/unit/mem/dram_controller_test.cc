#include "driver.hh"
#include "mem/dram/controller.hh"
#include "mem/traffic/traffic_gen.hh"
#include "support.hh"

namespace memsim::dram_controller_test {

using namespace memsim::mem;

namespace {
/// Traffic of every kind through a small, busy controller.
const Arguments mixed {{"requests", "3000"},
                       {"read_share", "0.6"},
                       {"range", "64MiB"},
                       {"size", "128"},
                       {"period", "5ns"}};
const Arguments busy {{"timing", "ddr4_2400"},  {"map", "RoRaCoBaCh"}, {"page", "open_adaptive"},
                      {"write_queue", "8"},     {"write_high", "7"},   {"write_low", "2"},
                      {"changes", "tREFI=2us"}, {"read_queue", "8"}};

std::string whole_run(QueueKind kind = QueueKind::fast, unsigned perturb_one_in = 0,
                      const Arguments& dram = busy) {
    const auto m = machine(mixed, dram, true, kind);
    std::vector<Component*> all;
    for (const auto& c : m->components()) all.push_back(c);
    if (perturb_one_in) m->sim().perturb(perturb_one_in, perturb_one_in, all);
    m->start();
    REQUIRE(m->run(never) == Stop::idle);
    return digest_after(*m);
}
} // namespace

TEST_CASE("spurious wakes, another event queue, a save and load: nothing shows in the digest") {
    const std::string expected = whole_run();
    CHECK(whole_run(QueueKind::naive) == expected);
    for (unsigned one_in : {1u, 3u, 10u}) CHECK(whole_run(QueueKind::fast, one_in) == expected);

    Rng rng(11, "test");
    const auto reference = machine(mixed, busy, true);
    reference->start();
    reference->run(never);
    const auto end = static_cast<std::uint64_t>(reference->sim().now());
    for (int i = 0; i < 12; ++i) {
        auto m = machine(mixed, busy, true);
        m->start();
        Tick at = 0;
        for (int stop = 0; stop < 3; ++stop) { // each time from a fresh machine
            at += static_cast<Tick>(rng.below((end - static_cast<std::uint64_t>(at)) / 2)) + 1;
            REQUIRE(m->run(at) == Stop::limit);
            REQUIRE(m->pending());
            auto next = machine(mixed, busy, true);
            next->load(m->save());
            m = std::move(next);
        }
        CHECK(m->run(never) == Stop::idle);
        CHECK(digest_after(*m) == expected);
    }
}

TEST_CASE("every preset, order and refresh policy continues from a checkpoint with equal results") {
    const auto run = [](const Arguments& dram) {
        const std::string expected = whole_run(QueueKind::fast, 0, dram);
        CHECK(whole_run(QueueKind::naive, 3, dram) == expected);
        auto m = machine(mixed, dram, true);
        m->start();
        for (const Time at : {1'700_ns, 5'300_ns, 9_us}) {
            REQUIRE(m->run(at.raw) == Stop::limit);
            REQUIRE(m->pending());
            auto next = machine(mixed, dram, true);
            next->load(m->save());
            m = std::move(next);
        }
        CHECK(m->run(never) == Stop::idle);
        CHECK(digest_after(*m) == expected);
    };
    const auto presets = DramTable::names();
    for (std::size_t p = 0; p < presets.size(); ++p)
        for (const std::string order :
             {"first_ready", "fcfs", "oldest_ready", "bank_rotation(row_limit=4)", "committed",
              "per_bank_mixed(idle=40ns)"})
            for (const std::string refresh :
                 {"ranks_in_turn", "all_ranks(opened_first=true, closes_singly=true)",
                  "single_banks(opened_first=true)"}) {
                const std::string& preset = presets[p];
                const DramTiming& t = DramTable::find(preset);
                if (refresh.starts_with("single_banks") && t.tRFCpb.raw == 0) continue;
                INFO(preset << " " << order << " " << refresh);
                run({{"timing", preset},
                     {"capacity", "1GiB"},
                     {"map", "RoRaCoBaCh"},
                     {"order", order},
                     {"refresh", refresh},
                     {"page", p % 3 == 0   ? "timeout(idle=20ns)"
                              : p % 3 == 1 ? "open_adaptive"
                                           : "open"},
                     {"bank_hash", p % 2 ? "xor" : "none"},
                     {"bank_queue",
                      order.starts_with("bank_rotation") || order.starts_with("per_b") ? "2" : "0"},
                     {"write_batch", order.starts_with("per_b") ? "0" : "4"},
                     {"write_idle", p % 2 && !order.starts_with("per_b") ? "60ns" : "0fs"},
                     {"changes", t.tREFI.raw ? "tREFI=2us" : ""}});
            }
}

TEST_CASE("every request is answered, and each response belongs to an access of the DRAM") {
    const auto m = machine(mixed, busy);
    m->start();
    m->run(never);
    digest_after(*m);
    const auto& dram = m->get<DramController>("dram").stat;
    const auto& gen = m->get<TrafficGen>("gen").stat.sent;
    CHECK(dram.reads.value() == gen.reads.value());
    CHECK(dram.writes.value() == gen.writes.value());
    CHECK(dram.reads.value() + dram.writes.value() == 3000);
    CHECK(dram.bytes.value() == 3000 * 128);
    CHECK(gen.bytes.value() == dram.bytes.value());
    // The map has banks below columns: 128 bytes are two bursts, each in a row of its own.
    const auto pieces =
        dram.row_hits.value() + dram.row_misses.value() + dram.row_conflicts.value();
    CHECK(pieces * 64 == dram.bus_bytes.value());
    CHECK(dram.bus_bytes.value() + 64 * dram.forwarded.value() == 3000 * 128);
    CHECK(dram.row_misses.value() + dram.row_conflicts.value() <= dram.activates.value());
    CHECK(dram.precharges.value() <= dram.activates.value());
    CHECK(dram.refreshes.value() > 10);
}

TEST_CASE("an unloaded read takes tRCD + tCL + burst and the two links") {
    const auto latency = [](const char* changes, const char* requests, const char* page) {
        const auto m = machine({{"pattern", "sequential"},
                                {"requests", requests},
                                {"period", "1us"},
                                {"range", "64B"}},
                               {{"timing", "ohm_table1"},
                                {"capacity", "1GiB"},
                                {"page", page},
                                {"map", "RoBaCo"},
                                {"latency", "2ns"},
                                {"channel_latency", "3ns"},
                                {"changes", changes}});
        m->start();
        m->run(never);
        const auto& s = m->get<TrafficGen>("gen").stat.sent.read_latency;
        return static_cast<Tick>(s.sum() / s.count());
    };
    // 64 B at 60 GB/s are 1,066,666 fs; 1 fs to the controller, 3 ns of wires, 2 ns to answer.
    const Tick wires = 1'066'666 + 1 + Time {5_ns}.raw;
    CHECK(latency("tREFI=0ns", "1", "open") == Time {36_ns}.raw + wires);
    CHECK(latency("tREFI=0ns", "9", "closed") == Time {36_ns}.raw + wires);
}

TEST_CASE("a stream of reads reaches the peak that tCCD allows") {
    const auto bandwidth = [](const char* map) {
        const auto m = machine({{"pattern", "sequential"}, {"requests", "20000"}},
                               {{"timing", "ddr4_3200"}, {"map", map}, {"changes", "tREFI=0ns"}});
        m->start();
        m->run(never);
        return m->stat_value("dram", "bandwidth", "");
    };
    // Bank groups in turn: 64 B every tCCD_S = 2.52 ns, the bus's rate.
    CHECK(bandwidth("RoRaBaCoBg") == Approx(64 / 2.52e-9).epsilon(0.01));
    // Columns of one bank: 64 B every tCCD_L = 5.04 ns. Two rows overlap as one follows the other,
    // so that it is a little more.
    CHECK(bandwidth("RoRaBgBaCo") > 64 / 5.04e-9);
}

TEST_CASE("only the bursts that hold needed sectors are moved") {
    Machine m;
    m.add("driver", "test_mem.Driver", {});
    m.add("dram", "mem.DramController", {{"timing", "ddr4_2400"}}); // 64 bytes a burst
    m.bind("driver", "mem_side", "dram", "cpu_side");
    m.build();
    auto& driver = m.get<test_mem::Driver>("driver");
    using protocol::Command;
    driver.plan(0, Command::read, 0, 256).sectors = 0b10000001;              // bursts 0 and 3
    driver.plan(0, Command::read, 1024, 128).sectors = 0b1001;               // both bursts
    driver.plan(1'000'000'000, Command::write, 0, 256).sectors = 0b10011001; // 0, 1, 2, 3
    driver.plan(2'000'000'000, Command::read, 0, 256);
    m.start();
    REQUIRE(m.run(never) == Stop::idle);
    CHECK(digest_after(m).size() > 0);
    CHECK(driver.state.answers.size() == 4);
    const auto& s = m.get<DramController>("dram").stat;
    CHECK(s.bytes.value() == 64 + 64 + 128 + 256);
    CHECK(s.bus_bytes.value() == 128 + 128 + 256 + 256);
    CHECK(s.reads.value() == 3);
    CHECK(s.writes.value() == 1);
}

TEST_CASE("unused time, banks, ranks and channels cause no events") {
    const auto events = [](const char* period, const Arguments& dram, unsigned idle_channels = 0) {
        Machine m(7);
        m.add(
            "gen", "mem.TrafficGen",
            {{"requests", "500"}, {"period", period}, {"range", "256KiB"}, {"read_share", "0.7"}});
        m.add("dram", "mem.DramController", dram);
        m.bind("gen", "mem_side", "dram", "cpu_side");
        for (unsigned i = 0; i < idle_channels; ++i) {
            const std::string n = std::to_string(i);
            m.add("quiet" + n, "mem.TrafficGen", {{"requests", "1"}, {"period", "1s"}});
            m.add("idle" + n, "mem.DramController", {});
            m.bind("quiet" + n, "mem_side", "idle" + n, "cpu_side");
        }
        m.build();
        m.start();
        m.run(never);
        return m.sim().events_executed();
    };
    // Of a channel with rare requests: 200 or 200,000 refreshes are due between two reads.
    for (const char* refresh : {"ranks_in_turn", "all_ranks", "single_banks"}) {
        const Arguments gddr6 {
            {"timing", "gddr6"}, {"capacity", "1GiB"}, {"map", "RaRoBaCo"}, {"refresh", refresh}};
        const auto often = events("1ms", gddr6), seldom = events("1s", gddr6);
        CHECK(often <= seldom + 20); // a request may meet a refresh that is just going on
        CHECK(seldom <= often + 20);
    }
    // Of ranks and banks that no address selects.
    const auto ranks = [&](const char* n) {
        return events("20ns", {{"map", "RaRoBaCo"},
                               {"capacity", "2GiB"},
                               {"changes", std::string("tREFI=0ns ranks=") + n}});
    };
    CHECK(ranks("1") == ranks("8"));
    // Of channels: a single request each, whose events are few.
    const auto alone = events("20ns", {}), beside = events("20ns", {}, 32);
    CHECK(beside - alone <= 32 * 12);
}

TEST_CASE("one of six controllers accepts all addresses of its share and refuses the others") {
    const Arguments dram {{"timing", "ohm_table1"}, {"capacity", "12MiB"}, {"channels", "6"},
                          {"channel", "2"},         {"map", "RoBaCoChCl"}, {"interleave", "2KiB"}};
    const auto run = [&](const char* base) {
        const auto m = machine({{"pattern", "sequential"},
                                {"requests", "16"},
                                {"base", base},
                                {"size", "128"},
                                {"range", "2KiB"}},
                               dram);
        m->start();
        m->run(never);
        return m->stat_value("dram", "reads", "");
    };
    CHECK(run("4KiB") == 16);
    CHECK(run("16KiB") == 16); // 8 granules on
    CHECK(
        error_of([&] { run("6KiB"); }) ==
        "dram.channel: address 6144 belongs to channel 3: the component that spreads the requests "
        "must use the same map");
    CHECK(error_of([&] { run("72MiB"); }).find("dram.capacity: address 75497472 is beyond") == 0);
}

TEST_CASE("a controller selected by a hash takes its chunks, contiguous in its map") {
    const Arguments dram {{"timing", "ohm_table1"}, {"capacity", "12MiB"}, {"channels", "6"},
                          {"channel", "2"},         {"map", "RoBaCoChCl"}, {"interleave", "2KiB"},
                          {"hash_rounds", "1"}};
    unsigned taken = 0;
    for (unsigned chunk = 0; chunk < 18; ++chunk) {
        const auto m = machine({{"pattern", "sequential"},
                                {"requests", "16"},
                                {"base", std::to_string(2048 * chunk) + "B"},
                                {"size", "128"},
                                {"range", "2KiB"}},
                               dram);
        m->start();
        const std::string error = error_of([&] { m->run(never); });
        const std::uint32_t way = device_parts::HashedInterleave(2048, 6, 1).way(2048 * chunk);
        CHECK((error == "") == (way == 2));
        if (error == "") ++taken;
    }
    CHECK(taken == 3); // one of each round
    Arguments unknown = dram;
    std::erase_if(unknown, [](const auto& a) { return a.first == "interleave"; });
    CHECK(
        error_of([&] { machine({}, unknown); }) ==
        "dram.hash_rounds: the channels, their interleave and this channel are not known from the "
        "connection: give all three");
}

TEST_CASE("a controller that contradicts itself is refused before time 0") {
    const auto sentence = [](const Arguments& dram) {
        return error_of([&] { machine({}, dram); });
    };
    CHECK(sentence({}) == "");
    CHECK(sentence({{"changes", "tRC=40ns"}}) ==
          "dram.timing: ddr4_3200: tRC is 40ns, less than tRAS + tRP = 46250ps: the values "
          "contradict each other");
    CHECK(sentence({{"capacity", "1GB"}}).find("dram.capacity: 1GB must be a multiple of ") == 0);
    // A row of every bank is 16KiB in hbm2.
    CHECK(sentence({{"timing", "hbm2"}, {"capacity", "32TiB"}}) ==
          "dram.capacity: 32TiB is 2147483648 rows of every bank; the maximum is fewer than "
          "2147483648: give less than 32TiB");
    CHECK(sentence({{"map", "RoBaCo"}}).find("dram.map: the address map 'RoBaCo' does not cover") ==
          0);
    CHECK(sentence({{"order", "first_ready(row_limit=4)"}})
              .find("first_ready.row_limit: there is no such parameter") != std::string::npos);
    CHECK(sentence({{"order", "committed"}, {"bank_queue", "4"}}).find("dram.bank_queue: a comm") ==
          0);
    CHECK(sentence({{"order", "per_bank_mixed"}}) ==
          "dram.bank_queue: is 0, but order per_bank_mixed(row_limit=4, idle=1us) has a queue for "
          "each bank: set it to at least 1");
    CHECK(sentence({{"order", "per_bank_mixed"}, {"bank_queue", "2"}, {"write_idle", "1us"}})
              .find("dram.write_idle: order per_bank_mixed(row_limit=4, idle=1us) has an `idle`") ==
          0);
    for (const std::string batch : {"read_batch", "write_batch"})
        CHECK(sentence({{"order", "per_bank_mixed"}, {"bank_queue", "2"}, {batch, "4"}}) ==
              "dram." + batch +
                  ": order per_bank_mixed(row_limit=4, idle=1us) serves reads and writes together: "
                  "set it to 0");
    CHECK(sentence({{"order", "committed"}, {"changes", "tRPW=100ns tREFI=0ns"}})
              .find("dram.order: a committed order requires that all rows close in tRP") == 0);
    CHECK(sentence({{"refresh", "single_banks"}}) ==
          "dram.refresh: ddr4_3200 has no single-bank refresh: tRFCpb is 0fs");
    CHECK(sentence({{"order", "bank_rotation"},
                    {"bank_queue", "64"},
                    {"read_queue", "16384"},
                    {"write_queue", "16384"},
                    {"changes", "ranks=16"}})
              .find("dram.read_queue: together with the other queues holds 65536") == 0);
    CHECK(sentence({{"timing", "cmd_gddr6"}, {"changes", "tRC=62ns tRAS=50ns tRP=20ns"}})
              .find("dram.timing: cmd_gddr6: tRC is 62ns, less than tRAS + tRP = 70ns") == 0);
    // 6 controllers and 384 rows: maps are in mixed radix.
    CHECK(sentence({{"timing", "gddr6"},
                    {"capacity", "12MiB"}, // 384 rows of 2 KiB in 16 banks
                    {"channels", "6"},
                    {"map", "RoBaCoChCl"}}) == "");
    CHECK(sentence({{"channel", "1"}}) == "dram.channel: 1 is not below channels = 1");
    CHECK(sentence({{"write_high", "33"}}).find("dram.write_high: 33 exceeds the queue") == 0);
    CHECK(sentence({{"write_low", "28"}}).find("dram.write_low: 28 must be less") == 0);
    CHECK(sentence({{"interleave", "100B"}}).find("dram.interleave: 100B must be a multiple") == 0);
    CHECK(sentence({{"capacity", "0B"}}).find("dram.capacity: '0B' is outside its range") == 0);
    CHECK(sentence({{"timing", "ddr9"}}).find("there is no preset 'ddr9'") == 13);
}

TEST_CASE("the counts of the banks add up to those of the channel", "[dram]") {
    const auto m = machine(mixed, busy);
    m->start();
    m->run(never);
    auto& stat = m->get<DramController>("dram").stat;
    const auto sum = [](const Each<Counter>& each) {
        Uint128 all = 0;
        for (unsigned b = 0; b < each.size(); ++b) all += each[b].value();
        return all;
    };
    CHECK(stat.bank_reads.size() == 32);
    CHECK(sum(stat.bank_activates) == stat.activates.value());
    CHECK(sum(stat.bank_row_hits) == stat.row_hits.value());
    CHECK(sum(stat.bank_reads) + sum(stat.bank_writes) ==
          stat.row_hits.value() + stat.row_misses.value() + stat.row_conflicts.value());

    // A row of one bank alone.
    const auto one = machine({{"pattern", "sequential"}, {"requests", "64"}, {"range", "4KiB"}},
                             {{"timing", "ddr4_2400"}, {"map", "RaBgBaRoCo"}});
    one->start();
    one->run(never);
    auto& alone = one->get<DramController>("dram").stat;
    CHECK(alone.bank_reads[0].value() == 64);
    CHECK(sum(alone.bank_reads) == 64);
    CHECK(alone.bank_row_hits[0].value() == 63);
}

} // namespace memsim::dram_controller_test
