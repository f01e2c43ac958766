#include "support.hh"

namespace memsim::stats_test {

using namespace memsim::test;

namespace {
template <class S>
std::string text_of(const S& s, Window w = {0, 100}) {
    TextSink sink;
    s.read(sink, w);
    return sink.text;
}
} // namespace

TEST_CASE("a percentile is right within 1/16 of its value, and never too low") {
    Rng r(1, "percentile");
    for (unsigned bits : {3u, 10u, 40u, 63u}) {
        Distribution d(Unit::count, "");
        std::vector<std::uint64_t> all;
        for (int i = 0; i < 5000; ++i) {
            const auto some = r.below(bits) + 1;
            const auto v = r.below(std::uint64_t {1} << some);
            all.push_back(v);
            d.sample(v);
        }
        std::sort(all.begin(), all.end());
        for (unsigned p : {1u, 50u, 90u, 99u, 100u}) {
            const std::uint64_t exact = all[(all.size() * p + 99) / 100 - 1];
            CHECK(d.percentile(p) >= exact);
            CHECK(d.percentile(p) - exact <= exact / 16);
        }
    }
    Distribution top(Unit::count, "");
    top.sample(~std::uint64_t {0});
    CHECK(top.percentile(50) == ~std::uint64_t {0});
    CHECK(Distribution(Unit::count, "").percentile(50) == 0);
}

TEST_CASE("the mean of a level is over time") {
    Level l(Unit::count, "");
    l.set(10, 4); // 0 for 10, 4 for 20, 1 for 70
    l.set(30, 1);
    CHECK(text_of(l, {0, 100}) == "area=150\npeak=4\nmean~1.500000\n");
    l.reset(100); // the level itself stays
    l.set(150, 3);
    CHECK(text_of(l, {100, 200}) == "area=200\npeak=3\nmean~2.000000\n");
}

TEST_CASE("a maximum is the greatest sample since the last reset") {
    Maximum m {Unit::count, "The most"};
    CHECK(m.value() == 0);
    for (const std::uint64_t v : {3u, 9u, 8u}) m.sample(v);
    CHECK(m.value() == 9);
    m.reset(0);
    m.sample(std::uint64_t {2});
    CHECK(m.value() == 2);
}

TEST_CASE("sums do not overflow 64 bits") {
    Counter c(Unit::time, "");
    Average a(Unit::time, "");
    Distribution d(Unit::time, "");
    const std::uint64_t large = std::uint64_t {1} << 63;
    for (int i = 0; i < 4; ++i) c += large, a.sample(large), d.sample(large);
    CHECK(text_of(c) == "=36893488147419103232\n");
    CHECK(a.sum() == Uint128 {large} * 4);
    CHECK(d.sum() == Uint128 {large} * 4);
    CHECK(a.mean() == Approx(9.223372036854775808e12));
    CHECK(text_of(a).find("sum=36893488147419103232") != std::string::npos);
}

TEST_CASE("a reset clears digest and dump and starts a window") {
    Pair p({}, {});
    TextSink before, after;
    p.run();
    p.machine.dump("a", before);
    const std::string first = p.machine.digest();
    CHECK(p.machine.stat_value("sink", "taken", "") == 10);
    p.machine.reset_stats();
    CHECK(p.machine.stat_value("sink", "taken", "") == 0);
    CHECK(p.machine.stats_since() == p.machine.sim().now());
    p.machine.dump("b", after);
    CHECK(first != p.machine.digest());
    CHECK(before.text != after.text);
    CHECK(error_of([&] { p.machine.stat_value("sink", "takn", ""); }) ==
          "sink has no statistic 'takn' (did you mean 'taken'?)");
}

TEST_CASE("formulas stay outside the digest's integers and are 0 when nothing was counted") {
    Counter part(Unit::count, ""), whole(Unit::byte, "");
    Ratio ratio(part, whole, "");
    PerSecond rate(whole, "");
    CHECK(text_of(ratio) == "~0.000000\n");
    part += 3, whole += 4;
    CHECK(text_of(ratio) == "~0.750000\n");
    CHECK(text_of(rate, {0, ticks_per_second / 2}) == "~8.000000\n");
}

TEST_CASE("a series covers the time since the last sample and continues after a load") {
    Counter bytes(Unit::byte, ""), accesses(Unit::count, "");
    const Ratio ratio(bytes, accesses, "");
    const PerSecond rate(bytes, "");
    Average average(Unit::count, "");
    Distribution distribution(Unit::count, "");
    Level level(Unit::count, "");
    const auto all = [&](Growth& growth, Window w) {
        w.growth = &growth;
        return text_of(ratio, w) + text_of(rate, w) + text_of(average, w) +
               text_of(distribution, w) + text_of(level, w);
    };
    const auto computed = [](const std::string& text) {
        std::string found;
        for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
            end = text.find('\n', at);
            const std::string line = text.substr(at, end - at);
            if (line.find('~') != line.npos) found += line + " ";
        }
        return found;
    };
    const Tick second = ticks_per_second;
    Growth growth;
    all(growth, {0, 0}); // nothing was counted yet
    bytes += 100, accesses += 10, level.set(0, 4);
    average.sample(1), distribution.sample(3);
    growth.next_sample();
    CHECK(computed(all(growth, {0, second})) ==
          "~10.000000 ~100.000000 mean~1.000000 mean~3.000000 stdev~0.000000 mean~4.000000 ");

    // Loaded into another, in the middle of an interval.
    bytes += 60, accesses += 3;
    Saver saver;
    saver(growth);
    Growth loaded;
    all(loaded, {0, second});
    Loader loader(saver.bytes);
    loader(loaded);
    average.sample(9), distribution.sample(4), distribution.sample(6), level.set(second, 8);
    for (Growth* g : {&growth, &loaded}) {
        g->next_sample();
        CHECK(computed(all(*g, {second, 2 * second})) ==
              "~20.000000 ~60.000000 mean~9.000000 mean~5.000000 stdev~1.000000 mean~8.000000 ");
        g->next_sample(); // nothing more was counted: no rate, and no mean of no samples
        CHECK(computed(all(*g, {2 * second, 3 * second})) == "~0.000000 ~0.000000 mean~8.000000 ");
    }
}

} // namespace memsim::stats_test
