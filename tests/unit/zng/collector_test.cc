#include "../../contract/data_driver.hh"
#include "../gpu/script.hh"
#include "ftl_support.hh"

#include <map>
#include <set>

namespace memsim::collector_test {

using namespace memsim::test_zng;
using zng::FlashController;
using zng::GarbageCollector;
using zng::Package;

namespace {

void start(Machine& m, const Ftl& ftl) {
    ftl.add(m);
    m.build();
    ftl.look(m);
    m.start();
}

void finish(Machine& m) {
    m.run(never);
    if (m.pending())
        for (auto& l : m.wait_report()) WARN(l);
    REQUIRE_FALSE(m.pending());
    CHECK(m.imbalances() == std::vector<std::string> {});
}

/// Both wanderers compare what they read, and all memory at the end.
void carry_data(Machine& m, Ftl& ftl, const Arguments& driver) {
    m.carry_contents();
    ftl.driver = "test.DataDriver";
    ftl.wanderer = with({{"answers", "32"}, {"gap", "200ns"}}, driver);
}
void check_data(Machine& m) {
    for (unsigned i = 0; i < 2; ++i) {
        auto& driver = m.get<test::DataDriver>(at("wanderer", i));
        CHECK(value(driver.stat.wrong) == 0);
        CHECK(value(driver.stat.old) == 0);
        CHECK(driver.compare_image() == 0);
    }
}

/// Each data block has a log block of its plane, which serves no more than two (the ratio), of one
/// application, and holds no data itself.
void check_tables(Machine& m, const Ftl& ftl = {}) {
    const auto& c = m.get<GarbageCollector>("collector");
    const auto& mmu = m.get<gpu::Mmu>("mmu");
    const zng::Flash flash {2, 2, 2, 40, 12, 4096, 12, ftl.span, ftl.across};
    std::map<std::uint64_t, std::vector<unsigned>> served; // applications, by log block
    std::map<std::uint64_t, unsigned> data;
    for (unsigned a = 0; a < 2; ++a)
        for (unsigned p = 0; p < ftl.blocks_each(); ++p) {
            const auto block = static_cast<std::uint32_t>(*mmu.frame_of(a, p));
            const std::uint32_t log = c.log_blocks().log_of(block);
            CHECK(flash.group_of(block) == flash.group_of(log));
            served[log].push_back(a);
            ++data[block];
        }
    CHECK(data.size() == 2 * ftl.blocks_each());
    for (const auto& [log, applications] : served) {
        CHECK(applications.size() <= 2);
        CHECK(applications.front() == applications.back());
        CHECK(data.count(log) == 0);
    }
}

} // namespace

/// Random reads and writes of two applications, log blocks merged meanwhile: every read of the
/// flash returns what was written last, and no request goes to a block that is not its
/// application's.
TEST_CASE("No line is lost or misplaced while log blocks are merged", "[zng]") {
    for (const char* network : {"none", "swnet", "fcnet", "nif"})
        for (const char* filled : {"0%", "100%"})
            for (const bool redirect : {false, true}) {
                INFO(network << " " << filled << " " << redirect);
                Machine m {3};
                Ftl ftl;
                ftl.redirect = redirect;
                carry_data(m, ftl, {{"count", "4000"}, {"lines", "400"}, {"stride", "15"}});
                ftl.package = {{"network", network}, {"log_filled", filled}};
                start(m, ftl);
                finish(m);
                check_data(m);
                const auto& c = m.get<GarbageCollector>("collector");
                CHECK(value(c.stat.merges) > 10);
                CHECK(value(c.stat.merges) == value(c.stat.log_lows));
                std::uint64_t thrashes = 0;
                for (unsigned i = 0; i < 2; ++i) {
                    const auto& f = m.get<FlashController>(at("controller", i)).stat;
                    CHECK(value(f.reads) > 500);
                    CHECK(value(f.writes) > 500);
                    CHECK(value(m.get<Gate>(at("gate", i)).stat.astray) == 0);
                    CHECK(value(m.get<Gate>(at("gate", i)).stat.passed) > 1000);
                    thrashes += value(f.thrashes);
                }
                CHECK((thrashes > 0 || !redirect));
                check_tables(m);
            }
}

/// The same with mapped blocks over several planes.
TEST_CASE("No line is lost or misplaced while mapped blocks are merged", "[zng]") {
    const bool used_up = GENERATE(false, true), across = GENERATE(false, true);
    const char* const network = GENERATE("none", "nif");
    const unsigned span = GENERATE(2u, 4u);
    INFO(network << " used_up " << used_up << ", span " << span << ", across " << across);
    Machine m {3};
    Ftl ftl;
    ftl.span = span, ftl.across = across;
    if (used_up) ftl.blocks = 44;
    // Writes that are outstanding at a merge do not fill the next log block, or the flash would be
    // full.
    carry_data(m, ftl, {{"count", "4000"}, {"lines", "400"}, {"stride", "15"}, {"answers", "8"}});
    ftl.package = {{"network", network}, {"log_filled", used_up ? "0%" : "100%"}};
    ftl.collector = {{"when", used_up ? "used_up" : "low"}};
    start(m, ftl);
    finish(m);
    check_data(m);
    check_tables(m, ftl);
    const auto& c = m.get<GarbageCollector>("collector");
    CHECK(value(used_up ? c.stat.extensions : c.stat.merges) > 2);
    CHECK(value(c.stat.log_lows) == value(c.stat.merges) + value(c.stat.extensions));
    CHECK(value(c.stat.erases) % span == 0);
    CHECK(value(c.stat.moved_pages) % (12 * span) == 0);
    std::uint64_t extended = 0;
    for (unsigned i = 0; i < 2; ++i) {
        extended += value(m.get<FlashController>(at("controller", i)).stat.extensions);
        CHECK(value(m.get<Gate>(at("gate", i)).stat.astray) == 0);
    }
    CHECK(extended == value(c.stat.extensions) * span);
}

/// Log blocks of a page or a few: a new one is low before its data blocks are there, and full while
/// requests that were outstanding when its application was held still arrive. Blocks to merge into
/// run out, so merges wait for erases.
TEST_CASE("A new log block may fill while requests are outstanding", "[zng]") {
    std::uint64_t no_room = 0;
    for (const char* network : {"none", "nif"})
        for (const unsigned pages : {1, 2, 3})
            for (const unsigned reserve : {0u, pages - 1})
                for (const char* registers : {"2", "4"}) {
                    INFO(network << " " << pages << " " << reserve << " " << registers);
                    Machine m {7};
                    Ftl ftl;
                    ftl.pages = pages;
                    carry_data(m, ftl,
                               {{"count", "2000"},
                                {"lines", std::to_string(16 * pages * 4)},
                                {"stride", "8"},
                                {"writes", "6"},
                                {"gap", "40ns"}});
                    ftl.package = {{"network", network},
                                   {"registers", registers},
                                   {"log_reserve", std::to_string(reserve)}};
                    ftl.l2 = {{"write_policy", "write_evict"}, {"write_allocate", "false"}};
                    start(m, ftl);
                    const auto& c = m.get<GarbageCollector>("collector");
                    std::uint64_t on_their_way = 0;
                    while (m.run(m.sim().now() + 5 * us) != Stop::idle) {
                        for (const std::uint32_t log : c.state.waiting)
                            ++(c.state.blocks.targets.find(log) ? on_their_way : no_room);
                    }
                    finish(m);
                    check_data(m);
                    CHECK(value(c.stat.merges) > 20);
                    CHECK(value(c.stat.merges) == value(c.stat.log_lows));
                    CHECK(on_their_way > 0);
                    for (unsigned i = 0; i < 2; ++i) {
                        const auto& f = m.get<FlashController>(at("controller", i)).stat;
                        CHECK(value(f.reads) > 200);
                        CHECK(value(m.get<Gate>(at("gate", i)).stat.astray) == 0);
                    }
                }
    CHECK(no_room > 1000);
}

TEST_CASE("An application is held while its log block is merged; another continues", "[zng]") {
    Machine m {5};
    Ftl ftl;
    ftl.wanderer = {{"count", "3000"}, {"lines", "400"}, {"stride", "15"}, {"gap", "2us"}};
    ftl.second = {{"writes", "0"}, {"atomics", "0"}, {"count", "20000"}};
    ftl.package = {{"log_filled", "100%"}};
    start(m, ftl);
    auto& c = m.get<GarbageCollector>("collector");
    const auto& state = c.state.applications[0];
    std::uint64_t still = 0, others = 0;
    while (state.hold != zng::Hold::quiet) m.run(m.sim().now() + us);
    const auto& moving = m.get<Wanderer>("wanderer[1]").stat;
    const auto& standing = m.get<Wanderer>("wanderer[0]").stat;
    still = value(standing.answered), others = value(moving.answered);
    while (state.hold == zng::Hold::quiet) {
        CHECK(value(standing.answered) == still);
        m.run(m.sim().now() + us);
    }
    CHECK(value(moving.answered) > others + 100);
    finish(m);
    CHECK(value(standing.answered) > still);
    CHECK(value(c.stat.held_time[0]) > 0);
    CHECK(value(c.stat.held_time[1]) == 0);
    // Each hold waits for outstanding answers, then for the flush; the second lies within it.
    CHECK(c.stat.drain_time.count() == value(c.stat.holds));
    CHECK(c.stat.flush_time.count() == value(c.stat.holds));
    CHECK(c.stat.flush_time.sum() > 0);
    CHECK(c.stat.drain_time.sum() + c.stat.flush_time.sum() <=
          static_cast<Int128>(value(c.stat.held_time[0])));
}

namespace {

/// One application that writes one line now and then, each time through to the flash, and log
/// blocks of two pages: the first merge runs alone.
struct Lone {
    Machine m {1};
    explicit Lone(bool assist = false, unsigned span = 1, bool across = false,
                  const Arguments& more = {}) {
        Ftl ftl;
        ftl.collector = more;
        ftl.span = span, ftl.across = across;
        ftl.wanderers = 1;
        test::scripts() = {test::Script {}}; // the SM has nothing else to do
        ftl.assist = assist;
        ftl.wanderer = {{"count", "400"},
                        {"lines", across ? "24" : "12"}, // more pages than a package has registers
                        {"stride", "32"},
                        {"writes", "95"},
                        {"gap", "400us"}};
        start(m, ftl);
        while (collector().state.merges.active.empty())
            REQUIRE(m.run(m.sim().now() + us) != Stop::idle);
    }
    GarbageCollector& collector() { return m.get<GarbageCollector>("collector"); }
    const zng::Merge& merge() {
        return collector().state.merges.merges.at(collector().state.merges.active.at(0));
    }
};

} // namespace

TEST_CASE("A merge takes the time of its programs, with blocks in parallel, and of the erases",
          "[zng]") {
    // A page: sensed, 4 KiB over the package's network of 6.4 GB/s, programmed; one after another.
    constexpr Tick page = 3 * us + 640 * ns + 100 * us;
    Lone one;
    while (value(one.collector().stat.merges) == 0) one.m.run(one.m.sim().now() + us);
    const auto took = static_cast<Tick>(one.collector().stat.merge_time.sum());
    const Tick least = 12 * page + 3 * 1000 * us; // all three erases in one plane
    CHECK(took > least);
    CHECK(took < least + 2 * page); // what was programmed to the log block when it began
    CHECK(value(one.collector().stat.moved_pages) == 2 * 12);
    CHECK(value(one.collector().stat.erases) == 3);
}

/// Two data blocks of 4 x 12 pages: each plane programs its part of both while the others do.
TEST_CASE("All planes of a mapped block move their pages at once", "[zng]") {
    const bool across = GENERATE(false, true);
    INFO("across: " << across);
    // Sensed and programmed in one plane, or in another: 4 KiB over the package's network.
    const Tick page = 3 * us + 100 * us + (across ? 640 * ns : 0);
    Lone one(false, 4, across);
    while (value(one.collector().stat.merges) == 0)
        REQUIRE(one.m.run(one.m.sim().now() + us) != Stop::idle);
    const auto took = static_cast<Tick>(one.collector().stat.merge_time.sum());
    const Tick least = 2 * 12 * page + 3 * 1000 * us; // three erases in each plane
    CHECK(took > least);
    CHECK(took < least + 3 * page);
    CHECK(value(one.collector().stat.moved_pages) == 2 * 4 * 12);
    CHECK(value(one.collector().stat.erases) == 3 * 4);
    const std::uint64_t a = value(one.m.get<Package>("package[0]").stat.moves);
    const std::uint64_t b = value(one.m.get<Package>("package[1]").stat.moves);
    CHECK(a + b == 2 * 4 * 12);
    CHECK((across ? a == b : a == 0 || b == 0));
}

TEST_CASE("A move waits for the helper thread's instructions", "[zng]") {
    // 4 of 12 pages at a time, two blocks, 32 instructions a page, 22 cycles each.
    constexpr unsigned instructions = 4 * 2 * 32;
    {
        Lone own;
        const Tick begun = own.merge().since + Tick {instructions} * 18'333'333;
        own.m.run(begun);
        CHECK(own.merge().moves.at(0).sent == 0);
        own.m.run(begun + 1);
        CHECK(own.merge().moves.at(0).sent == 2); // so many ahead
        CHECK(own.merge().moves.at(0).granted == 4);
    }
    {
        Lone slow(false, 1, false, {{"instruction_time", "100ns"}});
        const Tick begun = slow.merge().since + Tick {instructions} * 100 * ns;
        slow.m.run(begun);
        CHECK(slow.merge().moves.at(0).sent == 0);
        slow.m.run(begun + 1);
        CHECK(slow.merge().moves.at(0).sent == 2);
    }
    // Over a link of 5 ns to the next edge; 5632 cycles of 1.2 GHz; back at once.
    Lone assist(true);
    const Tick least =
        assist.merge().since + 5 * ns + Tick {instructions} * 22 * 1'000'000 / 12 * 10;
    assist.m.run(least);
    CHECK(assist.merge().moves.at(0).sent == 0);
    assist.m.run(least + 1 * ns);
    CHECK(assist.merge().moves.at(0).sent == 2);
    while (value(assist.collector().stat.merges) == 0) assist.m.run(assist.m.sim().now() + us);
    CHECK(value(assist.collector().stat.instructions) == 3 * instructions);
    CHECK(value(assist.m.get<gpu::Sm>("sm").stat.assist_instructions) == 3 * instructions);
}

TEST_CASE("The destination of a merge is in the planes whose blocks have the fewest erases",
          "[zng]") {
    Machine m {1};
    Ftl ftl; // a merge now and then: no plane has more to do than another
    ftl.wanderers = 1;
    ftl.pages = 2;
    ftl.wanderer = {
        {"count", "600"}, {"lines", "128"}, {"stride", "8"}, {"writes", "95"}, {"gap", "400us"}};
    ftl.l2 = {{"write_policy", "write_evict"}, {"write_allocate", "false"}};
    start(m, ftl);
    finish(m);
    REQUIRE(value(m.get<GarbageCollector>("collector").stat.merges) > 50);
    for (unsigned p = 0; p < 2; ++p) {
        const auto& package = m.get<Package>(at("package", p));
        std::vector<unsigned> erases;
        for (unsigned plane = 0; plane < 4; ++plane) {
            erases.push_back(0);
            for (unsigned b = 0; b < 40; ++b)
                if (const auto* block = package.array().block(plane, b))
                    erases.back() += block->erases;
        }
        INFO("package " << p << ": " << erases[0] << " " << erases[1] << " " << erases[2] << " "
                        << erases[3]);
        const auto [least, most] = std::minmax_element(erases.begin(), erases.end());
        CHECK(*most <= *least + *most / 4);
    }
}

// ---- bad input -------------------------------------------------------------------------------

namespace {

std::string refused(const Ftl& ftl) {
    try {
        Machine m;
        ftl.add(m);
        m.build();
    } catch (const ConfigError& e) {
        return e.what();
    }
    return "";
}

} // namespace

TEST_CASE("Invalid collector parameters are rejected with a message", "[zng]") {
    Ftl ftl;
    CHECK(refused(ftl) == "");
    ftl.collector = {{"blocks", "18"}};
    CHECK(refused(ftl) ==
          "collector.data_blocks: 12 data blocks and 6 log blocks and one block to merge into "
          "exceed the 18 blocks of a plane: over-provision more (reduce data_blocks)");
    ftl.collector = {{"footprints", "1MiB"}};
    CHECK(refused(ftl) == "collector.footprints: '1MiB' has 1 values for 2 applications");
    ftl.collector = {{"footprints", "1MiB,2"}};
    CHECK(refused(ftl).find("collector.footprints: ") == 0);
    ftl.collector = {{"footprints", "1MiB,1GiB"}};
    CHECK(refused(ftl).find(
              "collector.footprints: the flash is full: application 1 ends at block ") == 0);
    ftl.collector = {{"footprints", "2MiB,1MiB"}};
    CHECK(refused(ftl) == "collector.footprints: applications 0 and 1 would share log blocks: make "
                          "the MMU's address_space 786432B larger than the largest footprint");
    ftl.collector = {{"pages", "16"}};
    CHECK(refused(ftl) == "collector.mmu: a block of 65536B must be the page of mmu");
    ftl.collector = {{"log_ratio", "4"}};
    CHECK(refused(ftl) == "controller[0].log_ratio: 2, but collector has 4: flash controllers, "
                          "garbage collector and packages must have the same geometry");
    ftl.collector = {{"span", "3"}};
    CHECK(refused(ftl) ==
          "collector.span: a mapped block of 3 planes does not divide the 4 planes");
    ftl.collector = {{"span", "1"}, {"across", "true"}};
    CHECK(refused(ftl) ==
          "collector.span: a mapped block of 1 planes does not divide the 8 planes of 2 packages");
    ftl.collector = {{"data_pages", "13"}};
    CHECK(refused(ftl) == "collector.data_pages: 13 exceeds the 12 pages of a block");
    ftl.collector = {};
    ftl.mmu = {{"memory", "4608KiB"}}; // all data blocks, and nothing behind them
    CHECK(refused(ftl) == "");
    ftl.mmu = {{"memory", "4656KiB"}}; // one block more, which is a log block
    CHECK_THAT(refused(ftl), Catch::Contains("mmu has its pages in memory from address 0") &&
                                 Catch::Contains("where collector has its log blocks and the "
                                                 "blocks to merge into, from address 4718592"));
    ftl.mmu = {{"placement", "first_touch"}};
    CHECK(refused(ftl) ==
          "collector.footprints: mmu must place pages by identity, for data blocks of "
          "one log block to belong to one application");
}

TEST_CASE("A full log block is extended by erased blocks of its plane until none is left",
          "[zng]") {
    const auto collected = [](unsigned blocks, const char* network) {
        INFO(blocks << " " << network);
        Machine m {3};
        Ftl ftl;
        carry_data(m, ftl, {{"count", "4000"}, {"lines", "400"}, {"stride", "15"}});
        ftl.package = {{"network", network}};
        ftl.blocks = blocks;
        ftl.collector = {{"when", "used_up"}};
        start(m, ftl);
        finish(m);
        check_data(m);
        check_tables(m);
        const auto& c = m.get<GarbageCollector>("collector");
        CHECK(value(c.stat.log_lows) == value(c.stat.merges) + value(c.stat.extensions));
        CHECK(value(c.stat.extensions) > 0);
        std::size_t live = 0; // extension blocks of log blocks, not merged yet
        c.state.blocks.more.all(
            [&](std::uint64_t, const auto& more) { return live += more.size(), true; });
        CHECK(value(c.stat.erases) == value(c.stat.moved_pages) / 12 + value(c.stat.merges) +
                                          value(c.stat.extensions) - live);
        for (std::uint32_t plane = 0; plane < 8; ++plane) // two log blocks with their data blocks
            CHECK((value(c.stat.merges) || c.state.blocks.free.left(plane) >= 6));
        for (unsigned i = 0; i < 2; ++i) CHECK(value(m.get<Gate>(at("gate", i)).stat.astray) == 0);
        return value(c.stat.merges);
    };
    for (const char* network : {"none", "nif"}) {
        CHECK(collected(120, network) == 0); // no application is held
        CHECK(collected(24, network) > 0);
    }
}

TEST_CASE("No valid page is lost or made while log blocks are merged", "[zng]") {
    const bool filled = GENERATE(false, true);
    Machine m {3};
    Ftl ftl;
    ftl.wanderer = {{"count", "4000"}, {"lines", "400"}, {"stride", "15"}};
    if (filled) ftl.package = {{"log_filled", "100%"}};
    start(m, ftl);
    const auto& c = m.get<GarbageCollector>("collector");
    constexpr unsigned planes = 4, blocks = 40, pages = 12, data = 12; // of each package
    std::set<std::uint64_t> invalid;
    const auto look = [&](bool quiet) {
        for (unsigned i = 0; i < 2; ++i) {
            const auto stat = [&](const char* name) {
                return static_cast<std::uint64_t>(m.stat_value(at("package", i), name, ""));
            };
            CHECK(stat("valid_pages") + stat("invalid_pages") + stat("erased_pages") ==
                  planes * blocks * pages);
            // Those that are being moved are not programmed where they go.
            CHECK(stat("valid_pages") <= planes * data * pages);
            if (quiet) CHECK(stat("valid_pages") == planes * data * pages);
            CHECK(stat("free_blocks") * pages <= stat("erased_pages"));
            invalid.insert(stat("invalid_pages"));
        }
    };
    look(true);
    if (!filled) // all blocks but those with data
        CHECK(m.stat_value("package[0]", "free_blocks", "") == planes * (blocks - data));
    while (m.run(m.sim().now() + 100 * us) != Stop::idle) look(false);
    finish(m);
    look(true);
    CHECK(value(c.stat.merges) > 0);
    CHECK(invalid.size() > 10);
}

/// Blocks of 12 pages, of which 6 to 9 are programmed before the run.
TEST_CASE("Log blocks are filled between two bounds at the start", "[zng]") {
    Machine m {3};
    Ftl ftl;
    ftl.wanderer = {{"count", "1"}};
    ftl.package = {{"log_filled", "75%"}, {"log_filled_least", "50%"}};
    start(m, ftl);
    std::uint64_t invalid = 0; // 6 log blocks in each of 8 planes
    for (unsigned i = 0; i < 2; ++i)
        invalid += static_cast<std::uint64_t>(m.stat_value(at("package", i), "invalid_pages", ""));
    CHECK(invalid >= 48 * 6);
    CHECK(invalid <= 48 * 9);
    CHECK(invalid > 48 * 6 + 24);
    CHECK(invalid < 48 * 9 - 24);
    ftl.package = {{"log_filled", "50%"}, {"log_filled_least", "75%"}};
    CHECK(refused(ftl) == "package[0].log_filled_least: it exceeds log_filled");
}

TEST_CASE("A full flash gives an error message", "[zng]") {
    Machine m {3};
    Ftl ftl; // each plane has one erased block, and a block moved there needs a log block, too
    ftl.wanderer = {{"count", "4000"}, {"lines", "400"}, {"stride", "15"}};
    ftl.package = {{"log_filled", "100%"}};
    ftl.blocks = 19;
    start(m, ftl);
    std::string why;
    try {
        m.run(never);
    } catch (const ConfigError& e) {
        why = e.what();
    }
    CHECK(why.find("collector.data_blocks: the flash is full: no plane of package ") == 0);
}

} // namespace memsim::collector_test
