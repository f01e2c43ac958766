#include "mem/read_ahead/read_ahead.hh"

#include "driver.hh"
#include "mem/simple_memory.hh"

#include <catch2/catch.hpp>

#include <set>

/// Arrays of far memory that are read into a buffer before the program reads them.
namespace memsim::read_ahead_test {

using namespace memsim::test_mem;
using Catch::Contains;
using mem::ReadAhead;

namespace {

constexpr Tick us = 1'000'000'000;
constexpr std::uint64_t line = 128, second = 4096, third = 8192;
// Three groups, of 4, 4 and 2 lines; the third has two arrays.
const std::string groups = "0B 512B; 4KiB 512B; 8KiB 128B, 12KiB 128B";

/// A driver, the component, a router, far memory of 1 us, and near memory of 100 ns from 1 MiB on.
struct Bench {
    Machine m {7};
    explicit Bench(const std::string& more = "", const std::string& arrays = groups) {
        m.add("driver", "test_mem.Driver", {});
        Arguments all = arguments("base=1MiB " + more);
        all.emplace_back("arrays", arrays);
        m.add("ahead", "mem.ReadAhead", all);
        m.add("router", "link.AddressRouter",
              {{"ranges", "0B 1MiB 0, 1MiB 1MiB 1"}, {"latency", "1fs"}});
        m.add("far", "mem.SimpleMemory", arguments("latency=1us bandwidth=1000GB/s"));
        m.add("near", "mem.SimpleMemory", arguments("latency=100ns bandwidth=1000GB/s"));
        m.bind("driver", "mem_side", "ahead", "cpu_side");
        m.bind("ahead", "mem_side", "router", "cpu_side");
        m.bind("router", "mem_side", "far", "cpu_side");
        m.bind("router", "mem_side", "near", "cpu_side");
        m.build();
    }
    void run() {
        m.start();
        REQUIRE(m.run(never) == Stop::idle);
        REQUIRE_FALSE(m.pending());
        REQUIRE(m.imbalances() == std::vector<std::string> {});
    }
    Driver& driver() { return m.get<Driver>("driver"); }
    std::uint64_t count(Counter ReadAhead::Stats::*c) {
        return value(m.get<ReadAhead>("ahead").stat.*c);
    }
    std::uint64_t reads(const std::string& memory) {
        return value(m.get<mem::SimpleMemory>(memory).stat.reads);
    }
    std::uint64_t writes(const std::string& memory) {
        return value(m.get<mem::SimpleMemory>(memory).stat.writes);
    }
};
using Stats = ReadAhead::Stats;

std::string refusal(const std::string& more, const std::string& arrays) {
    try {
        Bench(more, arrays);
    } catch (const ConfigError& e) {
        return e.what();
    }
    return "";
}

} // namespace

TEST_CASE("the group after the one that is read is in the buffer when it is read", "[read_ahead]") {
    Bench b;
    b.driver().read(0, 0);
    for (unsigned i = 0; i < 4; ++i) b.driver().read(5 * us, second + i * line, line);
    b.run();
    CHECK(b.count(&Stats::misses) == 1);
    CHECK(b.count(&Stats::hits) == 4);
    CHECK(b.driver().answered(0) >= 1 * us);
    for (unsigned i = 1; i < 5; ++i) CHECK(b.driver().answered(i) < 5 * us + us / 4);
    // The rest of the first group is skipped, because a read has reached it.
    CHECK(b.count(&Stats::fetches) == 4 + 2);
    CHECK(b.reads("far") == 1 + 4 + 2);
    CHECK(b.writes("near") == 4 + 2);
    CHECK(b.reads("near") == 4);
    CHECK(b.count(&Stats::useless) == 0); // the third group is still in the buffer
}

TEST_CASE("a read at the tick of a line's arrival is a hit, one tick sooner it waits",
          "[read_ahead]") {
    Tick comes = 0;
    {
        Bench b;
        b.driver().read(0, 0);
        b.driver().read(us / 2, second, line);
        b.run();
        CHECK(b.count(&Stats::late) == 1);
        CHECK(b.writes("near") == 3 + 2);   // the whole line was read from the fetched data
        comes = b.driver().answered(1) - 2; // sent on arrival, a link of 1 fs to the driver
    }
    for (const Tick sooner : {0, 1}) {
        Bench b;
        b.driver().read(0, 0);
        b.driver().read(comes - sooner, second, line); // a link of 1 fs to the component
        b.run();
        CHECK(b.count(&Stats::late) == static_cast<std::uint64_t>(sooner));
        CHECK(b.count(&Stats::hits) == static_cast<std::uint64_t>(1 - sooner));
        CHECK(b.reads("near") == static_cast<std::uint64_t>(1 - sooner));
    }
}

TEST_CASE("a line makes room when all of it has been read", "[read_ahead]") {
    Bench b("capacity=128B");
    b.driver().read(0, 0);
    b.driver().read(5 * us, second, 96);
    b.driver().read(10 * us, second + line, line); // not fetched: the buffer has one line
    b.driver().read(15 * us, second + 96, 32);
    b.driver().read(20 * us, second + 2 * line, line);
    b.run();
    // The second line was missed, so the rest of its array is left to the program.
    CHECK(b.count(&Stats::hits) == 2);
    CHECK(b.count(&Stats::misses) == 1 + 2);
    CHECK(b.count(&Stats::full) >= 1);
    CHECK(b.count(&Stats::fetches) == 1 + 1); // then the first line of the third group
}

TEST_CASE("lines of a group that the program has left are dropped", "[read_ahead]") {
    Bench b;
    b.driver().read(0, 0);
    b.driver().read(5 * us, second);
    b.driver().read(10 * us, third);
    b.run();
    CHECK(b.count(&Stats::useless) == 3);
    CHECK(b.count(&Stats::hits) == 2);
    CHECK(b.count(&Stats::fetches) == 4 + 2 + 4); // after the last group the first one is next
}

TEST_CASE("with predict = last only arrays are fetched that were read the last time",
          "[read_ahead]") {
    Bench b("predict=last");
    for (unsigned pass = 0; pass < 2; ++pass) {
        b.driver().read(pass * 30 * us, 0);
        b.driver().read(pass * 30 * us + 10 * us, second);
        b.driver().read(pass * 30 * us + 20 * us, third + 4096, line);
    }
    b.run();
    CHECK(b.count(&Stats::misses) == 3 + 0);
    CHECK(b.count(&Stats::hits) == 3);
    CHECK(b.count(&Stats::fetches) == 4 + 4 + 1 + 4); // not the array at 8 KiB
}

namespace {

/// Signals 0 to 2 of 256 bytes, in rounds from 64 KiB on.
const std::string signals = "predict=router signals=3 signal_base=64KiB signal_bytes=256B "
                            "signal_end=80KiB ";
constexpr std::uint64_t signal(unsigned round, unsigned number) {
    return 64 * 1024 + (3 * round + number) * 256;
}
// The first group has no signals; the second has arrays 0 and 1, the third has array 2.
const std::string routed = "0B 512B; 4KiB 512B 0, 6KiB 512B 1; 8KiB 128B 2";

} // namespace

TEST_CASE("with predict = router an array is fetched when its signal has been read",
          "[read_ahead]") {
    Bench b(signals, routed);
    b.driver().read(0, 0);
    b.driver().read(2 * us, signal(0, 1));
    b.driver().read(2 * us + 10, signal(0, 2));   // not in the window yet
    b.driver().read(2 * us + us / 2, 6144, line); // still being fetched
    for (unsigned i = 1; i < 4; ++i) b.driver().read(5 * us, 6144 + i * line, line);
    b.driver().read(5 * us, 4096); // not signalled
    b.driver().read(9 * us, 8192); // fetched when the window had reached it
    b.run();
    CHECK(b.count(&Stats::late) == 1);
    CHECK(b.count(&Stats::hits) == 4);
    CHECK(b.count(&Stats::misses) == 2);
    CHECK(b.count(&Stats::fetches) == 4 + 1 + 4); // the first group was read before: it is next
    CHECK(b.count(&Stats::others) == 2);
    CHECK(b.driver().answered(4) < 5 * us + us / 4);
    CHECK(b.driver().answered(7) >= 6 * us);
    const auto& stat = b.m.get<ReadAhead>("ahead").stat;
    CHECK(value(stat.predicted_used) == 1); // of the second group, which has been left
    CHECK(value(stat.predicted_unused) == 0);
    CHECK(value(stat.predicted_missed) == 1);
}

TEST_CASE("a signal counts for one pass", "[read_ahead]") {
    Bench b(signals, routed);
    const auto pass = [&](Tick at, unsigned round, unsigned signalled, std::uint64_t read) {
        b.driver().read(at, 0);
        b.driver().read(at + us, signal(round, signalled));
        b.driver().read(at + 5 * us, read);
        b.driver().read(at + 10 * us, 8192);
    };
    pass(0, 0, 0, 4096);             // used
    pass(20 * us, 1, 1, 4096);       // array 0 is not fetched again; 1 in vain
    pass(40 * us, 2, 0, 4096 + 384); // used
    b.driver().read(60 * us, 0);
    b.run();
    const auto& stat = b.m.get<ReadAhead>("ahead").stat;
    CHECK(value(stat.predicted_used) == 2);
    CHECK(value(stat.predicted_unused) == 1);
    CHECK(value(stat.predicted_missed) == 1 + 3); // array 2 is never signalled
    CHECK(b.count(&Stats::useless) == 3 + 4 + 3 + 2 * 3);
}

TEST_CASE("a signal of the present group is for the next pass", "[read_ahead]") {
    Bench b(signals, routed);
    b.driver().read(0, 8192);          // the last group, of the array with signal 2
    b.driver().read(us, signal(0, 2)); // before the program leaves it
    b.driver().read(5 * us, 0);
    b.driver().read(10 * us, 4096);
    b.driver().read(15 * us, 8192);
    b.run();
    CHECK(b.count(&Stats::hits) == 1);
    CHECK(value(b.m.get<ReadAhead>("ahead").stat.predicted_missed) == 2); // not counted twice
}

TEST_CASE("a signal moves the fetches back to an array that they have passed", "[read_ahead]") {
    Bench b(signals + "ahead=2", routed);
    b.driver().read(0, 0);
    b.driver().read(us, signal(0, 2));
    b.driver().read(5 * us, signal(0, 0)); // before the third group, which has been fetched
    b.driver().read(10 * us, 4096, line);
    b.driver().read(20 * us, 8192, line);
    b.run();
    CHECK(b.count(&Stats::hits) == 2);
    CHECK(b.count(&Stats::fetches) == 1 + 4 + 4); // nothing twice; then the first group again
}

TEST_CASE("signals that are not described are refused", "[read_ahead]") {
    CHECK_THAT(refusal("predict=router", routed),
               Contains("ahead.signals: `predict` is router, but the program sends no signals"));
    CHECK_THAT(refusal(signals, "0B 4KiB; 4KiB 4KiB 3"),
               Contains("ahead.arrays: an array has signal 3, of 3: make it less"));
    CHECK_THAT(refusal("", "0B 4KiB 1 2; 4KiB 4KiB"), Contains("is not a first address"));
}

TEST_CASE("a written line is read from far memory", "[read_ahead]") {
    Bench b;
    b.driver().read(0, 0);
    b.driver().write(5 * us, second);
    b.driver().read(6 * us, second);
    b.driver().read(6 * us, second + line);
    b.run();
    CHECK(b.count(&Stats::misses) == 2);
    CHECK(b.count(&Stats::hits) == 1);
    CHECK(b.count(&Stats::others) == 1);
    CHECK(b.writes("far") == 1);
}

TEST_CASE("several groups may be read ahead, but not the present one again", "[read_ahead]") {
    Bench b("ahead=2 fetches=1");
    b.driver().read(0, second);
    b.run();
    CHECK(b.count(&Stats::fetches) == 2 + 4);
}

TEST_CASE("each component has the lines of its share", "[read_ahead]") {
    for (const std::uint32_t hash_rounds : {0u, 1u, 16u})
        for (const std::uint32_t ways : {1u, 3u, 4u})
            for (const std::uint64_t from : {0u, 128u, 5120u, 7936u}) {
                const std::uint64_t chunk = 256, end = from + 20 * 1024;
                std::set<std::uint64_t> all;
                const device_parts::HashedInterleave interleave(chunk, ways, hash_rounds);
                for (std::uint32_t way = 0; way < ways; ++way) {
                    const mem::AheadShare share {interleave, way};
                    std::uint64_t last = 0;
                    for (std::uint64_t at = share.from(from, chunk); share.address(at) < end;
                         at += line) {
                        const std::uint64_t address = share.address(at);
                        CHECK(interleave.way(address) == way);
                        CHECK(interleave.within(address) == at);
                        CHECK((address >= from && address >= last));
                        last = address;
                        all.insert(address);
                    }
                }
                CHECK(all.size() == (end - from) / line);
            }
}

TEST_CASE("arrays that cannot be read ahead are refused", "[read_ahead]") {
    CHECK_THAT(refusal("", "0B 4KiB"), Contains("1 groups after the present one, of 1"));
    CHECK_THAT(refusal("", "0B 4KiB; 4KiB"), Contains("is not a first address and a size"));
    CHECK_THAT(refusal("", "0B 4KiB; 4KiB 100B"), Contains("does not consist of whole lines"));
    CHECK_THAT(refusal("", "0B 4KiB; 2KiB 4KiB"), Contains("two arrays overlap"));
    CHECK_THAT(refusal("", "0B 4KiB; ; 8KiB 4KiB"), Contains("group 1 has no array"));
    CHECK_THAT(refusal("", "0B 4KiB; 4KiB 4KiB;"), Contains("group 2 has no array"));
    CHECK_THAT(refusal("interleave_index=1", groups), Contains("is not below interleave_ways"));
}

TEST_CASE("a buffer that overlaps an array is refused", "[read_ahead]") {
    const std::string arrays = "0B 4KiB; 1025KiB 4KiB"; // the buffer begins at 1 MiB
    CHECK(refusal("capacity=1KiB", arrays).empty());
    CHECK(refusal("capacity=1152B", arrays) ==
          "ahead.base: the buffer from 1MiB to 1049728B overlaps the array '1025KiB 4KiB': set an "
          "address behind all arrays");
    CHECK(refusal("capacity=1KiB", "0B 1MiB; 2MiB 4KiB").empty());
    CHECK_THAT(refusal("capacity=1KiB", "0B 1048704B; 2MiB 4KiB"), Contains("overlaps the array"));
    // Of 1 KiB in each of four components the chunks lie between those of the other three.
    CHECK_THAT(refusal("capacity=1KiB interleave_ways=4", arrays), Contains("overlaps the array"));
}

} // namespace memsim::read_ahead_test
