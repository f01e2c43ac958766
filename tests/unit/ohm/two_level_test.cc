#include "two_level_bench.hh"

#include "core/kernel/registry.hh"

#include <catch2/catch.hpp>

namespace memsim::two_level_test {

using memsim::test_ohm::cache;
using memsim::test_ohm::Clean;
using memsim::test_ohm::Sender;
using protocol::Command;
using Bench = memsim::test_ohm::TwoLevel;

namespace {

constexpr Tick ns = 1'000'000;

std::uint64_t count(const Counter& c) { return static_cast<std::uint64_t>(c.value()); }
} // namespace

TEST_CASE("Two-level: a hint is not a request", "[ohm]") {
    Bench b;
    b.send(0, 256, Command::hint, 2048, true);
    b.send(100 * ns, 256, Command::read);
    CHECK(b.run_to_end() == Clean {});
    CHECK(count(b.controller().stat.fills) == 1); // the read's
    CHECK(count(b.controller().stat.hits) == 0);
}

TEST_CASE(
    "Two-level: a miss takes a tag read, an XPoint read and the return; a hit only the tag read",
    "[ohm]") {
    Bench b;
    const auto miss = b.send(100 * ns, 256, Command::read);
    const auto hit = b.send(600 * ns, 256, Command::read); // before a refresh
    CHECK(b.run_to_end() == Clean {});
    CHECK(count(b.controller().stat.hits) == 1);
    CHECK(count(b.controller().stat.fills) == 1);
    // Sender 1 ns; lookup on the way back; DRAM: the command's and the data's way, tCL and tRCD if
    // the row is closed (25 and 11 ns), 128 bytes at 60 GB/s.
    const auto& p = b.controller().params.channel;
    const Tick wire = 128ull * ticks_per_second / 60'000'000'000 + 1;
    const Tick way = p.one_way().raw;
    const Tick open = 1 * ns + p.lookup->raw + 2 * way + 11 * ns + wire;
    CHECK(b.latency(hit, 600 * ns) >= open - 2);
    CHECK(b.latency(hit, 600 * ns) <= open + 1 * ns); // DRAM commands at its clock's edges
    const Tick xpoint = way + 190 * ns + 5 * ns + p.grant_latency->raw + wire + way;
    CHECK(b.latency(miss, 100 * ns) >= open + 25 * ns + xpoint - 2);
    CHECK(b.latency(miss, 100 * ns) <= open + 25 * ns + xpoint + 1 * ns);
}

TEST_CASE("Two-level: a dirty victim is written to XPoint, a clean one is dropped", "[ohm]") {
    Bench b;
    b.send(0, 0, Command::write);
    b.send(2000 * ns, cache, Command::read);     // evicts it
    b.send(4000 * ns, 2 * cache, Command::read); // its victim is clean
    const auto back = b.send(6000 * ns, 0, Command::read);
    CHECK(b.run_to_end() == Clean {});
    CHECK(count(b.controller().stat.eviction.evictions) == 1);
    CHECK(count(b.controller().stat.xpoint_reads) == 3); // a whole line written needs no read
    CHECK(b.sender().when(back) != never);
    // Fills of three read misses and one eviction crossed the channel for migration.
    CHECK(count(b.controller().stat.channel.migration_bytes) == 4 * 128);
}

TEST_CASE("Two-level: a write of a part of a missing line reads the rest from XPoint", "[ohm]") {
    Bench b;
    b.send(0, 32, Command::write, 32);
    b.send(2000 * ns, 0, Command::read);
    CHECK(b.run_to_end() == Clean {});
    CHECK(count(b.controller().stat.xpoint_reads) == 1);
    CHECK(count(b.controller().stat.hits) == 1);
}

TEST_CASE("Two-level: requests to one set execute in order; other requests do not wait", "[ohm]") {
    Bench b;
    const auto first = b.send(0, 0, Command::read);
    const auto same = b.send(0, cache, Command::read);
    const auto other = b.send(0, 512, Command::read);
    CHECK(b.run_to_end() == Clean {});
    CHECK(count(b.controller().stat.conflicts) == 1);
    CHECK(b.sender().when(same) > b.sender().when(first) + 190 * ns);
    CHECK(b.sender().when(other) < b.sender().when(same));
}

TEST_CASE("Two-level, auto-read/write: evictions take no channel time", "[ohm]") {
    std::uint64_t migrated[2];
    for (bool auto_rw : {false, true}) {
        Bench b(Arguments {{"auto_rw", auto_rw ? "true" : "false"}});
        for (unsigned i = 0; i < 8; ++i) b.send(i * 1000 * ns, i % 4 * cache, Command::write);
        b.send(9000 * ns, 0, Command::read);
        CHECK(b.run_to_end() == Clean {});
        CHECK(count(b.controller().stat.eviction.evictions) == 8);
        CHECK(count(b.controller().stat.eviction.snarfed) == (auto_rw ? 8 : 0));
        migrated[auto_rw] = count(b.controller().stat.channel.migration_bytes);
    }
    CHECK(migrated[0] - migrated[1] == 8 * 128);
}

/// Random requests: to few or many lines, whole lines and parts, posted writes among them.
static void random_traffic(Bench& b, std::uint64_t seed, unsigned requests) {
    std::uint64_t x = seed * 0x9e3779b97f4a7c15;
    Tick at = 0;
    for (unsigned i = 0; i < requests; ++i) {
        x = x * 6364136223846793005 + 1442695040888963407;
        const std::uint64_t r = x >> 20;
        at += static_cast<Tick>(r % 40) * ns;
        const bool part = r >> 40 & 1;
        const std::uint64_t address =
            (r >> 8) % (8 * cache / 128) * 128 % (seed % 2 ? 8 * cache : 3 * cache);
        b.send(at, address + (part ? 64 : 0), r >> 41 & 1 ? Command::write : Command::read,
               part ? 32 : 128, r >> 42 & 1 && r >> 41 & 1);
    }
}

TEST_CASE("Two-level: every read returns the last written data under random traffic",
          "[integrity]") {
    // Few places everywhere: victims wait for the write buffer, fills for the register.
    const Arguments tight {{"evictions", "3"}, {"dram_register", "512B"}, {"reverse_batch", "2"}};
    const Arguments small {
        {"write_buffer", "2"}, {"drain_high", "2"}, {"drain_low", "0"}, {"psi", "5"}};
    for (const Arguments& platform : test_ohm::two_level_platforms())
        for (const char* line : {"128B", "256B"})
            for (std::uint64_t seed = 1; seed <= 4; ++seed) {
                Arguments a = platform;
                a.emplace_back("line", line);
                if (seed > 1) a.insert(a.end(), tight.begin(), tight.end());
                Bench b(a, seed > 2 ? small : Arguments {});
                random_traffic(b, seed, 2000);
                CHECK(b.run_to_end() == Clean {});
                CHECK(count(b.sender().stat.wrong_reads) == 0);
                CHECK(count(b.controller().stat.eviction.evictions) > 100);
                CHECK(count(b.controller().stat.conflicts) > 10);
            }
}

TEST_CASE("Two-level: host writes to a line in use are present afterwards", "[integrity]") {
    unsigned busy = 0;
    for (const Arguments& platform : test_ohm::two_level_platforms())
        for (Tick at = 5 * ns; at < 700 * ns; at += 4 * ns) {
            INFO(at);
            Bench b(platform);
            b.send(0, 128, Command::read); // a miss; then one whose victim is the line written
            b.send(20 * ns, cache + 160, Command::write, 32);
            b.send(40 * ns, cache + 128, Command::read); // keeps the set in use
            const auto holds = [&](std::uint32_t number) {
                return b.sender().content(128) == number &&
                       b.sender().content(cache + 192) == number;
            };
            const auto copy_in = [&](std::uint32_t number) {
                for (const std::uint64_t address : {std::uint64_t {128}, cache + 192})
                    b.sender().copy_in(address, number);
                CHECK(holds(number));
            };
            copy_in(3); // XPoint sends these bytes to the DRAM while younger ones are copied in
            b.machine.start();
            b.machine.run(at);
            busy += !b.controller().state.sets.empty();
            copy_in(7);
            for (Tick later = at + 10 * ns; b.machine.run(later) == Stop::limit; later += 10 * ns)
                CHECK(holds(7));
            CHECK(b.machine.imbalances() == Clean {});
            CHECK(holds(7));
        }
    CHECK(busy > 400);
}

TEST_CASE("Two-level: a completely written line replaces all data of its predecessor",
          "[integrity]") {
    Bench b;
    b.send(0, 128, Command::write);
    b.send(2000 * ns, cache + 128, Command::write);
    b.machine.start();
    b.machine.run(1000 * ns);
    b.sender().copy_in(128, 1000); // younger than the write of the other line
    CHECK(b.machine.run(never) == Stop::idle);
    CHECK(b.sender().content(cache + 128) == 2);
    CHECK(b.sender().content(128) == 1000);
}

TEST_CASE("Two-level: invalid parameters are rejected by name", "[ohm]") {
    const auto refuses = [](const Arguments& a, const char* what) {
        CHECK_THROWS_WITH(Bench(a), Catch::Matchers::Contains(what));
    };
    refuses({{"line", "192B"}}, "controller.line");
    refuses({{"dram", "4224B"}}, "controller.dram");
    refuses({{"index", "1"}}, "controller.index");
    refuses({{"ratio", "16"}}, "module0.capacity");
    refuses({{"flight", "2ns"}}, "channel_latency");
    refuses({{"interleave", "384B"}}, "controller.interleave");
    refuses({{"line", "256B"}, {"dram_register", "128B"}}, "controller.dram_register");
    refuses({{"reverse_write", "true"}, {"migration_channel", "dedicated"}},
            "controller.migration_channel");
    refuses({{"auto_rw", "true"}, {"evictions", "129"}}, "module0.snarf_register");
}

} // namespace memsim::two_level_test
