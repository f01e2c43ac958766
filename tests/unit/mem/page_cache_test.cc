#include "mem/page_cache/page_cache.hh"

#include "../gpu/mmu_support.hh"
#include "flash/drive/fixed_drive.hh"
#include "page_cache_support.hh"

#include "core/kernel/registry.hh"

#include <map>

/// A DRAM that is the cache of a drive.
namespace memsim::test {

static const Registration<NextPages> next_pages {"Orders what is behind a miss (a test's)."};

} // namespace memsim::test

using namespace memsim;
using namespace memsim::test_mem;
using test_mmu::Recorder;

namespace {

constexpr std::uint64_t unit = 4096, lines = 32;
constexpr Tick us = 1'000'000'000;
// From the request to the cache, and from the drive's answer to the DRAM's: links of 1 fs each.
constexpr Tick drive_read = 1 + (15_us).raw + 1'280'000'000 + 1; // 4 KiB at 3.2 GB/s
constexpr Tick dram_read = 1 + (100_ns).raw;

/// A driver, the cache, a DRAM of fixed latency that records its requests, and a drive.
struct Bench {
    Machine m {7};
    explicit Bench(const std::string& cache, const std::string& prefetcher = "",
                   const std::string& drive = "", bool contents = false) {
        if (contents) m.carry_contents();
        m.add("driver", "test_mem.Driver", {});
        m.add("cache", "mem.PageCache", arguments(cache));
        if (contents)
            m.add("dram", "mem.SimpleMemory", arguments("queue=1 bandwidth=1GB/s"));
        else
            m.add("dram", "test_mmu.Recorder", {});
        m.add("drive", "flash.FixedDrive", arguments(drive));
        m.bind("driver", "mem_side", "cache", "cpu_side");
        m.bind("cache", "dram_side", "dram", contents ? "cpu_side" : "cpu_side[0]");
        m.bind("cache", "drive_side", "drive", "requests");
        if (!prefetcher.empty()) {
            m.add("prefetcher", "test.NextPages", arguments(prefetcher));
            m.bind("cache", "misses", "prefetcher", "misses");
            m.bind("prefetcher", "hints", "cache", "hints");
        }
        m.build();
    }
    void run() {
        m.start();
        REQUIRE(m.run(never) == Stop::idle);
        REQUIRE_FALSE(m.pending());
        REQUIRE(m.imbalances() == std::vector<std::string> {});
    }
    Driver& driver() { return m.get<Driver>("driver"); }
    mem::PageCache& cache() { return m.get<mem::PageCache>("cache"); }
    const std::vector<Recorder::Seen>& dram() { return m.get<Recorder>("dram").state.seen; }
    flash::FixedDrive& drive() { return m.get<flash::FixedDrive>("drive"); }
    std::uint64_t count(Counter mem::PageCache::Stats::*c) { return value(cache().stat.*c); }
    std::uint64_t count(Counter mem::FrontStats::*c) { return value(cache().stat.front.*c); }
    std::uint64_t count(Counter mem::AheadStats::*c) { return value(cache().stat.ahead.*c); }
};
using Stats = mem::PageCache::Stats;
using Front = mem::FrontStats;
using Ahead = mem::AheadStats;

} // namespace

TEST_CASE("Misses beyond the places of the prefetcher's port are not reported, and counted",
          "[page_cache]") {
    Bench b("capacity=32KiB", "pages=1");
    for (unsigned i = 0; i < 6; ++i) b.driver().read(0, 20 * i * unit); // the port has four places
    b.run();
    CHECK(b.count(&Front::misses) == 6);
    CHECK(b.count(&Stats::lost_misses) == 2);
    CHECK(value(b.m.get<test::NextPages>("prefetcher").stat.misses) == 4);
}

TEST_CASE("A missing unit is read from the drive and written to the DRAM; then it is a hit",
          "[page_cache]") {
    Bench b("capacity=16KiB");
    b.driver().read(0, 5 * unit + 64);
    b.driver().read(1 * us, 5 * unit + 512); // on its way
    b.driver().read(100 * us, 5 * unit);
    b.run();
    CHECK(b.driver().answered(0) == 1 + drive_read + dram_read + 1);
    CHECK(b.driver().answered(1) == b.driver().answered(0));
    CHECK(b.driver().answered(2) == 100 * us + 1 + dram_read + 1);
    REQUIRE(b.dram().size() == lines + 3);
    for (std::uint64_t i = 0; i < lines; ++i) {
        CHECK(b.dram()[i].request.command == Command::write);
        CHECK(b.dram()[i].request.address == i * 128);
    }
    CHECK(b.dram()[lines].request.address == 64);
    CHECK(b.dram()[lines + 1].request.address == 512);
    CHECK(b.count(&Front::misses) == 1);
    CHECK(b.count(&Front::merged) == 1);
    CHECK(b.count(&Front::hits) == 1);
    CHECK(value(b.drive().stat.reads) == 1);
}

TEST_CASE("A unit that was written to is read out and written to the drive; a clean one is not",
          "[page_cache]") {
    for (const bool dirty : {false, true}) {
        Bench b("capacity=4KiB");
        b.driver().plan(0, dirty ? Command::write : Command::read, 0, 32);
        b.driver().read(100 * us, unit);
        b.run();
        CHECK(b.count(&Stats::evictions) == 1);
        CHECK(b.count(&Stats::units_out) == (dirty ? 1u : 0u));
        CHECK(value(b.drive().stat.writes) == (dirty ? 1u : 0u));
        std::uint64_t read_out = 0;
        for (const auto& s : b.dram())
            read_out +=
                s.at > 100 * us && s.request.bytes == 128 && s.request.command == Command::read;
        CHECK(read_out == (dirty ? lines : 0));
        // The old unit is read out while the new one is read.
        CHECK(b.driver().answered(1) == 100 * us + 1 + drive_read + dram_read + 1);
    }
}

TEST_CASE("A unit is not written to its frame before the one that makes room has been read out",
          "[page_cache]") {
    Bench b("capacity=4KiB dram_queue=1", "", "read_latency=1ns bandwidth=100GB/s");
    b.driver().write(0, 0, 32, false);
    b.driver().read(100 * us, unit);
    b.run();
    // One line after the other is read; the last one's answer is seen before the first is written.
    REQUIRE(b.dram().size() == 2 * lines + 1 + lines + 1);
    for (std::uint64_t i = 0; i < 2 * lines; ++i)
        CHECK(b.dram()[lines + 1 + i].request.command ==
              (i < lines ? Command::read : Command::write));
    CHECK(b.driver().answered(1) > 100 * us + static_cast<Tick>(lines) * dram_read);
}

TEST_CASE("A unit that is being written to the drive is read again after the drive has received it",
          "[page_cache]") {
    Bench b("capacity=4KiB");
    b.driver().write(0, 0, 32, false);
    b.driver().read(100 * us, unit);
    b.driver().read(118 * us, 0); // unit 1 has come, the drive still writes unit 0
    b.run();
    // The drive's data path takes the read of unit 1, then the write: it is answered after these.
    const Tick written = 100 * us + 1 + 1 + 2 * Tick {1'280'000'000} + (16_us).raw + 1;
    CHECK(b.driver().answered(2) == written + drive_read + dram_read + 1);
    CHECK(b.count(&Stats::units_in) == 3);
}

TEST_CASE("A unit with outstanding requests is not replaced", "[page_cache]") {
    Bench b("capacity=8KiB");
    b.driver().read(0, 0);
    b.driver().read(0, unit);
    // Units 0 and 1 are read again; before the DRAM has responded a third one is requested: it
    // takes the place of neither until then.
    b.driver().read(100 * us, 0);
    b.driver().read(100 * us, unit);
    b.driver().read(100 * us, 2 * unit);
    b.run();
    CHECK(b.count(&Stats::stalled_by_frames) == 1);
    CHECK(b.driver().answered(4) == b.driver().answered(2) + drive_read + dram_read);
}

TEST_CASE("Hinted units are fetched with a missed one, neighbours in one request", "[page_cache]") {
    Bench b("capacity=64KiB", "pages=3");
    b.driver().read(0, 0);
    b.driver().read(100 * us, 2 * unit);
    b.driver().read(200 * us, 4 * unit);
    b.run();
    CHECK(b.count(&Front::misses) == 2);
    CHECK(b.count(&Front::hits) == 1);
    CHECK(b.count(&Ahead::prefetches) == 6);
    CHECK(b.count(&Stats::drive_reads) == 4);
    CHECK(b.count(&Stats::units_in) == 8);
    // Units that are present or in transfer are not read again.
    Bench again("capacity=64KiB", "pages=3");
    again.driver().read(0, 0);
    again.driver().read(1 * us, 4 * unit);
    again.driver().read(1 * us, 1 * unit); // late
    again.driver().read(100 * us, 3 * unit);
    again.run();
    CHECK(again.count(&Front::misses) == 2);
    CHECK(again.count(&Ahead::prefetches) == 6);
    CHECK(again.count(&Ahead::late_prefetches) == 1);
    CHECK(again.count(&Front::hits) == 1);
    // A request to the drive reads no more than a batch.
    Bench small("capacity=64KiB batch=2", "pages=5");
    small.driver().read(0, 0);
    small.run();
    CHECK(small.count(&Stats::drive_reads) == 1 + 3);
}

TEST_CASE("A hint does not replace a unit in transfer; unused units are counted", "[page_cache]") {
    Bench b("capacity=8KiB", "pages=3");
    b.driver().read(0, 0); // unit 1 is prefetched, 2 and 3 find no frame
    b.driver().read(100 * us, 5 * unit);
    b.run();
    CHECK(b.count(&Ahead::prefetches) == 2);
    CHECK(b.count(&Ahead::dropped_prefetches) == 4);
    CHECK(b.count(&Ahead::unused_prefetches) == 1);
}

TEST_CASE("A page prefetcher's units follow the missed one, except present ones", "[page_cache]") {
    Bench b("capacity=64KiB prefetch=page-on-page(pages=4) prefetch_end=28KiB");
    b.driver().read(0, 6 * unit);        // 4 and 5 come, too; 7 is behind the end
    b.driver().read(5 * us, 5 * unit);   // late
    b.driver().read(100 * us, 4 * unit); // a hit brings nothing
    b.driver().read(200 * us, 2 * unit); // 0, 1, 3
    b.run();
    CHECK(b.driver().answered(0) == 1 + drive_read + dram_read + 1); // not held up by the others
    CHECK(b.count(&Front::misses) == 2);
    CHECK(b.count(&Front::hits) == 1);
    CHECK(b.count(&Ahead::prefetches) == 5);
    CHECK(b.count(&Ahead::late_prefetches) == 1);
    CHECK(b.count(&Stats::units_in) == 7);
    // Present units are not read again; unused ones are counted at their eviction.
    Bench small("capacity=20KiB prefetch=page-on-page(pages=4,where=behind)");
    small.driver().read(0, 2 * unit);         // 3, 4 and 5 come, too
    small.driver().read(100 * us, 1 * unit);  // 2, 3 and 4 are present
    small.driver().read(200 * us, 10 * unit); // 10 to 13 take the places of 2 to 5
    small.run();
    CHECK(small.count(&Ahead::prefetches) == 6);
    CHECK(small.count(&Stats::evictions) == 4);
    CHECK(small.count(&Ahead::unused_prefetches) == 3);
}

TEST_CASE("A page prefetcher is informed of replaced units", "[page_cache]") {
    Bench b("capacity=16KiB prefetch=density(region=16KiB,block=16KiB)");
    b.driver().read(0, 0); // 1, 2 and 3 come, too
    b.driver().read(100 * us, 4 * unit);
    b.driver().read(200 * us, 0); // and again: they had been evicted
    b.run();
    CHECK(b.count(&Front::misses) == 3);
    CHECK(b.count(&Ahead::prefetches) == 9);
}

TEST_CASE("Any page prefetcher of the registry works in a page cache", "[page_cache]") {
    for (const auto& [name, info] : policies().at("page prefetcher")) {
        INFO(name);
        if (name.rfind("test", 0) == 0) continue; // of other tests
        Bench b("capacity=128KiB prefetch=" + name + " prefetch_end=1MiB");
        Rng random(1, name);
        Tick at = 0;
        for (unsigned i = 0; i < 300; ++i) b.driver().read(at += 3 * us, random.below(256) * unit);
        b.run();
        CHECK(b.count(&Stats::units_in) == b.count(&Front::misses) + b.count(&Ahead::prefetches));
        CHECK((b.count(&Ahead::prefetches) > 0) == (name != "none"));
        CHECK((b.count(&Ahead::unused_prefetches) > 0) == (name != "none"));
    }
}

TEST_CASE("Each unit has its frame to itself under random traffic", "[page_cache]") {
    for (const std::uint64_t frames : {1u, 3u, 8u, 40u}) {
        Bench b("requests=16 queue=4 drive_queue=3 capacity=" + std::to_string(frames * unit) + "B",
                frames == 3 ? "" : "pages=2");
        Rng random(frames, "traffic");
        Tick at = 0;
        for (std::uint32_t i = 0; i < 1500; ++i) {
            const std::uint64_t u = random.below(20);
            const bool write = random.below(3) == 0;
            at += static_cast<Tick>(random.below(3'000'000'000));
            MemRequest& r = b.driver().plan(at, write ? Command::write : Command::read,
                                            u * unit + random.below(lines * 4) * 32, 32,
                                            write && random.below(2));
            r.pc = static_cast<std::uint32_t>(u + 1); // the unit that it is for
        }
        b.run();
        // Between two fills a frame belongs to one unit; a written unit is read out before the
        // next fill, whole, and nothing else is.
        struct Frame {
            std::uint64_t filled = 0, read_out = 0, owner = 0;
            bool dirty = false;
        };
        std::map<std::uint64_t, Frame> held;
        for (const auto& s : b.dram()) {
            Frame& f = held[s.request.address / unit];
            REQUIRE(s.request.address / unit < frames);
            if (s.request.bytes == 32) {
                REQUIRE(f.filled == lines);
                REQUIRE(f.read_out == 0);
                if (f.owner == 0) f.owner = s.request.pc;
                REQUIRE(f.owner == s.request.pc);
                f.dirty |= s.request.command == Command::write;
            } else if (s.request.command == Command::read) {
                REQUIRE(f.dirty);
                ++f.read_out;
            } else {
                if (f.filled == lines) {
                    REQUIRE(f.read_out == (f.dirty ? lines : 0));
                    f = {};
                }
                ++f.filled;
            }
        }
        CHECK(b.count(&Front::hits) + b.count(&Front::misses) + b.count(&Front::merged) == 1500);
        CHECK((b.count(&Stats::units_out) > 0) == (frames < 20));
    }
}

TEST_CASE("Hints may arrive at the port for requests", "[page_cache]") {
    Bench b("capacity=64KiB");
    b.driver().plan(0, Command::hint, 2 * unit + 256, 4096, true); // units 2 and 3
    b.driver().read(1 * us, 3 * unit);                             // on its way
    b.driver().read(100 * us, 2 * unit);
    b.run();
    CHECK(b.count(&Ahead::prefetches) == 2);
    CHECK(b.count(&Ahead::late_prefetches) == 1);
    CHECK(b.count(&Front::merged) == 1);
    CHECK(b.count(&Front::hits) == 1);
    CHECK(b.count(&Stats::drive_reads) == 1);
    CHECK(b.driver().answered(0) == -1);
}

TEST_CASE("Host writes to a unit in transfer are kept, in either direction, by a page cache",
          "[page_cache]") {
    const auto look = [](Bench& b, std::uint64_t address, bool write, std::uint8_t byte = 0) {
        FunctionalAccess a {address, 0, write, {}};
        if (write) {
            a.data.known = SectorBytes::all;
            a.data.bytes.fill(byte);
            a.data.order.fill(7);
        }
        b.cache().functional(b.cache().port.cpu_side, a);
        CHECK(a.address == address);
        return a.data.known ? a.data.bytes[5] : 0;
    };
    const auto at = [&](Bench& b, Tick when) {
        look(b, 64, true, 1);
        look(b, 96, true, 1);
        b.m.start();
        b.m.run(when);
        look(b, 64, true, 42);
        look(b, 4064, true, 42);
        CHECK(look(b, 64, false) == 42);
        REQUIRE(b.m.run(never) == Stop::idle);
        CHECK(look(b, 96, false) == 1);
        CHECK(look(b, 4064, false) == 42);
        return look(b, 64, false);
    };
    Bench comes("capacity=4KiB", "", "", true);
    comes.driver().read(0, 0);
    CHECK(at(comes, 10 * us) == 42);             // the drive has begun to read the unit
    Bench copied("capacity=4KiB", "", "", true); // a line each 128 ns
    copied.driver().read(0, 0);
    CHECK(at(copied, 18 * us) == 42);
    Bench goes("capacity=4KiB drive_latency=1us", "", "", true);
    goes.driver().write(0, 0, 32, false);
    goes.driver().read(100 * us, unit);
    CHECK(at(goes, 100 * us + us / 2) == 42); // it has been read out, and is not at the drive
}

TEST_CASE("Units of 256 bytes are read one by one, and each miss costs the controller's time",
          "[page_cache]") {
    Bench b("capacity=16KiB unit=256B drive_latency=1us", "", "block=256B");
    b.driver().read(0, 5 * 256 + 64);
    b.driver().read(100 * us, 5 * 256 + 128);
    b.driver().read(200 * us, 6 * 256);
    b.run();
    constexpr Tick read = (16_us).raw + 80'000'000 + 1; // 256 B at 3.2 GB/s, and 1 us
    CHECK(b.driver().answered(0) == 1 + read + dram_read + 1);
    CHECK(b.driver().answered(2) == 200 * us + 1 + read + dram_read + 1);
    CHECK(b.count(&Front::hits) == 1);
    CHECK(b.count(&Front::misses) == 2);
    CHECK(value(b.drive().stat.bytes) == 512);
    CHECK(b.dram().size() == 2 * 2 + 3);
}

TEST_CASE("The written units of a group leave together, in one request for neighbours",
          "[page_cache]") {
    const std::string group = GENERATE("0B", "1KiB");
    Bench b("capacity=2KiB unit=256B write_group=" + group, "", "block=256B");
    const auto write = [&](Tick at, std::uint64_t n) {
        b.driver().write(at * us, n * 256, 32, false);
    };
    // Units 0 to 3 are a group: 0, 1 and 3 are written, 2 is read. So is 4, of the next one.
    write(0, 0), write(20, 1), write(40, 3), write(60, 4);
    b.driver().read(80 * us, 2 * 256);
    for (std::uint64_t n = 8; n < 11; ++n) b.driver().read((100 + n) * us, n * 256);
    b.driver().read(200 * us, 11 * 256); // 0 makes room
    b.driver().read(300 * us, 12 * 256); // and 1, which is clean then
    b.run();
    const bool alone = group == "0B";
    CHECK(b.count(&Stats::units_out) == (alone ? 2 : 3));
    CHECK(b.cache().state.written.drive_writes == 2); // units 0 and 1 together, and 3
    CHECK(b.cache().state.groups.units_cleaned == (alone ? 0 : 2));
    CHECK(value(b.drive().stat.writes) == 2);
}

TEST_CASE("A unit that was written again after it left with its group leaves again",
          "[page_cache]") {
    Bench b("capacity=1KiB unit=256B write_group=1KiB", "", "block=256B");
    b.driver().write(0, 0, 32, false);
    b.driver().write(20 * us, 256, 32, false);
    b.driver().read(40 * us, 512);
    b.driver().read(60 * us, 768);
    b.driver().read(100 * us, 8 * 256); // 0 makes room, 1 leaves with it
    b.driver().write(200 * us, 256 + 64, 32, false);
    for (std::uint64_t n = 9; n < 13; ++n) b.driver().read((200 + 20 * n) * us, n * 256);
    b.run();
    CHECK(b.count(&Stats::units_out) == 3);
}

TEST_CASE(
    "The frame of a unit that is written with its group is not free before the drive has the unit",
    "[page_cache]") {
    Bench b("capacity=512B unit=256B write_group=512B", "", "block=256B write_latency=200us");
    b.driver().write(0, 0, 32, false);
    b.driver().write(20 * us, 256, 32, false);
    b.driver().read(100 * us, 8 * 256); // 0 makes room
    b.driver().read(101 * us, 9 * 256); // 1 is on its way
    b.run();
    CHECK(b.count(&Stats::stalled_by_frames) == 1);
    CHECK(b.driver().answered(2) < 120 * us);
    CHECK(b.driver().answered(3) >
          b.driver().answered(2) + 15 * us); // it takes the frame of unit 8
}

TEST_CASE("An early write is answered at once, and later reads return its data", "[page_cache]") {
    for (const bool early : {false, true}) {
        Bench b(early ? "capacity=4KiB early_writes=true" : "capacity=4KiB");
        b.driver().write(0, 64, 32, false);
        b.driver().read(us, 64);
        b.driver().write(100 * us, 64, 32, false); // a hit
        b.run();
        CHECK(b.driver().answered(0) == (early ? 2 : 1 + drive_read + dram_read + 1));
        CHECK(b.driver().answered(1) >= 1 + drive_read + dram_read + 1);
        CHECK(b.driver().answered(2) == 100 * us + 1 + dram_read + 1);
        CHECK(b.cache().state.written.early_answers == early);
        // The write reaches the DRAM behind the unit, and before the read.
        REQUIRE(b.dram().size() == lines + 3);
        CHECK(b.dram()[lines].request.command == Command::write);
        CHECK(b.dram()[lines + 1].request.command == Command::read);
    }
}

TEST_CASE("A functional access finds the data of an early write before its unit has arrived",
          "[page_cache]") {
    Bench b("capacity=4KiB early_writes=true", "", "", true);
    MemRequest& r = b.driver().plan(0, Command::write, 64, 32, false);
    r.contents = b.m.sim().contents().create();
    SectorBytes data;
    data.known = SectorBytes::all;
    data.bytes.fill(9), data.order.fill(3);
    b.m.sim().contents()[r.contents].pieces.push_back({0, data});
    const auto look = [&] {
        FunctionalAccess a {64, 0, false, {}};
        b.cache().functional(b.cache().port.cpu_side, a);
        return a.data.known ? a.data.bytes[5] : 0;
    };
    b.m.start();
    b.m.run(10 * us);
    CHECK(b.driver().answered(0) == 2);
    CHECK(look() == 9);
    REQUIRE(b.m.run(never) == Stop::idle);
    CHECK(look() == 9);
}

TEST_CASE("Invalid page cache parameters are rejected", "[page_cache]") {
    const auto error = [](const std::string& params) -> std::string {
        try {
            Bench b(params);
        } catch (const ConfigError& e) {
            return e.what();
        }
        return "";
    };
    CHECK(error("capacity=10KiB") ==
          "cache.capacity: 10KiB is not a whole number of units of 4KiB");
    CHECK(error("unit=5000B") == "cache.unit: must be a power of two");
    CHECK(error("unit=64B") ==
          "cache.line: 128B is more than a unit of 64B: take smaller lines or larger units");
    CHECK(error("dram_base=64B") == "cache.dram_base: 64B must be a multiple of the line of 128B");
    CHECK(error("drive_base=-4KiB").find("cache.drive_base: ") == 0);
    CHECK(error("write_group=6KiB").find("write_group: '6KiB' must be a multiple of") !=
          std::string::npos);
    CHECK(error("unit=512B write_group=64KiB capacity=64KiB") ==
          "cache.write_group: 64KiB is more than 64 units of 512B, or than the 512KiB that a drive "
          "writes in one request");
    CHECK(error("batch=200") == "cache.batch: 200 units of 4KiB are more than the 512KiB that a "
                                "drive reads in one request");
    CHECK(error("unit=256B capacity=16KiB batch=1") ==
          "cache.unit: 256B is less than a block of drive, 512B: take larger units, or a "
          "flash.SectorMerger before the drive");
    CHECK(error("drive_base=100B") ==
          "cache.drive_base: must be a multiple of a drive's sector of 512B");
}
