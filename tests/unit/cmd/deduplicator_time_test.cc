#include "cmd/controller/deduplicator.hh"

#include "../mem/driver.hh"

#include <catch2/catch.hpp>

namespace memsim::deduplicator_time_test {

using test_mem::arguments;
using test_mem::Command;

namespace {

constexpr Tick cycle = 1'000'000; ///< of 1 GHz

/// Requests to a Deduplicator whose tables are at hand after the first of them.
struct Timed {
    Machine m {1};
    test_mem::Driver* driver = nullptr;

    explicit Timed(const std::string& params, const std::string& driver_params = "") {
        m.carry_contents();
        m.add("driver", "test_mem.Driver", arguments(driver_params));
        m.add("dedup", "cmd.Deduplicator",
              arguments("capacity=16KiB assisted_read=false clock=1GHz " + params));
        m.add("memory", "mem.SimpleMemory", arguments("latency=100ns bandwidth=64GB/s"));
        m.bind("driver", "mem_side", "dedup", "cpu_side");
        m.bind("dedup", "mem_side", "memory", "cpu_side");
        m.build();
        driver = &m.get<test_mem::Driver>("driver");
    }
    /// Words that are all equal, or none.
    void write(Tick at, std::uint64_t block, std::uint32_t sectors, bool equal = false) {
        auto& r = driver->plan(at, Command::write, block * 128, sectors * 32);
        r.contents = m.sim().contents().create();
        for (std::uint32_t s = 0; s < sectors; ++s) {
            SectorBytes data;
            data.known = SectorBytes::all;
            data.order.fill(1);
            for (std::uint32_t i = 0; i < 32; ++i)
                data.bytes[i] = static_cast<std::uint8_t>(equal ? 5 : 32 * s + i + block);
            m.sim().contents()[r.contents].pieces.push_back({s, data});
        }
    }
    /// From when it was planned to the answer, of each.
    std::vector<Tick> run() {
        m.start();
        REQUIRE(m.run(never) == Stop::idle);
        std::vector<Tick> all;
        for (std::uint32_t tag = 0; tag < driver->state.plan.size(); ++tag) {
            all.push_back(driver->answered(tag) - driver->state.plan[tag].at);
            if (const auto& a = driver->state.answers[tag].response; a.contents)
                m.sim().contents().release(a.contents);
        }
        CHECK(m.imbalances() == std::vector<std::string> {});
        return all;
    }
};

/// The last request's time, all tables at hand.
Tick last(const std::string& params, const std::function<void(Timed&)>& plan) {
    Timed t(params);
    plan(t);
    return t.run().back();
}

} // namespace

TEST_CASE("A look-up in a table's cache takes 20 cycles; a read of the map takes two look-ups",
          "[cmd]") {
    const auto intra_read = [](Timed& t) {
        t.write(0, 1, 4, true);
        t.driver->read(5000 * cycle, 1 * 128 + 32);
    };
    const Tick none = last("table_cycles=0", intra_read); // a tick for each look
    CHECK(last("", intra_read) == none + 2 * (20 * cycle - 1));
    CHECK(last("table_cycles=19", intra_read) == none + 2 * (19 * cycle - 1));
    CHECK(last("whole_tables=true", intra_read) == none + 20 * cycle - 2);
    const auto own_read = [](Timed& t) {
        t.write(0, 1, 4);
        t.driver->read(5000 * cycle, 128);
    };
    CHECK(last("", own_read) == last("table_cycles=0", own_read) + 20 * cycle - 1);
    CHECK(last("", own_read) > 100 * cycle + 20 * cycle); // memory is read
    CHECK(last("", intra_read) < 100 * cycle);            // and here it is not
}

TEST_CASE("A missing look-up takes 20 cycles in addition to the fetch", "[cmd]") {
    const auto cold_read = [](Timed& t) { t.driver->read(0, 128); };
    CHECK(last("", cold_read) == last("table_cycles=0", cold_read) + 20 * cycle - 1);
}

TEST_CASE("The time of a read in deduplication is a separate stage", "[cmd]") {
    Timed t("");
    t.write(0, 1, 4, true);
    t.driver->read(5000 * cycle, 128);
    Stamps& stamps = t.m.sim().stamps();
    stamps.enable(1);
    const Stamps::Id id = stamps.open(5000 * cycle, 0);
    t.driver->state.plan.entries[1].message.stamps = id;
    const Tick time = t.run()[1];
    stamps.close(id, Stage::find("queue"), 5000 * cycle + time);
    CHECK(stamps.sum(Stage::find("deduplication")) ==
          static_cast<Uint128>(time - 1)); // a wire back
}

TEST_CASE("A block of 128 bytes is hashed in 228 cycles, one of 32 in 76", "[cmd]") {
    for (const std::uint32_t sectors : {1u, 2u, 3u, 4u}) {
        const auto write = [&](Timed& t) {
            t.write(0, 1, 4);
            t.write(5000 * cycle, 2, sectors);
        };
        const Tick rounds = sectors == 4 ? 3 : sectors == 1 ? 1 : 2;
        const Tick hashed = last("", write);
        CHECK(hashed == last("detection=md5(round_cycles=75)", write) + rounds * cycle);
        CHECK(hashed == last("detection=md5(round_cycles=1)", write) + rounds * 75 * cycle);
    }
    const auto equal_words = [](Timed& t) { t.write(0, 1, 4, true); };
    CHECK(last("", equal_words) ==
          last("detection=md5(round_cycles=1)", equal_words)); // never hashed
}

TEST_CASE("The hash unit accepts the next block after its interval", "[cmd]") {
    for (const Tick interval : {4, 76, 228}) {
        Timed t("detection=md5(interval=" + std::to_string(interval) + ")");
        t.write(0, 1, 4);
        t.write(5000 * cycle, 2, 4);
        t.write(5000 * cycle, 3, 4);
        t.write((5000 + 2 * interval) * cycle, 4, 4); // as soon as the unit is free
        const auto times = t.run();
        CHECK(times[2] == times[1] + interval * cycle);
        CHECK(times[3] == times[1]);
    }
}

} // namespace memsim::deduplicator_time_test
