#include "core/kernel/registry.hh"
#include "probe.hh"
#include "xpoint/module.hh"

#include <catch2/catch.hpp>

#include <map>
#include <set>

using namespace memsim;
using memsim::test_xpoint::Probe;
using memsim::xpoint::Module;
using memsim::xpoint::StartGap;

namespace memsim::test_xpoint {
static const Registration<Probe> probe {"Test: a scripted DDR-T memory controller."};
}

namespace {

constexpr Tick ns = 1'000'000;

struct Bench {
    Machine machine;
    Bench(const Arguments& module, const Arguments& probe = {}, std::uint64_t seed = 1,
          QueueKind kind = QueueKind::fast)
        : machine(seed, kind) {
        machine.carry_contents();
        machine.add("probe", "test_xpoint.Probe", probe);
        Arguments m {{"capacity", "1MiB"}, {"channel_latency", "3ns"}};
        for (const auto& a : module) {
            for (auto& b : m)
                if (b.first == a.first) b.second = a.second;
            m.push_back(a);
        }
        machine.add("module", "xpoint.Module", m);
        machine.bind("probe", "commands", "module", "commands");
        machine.bind("probe", "transfers", "module", "transfers");
        machine.build();
    }
    Probe& probe() { return machine.get<Probe>("probe"); }
    Module& module() { return machine.get<Module>("module"); }
    void read(Tick at, std::uint64_t address, std::uint32_t id, std::uint32_t bytes = 128) {
        probe().state.script.push({at, {address, bytes, id, {}, false, false}});
    }
    void write(Tick at, std::uint64_t address, std::uint32_t number = 0,
               std::uint32_t bytes = 256) {
        probe().state.script.push({at, {address, bytes, 0, {}, true, false}, number});
    }
    void run() {
        machine.start();
        REQUIRE(machine.run(never) == Stop::idle);
        REQUIRE_FALSE(machine.pending());
        REQUIRE(machine.imbalances().empty());
    }
};

template <class Total>
std::uint64_t value(const Total& c) {
    return static_cast<std::uint64_t>(c.value());
}

} // namespace

TEST_CASE("An unloaded XPoint read takes the media, the handshake and the channel, to the tick") {
    Bench b(Arguments {});
    b.read(0, 0, 7);
    b.run();
    // Command 1 ns, media 190 ns, ready 5 ns; grant 5 ns, slot 4 ns, channel 3 ns.
    CHECK(b.probe().when(7, false) == 196 * ns);
    CHECK(b.probe().when(7, true) == 208 * ns);
    CHECK(b.probe().state.log.size() == 2);
}

TEST_CASE("Reads of one partition are sequential; reads of two partitions overlap") {
    Bench b(Arguments {});
    b.read(0, 0, 1);
    b.read(0, 16 * 256, 2); // the same partition
    b.read(0, 256, 3);      // the next one
    b.run();
    CHECK(b.probe().when(1, false) == 196 * ns);
    CHECK(b.probe().when(2, false) == 386 * ns);
    CHECK(b.probe().when(3, false) == 196 * ns);
    CHECK(value(b.module().stat.media.partition_conflicts) == 1);
}

TEST_CASE(
    "Responses may be out of order: a later read overtakes a read that waits for its partition") {
    Bench b(Arguments {});
    b.read(0, 0, 1);
    b.read(0, 16 * 256, 2);
    b.read(1 * ns, 256, 3);
    b.run();
    CHECK(b.probe().when(3, true) < b.probe().when(2, true));
}

TEST_CASE("The read buffer serves the other half of a line, and joins outstanding reads") {
    Bench b(Arguments {});
    b.read(0, 0, 1);
    b.read(10 * ns, 128, 2); // joins
    b.read(500 * ns, 128, 3);
    b.run();
    CHECK(b.probe().when(2, false) == 196 * ns);
    CHECK(b.probe().when(3, false) == 506 * ns);
    CHECK(value(b.module().stat.media.media_reads) == 1);
    CHECK(value(b.module().stat.device.read_merges) == 1);
    CHECK(value(b.module().stat.device.read_buffer_hits) == 1);
}

TEST_CASE("A read of a written line is served from the write buffer, with its data") {
    Bench b(Arguments {});
    b.write(0, 512, 5);
    b.read(1 * ns, 512, 1);
    b.run();
    CHECK(b.probe().when(1, false) == 7 * ns); // 1 ns after the write, no media
    CHECK(value(b.module().stat.device.forwarded) == 1);
    CHECK(value(b.module().stat.media.media_reads) == 0);
    CHECK(b.probe().state.log.back().numbers[0] == 5);
}

TEST_CASE("A read of a line written in part merges media and write buffer") {
    Bench b(Arguments {});
    b.write(0, 512, 5, 128);
    b.read(1 * ns, 512, 1, 256);
    b.run();
    CHECK(b.probe().when(1, false) == 197 * ns);
    CHECK(b.probe().state.log.back().numbers == Probe::Numbers {5, 0});
}

TEST_CASE("Writes to one line coalesce and drain as one media write") {
    Bench b(Arguments {{"write_buffer", "4"}, {"drain_high", "2"}, {"drain_low", "0"}});
    for (unsigned i = 0; i < 4; ++i) b.write(i * ns, 0, 1, 128);
    b.write(4 * ns, 128, 1, 128);
    b.write(5 * ns, 256, 1);
    b.run();
    CHECK(value(b.module().stat.device.coalesced) == 4);
    CHECK(value(b.module().stat.wear.media_writes) == 2);
    CHECK(value(b.module().stat.media.refills) == 0); // both halves were fetched
}

TEST_CASE("A line written in part is read before it is written back") {
    Bench b(Arguments {{"write_buffer", "4"}, {"drain_high", "1"}, {"drain_low", "0"}});
    b.write(0, 0, 1, 128);
    b.run();
    CHECK(value(b.module().stat.media.refills) == 1);
    CHECK(b.machine.sim().now() == (1 + 190 + 763) * ns);
}

TEST_CASE("A write covers the sectors of its mask and no other") {
    Bench b(Arguments {{"write_buffer", "4"}, {"drain_high", "1"}, {"drain_low", "0"}});
    b.write(0, 0, 1);
    b.probe().state.script.back().command.sectors = 0b10111111;
    b.read(1 * ns, 192, 1, 32); // sector 6, the hole: not in the buffer
    b.run();
    CHECK(value(b.module().stat.device.write_bytes) == 224);
    CHECK(value(b.module().stat.device.forwarded) == 0);
    CHECK(value(b.module().stat.media.refills) == 1);
}

TEST_CASE("A full write buffer stalls until the media has taken a line, to the tick") {
    Bench b(
        Arguments {{"write_buffer", "2"}, {"drain_high", "2"}, {"drain_low", "1"}, {"queue", "1"}});
    b.write(0, 0);
    b.write(0, 256);
    b.write(0, 512);    // taken when line 0 has been written
    b.read(0, 4096, 9); // behind it
    b.run();
    // A queue of one is taken at 1 and seen free at 2: the third arrives at 5. Both lines drain
    // from 3, the first from there on.
    CHECK(value(b.module().stat.device.stalls) == 1);
    CHECK(b.module().stat.device.stall_time.value() == (3 + 763 - 5) * ns);
    CHECK(b.probe().when(9, false) == (3 + 763 + 2 + 190 + 5) * ns);
}

TEST_CASE("A write waits for earlier reads of its line") {
    Bench b(Arguments {});
    b.read(0, 0, 1);
    b.write(1 * ns, 0, 3);
    b.read(2 * ns, 0, 2);
    b.run();
    CHECK(b.probe().state.log.size() == 4);
    for (const auto& s : b.probe().state.log) {
        if (s.data) CHECK(s.numbers[0] == (s.id == 1 ? 0u : 3u));
    }
    CHECK(value(b.module().stat.device.forwarded) == 1);
}

TEST_CASE("Reads without a grant fill the load queue and then stop the sender") {
    Bench b(Arguments {{"loads", "4"}, {"queue", "2"}}, {{"grants", "false"}});
    for (std::uint32_t i = 0; i < 10; ++i) b.read(0, i * 256, i);
    b.machine.start();
    CHECK(b.machine.run(never) == Stop::idle);
    CHECK(value(b.module().stat.device.reads) == 4);
    CHECK(value(b.probe().stat.sent) == 6); // 4 accepted, 2 in the queue
    CHECK(b.machine.pending());
    CHECK_FALSE(b.machine.wait_report().empty());
}

TEST_CASE("Start-Gap is a bijection at every step, and shifts all lines in N + 1 moves") {
    for (std::uint64_t lines : {1u, 2u, 5u, 16u}) {
        StartGap map(lines);
        // A model that moves data: what each physical line holds.
        std::vector<std::int64_t> holds(lines + 1, -1);
        for (std::uint64_t i = 0; i < lines; ++i) holds[i] = static_cast<std::int64_t>(i);
        for (std::uint64_t step = 0; step < 3 * lines * (lines + 1); ++step) {
            std::set<std::uint64_t> used;
            for (std::uint64_t l = 0; l < lines; ++l) {
                const std::uint64_t p = map.physical(l);
                REQUIRE(p <= lines);
                REQUIRE(p != map.gap());
                REQUIRE(holds[p] == static_cast<std::int64_t>(l));
                used.insert(p);
            }
            REQUIRE(used.size() == lines);
            holds[map.gap()] = holds[map.move_source()];
            map.moved();
        }
        REQUIRE(map.start() == 0); // 3 N rounds of N + 1 moves
    }
}

TEST_CASE("The gap moves after psi media writes, not before, at the price of a copy") {
    for (unsigned writes : {9u, 10u}) {
        Bench b(Arguments {
            {"psi", "10"}, {"write_buffer", "1"}, {"drain_high", "1"}, {"drain_low", "0"}});
        for (unsigned i = 0; i < writes; ++i) b.write(i * 2000 * ns, i * 256);
        b.run();
        CHECK(value(b.module().stat.media.gap_moves) == (writes == 10));
        CHECK(value(b.module().stat.wear.media_writes) == writes + (writes == 10));
        CHECK(value(b.module().stat.media.media_reads) == (writes == 10));
    }
}

namespace {

struct Expected {
    std::uint32_t number = 0;
};

/// Random reads and writes of few lines; each read's data is compared with the reference.
void random_script(Bench& b, unsigned n, std::map<std::uint32_t, Expected>& expected) {
    Rng rng(n, "script");
    std::map<std::uint64_t, std::uint32_t> memory; // by 128-byte block
    Tick at = 0;
    for (std::uint32_t i = 1; i <= n; ++i) {
        at += static_cast<Tick>(rng.below(60)) * ns;
        const std::uint64_t block = rng.below(300);
        if (rng.chance(500'000'000)) {
            memory[block] = i;
            b.probe().state.script.push({at, {block * 128, 128, i, {}, true, false}, i});
        } else {
            expected[i] = {memory[block]};
            b.probe().state.script.push({at, {block * 128, 128, i, {}, false, false}});
        }
    }
}

const Arguments small {{"write_buffer", "8"}, {"drain_high", "6"}, {"drain_low", "2"},
                       {"read_buffer", "4"},  {"psi", "5"},        {"capacity", "40KiB"},
                       {"partitions", "4"}};

Arguments with_rows() {
    Arguments a = small;
    a.push_back({"row", "1KiB"});
    return a;
}

struct Sink : StatSink {
    void stat(const std::string&, const std::string&, const Stat&, std::string_view) override {}
    void integer(std::string_view, Int128, Unit) override {}
    void derived(std::string_view, double, Unit) override {}
    void bucket(std::uint64_t, std::uint64_t, std::uint64_t) override {}
};
std::string digest(Machine& m) {
    Sink sink;
    m.dump("end", sink);
    return m.digest();
}

} // namespace

TEST_CASE("Every read returns the latest write of its block, through buffers and gap moves") {
    const bool rows = GENERATE(false, true);
    Bench b(rows ? with_rows() : small);
    std::map<std::uint32_t, Expected> expected;
    random_script(b, 20000, expected);
    b.run();
    CHECK(value(b.module().stat.media.gap_moves) > 160); // all lines went round
    CHECK((value(b.module().stat.media.rows_closed) > 0) == rows);
    std::size_t compared = 0;
    for (const auto& s : b.probe().state.log) {
        if (!s.data) continue;
        ++compared;
        const Expected e = expected.at(s.id);
        REQUIRE(s.numbers[0] == e.number);
    }
    CHECK(compared == expected.size());
}

TEST_CASE(
    "xpoint.Module: stopped, resumed, perturbed or on a naive queue, the digest is the same") {
    const Arguments arguments = GENERATE(false, true) ? with_rows() : small;
    std::map<std::uint32_t, Expected> expected;
    auto make = [&](QueueKind kind) {
        auto b = std::make_unique<Bench>(arguments, Arguments {}, 1, kind);
        random_script(*b, 2000, expected);
        return b;
    };
    auto whole = make(QueueKind::fast);
    whole->run();
    const Tick end = whole->machine.sim().now();
    const std::string wanted = digest(whole->machine);

    auto naive = make(QueueKind::naive);
    naive->run();
    CHECK(digest(naive->machine) == wanted);

    auto perturbed = make(QueueKind::fast);
    perturbed->machine.sim().perturb(3, 2, {&perturbed->module()});
    perturbed->run();
    CHECK(digest(perturbed->machine) == wanted);

    Rng rng(9, "stops");
    for (int i = 0; i < 20; ++i) {
        const Tick at = static_cast<Tick>(rng.below(static_cast<std::uint64_t>(end)));
        auto first = make(QueueKind::fast);
        first->machine.start();
        first->machine.run(at);
        const Snapshot s = first->machine.save();
        Bench second(arguments);
        second.machine.load(s);
        REQUIRE(second.machine.run(never) == Stop::idle);
        CHECK(digest(second.machine) == wanted);
        CHECK(second.machine.imbalances().empty());
    }
}

TEST_CASE("xpoint.Module rejects invalid parameters with a message") {
    using Catch::Contains;
    CHECK_THROWS_WITH(Bench(Arguments {{"drain_low", "50"}}), Contains("module.drain_low"));
    CHECK_THROWS_WITH(Bench(Arguments {{"capacity", "65001B"}}), Contains("multiple of 4096B"));
    CHECK_THROWS_WITH(Bench(Arguments {{"write_buffer", "8"}}), Contains("module.drain_high"));
    Bench b(Arguments {});
    b.read(0, 1 << 20, 1);
    b.machine.start();
    CHECK_THROWS_WITH(b.machine.run(never), Contains("beyond the capacity"));
}

TEST_CASE("With rows, a line of an open row takes a column, another row 190 ns more, to the tick") {
    Bench b(Arguments {{"row", "2KiB"}, {"t_column", "9ns"}});
    b.read(0, 0, 1);
    b.read(0, 256, 2);              // the same row
    b.read(0, 2048, 3);             // the next partition's
    b.read(0, 16 * 2048, 4);        // another row of the first partition
    b.read(10 * ns, 2048 - 256, 5); // younger than 4, but in the open row
    b.run();
    // Command 1 ns, ready 5 ns; the row 190 ns, a column 9 ns.
    CHECK(b.probe().when(1, false) == 205 * ns);
    CHECK(b.probe().when(2, false) == 214 * ns);
    CHECK(b.probe().when(3, false) == 205 * ns);
    CHECK(b.probe().when(5, false) == 223 * ns);
    CHECK(b.probe().when(4, false) == 422 * ns); // a row that was only read closes at once
    CHECK(value(b.module().stat.media.rows_opened) == 3);
    CHECK(value(b.module().stat.media.rows_closed) == 0);
    CHECK(value(b.module().stat.media.media_reads) == 24);
}

TEST_CASE("A row that was written takes 763 ns to close, once for all of its lines") {
    Bench b(
        Arguments {{"row", "2KiB"}, {"t_column", "9ns"}, {"drain_high", "1"}, {"drain_low", "0"}});
    b.write(0, 0, 1);
    b.write(0, 256, 2, 128);        // a part: its row is open, nothing is read first
    b.read(500 * ns, 512, 1);       // the same row
    b.read(600 * ns, 16 * 2048, 2); // another one
    b.read(600 * ns, 32 * 2048, 3); // and another, which finds a clean one
    b.run();
    CHECK(b.probe().when(1, false) == 515 * ns);
    CHECK(b.probe().when(2, false) == (601 + 763 + 190 + 9 + 5) * ns);
    CHECK(b.probe().when(3, false) == (601 + 763 + 190 + 9 + 190 + 9 + 5) * ns);
    CHECK(value(b.module().stat.media.rows_closed) == 1);
    CHECK(value(b.module().stat.wear.media_writes) == 2); // its two lines
    CHECK(value(b.module().stat.media.refills) == 0);
}

TEST_CASE(
    "Each line read from the media and written to it takes its energy, with and without rows") {
    const Arguments rows {{"row", "2KiB"}, {"t_column", "9ns"}};
    for (const Arguments& shape : {Arguments {}, rows}) {
        Arguments module {{"drain_high", "1"},
                          {"drain_low", "0"},
                          {"psi", "2"},
                          {"read_energy", "7fJ"},
                          {"write_energy", "1000fJ"}};
        module.insert(module.end(), shape.begin(), shape.end());
        Bench b(module);
        b.read(0, 0, 1);
        b.write(0, 4096, 1, 128); // a part of a line: without rows it is read first
        b.write(1 * ns, 8192, 2);
        b.write(2 * ns, 16 * 4096, 3); // another row of the first write's partition
        b.read(9000 * ns, 4096, 2);
        b.run();
        const auto& stat = b.module().stat;
        CHECK(value(stat.media.gap_moves) > 0);
        CHECK(value(stat.media.media_energy) ==
              7 * value(stat.media.media_reads) + 1000 * value(stat.wear.media_writes));
        CHECK(value(stat.wear.media_writes) > 0);
    }
}
