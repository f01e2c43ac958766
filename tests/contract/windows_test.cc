/// Statistics are right in any window of a run: over all rigs, a run is cut into windows by resets,
/// and each window's statistics are compared with its length, with 1 where they are shares, and in
/// sum with those of an undisturbed run.

#include "core/kernel/registry.hh"
#include "oracle.hh"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>

using namespace memsim;
using namespace memsim::test;

namespace memsim::windows_test {

/// Times that are added up over parts which work at once: planes, partitions, loads,
/// pseudo-channels.
const std::set<std::string> added_up {
    "sense_time", "program_time",   "erase_time", "io_time",
    "media_time", "migration_time", "bus_busy",
};
/// Ratios that are shares of a whole have one of these in their name.
const std::vector<std::string> of_shares {"share", "rate", "accuracy", "waste"};

struct Values final : StatSink {
    std::map<std::string, Int128> totals, times, cycles;
    std::map<std::string, double> shares;
    std::string stat_name, stat_path;
    std::string_view stat_kind;
    void stat(const std::string& path, const std::string& name, const Stat&,
              std::string_view kind) override {
        stat_path = path, stat_name = name, stat_kind = kind;
    }
    void integer(std::string_view part, Int128 value, Unit unit) override {
        if (stat_kind != "counter" && stat_kind != "elapsed" && part != "sum" && part != "count" &&
            part != "area")
            return;
        totals[key(part)] = value;
        if (stat_kind != "elapsed") return;
        if (unit == Unit::time) times[key(part)] = value;
        if (unit == Unit::cycle) cycles[key(part)] = value;
    }
    void derived(std::string_view part, double value, Unit unit) override {
        if (stat_kind != "formula" || unit != Unit::ratio) return;
        for (const std::string& word : of_shares)
            if (stat_name.find(word) != stat_name.npos) shares[key(part)] = value;
    }
    void bucket(std::uint64_t, std::uint64_t, std::uint64_t) override {}
    std::string key(std::string_view part) const {
        return stat_path + "." + stat_name + (part.empty() ? "" : "." + std::string(part));
    }
};

Values dumped(Machine& m) {
    Values v;
    m.dump("window", v);
    return v;
}
std::unique_ptr<Machine> started(const Rig& rig) {
    auto m = std::make_unique<Machine>(11, QueueKind::fast);
    rig.make(*m);
    m->build();
    m->start();
    return m;
}
bool adds_up_parts(const std::string& name) {
    std::string stat = name.substr(name.rfind('.') + 1);
    return added_up.contains(stat.substr(0, stat.find('[')));
}

/// Cycles of a component's clock that it can count in a time at most, those begun at either end
/// included: one for each port of a bank and each link of a mesh, whose statistics are sums over
/// these.
Int128 most_cycles(const Machine& m, const std::string& name, Tick time) {
    const std::size_t dot = name.rfind('.');
    std::map<std::string, std::int64_t> parameters;
    for (const auto& p : m.at(name.substr(0, dot)).resolved_params())
        if (p.number) parameters[p.name] = *p.number;
    Int128 resources = 1;
    if (name.substr(dot) == ".bank_busy")
        resources = parameters.at("banks") * parameters.at("bank_ports");
    if (name.substr(dot) == ".link_busy")
        resources = 4 * parameters.at("columns") * parameters.at("rows");
    return resources * (Int128 {time} * parameters.at("clock") / ticks_per_second + 2);
}

std::vector<std::string> check_windows(const Rig& rig, unsigned windows) {
    std::vector<std::string> faults;
    const auto fault = [&](const std::string& name, const std::string& what, Tick since, Tick now) {
        faults.push_back(rig.type + ": " + name + " " + what + " in the window from " +
                         std::to_string(since) + " to " + std::to_string(now));
    };
    const auto whole = started(rig);
    whole->run(never);
    const Tick end = whole->sim().now();
    const Values expected = dumped(*whole);
    const auto cut = started(rig);
    std::map<std::string, Int128> sums;
    for (Tick since = 0; since < end;) {
        cut->run(std::min(end, since + end / windows + 1));
        const Tick now = std::min(end, since + end / windows + 1);
        if (now == end) cut->run(never);
        const Values v = dumped(*cut);
        for (const auto& [name, value] : v.totals) sums[name] += value;
        for (const auto& [name, value] : v.times) {
            if (value < 0) fault(name, "is " + to_text(value), since, now);
            if (!adds_up_parts(name) && value > now - since)
                fault(name, "is " + to_text(value) + ", more than the window,", since, now);
        }
        for (const auto& [name, value] : v.cycles)
            if (value < 0 || value > most_cycles(*cut, name, now - since))
                fault(name, "is " + to_text(value) + ", other than cycles of the window,", since,
                      now);
        for (const auto& [name, value] : v.shares)
            if (value > 1 + 1e-6 && expected.shares.at(name) <= 1)
                fault(name, "is " + std::to_string(value), since, now);
        cut->reset_stats();
        since = now;
    }
    for (const auto& [name, value] : expected.totals)
        if (sums[name] != value)
            faults.push_back(rig.type + ": " + name + " is " + to_text(sums[name]) + " in " +
                             std::to_string(windows) + " windows, in one " + to_text(value));
    return faults;
}

/// The same, where a window lies between two samples of a series.
std::vector<std::string> check_series(const Rig& rig, unsigned windows) {
    std::vector<std::string> faults;
    const auto whole = started(rig);
    whole->run(never);
    const Values expected = dumped(*whole);
    const auto sampled = started(rig);
    const Tick period = whole->sim().now() / windows + 1;
    sampled->sample_every(Time {period}, {"*"});
    sampled->run(never);
    std::map<std::string, double> before;
    for (const SeriesRow& row : sampled->take_series()) {
        const std::string name =
            row.path + "." + row.stat + (row.part.empty() ? "" : "." + row.part);
        const bool time = expected.times.contains(name);
        double most = 1;
        if (time)
            most = static_cast<double>(period) * unit_scale(Unit::time);
        else if (expected.cycles.contains(name))
            most = static_cast<double>(most_cycles(*sampled, name, period));
        else if (!expected.shares.contains(name) || expected.shares.at(name) > 1)
            continue;
        const bool grows = time || expected.cycles.contains(name);
        const double value = row.value - (grows ? std::exchange(before[name], row.value) : 0);
        // The parts of a share are rounded to whole femtoseconds each, in a window that may hold
        // one burst.
        const double slack = grows ? 1e-9 : 1e-5;
        if (value < 0 || (value > most * (1 + slack) && !(time && adds_up_parts(name))))
            faults.push_back(rig.type + ": " + name + " grows by " + std::to_string(value) +
                             " to the sample at " + std::to_string(row.tick) + ", most is " +
                             std::to_string(most));
    }
    return faults;
}

TEST_CASE("in every window of a run the statistics of all components are right", "[windows]") {
    std::size_t times = 0, cycles = 0;
    for (const Rig& rig : rigs()) {
        if (rig.type == "test.Courier") continue; // its counts depend on each other
        INFO(rig.type);
        const auto m = started(rig);
        times += dumped(*m).times.size(), cycles += dumped(*m).cycles.size();
        for (const unsigned windows : {3u, 10u, 97u})
            CHECK(check_windows(rig, windows) == std::vector<std::string> {});
        for (const unsigned windows : {7u, 89u})
            CHECK(check_series(rig, windows) == std::vector<std::string> {});
    }
    CHECK((times > 60 && cycles > 20)); // it found them
}

TEST_CASE("elapsed time is right at any tick", "[windows]") {
    ElapsedTime t {"A test's"};
    const auto at = [&](Tick now) { return static_cast<Tick>(t.value({0, now, nullptr})); };
    t.begin(10);
    CHECK(at(10) == 0);
    CHECK(at(25) == 15);
    t.begin(20); // a second one, concurrent with it
    CHECK(at(25) == 20);
    t.end(10, 30);
    CHECK(at(30) == 30);
    t.reset(32); // the first is forgotten, the second continues from here
    CHECK(at(32) == 0);
    CHECK(at(35) == 3);
    t.end(20, 40);
    CHECK(at(40) == 8);
    CHECK(at(90) == 8);

    t.reset(100);
    t.add(100, 110, 130); // it is known in advance
    t.add(100, 130, 140);
    CHECK(at(110) == 0);
    CHECK(at(111) == 1);
    CHECK(at(135) == 25);
    t.reset(120);
    CHECK(at(120) == 0);
    CHECK(at(130) == 10);
    CHECK(at(140) == 20);
    CHECK(at(999) == 20);
}

TEST_CASE("elapsed time equals that of a list of all spans, under random resets", "[windows]") {
    Rng random(1, "spans");
    ElapsedTime t {"A test's"};
    std::vector<std::pair<Tick, Tick>> all;
    Tick now = 0, reset = 0;
    for (int i = 0; i < 4000; ++i) {
        now += static_cast<Tick>(random.below(7));
        if (random.below(40) == 0) t.reset(reset = now);
        const Tick from = now + static_cast<Tick>(random.below(9));
        const Tick until = from + static_cast<Tick>(random.below(9));
        t.add(now, from, until);
        all.emplace_back(from, until);
        Tick expected = 0;
        for (const auto& [a, b] : all)
            expected += std::max(Tick {0}, std::min(b, now) - std::max(a, reset));
        REQUIRE(static_cast<Tick>(t.value({0, now, nullptr})) == expected);
    }
}

TEST_CASE("any number of spans known in advance is kept until they end", "[windows]") {
    ElapsedTime t {"A test's"};
    Saver few, many;
    for (Tick now = 0; now < 1000; ++now) {
        t.add(now, now + 3, now + 5); // four at a time are ahead
        if (now == 20) few(t);
    }
    many(t);
    CHECK(many.bytes.size() < few.bytes.size() + 16 * 8);
    CHECK(static_cast<Tick>(t.value({0, 1000, nullptr})) == 1993);
}

TEST_CASE("cycles that are booked count as they pass", "[windows]") {
    BookedCycles c {Unit::cycle, "A test's"};
    Tick free = 0; // the cycle in which the resource is; ten ticks each
    c.count_ahead([&](Tick now) {
        return static_cast<std::uint64_t>(std::max(free - (now + 9) / 10, Tick {0}));
    });
    const auto at = [&](Tick now) { return static_cast<Tick>(c.value({0, now, nullptr})); };
    free = 2 + 5, c += 5; // taken in cycle 2, at 20
    CHECK(at(20) == 0);
    CHECK(at(21) == 1);
    CHECK(at(30) == 1);
    CHECK(at(40) == 2);
    CHECK(at(999) == 5);
    free += 3, c += 3; // at 40, behind it
    CHECK(at(40) == 2);
    CHECK(at(never) == 8);
    c.reset(40);
    CHECK(at(40) == 0);
    CHECK(at(75) == 4);
    CHECK(at(999) == 6);
    CHECK(at(never) == 0); // all were counted before
}

TEST_CASE("cycles of an episode in progress are counted up to the next edge of its clock",
          "[windows]") {
    ElapsedCycles c {Unit::cycle, "A test's"};
    c.count_in(Frequency {1'000'000'000}); // 1,000,000 fs
    const auto at = [&](Tick now) { return static_cast<Tick>(c.value({0, now, nullptr})); };
    c.begin(500);
    CHECK(at(500) == 0);
    CHECK(at(501) == 1);
    CHECK(at(1'000'500) == 1);
    CHECK(at(1'000'501) == 2);
    c.reset(1'000'501);
    CHECK(at(1'000'501) == 0);
    c.end(3'000'501); // four cycles in all, of which two lie before the reset
    CHECK(at(9'000'000) == 2);
}

} // namespace memsim::windows_test
