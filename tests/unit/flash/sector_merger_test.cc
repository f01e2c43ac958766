#include "flash/drive/sector_merger.hh"

#include "flash/drive/fixed_drive.hh"
#include "probes.hh"
#include "support.hh"

#include <catch2/catch.hpp>

namespace memsim::sector_merger_test {

/// Blocks smaller than a drive's sectors.

using namespace memsim::test_flash;
using Catch::Contains;
using protocol::BlockOp;

namespace {

/// A script, a merger and a drive that answers a read after 3 us, a write after 5.
struct Bench {
    Machine m;
    std::uint32_t tags = 0;
    explicit Bench(const std::string& block = "256B", const std::string& group = "512B") {
        m.add("host", "test_flash.HostScript", {{"latency", "1fs"}});
        m.add("merger", "flash.SectorMerger", {{"block", block}, {"group", group}});
        m.add("drive", "flash.FixedDrive",
              {{"read_latency", "3us"}, {"write_latency", "5us"}, {"bandwidth", "1000000GB/s"}});
        m.bind("host", "to", "merger", "requests");
        m.bind("merger", "drive", "drive", "requests");
        m.build();
    }
    Bench& at(Tick when, BlockOp op, std::uint64_t block, std::uint64_t blocks = 1) {
        m.get<HostScript>("host").state.script.push({when, {block, blocks, {}, tags++, op, false}});
        return *this;
    }
    /// In microseconds: links take femtoseconds, data less than a nanosecond.
    std::vector<Tick> answers() {
        run(m);
        std::vector<Tick> at(tags);
        for (const auto& s : m.get<HostScript>("host").state.log) at[s.response.tag] = s.at / us;
        return at;
    }
    void stop() { m.start(), m.run(never); }
    const flash::SectorMerger::Stats& stat() { return m.get<flash::SectorMerger>("merger").stat; }
    const flash::FixedDrive::Stats& drive() { return m.get<flash::FixedDrive>("drive").stat; }
};

} // namespace

TEST_CASE("Blocks are read with the sectors that they lie in", "[flash]") {
    Bench b;
    b.at(0, BlockOp::read, 3).at(10 * us, BlockOp::read, 3, 2).at(20 * us, BlockOp::read, 4, 2);
    CHECK(b.answers() == std::vector<Tick> {3, 13, 23});
    CHECK(value(b.drive().bytes) == 512 + 1024 + 512);
    CHECK(value(b.stat().drive_bytes) == 512 + 1024 + 512);
    CHECK(value(b.stat().reads) == 3);
    CHECK(value(b.stat().merge_reads) == 0);
    for (const auto& s : b.m.get<HostScript>("host").state.log)
        CHECK(s.response.sectors == (s.response.tag == 0 ? 1 : 2));
}

TEST_CASE("The rest of a sector is read before a block of it is written", "[flash]") {
    Bench b;
    b.at(0, BlockOp::write, 3);
    b.at(20 * us, BlockOp::write, 6, 2); // a whole sector
    CHECK(b.answers() == std::vector<Tick> {8, 25});
    CHECK(value(b.stat().merge_reads) == 1);
    CHECK(value(b.drive().reads) == 1);
    CHECK(value(b.drive().writes) == 2);
    CHECK(value(b.drive().bytes) == 3 * 512);
}

TEST_CASE("A flush waits for earlier writes whose sector is read first", "[flash]") {
    Bench b;
    b.at(0, BlockOp::write, 3); // read until 3, written until 8
    b.at(1 * us, BlockOp::flush, 0).at(2 * us, BlockOp::read, 20);
    CHECK(b.answers() == std::vector<Tick> {8, 13, 11});
}

TEST_CASE("A write to the same sector joins before it is written, and follows afterwards",
          "[flash]") {
    Bench b;
    b.at(0, BlockOp::write, 2).at(2 * us, BlockOp::write, 3); // while the rest is read
    b.at(4 * us, BlockOp::write, 3);                          // while it is written
    b.at(4 * us, BlockOp::read, 20);                          // does not wait
    CHECK(b.answers() == std::vector<Tick> {8, 8, 16, 7});
    CHECK(value(b.stat().joined) == 1);
    CHECK(value(b.stat().waits) == 1);
    CHECK(value(b.drive().writes) == 2);
    CHECK(value(b.stat().merge_reads) == 2);
}

TEST_CASE("Blocks that together are a sector are written without a read", "[flash]") {
    Bench b("128B");
    for (std::uint64_t i = 4; i < 8; ++i) b.at(0, BlockOp::write, i);
    CHECK(b.answers() == std::vector<Tick> {5, 5, 5, 5});
    CHECK(value(b.stat().joined) == 3);
    CHECK(value(b.drive().reads) == 0);
    CHECK(value(b.drive().writes) == 1);
}

TEST_CASE("A group is written by one request, with all earlier writes to it", "[flash]") {
    Bench b("256B", "4KiB");
    b.at(0, BlockOp::write, 16, 16);      // a whole group
    b.at(20 * us, BlockOp::write, 33, 2); // in part: the group is read
    b.at(21 * us, BlockOp::write, 47);    // goes along
    b.at(25 * us, BlockOp::write, 40);    // the group is on its way to the drive
    b.at(26 * us, BlockOp::write, 41);    // goes along with that
    b.at(26 * us, BlockOp::read, 5);      // does not wait
    CHECK(b.answers() == std::vector<Tick> {5, 28, 28, 36, 36, 29});
    CHECK(value(b.drive().writes) == 3);
    CHECK(value(b.stat().merge_reads) == 2);
    CHECK(value(b.stat().joined) == 2);
    CHECK(value(b.stat().waits) == 1);
    CHECK(value(b.drive().bytes) == 5 * 4096 + 512);
}

TEST_CASE("A flush is forwarded; requests that cannot be merged give an error message", "[flash]") {
    Bench b;
    b.at(0, BlockOp::flush, 0, 0);
    CHECK(b.answers() == std::vector<Tick> {5});
    CHECK(value(b.stat().drive_bytes) == 0);
    Bench across;
    across.at(0, BlockOp::write, 3, 2);
    CHECK_THROWS_WITH(across.stop(), Contains("merger.block: a write of 2 blocks from block 3 "
                                              "does not lie within one group of 512B"));
    CHECK_THROWS_WITH(Bench("32B", "4KiB"), "merger.group: 4KiB is 128 blocks of 32B: at most 64");
    Bench trim;
    trim.at(0, BlockOp::trim, 2, 2);
    CHECK_THROWS_WITH(trim.stop(), Contains("not trims"));
    Machine m;
    m.add("host", "test_flash.HostScript", {});
    m.add("merger", "flash.SectorMerger", {});
    m.add("drive", "flash.FixedDrive", {{"block", "256B"}});
    m.bind("host", "to", "merger", "requests");
    m.bind("merger", "drive", "drive", "requests");
    CHECK_THROWS_WITH(m.build(),
                      "merger.drive: drive uses blocks of 256B: connect it without a merger");
}

} // namespace memsim::sector_merger_test
