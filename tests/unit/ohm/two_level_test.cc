#include "core/machine.hh"
#include "core/registry.hh"
#include "ohm/two_level_controller.hh"
#include "sender.hh"
#include "xpoint/module.hh"

#include <catch2/catch.hpp>

using namespace memsim;
using memsim::test_ohm::Sender;
using protocol::Command;

namespace {

constexpr Tick ns = 1'000'000;
using Clean = std::vector<std::string>;

/// A sender, one controller with 32 lines of 128 bytes and two XPoint modules, 8 times as large.
struct Bench {
    Machine machine {1};
    std::uint32_t tag = 0;

    explicit Bench(const Arguments& controller = {}) {
        machine.add("sender", "test_ohm.Sender", {{"outstanding", "64"}});
        Arguments c {
            {"controllers", "1"}, {"dram", "4KiB"}, {"ratio", "8"}, {"check_contents", "true"}};
        c.insert(c.end(), controller.begin(), controller.end());
        machine.add("controller", "ohm.TwoLevelController", c);
        machine.bind("sender", "mem_side", "controller", "cpu_side");
        for (const char* m : {"0", "1"}) {
            const std::string path = std::string("module") + m;
            const std::string of = std::string("[") + m + "]";
            machine.add(path, "xpoint.Module", {{"capacity", "16KiB"}, {"check_contents", "true"}});
            machine.bind("controller", "commands" + of, path, "commands");
            machine.bind("controller", "transfers" + of, path, "transfers");
        }
        machine.build();
    }
    const ohm::TwoLevelController& controller() {
        return machine.get<ohm::TwoLevelController>("controller");
    }
    Sender& sender() { return machine.get<Sender>("sender"); }
    std::uint32_t send(Tick at, std::uint64_t address, Command command, std::uint32_t bytes = 128,
                       bool posted = false) {
        protocol::MemRequest r;
        r.address = address, r.bytes = bytes, r.command = command, r.tag = tag, r.posted = posted;
        sender().state.script.push({at, r});
        return tag++;
    }
    Tick latency(std::uint32_t t, Tick sent) { return sender().when(t) - sent; }
    Clean run_to_end() {
        machine.start();
        if (machine.run(never) != Stop::idle) return {"it did not come to its end"};
        return machine.pending() ? machine.wait_report() : machine.imbalances();
    }
};

std::uint64_t count(const Counter& c) { return static_cast<std::uint64_t>(c.value()); }
constexpr std::uint64_t cache = 4096; ///< addresses so far apart share a set

} // namespace

TEST_CASE(
    "Two-level: a miss takes a tag read, an XPoint read and the way back; a hit the first alone") {
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

TEST_CASE("Two-level: a dirty victim goes to XPoint and comes back, a clean one is forgotten") {
    Bench b;
    b.send(0, 0, Command::write);
    b.send(2000 * ns, cache, Command::read);     // evicts it
    b.send(4000 * ns, 2 * cache, Command::read); // its victim is clean
    const auto back = b.send(6000 * ns, 0, Command::read);
    CHECK(b.run_to_end() == Clean {});
    CHECK(count(b.controller().stat.evictions) == 1);
    CHECK(count(b.controller().stat.xpoint_reads) == 3); // a whole line written needs no read
    CHECK(b.sender().when(back) != never);
    // Fills of three read misses and one eviction crossed the channel for migration.
    CHECK(count(b.controller().stat.channel.migration_bytes) == 4 * 128);
}

TEST_CASE("Two-level: a write of a part of a missing line reads the rest from XPoint") {
    Bench b;
    b.send(0, 32, Command::write, 32);
    b.send(2000 * ns, 0, Command::read);
    CHECK(b.run_to_end() == Clean {});
    CHECK(count(b.controller().stat.xpoint_reads) == 1);
    CHECK(count(b.controller().stat.hits) == 1);
}

TEST_CASE(
    "Two-level: requests to one set take effect one after another, those to others do not wait") {
    Bench b;
    const auto first = b.send(0, 0, Command::read);
    const auto same = b.send(0, cache, Command::read);
    const auto other = b.send(0, 512, Command::read);
    CHECK(b.run_to_end() == Clean {});
    CHECK(count(b.controller().stat.conflicts) == 1);
    CHECK(b.sender().when(same) > b.sender().when(first) + 190 * ns);
    CHECK(b.sender().when(other) < b.sender().when(same));
}

TEST_CASE("Two-level, auto-read/write: evictions take no channel time") {
    std::uint64_t migrated[2];
    for (bool auto_rw : {false, true}) {
        Bench b(Arguments {{"auto_rw", auto_rw ? "true" : "false"}});
        for (unsigned i = 0; i < 8; ++i) b.send(i * 1000 * ns, i % 4 * cache, Command::write);
        b.send(9000 * ns, 0, Command::read);
        CHECK(b.run_to_end() == Clean {});
        CHECK(count(b.controller().stat.evictions) == 8);
        CHECK(count(b.controller().stat.snarfed) == (auto_rw ? 8 : 0));
        migrated[auto_rw] = count(b.controller().stat.channel.migration_bytes);
    }
    CHECK(migrated[0] - migrated[1] == 8 * 128);
}

TEST_CASE("Two-level: every read returns what was written last, whatever is under way",
          "[integrity]") {
    for (const char* line : {"128B", "256B"})
        for (const char* auto_rw : {"false", "true"})
            for (std::uint64_t seed = 1; seed <= 4; ++seed) {
                Bench b(Arguments {{"line", line}, {"auto_rw", auto_rw}, {"evictions", "3"}});
                std::uint64_t x = seed * 0x9e3779b97f4a7c15;
                Tick at = 0;
                for (unsigned i = 0; i < 3000; ++i) {
                    x = x * 6364136223846793005 + 1442695040888963407;
                    const std::uint64_t r = x >> 20;
                    at += static_cast<Tick>(r % 40) * ns;
                    const bool part = r >> 40 & 1;
                    const std::uint64_t address =
                        (r >> 8) % (8 * cache / 128) * 128 % (seed % 2 ? 8 * cache : 3 * cache);
                    b.send(at, address + (part ? 64 : 0),
                           r >> 41 & 1 ? Command::write : Command::read, part ? 32 : 128,
                           r >> 42 & 1 && r >> 41 & 1);
                }
                CHECK(b.run_to_end() == Clean {});
                CHECK(count(b.controller().stat.channel.content_errors) == 0);
                CHECK(count(b.controller().stat.evictions) > 100);
            }
}

TEST_CASE("Two-level: what cannot be is refused by name") {
    const auto refuses = [](const Arguments& a, const char* what) {
        CHECK_THROWS_WITH(Bench(a), Catch::Matchers::Contains(what));
    };
    refuses({{"line", "192B"}}, "controller.line");
    refuses({{"dram", "4224B"}}, "controller.dram");
    refuses({{"index", "1"}}, "controller.index");
    refuses({{"ratio", "16"}}, "module0.capacity");
    refuses({{"flight", "2ns"}}, "channel_latency");
    refuses({{"interleave", "384B"}}, "controller.interleave");
}
