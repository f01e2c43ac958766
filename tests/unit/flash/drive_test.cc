#include "../../validation/table.hh"
#include "flash/channel/channel.hh"
#include "flash/drive/block_traffic.hh"
#include "flash/nand/package.hh"
#include "probes.hh"
#include "support.hh"

#include <cmath>
#include <set>

namespace memsim::drive_test {

using namespace memsim::test_flash;
using flash::Drive;
using protocol::BlockOp;

namespace {

/// One channel, package, die and plane of MLC at 1 GB/s. By default only the flash and the DRAM (10
/// ns and 1 GB/s) have latencies.
Flash small() {
    Flash f {1, 1, 1, 1, 16, 8};
    f.drive = {{"page", "4KiB"},       {"over_provisioning", "50%"}, {"dram_latency", "10ns"},
               {"dram_rate", "1GB/s"}, {"host_rate", "1000GB/s"},    {"completion", "1ns"},
               {"cache", "1MiB"},      {"write_buffer", "16KiB"},    {"unwritten", "past"}};
    f.channel = {{"rate", "1GB/s"}};
    f.package = {{"media", "mlc"}};
    return f;
}

struct Bench {
    Machine machine;
    explicit Bench(Flash f = small(), const Arguments& more = {}) {
        f.drive = with(f.drive, more);
        machine.add("host", "test_flash.HostScript", {});
        f.add(machine);
        machine.bind("host", "to", "drive", "host[0]");
        machine.build();
    }
    Drive& drive() { return machine.get<Drive>("drive"); }
    Bench& at(Tick when, BlockOp op, std::uint64_t sector, std::uint64_t sectors = 8) {
        machine.get<HostScript>("host").state.script.push(
            {when, {sector, sectors, {}, tags++, op, false}});
        return *this;
    }
    /// The request before is stamped; closed() ends its life at its answer.
    Bench& stamped() {
        auto& step = machine.get<HostScript>("host").state.script.back();
        step.request.stamps = machine.sim().stamps().open(step.at, 0);
        stamps.emplace_back(step.request.tag, step.request.stamps);
        return *this;
    }
    const Stamps& closed() {
        const auto at = answers();
        for (const auto& [tag, id] : stamps)
            machine.sim().stamps().close(id, Stage::find("response"), at[tag]);
        return machine.sim().stamps();
    }
    std::vector<Tick> answers() {
        run(machine);
        std::vector<Tick> at(tags);
        for (const auto& s : machine.get<HostScript>("host").state.log) at[s.response.tag] = s.at;
        return at;
    }
    std::uint32_t tags = 0;
    std::vector<std::pair<std::uint32_t, Stamps::Id>> stamps;
};

/// Of n bytes over flash wires, from the drive and back: as in channel_test, and 1 fs each way.
constexpr Tick flash_read(Tick bytes) { return (195 + 120) * ns + 75 * us + bytes * ns + 2; }
constexpr Tick wires = 2 * ns; // the host's

} // namespace

TEST_CASE("A read takes the flash's time, a part of a page its own bytes", "[flash]") {
    Bench b;
    b.at(0, BlockOp::read, 0).at(1000 * us, BlockOp::read, 11, 2);
    const auto at = b.answers();
    // 4112 bytes at 1000 GB/s to the host, 1040 of the second.
    CHECK(at[0] == wires + flash_read(4096) + 4'112'000);
    CHECK(at[1] == 1000 * us + wires + flash_read(1024) + 1'040'000);
}

TEST_CASE("A write completes when it is in the DRAM and can be read from there", "[flash]") {
    Bench b;
    b.at(0, BlockOp::write, 0).at(100 * us, BlockOp::read, 2, 4);
    b.at(2000 * us, BlockOp::read, 2, 4);
    const auto at = b.answers();
    const Tick answer = 16; // 16 bytes at 1000 GB/s, in ps
    CHECK(at[0] == wires + (10 + 4096) * ns + answer * 1000);
    CHECK(at[1] == 100 * us + wires + (10 + 2048) * ns + 2'064'000);
    CHECK(at[2] == 2000 * us + wires + flash_read(2048) + 2'064'000);
    CHECK(value(b.drive().stat.cache_sectors) == 4);
    CHECK(value(b.drive().stat.ftl.programs) == 1);
}

TEST_CASE("Writes wait while the write buffer is full", "[flash]") {
    Bench b; // 16 KiB: four pages; a program takes 750 us
    for (unsigned i = 0; i < 6; ++i) b.at(0, BlockOp::write, 8 * i);
    const auto at = b.answers();
    CHECK(at[3] < 100 * us);
    CHECK(at[4] > 750 * us);
    CHECK(at[4] < 800 * us);
    CHECK(at[5] > 1500 * us);
    CHECK(value(b.drive().stat.buffer_waits) == 2);
}

TEST_CASE("A page written in part is read and merged, one written whole is not", "[flash]") {
    Bench b(small(), {{"preconditioned", "100%"}});
    b.at(0, BlockOp::write, 0, 8).at(0, BlockOp::write, 11, 2);
    b.at(5000 * us, BlockOp::read, 8, 8);
    b.answers();
    CHECK(value(b.drive().stat.ftl.merge_reads) == 1);
    CHECK(value(b.drive().stat.ftl.host_page_writes) == 2);
    CHECK(value(b.drive().stat.ftl.host_page_reads) == 1);
}

TEST_CASE("Sectors never written: zeros without a flash access, or the past", "[flash]") {
    Bench zeros(small(), {{"unwritten", "zeros"}}), past;
    for (Bench* b : {&zeros, &past}) b->at(0, BlockOp::read, 0);
    CHECK(zeros.answers()[0] < 1 * us);
    CHECK(past.answers()[0] > 75 * us);
    CHECK(value(zeros.drive().stat.ftl.zero_pages) == 1);
}

TEST_CASE("A flush waits for earlier writes, and later writes wait for the flush", "[flash]") {
    Bench b(small(), {{"dirty_pages", "4"}, {"write_buffer", "1MiB"}});
    b.at(0, BlockOp::write, 0).at(1 * us, BlockOp::flush, 0, 0).at(2 * us, BlockOp::write, 8);
    const auto at = b.answers();
    CHECK(at[0] < 5 * us);
    CHECK(at[1] > 750 * us);
    CHECK(at[2] > at[1]);
    CHECK(value(b.drive().stat.ftl.programs) == 1); // the second page may stay
}

TEST_CASE("Cores take their time for each request", "[flash]") {
    Bench one(small(), {{"firmware", "10us"}}),
        two(small(), {{"firmware", "10us"}, {"cores", "2"}});
    for (Bench* b : {&one, &two}) b->at(0, BlockOp::trim, 0).at(0, BlockOp::trim, 8);
    auto at = one.answers();
    CHECK(at[0] == wires + 10 * us + 16'000);
    CHECK(at[1] == wires + 20 * us + 16'000);
    at = two.answers();
    CHECK(at[1] == wires + 10 * us + 2 * 16'000); // the answers share the wire
}

TEST_CASE("Stages record where a read spent its time in a drive", "[flash]") {
    Bench b(small(), {{"cores", "1"}, {"firmware", "1us"}});
    b.machine.sim().stamps().enable(1);
    b.at(0, BlockOp::read, 0).stamped().at(0, BlockOp::read, 64).stamped();
    const Stamps& stamps = b.closed();
    const auto sum = [&](const char* stage) {
        return static_cast<Tick>(stamps.sum(Stage::find(stage)));
    };
    CHECK(sum("firmware") == 3 * us); // one after the other
    CHECK(sum("map") == 0);           // all of it is in the drive's DRAM
    // The first has the plane, and its register until its data are sent. Then the second begins.
    CHECK(sum("plane_queue") == flash_read(4096) - 1 * us);
    CHECK(sum("sensing") == 2 * (315 * ns + 75 * us));
    CHECK(sum("flash_channel") == 2 * 4096 * ns);
    CHECK(sum("collection") == 0);
}

TEST_CASE("A read that waits for a collection has a stage of its own", "[flash]") {
    Bench b(small(), {{"preconditioned", "100%"}, {"overwritten", "100%"}});
    b.machine.sim().stamps().enable(1);
    for (unsigned i = 0; i < 12; ++i) b.at(i * us, BlockOp::write, 8 * i);
    for (unsigned i = 0; i < 12; ++i)
        b.at((1000 + 500 * i) * us, BlockOp::read, 64 + 8 * i).stamped();
    const Stamps& stamps = b.closed();
    CHECK(value(b.drive().stat.ftl.collections) > 0);
    CHECK(stamps.sum(Stage::find("collection")) > 0);
    Uint128 all = 0;
    for (const Stage stage : Stage::known()) all += stamps.sum(stage);
    CHECK(all == stamps.lifetimes().sum());
}

TEST_CASE("A miss of the map's cache reads its translation page, once for all that wait",
          "[flash]") {
    Bench b(small(), {{"map_cache", "18B"}}); // two entries
    b.at(0, BlockOp::read, 0).at(0, BlockOp::read, 8).at(5000 * us, BlockOp::read, 0);
    b.at(10'000 * us, BlockOp::read, 16); // throws out the second page, changed by being found
    b.at(20'000 * us, BlockOp::read, 8);
    const auto at = b.answers();
    const auto& s = b.drive().stat.ftl;
    CHECK(at[0] > 2 * 75 * us);
    CHECK(at[2] - 5000 * us < 2 * 75 * us);
    CHECK(value(s.map_misses) == 4);
    CHECK(value(s.map_hits) == 1);
    CHECK(value(s.map_writes) >= 1);
}

TEST_CASE("A map's cache larger than the map holds all of it", "[flash]") {
    for (const char* size : {"1MiB", "16GiB"}) { // 16 GiB are 2^32 entries
        Bench b(small(), {{"map_cache", size}, {"map_entry", "4"}});
        b.at(0, BlockOp::read, 0).at(5000 * us, BlockOp::read, 0);
        b.answers();
        CHECK(value(b.drive().stat.ftl.map_misses) == 1);
        CHECK(value(b.drive().stat.ftl.map_hits) == 1);
    }
}

// ---- data integrity --------------------------------------------------------------------------

namespace {

/// Runs test_flash.Checker on a small drive; the drive's statistics are left in `machine`.
void check_integrity(Machine& m, const Arguments& checker, const Arguments& drive,
                     const char* registers) {
    Flash f {2, 1, 2, 2, 14, 4};
    f.drive = with({{"page", "4KiB"},
                    {"over_provisioning", "50%"},
                    {"cache", "128KiB"},
                    {"write_buffer", "64KiB"}},
                   drive);
    f.channel = {{"registers", registers}};
    f.package = {{"media", "slc"}, {"registers", registers}};
    m.carry_contents();
    m.add("host", "test_flash.Checker",
          with({{"count", "6000"}, {"sectors", "1780"}, {"gap", "100us"}}, checker));
    f.add(m);
    m.bind("host", "drive", "drive", "host[0]");
    m.build();
    run(m);
}

} // namespace

TEST_CASE("Every read returns the last written data under any activity of the drive", "[flash]") {
    const std::vector<Arguments> drives {
        {},
        {{"preconditioned", "100%"}, {"fixed_plane", "false"}},
        {{"preconditioned", "100%"}, {"overwritten", "100%"}},
        {{"preconditioned", "70%"}, {"overwritten", "300%"}, {"map_cache", "180B"}},
        {{"cache_reads", "true"}, {"dirty_pages", "8"}},
        {{"map_cache", "180B"}, {"keep_rewritten", "true"}},
        {{"static_wear_levelling", "2"}, {"unwritten", "past"}, {"gc_first", "false"}},
        {{"map_cache", "90B"},
         {"preconditioned", "60%"},
         {"gc_moves", "1"},
         {"allocation", "PDWC"}},
    };
    unsigned seed = 0;
    for (const auto& drive : drives)
        for (const char* registers : {"1", "2"}) {
            INFO("drive " << seed / 2 << ", registers " << registers);
            Machine m(++seed);
            check_integrity(m, {}, drive, registers);
            CHECK(value(m.get<Checker>("host").stat.wrong) == 0);
            CHECK(m.get<Checker>("host").compare_image() == 0);
            CHECK(value(m.get<Checker>("host").stat.read_sectors) > 10'000);
            CHECK(m.stat_value("drive", "collections", "") > 100);
            CHECK(m.stat_value("drive", "moved_pages", "") > 10);
            CHECK(m.stat_value("drive", "trims", "") > 100);
        }
}

TEST_CASE("A machine saved during garbage collection continues unchanged", "[flash]") {
    const bool used = GENERATE(false, true);
    const auto make = [used](Machine& m) {
        Flash f {1, 1, 1, 2, 12, 4};
        f.drive = {{"page", "4KiB"}, {"over_provisioning", "50%"}, {"static_wear_levelling", "0"}};
        if (used) f.drive = with(f.drive, {{"preconditioned", "100%"}, {"overwritten", "100%"}});
        f.package = {{"media", "slc"}};
        m.carry_contents();
        m.add("host", "test_flash.Checker",
              {{"count", "600"}, {"sectors", "384"}, {"writes", "80%"}});
        f.add(m);
        m.bind("host", "drive", "drive", "host[0]");
        m.build();
    };
    Machine whole(5);
    make(whole);
    run(whole);
    unsigned saved = 0;
    for (Tick t = 5000 * us; saved < 4 && t < whole.sim().now(); t += 777 * us) {
        Machine first(5), second(5);
        make(first), make(second);
        first.start();
        first.run(t);
        bool collecting = false;
        for (const auto& c : first.get<Drive>("drive").state.flash.collections)
            collecting |= c.record != flash::Collection::none;
        if (!collecting) continue;
        ++saved;
        second.load(first.save());
        REQUIRE(second.run(never) == Stop::idle);
        CHECK(second.sim().now() == whole.sim().now());
        CHECK(value(second.get<Checker>("host").stat.wrong) == 0);
        CHECK(second.get<Checker>("host").compare_image() == 0);
        CHECK(second.stat_value("drive", "moved_pages", "") ==
              whole.stat_value("drive", "moved_pages", ""));
        CHECK(second.stat_value("drive", "erases", "") == whole.stat_value("drive", "erases", ""));
    }
    CHECK(saved == 4);
}

TEST_CASE("Valid, invalid and erased pages of a drive are all of its flash at any time",
          "[flash]") {
    const bool used = GENERATE(false, true);
    Machine m(5);
    Flash f {1, 1, 1, 2, 12, 4};
    f.drive = {{"page", "4KiB"}, {"over_provisioning", "50%"}};
    if (used) f.drive = with(f.drive, {{"preconditioned", "100%"}, {"overwritten", "100%"}});
    f.package = {{"media", "slc"}};
    m.add("host", "test_flash.Checker", {{"count", "600"}, {"sectors", "384"}, {"writes", "80%"}});
    f.add(m);
    m.bind("host", "drive", "drive", "host[0]");
    m.build();
    m.start();
    const auto& drive = m.get<Drive>("drive");
    const auto stat = [&](const char* name) {
        return static_cast<std::uint64_t>(m.stat_value("drive", name, ""));
    };
    std::set<std::uint64_t> free;
    const auto look = [&] {
        std::uint64_t valid = 0;
        for (std::uint32_t lpn = 0; lpn < 48; ++lpn)
            valid += drive.ftl().lookup(lpn).page != flash::no_page;
        CHECK(stat("valid_pages") == valid);
        CHECK(stat("valid_pages") + stat("invalid_pages") + stat("erased_pages") == 2 * 12 * 4);
        CHECK(stat("free_blocks") == drive.ftl().free_blocks(0) + drive.ftl().free_blocks(1));
        free.insert(stat("free_blocks"));
    };
    look();
    while (m.run(m.sim().now() + 777 * us) != Stop::idle) look();
    look();
    CHECK(free.size() > 1);
    m.reset_stats(); // how much there is does not become 0
    look();
}

// ---- write amplification and wear --------------------------------------------------------------

namespace {

/// Random whole-page writes to a drive of four planes of 96 blocks of 64 pages.
void write_all_over(Machine& m, const std::string& over_provisioning, const Arguments& more,
                    std::uint64_t writes, std::uint64_t range = 0) {
    Flash f {1, 1, 1, 4, 96, 64};
    f.drive = with({{"page", "4KiB"},
                    {"over_provisioning", over_provisioning},
                    {"gc_threshold", "0%"},
                    {"preconditioned", "100%"},
                    {"static_wear_levelling", "0"}},
                   more);
    f.channel = {{"independent_planes", "true"}};
    f.package = {{"media", "z_nand"}, {"independent_planes", "true"}};
    f.add(m);
    m.add("host", "flash.BlockTraffic",
          {{"read_share", "0%"},
           {"range", std::to_string(range)},
           {"outstanding", "64"},
           {"requests", std::to_string(writes)}});
    m.bind("host", "drive", "drive", "host[0]");
    m.build();
    m.start();
}
std::uint64_t pages_with(const std::string& over_provisioning) {
    return static_cast<std::uint64_t>(4 * 96 * 64 * (1 - std::stod(over_provisioning) / 100));
}

/// Writes eight times the capacity; statistics are those of the second half.
void fill(Machine& m, const char* over_provisioning, const Arguments& more = {},
          std::uint64_t range = 0) {
    const std::uint64_t pages = pages_with(over_provisioning);
    write_all_over(m, over_provisioning, more, pages * 8, range ? range : pages * 8);
    // Half of it to reach the steady state.
    while (m.stat_value("host", "writes", "") < static_cast<double>(pages) * 4)
        m.run(m.sim().now() + 10'000 * us);
    m.reset_stats();
    REQUIRE(m.run(never) == Stop::idle);
}

/// Write amplification of uniform random writes where the block cleaned is the one with fewest
/// valid pages, for large blocks (Desnoyers, SYSTOR 2012; Xiang and Kurkoski 2012): with a =
/// physical over logical pages, a / (a + W(-a exp(-a))), W Lambert's function. Smaller blocks do a
/// little better.
double analytic(double a) {
    const double x = -a * std::exp(-a);
    double w = -0.5; // the branch above -1
    for (int i = 0; i < 200; ++i) w -= (w * std::exp(w) - x) / (std::exp(w) * (w + 1));
    return a / (a + w);
}

} // namespace

TEST_CASE("Write amplification of uniform random writes is the analytic one",
          "[validation][flash]") {
    validation::Table table("Write amplification", "Uniform random writes",
                            "over-provisioning | analytic | ours | %");
    for (const char* op : {"15%", "20%", "30%", "40%"}) {
        Machine m(3);
        fill(m, op);
        // Of 96 blocks of a plane, one is free on average, and two are open.
        const double a = (96.0 - 1.5) / (96.0 * (1 - std::stod(op) / 100));
        const double ours = m.stat_value("drive", "write_amplification", "");
        table.row("{} | {:.2f} | {:.2f} | {}", op, analytic(a), ours,
                  validation::percent(ours, analytic(a), 10));
        CHECK(ours == Approx(analytic(a)).epsilon(0.1));
    }
}

TEST_CASE("A used drive amplifies writes from the beginning as after long writing",
          "[validation][flash]") {
    validation::Table table("Write amplification", "The first third of a drive written at random",
                            "over-provisioning | analytic | never overwritten | used | %");
    for (const char* op : {"15%", "20%", "30%", "40%"}) {
        double ours[2];
        for (const bool used : {false, true}) {
            Machine m(3);
            const std::uint64_t pages = pages_with(op);
            write_all_over(m, op, {{"overwritten", used ? "200%" : "0%"}}, pages / 3, pages * 8);
            REQUIRE(m.run(never) == Stop::idle);
            ours[used] = m.stat_value("drive", "write_amplification", "");
        }
        const double a = (96.0 - 1.5) / (96.0 * (1 - std::stod(op) / 100));
        table.row("{} | {:.2f} | {:.2f} | {:.2f} | {}", op, analytic(a), ours[0], ours[1],
                  validation::percent(ours[1], analytic(a), 10));
        CHECK(ours[1] == Approx(analytic(a)).epsilon(0.1));
        CHECK(ours[0] < 0.8 * ours[1]);
    }
}

TEST_CASE("A used drive collects with the first writes that need a block, and is worn", "[flash]") {
    for (const bool used : {false, true}) {
        Machine m(3); // 200 pages to each plane: three blocks
        write_all_over(m, "20%", {{"overwritten", used ? "100%" : "0%"}}, 800, 800 * 8);
        CHECK((m.get<Drive>("drive").state.flash.most_worn >= 2) == used);
        REQUIRE(m.run(never) == Stop::idle);
        const auto& stat = m.get<Drive>("drive").stat.ftl;
        CHECK((value(stat.collections) >= 20) == used);
        for (const std::string& broken : m.imbalances()) FAIL(broken);
    }
}

TEST_CASE("Static wear levelling keeps the blocks of cold data within its gap", "[flash]") {
    double spread[2];
    for (const bool level : {false, true}) {
        Machine m(3); // a tenth of the drive is written, the rest never
        fill(m, "20%", {{"static_wear_levelling", level ? "8" : "0"}}, 4 * 96 * 64 * 8 / 10);
        std::uint32_t least = ~0u, most = 0;
        const auto& blocks = m.get<Drive>("drive").state.flash.ftl.blocks;
        for (const auto& b : blocks)
            least = std::min(least, b.erases), most = std::max(most, b.erases);
        if (blocks.size() < 4 * 96) least = 0; // some were never touched
        spread[level] = most - least;
    }
    CHECK(spread[1] <= 12);
    CHECK(spread[0] > 2 * spread[1]);
}

// ---- size --------------------------------------------------------------------------------------

TEST_CASE("1.6 TB of flash needs memory only for accessed parts", "[flash]") {
    Flash f {16, 1, 8, 8, 1024, 384};
    f.drive = {{"page", "4KiB"}, {"preconditioned", "100%"}, {"over_provisioning", "22.3%"}};
    f.package = {{"media", "z_nand"}};
    Machine m(1);
    m.add("host", "flash.BlockTraffic", {{"requests", "2000"}, {"range", "2500000000"}});
    f.add(m);
    m.bind("host", "drive", "drive", "host[0]");
    m.build();
    run(m);
    const auto& d = m.get<Drive>("drive");
    CHECK(d.sectors() * 512 > 1'200'000'000'000);
    CHECK(d.state.flash.ftl.blocks.empty()); // reads leave nothing behind
    CHECK(d.state.flash.ftl.map.empty());
    CHECK(m.get<flash::Package>("package[0]").array().touched() <= 200);
}

// ---- misuse ------------------------------------------------------------------------------------

TEST_CASE("Invalid drive parameters give an error message", "[flash]") {
    const auto refusal = [](const Arguments& more) {
        return error_of([&] { Bench b(small(), more); });
    };
    CHECK(refusal({{"over_provisioning", "0%"}}) ==
          "drive.over_provisioning: is 0, but garbage collection needs spare pages: set it to 0.07 "
          "or similar");
    CHECK(refusal({{"over_provisioning", "7%"}}) ==
          "drive.over_provisioning: 7% leaves 1 of a plane's 16 blocks for garbage collection, "
          "which needs 6 (gc_threshold's 2 and 4 open blocks)");
    CHECK(refusal({{"channels", "0"}}).find("drive.channels: ") == 0);
    CHECK(refusal({{"pages", "0"}}).find("drive.pages: ") == 0);
    CHECK(refusal({{"page", "1000B"}}) ==
          "drive.page: 1kB is not a multiple of a sector of 512 bytes");
    CHECK(refusal({{"allocation", "CWD"}}) ==
          "drive.allocation: 'CWD' does not cover the drive: name "
          "C, W, D and P, as in 'CWDP'");
    CHECK(
        refusal({{"blocks", "1048576"}, {"pages", "32768"}}).find("drive.blocks: the drive has ") ==
        0);
    CHECK(refusal({{"cache", "1KiB"}}) == "drive.cache: 1KiB is smaller than a page of 4KiB");
    CHECK(refusal({{"write_buffer", "2MiB"}}) ==
          "drive.write_buffer: is larger than the cache of 1MiB");
    CHECK(refusal({{"map_cache", "8B"}}) == "drive.map_cache: holds no entry of 9 bytes");
    CHECK(refusal({{"overwritten", "50%"}}) ==
          "drive.overwritten: 50% of a drive without initial data: set preconditioned");
}

TEST_CASE("A read or a write has at least a sector, a flush may have none", "[flash]") {
    for (const BlockOp op : {BlockOp::read, BlockOp::write}) {
        Bench b;
        b.at(0, op, 0, 0);
        b.machine.start();
        CHECK_THROWS_AS(b.machine.run(never), Panic);
    }
    Bench b;
    b.at(0, BlockOp::flush, 0, 0);
    b.machine.start();
    CHECK(b.machine.run(never) == Stop::idle);
}

TEST_CASE("Sectors beyond the drive are refused with its size", "[flash]") {
    Bench b;
    b.at(0, BlockOp::write, b.drive().sectors() - 4);
    b.machine.start();
    CHECK(error_of([&] { b.machine.run(never); }) ==
          "drive: sectors from 508 to 516 are beyond the drive's 512: reduce the sender's range");
}

TEST_CASE("A drive that is filled repeatedly accepts every write", "[flash]") {
    Bench b;
    for (unsigned round = 0; round < 4; ++round)
        for (unsigned i = 0; i < 64; ++i) b.at(0, BlockOp::write, 8 * i);
    b.answers();
    CHECK(value(b.drive().stat.commands.writes) == 256);
}

// ---- tasks of its own --------------------------------------------------------------------------

TEST_CASE("A drive announces its tasks and their minimum duration", "[flash]") {
    const auto run_with = [](unsigned observers, Machine& m) {
        Flash f {1, 1, 1, 2, 24, 4};
        f.drive = {{"page", "4KiB"},
                   {"over_provisioning", "50%"},
                   {"preconditioned", "100%"},
                   {"static_wear_levelling", "2"},
                   {"observers", std::to_string(observers)}};
        f.package = {{"media", "slc"}};
        m.add("host", "test_flash.Checker",
              {{"count", "600"}, {"sectors", "200"}, {"writes", "80%"}});
        f.add(m);
        m.bind("host", "drive", "drive", "host[0]");
        for (unsigned i = 0; i < observers; ++i) {
            m.add("listener", "test_flash.Listener", {});
            m.bind("drive", "tasks[0]", "listener", "tasks");
        }
        m.build();
        run(m);
    };
    Machine heard(5), unheard(5);
    run_with(1, heard), run_with(0, unheard);
    CHECK(heard.sim().now() == unheard.sim().now());
    const auto& stat = heard.get<Drive>("drive").stat.ftl;
    const auto& tasks = heard.get<Listener>("listener").state.tasks;
    std::uint64_t pages = 0, of_kind[2] = {};
    const auto t = heard.get<flash::Package>("package[0]").flash_times();
    for (const protocol::DriveTask& task : tasks) {
        pages += task.pages;
        ++of_kind[static_cast<unsigned>(task.kind)];
        CHECK(task.expected == task.pages * (t.read + t.program) + t.erase);
        CHECK(task.plane < 2);
    }
    CHECK(of_kind[0] == value(stat.collections));
    CHECK(of_kind[1] == value(stat.levellings));
    CHECK(of_kind[1] > 0);
    CHECK(pages >= value(stat.moved_pages));
}

} // namespace memsim::drive_test
