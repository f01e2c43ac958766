#include "bench.hh"

#include <catch2/catch.hpp>

#include <map>

namespace memsim::swap_test {

using namespace memsim::test_ohm;
using Clean = std::vector<std::string>;

TEST_CASE("Five accesses do not swap a page, the sixth does", "[ohm]") {
    for (unsigned n : {5u, 6u}) {
        Bench b;
        const std::uint64_t hot = b.at(3, 4), resident = b.at(3, 0);
        for (unsigned i = 0; i < n; ++i) b.read(static_cast<Tick>(i) * 300 * ns, hot);
        CHECK(b.run_to_end() == Clean {});
        CHECK(value(b.controller().stat.swap.swaps) == (n == 6));
        CHECK(b.controller().location(hot) == (n == 6 ? 0 : 4));
        CHECK(b.controller().location(resident) == (n == 6 ? 4 : 0));
        // Two pages cross the channel twice.
        CHECK(value(b.controller().stat.channel.migration_bytes) == (n == 6 ? 4 * 2048 : 0));
    }
}

TEST_CASE("A hint counts as an access to its page and is not served", "[ohm]") {
    for (unsigned hints : {4u, 5u}) {
        Bench b;
        const std::uint64_t hot = b.at(3, 4);
        b.read(0, hot);
        for (unsigned i = 0; i < hints; ++i)
            b.send((300 + static_cast<Tick>(i) * 300) * ns, b.at(3, 4), protocol::Command::hint,
                   2048, true);
        CHECK(b.run_to_end() == Clean {});
        const auto& stat = b.controller().stat;
        CHECK(value(stat.swap.swaps) == (hints == 5));
        CHECK(value(stat.hints) == hints);
        CHECK(value(stat.requests) == 1);
        CHECK(b.controller().location(hot) == (hints == 5 ? 0 : 4));
    }
}

TEST_CASE("Accesses to the page in DRAM and to rivals count against the candidate", "[ohm]") {
    ohm::Group g;
    for (int i = 0; i < 5; ++i) CHECK_FALSE(g.access(4, 6));
    CHECK_FALSE(g.access(0, 6)); // 4
    CHECK_FALSE(g.access(7, 6)); // 3
    CHECK_FALSE(g.access(4, 6));
    CHECK_FALSE(g.access(4, 6)); // 5
    CHECK(g.access(4, 6));
    for (int i = 0; i < 6; ++i) CHECK_FALSE(g.access(0, 6));
    CHECK_FALSE(g.access(0, 6)); // stays 0
    CHECK(g.access(7, 1));       // at 0 the rival takes over
    CHECK(g.candidate == 7);
    g.swapped();
    CHECK(g.resident == 7);
    CHECK(g.location[7] == 0);
    CHECK(g.location[0] == 7);
}

namespace {
/// Makes page (group, slot) hot by six reads from `at` on; the swap begins when they are done.
void heat(Bench& b, std::uint64_t group, std::uint64_t slot, Tick at = 0) {
    for (unsigned i = 0; i < 6; ++i) b.read(at, b.at(group, slot, 1024 + 128 * i));
}
} // namespace

TEST_CASE("A read of a page being swapped waits for its piece; a write waits for the end",
          "[ohm]") {
    Bench b;
    heat(b, 0, 1);
    // All six are answered by 250 ns; the swap reads XPoint until 450 ns or so.
    const auto read = b.read(300 * ns, b.at(0, 1, 256));
    const auto other = b.read(300 * ns, b.at(1, 0));
    CHECK(b.run_to_end() == Clean {});
    CHECK(value(b.controller().stat.swap.swaps) == 1);
    CHECK(value(b.controller().stat.postponed.requests_postponed) == 1);
    CHECK(value(b.controller().stat.postponed.buffer_reads) == 1);
    CHECK(b.sender().when(read) > b.sender().when(other));
    CHECK(b.sender().when(read) < 600 * ns);

    Bench w;
    heat(w, 0, 1);
    const auto write = w.write(300 * ns, w.at(0, 1, 256));
    const auto behind = w.read(301 * ns, w.at(0, 1, 256)); // must see the write
    CHECK(w.run_to_end() == Clean {});
    CHECK(value(w.controller().stat.postponed.requests_postponed) == 2);
    CHECK(value(w.controller().stat.demand.dram_writes) ==
          1); // the page had moved when it was let go
    CHECK(w.sender().when(write) >= static_cast<Tick>(w.controller().stat.swap.swap_latency.sum()));
    CHECK(w.sender().when(behind) > 450 * ns);
    CHECK(value(w.sender().stat.wrong_reads) == 0);
}

TEST_CASE("A read whose piece is already in the buffer is answered at once", "[ohm]") {
    Bench b;
    heat(b, 0, 1);
    // The DRAM page is read long before XPoint has answered.
    const auto read = b.read(400 * ns, b.at(0, 0));
    CHECK(b.run_to_end() == Clean {});
    CHECK(b.latency(read, 400 * ns) == 1 * ns + 833'000);
    CHECK(value(b.controller().stat.postponed.buffer_reads) == 1);
    CHECK(value(b.controller().stat.postponed.requests_postponed) == 0);
}

TEST_CASE("When the queue of postponed requests is full, nothing further is accepted", "[ohm]") {
    Bench b(Arguments {{"postponed", "2"}});
    heat(b, 0, 1);
    for (unsigned i = 0; i < 3; ++i) b.write(300 * ns, b.at(0, 1, 128 * i));
    const auto behind = b.read(300 * ns, b.at(5, 0));
    CHECK(b.run_to_end() == Clean {});
    CHECK(b.controller().stat.channel.stall_time.value() > 0);
    CHECK(b.sender().when(behind) > static_cast<Tick>(b.controller().stat.swap.swap_latency.sum()));
}

TEST_CASE("With all swap buffers in use, a swap is postponed and retried", "[ohm]") {
    Bench b(Arguments {{"swaps", "1"}});
    heat(b, 0, 1);
    heat(b, 1, 1);
    b.read(2000 * ns, b.at(1, 1));
    CHECK(b.run_to_end() == Clean {});
    CHECK(value(b.controller().stat.swap.swaps_postponed) == 1);
    CHECK(value(b.controller().stat.swap.swaps) == 2);
}

TEST_CASE("No swaps: pages stay where they are", "[ohm]") {
    Bench b(Arguments {{"swaps", "0"}, {"swap_buffer", "0B"}});
    heat(b, 0, 1);
    CHECK(b.run_to_end() == Clean {});
    CHECK(value(b.controller().stat.channel.migration_bytes) == 0);
    CHECK(b.controller().location(b.at(0, 1)) == 1);
}

TEST_CASE("While a page is copied, data of requests do not cross, or no requests are issued",
          "[ohm]") {
    for (const std::string hold : {"nothing", "channel", "controller"}) {
        INFO("hold " << hold);
        const bool holds = hold != "nothing";
        Bench b(Arguments {{"swap_patience", "0fs"}, {"swap_hold", hold}});
        heat(b, 3, 4);
        const auto& swaps = b.controller().stat.swap.swaps;
        b.machine.start();
        Tick t = 0;
        while (b.controller().state.pages.swaps[0].dram_read_asked == 0) b.machine.run(t += ns);
        const Tick begin = t;
        const std::uint32_t late[] = {b.read(t + ns, b.at(5, 0)), b.read(t + ns, b.at(5, 2)),
                                      b.write(t + ns, b.at(6, 1))};
        b.sender().start();
        while (value(swaps) == 0) b.machine.run(t += ns);
        const std::uint64_t held = value(b.controller().stat.swap.hold_time);
        CHECK(b.finish() == Clean {});
        CHECK((b.sender().when(late[0]) > t) == holds);
        CHECK((b.sender().when(late[2]) > t) == holds);
        // XPoint reads meanwhile, or its media begin behind the copy.
        CHECK((b.sender().when(late[1]) > t) == holds);
        CHECK((b.sender().when(late[1]) > t + 190 * ns) == (hold == "controller"));
        if (holds) {
            CHECK(held >= static_cast<std::uint64_t>(t - begin - 2 * ns));
            CHECK(held <= static_cast<std::uint64_t>(t - begin + 2 * ns));
        } else
            CHECK(held == 0);
    }
}

TEST_CASE("Reads that wait for the end of a copy do not block the next copy", "[ohm]") {
    // Copies that overlap, and reads of the same modules that fill a read buffer, or all loads.
    const std::string few = GENERATE("read_buffer", "loads");
    Bench b({{"swap_hold", "channel"}, {"swap_patience", "0fs"}}, {{few, "4"}});
    for (std::uint64_t g = 0; g < 4; ++g) heat(b, g, 1);
    for (unsigned i = 0; i < 400; ++i)
        b.read(100 * ns + i * 5 * ns, b.at(4 + i % 4, 1 + i / 4 % 8, i % 16 * 128));
    CHECK(b.run_to_end() == Clean {});
    CHECK(value(b.controller().stat.swap.swaps) >= 4);
}

TEST_CASE("Migration takes the channel from demand, and its share is reported", "[ohm]") {
    // The same reads of one DRAM page, with and without swaps of other groups meanwhile.
    Tick ends[2];
    for (int swaps : {0, 1}) {
        Bench b(Arguments {{"swaps", swaps ? "4" : "0"}, {"swap_patience", "0fs"}});
        for (std::uint64_t g = 0; g < 4; ++g) heat(b, g, 1);
        for (unsigned i = 0; i < 400; ++i) b.read(300 * ns, b.at(7, 0, i % 16 * 128));
        CHECK(b.run_to_end() == Clean {});
        ends[swaps] = 0;
        for (const auto& s : b.sender().state.log) ends[swaps] = std::max(ends[swaps], s.at);
        const auto& stat = b.controller().stat;
        CHECK(value(stat.swap.swaps) == (swaps ? 4 : 0));
        CHECK((stat.channel.migration_share.value() > 0) == (swaps == 1));
        CHECK(value(stat.channel.migration_bytes) == value(stat.swap.swaps) * 4 * 2048);
        // What the channel was busy with is demand and migration, to the femtosecond of each
        // transfer.
        const auto busy = value(stat.channel.channel_time);
        const auto both = value(stat.channel.demand_time) + value(stat.channel.migration_time);
        CHECK(busy <= both + 2);
        CHECK(busy + b.controller().state.channel.data.transfers >= both);
    }
    // At least the reads of four XPoint pages went before the last demand.
    CHECK(ends[1] > ends[0] + 130 * ns);
}

TEST_CASE("The mapping table of the paper's machine takes about 28 MB in six controllers",
          "[ohm]") {
    Bench b(Arguments {{"dram", "2GiB"}}, Arguments {{"capacity", "8GiB"}});
    CHECK(b.run_to_end() == Clean {});
    const double bytes = b.machine.stat_value("controller", "mapping_table_bytes", "peak");
    CHECK(bytes * 6 == 28'311'552);
}

TEST_CASE("Demand that never pauses does not starve a swap", "[ohm]") {
    Bench b(Arguments {{"hot_threshold", "2"}, {"swaps", "1"}, {"swap_buffer", "4KiB"}});
    Rng rng(1, "pages");
    for (unsigned i = 0; i < 40000; ++i) {
        const std::uint64_t group = rng.below(8);
        const std::uint64_t slot = 1 + rng.below(8);
        b.read(0, b.at(group, slot, static_cast<std::uint32_t>(rng.below(16) * 128)));
    }
    CHECK(b.run_to_end() == Clean {});
    const auto& stat = b.controller().stat;
    CHECK(value(stat.swap.swaps) > 5);
    CHECK(stat.swap.swap_latency.percentile(100) < 20'000 * ns);
    CHECK(b.machine.sim().now() > 100'000 * ns); // so long it would have waited
}

// ---- contents --------------------------------------------------------------------------------

namespace {

const Arguments busy_controller {{"swaps", "3"},      {"hot_threshold", "2"},
                                 {"postponed", "6"},  {"requests", "40"},
                                 {"dram_queue", "8"}, {"dram_changes", "banks_per_group=4"}};
const Arguments busy_module {{"write_buffer", "8"},
                             {"drain_high", "6"},
                             {"drain_low", "2"},
                             {"read_buffer", "8"},
                             {"psi", "7"}};

/// Random requests over all pages, most to a few; the last write of each block is returned.
std::map<std::uint64_t, std::uint64_t> random_script(Bench& b, unsigned n, std::uint64_t seed) {
    Rng rng(seed, "script");
    std::map<std::uint64_t, std::uint64_t> last;
    std::uint64_t writes = 0;
    Tick at = 0;
    for (unsigned i = 0; i < n; ++i) {
        at += static_cast<Tick>(rng.below(40)) * ns;
        if (rng.chance(2'000'000)) at += 20'000 * ns; // a pause
        const std::uint64_t group = rng.below(8);
        const bool favourite = rng.chance(700'000'000);
        const std::uint64_t phase = i / 500;
        const std::uint64_t slot = favourite ? (group + phase) % 9 : rng.below(9);
        const std::uint64_t block = rng.below(rng.chance(500'000'000) ? 2 : 16);
        const std::uint64_t address = b.at(group, slot, static_cast<std::uint32_t>(block * 128));
        if (rng.chance(400'000'000)) {
            b.write(at, address, rng.chance(500'000'000));
            last[address] = ++writes;
        } else {
            b.read(at, address);
        }
    }
    return last;
}

/// Blocks whose data, in DRAM or XPoint, is not the data written last.
unsigned wrong_blocks(Bench& b, const std::map<std::uint64_t, std::uint64_t>& last) {
    unsigned wrong = 0;
    for (const auto& [address, version] : last) wrong += b.sender().content(address) != version;
    return wrong;
}

} // namespace

TEST_CASE("Under random traffic with swaps in flight every read returns the last write", "[ohm]") {
    for (const std::string& name : platforms)
        for (std::uint64_t seed : {1, 2, 3}) {
            INFO(name << ", seed " << seed);
            Bench b(busy_controller + platform(name), busy_module);
            const auto last = random_script(b, 20000, seed);
            CHECK(b.run_to_end() == Clean {});
            const auto& stat = b.controller().stat;
            CHECK(value(b.sender().stat.wrong_reads) == 0);
            CHECK(wrong_blocks(b, last) == 0);
            // The critical cases have occurred.
            CHECK(value(stat.swap.swaps) > 200);
            CHECK(value(stat.postponed.requests_postponed) > 200);
            if (b.controller().params.swap.swap_function()) {
                CHECK(value(stat.demand.conflicts) > 100);
                CHECK(value(b.module(0).stat.swaps) + value(b.module(1).stat.swaps) ==
                      value(stat.swap.swaps));
            } else
                CHECK(value(stat.postponed.buffer_reads) > 100);
            CHECK(value(stat.swap.swaps_postponed) > 0);
            CHECK(value(b.module(0).stat.media.gap_moves) > 10);
            CHECK(b.sender().state.log.size() > 10000);
        }
}

TEST_CASE("Host writes to a page being swapped are present after the swap", "[ohm]") {
    const std::string name = GENERATE(from_range(platforms));
    INFO(name);
    if (name.starts_with("hold")) return; // the data takes the same path as in ohm-base
    unsigned moving = 0;
    for (Tick at = 5 * ns; at < 700 * ns; at += 30 * ns) {
        INFO(at);
        Bench b(platform(name));
        heat(b, 0, 1);
        b.machine.start();
        b.machine.run(at);
        moving += b.controller().state.pages.live != 0;
        for (const std::uint64_t slot : {0, 1})
            for (std::uint32_t offset = 0; offset < 2048; offset += 256) {
                const std::uint64_t address = b.at(0, slot, offset);
                b.sender().copy_in(address, 7 + offset);
                CHECK(b.sender().content(address) == 7 + offset);
            }
        CHECK(b.finish() == Clean {});
        CHECK(value(b.controller().stat.swap.swaps) == 1);
        for (const std::uint64_t slot : {0, 1})
            for (std::uint32_t offset = 0; offset < 2048; offset += 256)
                CHECK(b.sender().content(b.at(0, slot, offset)) == 7 + offset);
    }
    CHECK(moving > 8);
}

TEST_CASE("The content check notices a wrong mapping and a forgotten piece", "[ohm]") {
    const auto errors = [](auto&& damage) {
        Bench b(busy_controller, busy_module);
        const auto last = random_script(b, 5000, 4);
        b.machine.start();
        bool done = false;
        Tick t = 50'000 * ns;
        while (!done && b.machine.run(t) == Stop::limit) {
            done = damage(b.controller().state);
            t += 1 * ns;
        }
        REQUIRE(done);
        b.finish();
        return value(b.sender().stat.wrong_reads) + wrong_blocks(b, last);
    };
    CHECK(errors([](auto&) { return true; }) == 0);
    CHECK(errors([](auto& state) {
              auto* g = state.pages.groups.find(3);
              if (!g || g->swap != ohm::Group::none) return false;
              std::swap(g->location[1], g->location[2]);
              g->resident = static_cast<std::uint8_t>(
                  std::find(g->location.begin(), g->location.end(), 0) - g->location.begin());
              return true;
          }) > 0);
    CHECK(errors([](auto& state) { // the piece is taken for written
              for (auto& s : state.pages.swaps)
                  if (s.live && s.dram_read_asked && !s.dram_written) {
                      s.dram_written |= 1;
                      return true;
                  }
              return false;
          }) > 0);
    CHECK(errors([](auto& state) { // two pieces change places in the swap buffer
              for (auto& s : state.pages.swaps)
                  if (s.live && (s.dram_read & 3) == 3 && s.xpoint_write_asked == 0) {
                      const auto page = static_cast<std::uint64_t>(&s - state.pages.swaps.data());
                      const std::uint64_t from_dram = (2 * page + 1) * (2048 / 32);
                      SectorBytes first, second;
                      state.pages.buffer.read(from_dram, first);
                      state.pages.buffer.read(from_dram + 8, second);
                      if (first.known == 0 || first.order[0] == second.order[0]) continue;
                      state.pages.buffer.put(from_dram, second);
                      state.pages.buffer.put(from_dram + 8, first);
                      return true;
                  }
              return false;
          }) > 0);
}

TEST_CASE("ohm.PlanarController: resumed, perturbed or on a naive queue, the digest is the same",
          "[ohm]") {
    const std::string name = GENERATE(from_range(platforms));
    INFO(name);
    const Arguments controller = busy_controller + platform(name);
    const auto make = [&](QueueKind kind = QueueKind::fast) {
        auto b = std::make_unique<Bench>(controller, busy_module, Arguments {}, kind);
        random_script(*b, 1500, 5);
        return b;
    };
    auto whole = make();
    CHECK(whole->run_to_end() == Clean {});
    const Tick end = whole->machine.sim().now();
    const std::string wanted = whole->digest();

    auto naive = make(QueueKind::naive);
    CHECK(naive->run_to_end() == Clean {});
    CHECK(naive->digest() == wanted);

    for (std::uint64_t seed : {1, 2, 3}) {
        auto perturbed = make();
        std::vector<Component*> all;
        for (const auto& c : perturbed->machine.components()) all.push_back(c);
        perturbed->machine.sim().perturb(seed, 2, all);
        CHECK(perturbed->run_to_end() == Clean {});
        CHECK(perturbed->digest() == wanted);
    }

    Rng rng(6, "stops");
    unsigned in_flight = 0;
    for (int i = 0; i < 25; ++i) {
        const Tick at = static_cast<Tick>(rng.below(static_cast<std::uint64_t>(end)));
        auto first = make();
        first->machine.start();
        first->machine.run(at);
        in_flight += first->controller().state.pages.live != 0;
        const Snapshot s = first->machine.save();
        Bench second(controller, busy_module);
        second.machine.load(s);
        CHECK(second.finish() == Clean {});
        CHECK(second.digest() == wanted);
    }
    CHECK(in_flight > 5);
}

} // namespace memsim::swap_test
