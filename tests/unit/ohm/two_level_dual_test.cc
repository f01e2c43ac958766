#include "two_level_bench.hh"

#include <catch2/catch.hpp>

namespace memsim::two_level_dual_test {

/// Auto-read/write, reverse-write and the dedicated channel in two-level mode.
using memsim::test_ohm::cache;
using memsim::test_ohm::Clean;
using protocol::Command;
using Bench = memsim::test_ohm::TwoLevel;

namespace {

constexpr Tick ns = 1'000'000;
constexpr Tick line = 2'133'333; ///< 128 bytes at 60 GB/s

std::uint64_t count(const Counter& c) { return static_cast<std::uint64_t>(c.value()); }
const Arguments reverse {{"reverse_write", "true"}};
Arguments with(Arguments a, const Arguments& more) {
    a.insert(a.end(), more.begin(), more.end());
    return a;
}

} // namespace

TEST_CASE("Auto-read/write: each module observes tag reads and takes the dirty victims", "[ohm]") {
    Bench b(Arguments {{"auto_rw", "true"}});
    b.send(0, 0, Command::write);                  // nothing held before
    b.send(1000 * ns, 0, Command::read);           // a hit
    b.send(2000 * ns, cache, Command::read);       // a dirty victim of module 0
    b.send(3000 * ns, 256, Command::read);         // module 1: nothing held
    b.send(4000 * ns, 256 + cache, Command::read); // a clean one
    CHECK(b.run_to_end() == Clean {});
    CHECK(count(b.module(0).stat.snarfs) == 3);
    CHECK(count(b.module(0).stat.snarfed) == 1);
    CHECK(count(b.module(1).stat.snarfs) == 2);
    CHECK(count(b.module(1).stat.snarfed) == 0);
    CHECK(count(b.controller().stat.eviction.snarfed) == 1);
    CHECK(count(b.module(0).stat.device.writes) == 1);
    CHECK(b.module(0).stat.device.write_bytes.value() == 128);
}

TEST_CASE("Auto-read/write: no line is read from DRAM before its victim has a place", "[ohm]") {
    // One place; the write buffer is full of an earlier victim, which the media takes 763 ns for.
    const Arguments one {{"auto_rw", "true"}, {"evictions", "1"}};
    const auto answer = [&](const Arguments& module) {
        Bench b(one, module);
        for (std::uint64_t set : {0u, 512u, 1024u, 1536u}) b.send(0, set, Command::write);
        Tick at = 4000 * ns;
        for (std::uint64_t set : {0u, 512u, 1024u}) b.send(at++, set + cache, Command::read);
        const auto last = b.send(at, 1536, Command::read); // would hit
        CHECK(b.run_to_end() == Clean {});
        CHECK(count(b.controller().stat.eviction.evictions) == 3);
        return b.latency(last, at);
    };
    CHECK(answer({}) < 500 * ns);
    // The second victim waits for the first's media write, the third for the second's.
    CHECK(answer({{"write_buffer", "1"}, {"drain_high", "1"}, {"drain_low", "0"}}) > 2 * 763 * ns);
}

TEST_CASE("Reverse-write: a line crosses once, as answer and fill, with the same latency",
          "[ohm]") {
    Tick latency[2];
    for (bool reversed : {false, true}) {
        Bench b(reversed ? reverse : Arguments {});
        const auto miss = b.send(100 * ns, 256, Command::read);
        const auto hit = b.send(1000 * ns, 256, Command::read);
        CHECK(b.run_to_end() == Clean {});
        latency[reversed] = b.latency(miss, 100 * ns);
        CHECK(b.latency(hit, 1000 * ns) < 60 * ns);
        CHECK(count(b.controller().stat.hits) == 1);
        CHECK(count(b.controller().stat.channel.migration_bytes) == (reversed ? 0 : 128));
        CHECK(count(b.controller().stat.channel.demand_bytes) == 3 * 128);
        CHECK(count(b.controller().stat.reverse.reverse_writes) == (reversed ? 1 : 0));
        CHECK(count(b.module(1).stat.device.reverse_writes) == (reversed ? 1 : 0));
    }
    CHECK(latency[0] == latency[1]);
}

TEST_CASE("Reverse-write: data written to a missing line crosses after the line", "[ohm]") {
    Bench b(reverse);
    b.send(0, 32, Command::write, 32);
    const auto after = b.send(2000 * ns, 0, Command::read);
    CHECK(b.run_to_end() == Clean {});
    CHECK(b.sender().when(after) != never);
    CHECK(count(b.controller().stat.reverse.reverse_writes) == 1);
    const auto burst = 32u; // of GDDR5
    CHECK(count(b.controller().stat.channel.demand_bytes) == 3 * 128 + burst);
    CHECK(count(b.controller().stat.channel.migration_bytes) == 0);
}

TEST_CASE("Reverse-write: new requests, or the channel, are held from the confirmation to the "
          "completion signal",
          "[ohm]") {
    // A miss, and a hit in an open row of another bank that arrives at a given time.
    const auto answers = [](const Arguments& args, Tick probe) {
        Bench b(args);
        b.send(0, 2048, Command::read); // fills a line whose row is then open
        b.send(500 * ns, 2048, Command::read);
        const auto miss = b.send(1000 * ns, 256, Command::read);
        const auto hit = b.send(probe, 2048, Command::read);
        CHECK(b.run_to_end() == Clean {});
        return std::pair(b.sender().when(miss), b.latency(hit, probe));
    };
    const auto [answered, open] = answers(reverse, 1600 * ns);
    const ohm::TwoLevelController::Params p {};
    // The response waits for the lookup; the hit arrives one link of 1 ns after it was sent.
    const Tick end = answered - p.channel.lookup->raw;
    const Tick begin = end - p.channel.one_way().raw - line - p.channel.grant_latency->raw;
    const auto latency = [&](Tick arrival, const Arguments& args) {
        return answers(args, arrival - 1 * ns).second;
    };
    const Arguments channel = with(reverse, {{"reverse_hold", "channel"}});
    for (const Arguments& args : {reverse, channel}) {
        CHECK(latency(begin - 20 * ns, args) == open);
        CHECK(latency(begin + 1 * ns, args) == end - (begin + 1 * ns) + open);
        CHECK(latency(end - 1, args) == open + 1);
        CHECK(latency(end, args) == open);
    }
    // Without the hold it is the transfer alone that it waits for, if at all.
    CHECK(latency(begin + 1 * ns, with(reverse, {{"reverse_hold", "nothing"}})) == open);
}

TEST_CASE("Reverse-write: requests issued before a hold of requests continue during it", "[ohm]") {
    // Hits in an open row, `hits` of them at a time before the line of a miss is ready.
    const auto answers = [](const Arguments& hold, Tick at, unsigned hits) {
        Bench b(with(with(reverse, {{"reverse_patience", "0fs"}}), hold));
        for (unsigned i = 0; i < 16; ++i) b.send(0, 2048 + i * 128, Command::read);
        b.send(2000 * ns, 2048, Command::read);
        const auto miss = b.send(3000 * ns, 256, Command::read);
        std::uint32_t hit = miss;
        for (unsigned i = 0; i < hits; ++i) hit = b.send(at, 2048 + i * 128, Command::read);
        CHECK(b.run_to_end() == Clean {});
        return std::pair(b.sender().when(miss), b.sender().when(hit));
    };
    const Tick confirmed = answers({}, 0, 0).first - 12 * ns; // a hold takes 10.4 ns
    const auto last = [&](const char* hold) {
        return answers({{"reverse_hold", hold}}, confirmed - 10 * ns, 16).second;
    };
    CHECK(last("requests") == last("nothing"));
    CHECK(last("channel") > last("nothing") + 3 * ns);
}

TEST_CASE("Reverse-write: ready lines join a hold, up to its batch", "[ohm]") {
    const auto holds = [](const char* batch, const char* hold) {
        Bench b(with(reverse, {{"reverse_batch", batch}, {"reverse_hold", hold}}));
        for (unsigned i = 0; i < 4; ++i) b.send(0, i * 512, Command::read); // four partitions
        CHECK(b.run_to_end() == Clean {});
        CHECK(count(b.controller().stat.reverse.reverse_writes) == 4);
        return count(b.controller().stat.reverse.holds);
    };
    for (const char* hold : {"requests", "channel"}) {
        CHECK(holds("8", hold) == 1);
        CHECK(holds("1", hold) == 4);
    }
}

TEST_CASE("Reverse-write: while the DRAM is busy, a ready line waits for a hold no longer than its "
          "patience",
          "[ohm]") {
    const auto answered = [](const char* patience) {
        Bench b(with(reverse, {{"reverse_patience", patience}, {"reverse_hold", "channel"}}));
        for (unsigned i = 0; i < 32; ++i) b.send(0, i * 128, Command::read); // all hit from now on
        const auto miss = b.send(3000 * ns, cache + 256, Command::read);
        for (unsigned i = 0; i < 60; ++i) // more than the DRAM serves while it lasts
            if (i % 32 != 2) b.send(3225 * ns, i % 32 * 128, Command::read);
        CHECK(b.run_to_end() == Clean {});
        return b.latency(miss, 3000 * ns);
    };
    const Tick at_once = answered("0fs");
    CHECK(answered("40ns") >= at_once + 30 * ns);
    CHECK(answered("40ns") <= at_once + 50 * ns);
}

TEST_CASE("Reverse-write: no line is confirmed before the register in front of the DRAM has room",
          "[ohm]") {
    const auto last = [](const char* size) {
        Bench b(with(reverse, {{"dram_register", size}}));
        std::uint32_t tags[3];
        for (unsigned i = 0; i < 3; ++i) tags[i] = b.send(0, i * 512, Command::read);
        CHECK(b.run_to_end() == Clean {});
        return b.sender().when(tags[2]);
    };
    CHECK(last("128B") > last("384B") + 20 * ns); // each is written first: tCWL and more
}

TEST_CASE("A dedicated channel carries fills and victims, the main channel only requests",
          "[ohm]") {
    std::uint64_t bytes[2], side[2], demand[2];
    for (bool dedicated : {false, true}) {
        Bench b(dedicated ? Arguments {{"migration_channel", "dedicated"}} : Arguments {});
        for (unsigned i = 0; i < 8; ++i) b.send(i * 1000 * ns, i % 4 * cache, Command::write);
        b.send(9000 * ns, 0, Command::read);
        CHECK(b.run_to_end() == Clean {});
        bytes[dedicated] = count(b.controller().stat.channel.migration_bytes);
        demand[dedicated] = count(b.controller().stat.channel.demand_bytes);
        side[dedicated] = count(b.controller().stat.channel.side_bytes);
    }
    CHECK(bytes[0] == 9 * 128); // eight victims and a fill
    CHECK(side[0] == 0);
    CHECK(bytes[1] == 0);
    CHECK(side[1] == bytes[0]);
    CHECK(demand[1] == demand[0]);
}

} // namespace memsim::two_level_dual_test
