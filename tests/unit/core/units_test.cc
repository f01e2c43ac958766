#include "core/base/clock.hh"
#include "core/base/rng.hh"
#include "core/base/text.hh"
#include "support.hh"

namespace memsim::units_test {

using memsim::test::error_of;

TEST_CASE("literals are exact") {
    CHECK((0.833_ns).raw == 833'000);
    CHECK((1.5_us).raw == 1'500'000'000);
    CHECK((9000_s).raw == 9'000'000'000'000'000'000);
    CHECK((0.5_GiB).raw == 1 << 29);
    CHECK((1.215_GHz).raw == 1'215'000'000);
    CHECK((12.5_pct).raw == 125'000'000);
    CHECK(6_MiB / 2_KiB == 3072);
    CHECK(3 * 2_ns + 1_ps == Time {6'001'000});
}

TEST_CASE("quantities are read exactly and written so that they read back") {
    auto time = [](const char* s) { return Text<Time>::parse(s).raw; };
    CHECK(time("190ns") == 190'000'000);
    CHECK(time("190 ns") == 190'000'000);
    CHECK(time("0.1us") == 100'000'000);
    CHECK(time("1'000fs") == 1000);
    CHECK(time("0.000000000000001s") == 1);
    CHECK(time("1e-15s") == 1);
    CHECK(time("1.5e3ns") == 1'500'000'000);
    CHECK(time("0e999ns") == 0);
    CHECK(Text<unsigned>::parse("4e3") == 4000);
    CHECK(Text<Bytes>::parse("1KiB").raw == 1024);
    CHECK(Text<Bytes>::parse("1kB").raw == 1000);
    CHECK(Text<Bytes>::parse("0.25GiB").raw == 1 << 28);
    CHECK(Text<Fraction>::parse("0.25").raw == 250'000'000);
    CHECK(Text<Fraction>::parse("25%").raw == 250'000'000);
    CHECK(Text<Rate>::parse("60GB/s").raw == 60'000'000'000);
    CHECK(Text<unsigned>::parse("0x1f") == 31);
    Rng r(1, "text");
    for (int i = 0; i < 1000; ++i) {
        const auto bits = r.below(62);
        const auto below = r.below(std::uint64_t {1} << bits);
        const auto v = static_cast<std::int64_t>(below);
        CHECK(Text<Time>::parse(Text<Time>::show({v})).raw == v);
        CHECK(Text<Bytes>::parse(Text<Bytes>::show({v})).raw == v);
    }
}

TEST_CASE("a period may be given as a frequency and the other way round") {
    CHECK(Text<Time>::parse("1.2GHz").raw == 833'333);
    CHECK(Text<Frequency>::parse("833.333ps").raw == 1'200'000'480);
    CHECK(Text<Frequency>::parse("1ns").raw == 1'000'000'000);
    CHECK(error_of([] { Text<Bytes>::parse("1GHz"); }) == "'1GHz' has no unit of Bytes: write "
                                                          "'1GiB' or the like");
}

TEST_CASE("unreadable quantities are rejected with the expected form") {
    auto time = [](const char* s) { return error_of([&] { Text<Time>::parse(s); }); };
    CHECK(time("190") == "'190' has no unit of Time: write '190ns' or the like");
    CHECK(time("fast") == "'fast' is not a Time: write a number with a unit, such as '4ns'");
    CHECK(time("") == "'' is not a Time: write a number with a unit, such as '4ns'");
    CHECK(time("0.3fs") == "'0.3fs' is finer than the smallest unit of Time");
    CHECK(time("9300s") == "'9300s' is out of range: the largest Time is 9223s");
    CHECK(time("1e30ns") == "'1e30ns' is out of range: the largest Time is 9223s");
    CHECK(time("1e99999999999ns") ==
          "'1e99999999999ns' is out of range: the largest Time is 9223s");
    CHECK(time("-1e9s") == "'-1e9s' is out of range: the largest Time is 9223s");
    CHECK(time("1e-9ns") == "'1e-9ns' is finer than the smallest unit of Time");
    CHECK(time("1e-99999999999s") == "'1e-99999999999s' is finer than the smallest unit of Time");
    CHECK(time("1e") == "'1e' has no unit of Time: write '1ns' or the like");
    CHECK(time("4KiB") == "'4KiB' has no unit of Time: write '4ns' or the like");
    // A number without a unit has the base unit: bytes, hertz, seconds.
    const auto bytes = [](const char* s) { return error_of([&] { Text<Bytes>::parse(s); }); };
    const auto share = [](const char* s) { return error_of([&] { Text<Fraction>::parse(s); }); };
    CHECK(bytes("17179869184") == "'17179869184' has no unit of Bytes: write '16GiB' or the like");
    CHECK(bytes("32768") == "'32768' has no unit of Bytes: write '32KiB' or the like");
    CHECK(bytes("64") == "'64' has no unit of Bytes: write '64MiB' or the like");
    CHECK(time("1e-8") == "'1e-8' has no unit of Time: write '10ns' or the like");
    CHECK(error_of([] { Text<Frequency>::parse("1200000000"); }) ==
          "'1200000000' has no unit of Frequency: write '1200MHz' or the like");
    CHECK(share("2/3") == "'2/3' is a quotient: write '0.666666667'");
    CHECK(share("1/32") == "'1/32' is a quotient: write '0.03125'");
    CHECK(share("2 halves") == "'2 halves' has no unit of Fraction: write '2%' or the like");
    CHECK(time("2/3") ==
          "'2/3' is not one number: write a decimal number with a unit, such as '4ns'");
    CHECK(time("2*3ns") ==
          "'2*3ns' is not one number: write a decimal number with a unit, such as '4ns'");
    CHECK(time("10ns ") == "'10ns ' has blanks around it: write '10ns'");
    CHECK(time(" 10ns") == "' 10ns' has blanks around it: write '10ns'");
    CHECK(error_of([] { Text<unsigned>::parse("-1"); }) ==
          "'-1' does not fit: it must be from 0 to 4294967295");
    CHECK(error_of([] { Text<int>::parse("1.5"); }) == "'1.5' is not a whole number");
    CHECK(error_of([] { Text<int>::parse("0x1g"); }) == "'0x1g' is not a whole number");
    CHECK(error_of([] { Text<bool>::parse("maybe"); }) == "'maybe' is neither 'true' nor 'false'");
}

TEST_CASE("for a wrong unit the most similar one is suggested") {
    const auto meant = []<class Q>(Q, const char* text) {
        const std::string refusal = error_of([&] { Text<Q>::parse(text); });
        const auto from = refusal.find("write '") + 7;
        return refusal.substr(from, refusal.find('\'', from) - from);
    };
    CHECK(meant(Bytes {}, "100KB") == "100KiB");
    CHECK(meant(Bytes {}, "100kb") == "100kB");
    CHECK(meant(Bytes {}, "1.5Gb") == "1.5GB");
    CHECK(meant(Bytes {}, "4 G") == "4GiB");
    CHECK(meant(Bytes {}, "7e2M") == "7e2MiB");
    CHECK(meant(Bytes {}, "100") == "100MiB");
    CHECK(meant(Rate {}, "60GBps") == "60GB/s");
    CHECK(meant(Time {}, "5msec") == "5ms");
    CHECK(meant(Time {}, "5 Seconds") == "5s");
    CHECK(meant(Time {}, "190xs") == "190ns");
    CHECK(meant(Frequency {}, "2ghz") == "2GHz");
}

TEST_CASE("edge n of a clock is ceil(n x 10^15 / f), exactly, over a millisecond") {
    for (const Frequency f : {30_GHz, 1.215_GHz, Frequency {999'999'937}, 1_GHz, 7_GHz}) {
        const Clock clock(f);
        ClockEdge e;
        const std::int64_t cycles = f.raw / 1000;
        bool exact = true, stepped = true;
        for (std::int64_t n = 0; n < cycles; ++n, e = clock.next(e)) {
            const Int128 scaled = Int128 {n} * ticks_per_second;
            exact = exact && e.tick == static_cast<Tick>((scaled + f.raw - 1) / f.raw);
            if (n % 1009 == 0) {
                const ClockEdge direct = clock.edge(n);
                stepped = stepped && direct.tick == e.tick && direct.remainder == e.remainder &&
                          direct.cycle == e.cycle && clock.at_or_after(e.tick).cycle == n &&
                          clock.at_or_after(e.tick + 1).cycle == n + 1;
            }
        }
        CHECK(exact);
        CHECK(stepped);
    }
    // The result of an EdgeFinder does not depend on earlier calls: short and long distances, and
    // back.
    EdgeFinder edges(1.215_GHz);
    const Clock clock(1.215_GHz);
    for (const Tick t : {0, 1, 823'045, 823'046, 5'000'000, 4'999'999, 4'000'000, 900'000'000,
                         2'000'000'000, 2'000'000'001, 7})
        CHECK(edges.at_or_after(t).tick == clock.at_or_after(t).tick);
    // From an edge, n cycles or a time further, near and far.
    for (const Frequency f : {Frequency {1}, 1_MHz, 1.215_GHz, 30_GHz, Frequency {999'999'937}}) {
        const Clock any(f);
        Rng r(11, "edges");
        bool same = true;
        for (int i = 0; i < 20'000; ++i) {
            const auto n = static_cast<std::int64_t>(r.below(f.raw < 1'000 ? 100 : 1'000'000'000));
            const auto more = static_cast<std::int64_t>(r.below(i % 2 || f.raw == 1 ? 10 : 20'000));
            const ClockEdge from = any.edge(n), to = any.edge(n + more);
            const auto is = [](const ClockEdge& a, const ClockEdge& b) {
                return a.cycle == b.cycle && a.tick == b.tick && a.remainder == b.remainder;
            };
            same = same && is(any.advance(from, more), to) &&
                   is(any.at_or_after(from, to.tick), to) &&
                   is(any.at_or_after(from, to.tick + 1), any.edge(n + more + 1));
        }
        CHECK(same);
    }
    CHECK(Clock(30_GHz).edge(30'000'000).tick == 1'000'000'000'000); // no drift at all
    CHECK(Clock(30_GHz).at_or_after(-5).tick == 0);
}

TEST_CASE("transfers over a serial wire follow each other without a drift") {
    WireTime rate(1_GBps);
    SerialWire wire;
    CHECK(wire.transfer(rate, 1000, 0) == (1_us).raw);
    CHECK(wire.transfer(rate, 500, 0) == (1'500_ns).raw);
    CHECK(wire.transfer(rate, 1000, (10_us).raw) == (11_us).raw);
    // A byte takes 3 1/3 fs. Back to back the fraction is carried, otherwise it is dropped.
    WireTime thirds(Rate {300'000'000'000'000});
    SerialWire exact;
    CHECK(exact.transfer(thirds, 1, 0) == 3);
    CHECK(exact.transfer(thirds, 1, 3) == 6);
    CHECK(exact.transfer(thirds, 1, 0) == 10);
    CHECK(exact.transfer(thirds, 1, 10) == 13);
    CHECK(exact.transfer(thirds, 1, 14) == 17);
    CHECK(exact.transfer(thirds, 2, 0) == 24);
}

TEST_CASE("a list has the elements between its separators, without blanks around them") {
    using List = std::vector<std::string_view>;
    CHECK(elements_of("") == List {});
    CHECK(elements_of("0B 1GiB 0") == List {"0B 1GiB 0"});
    CHECK(elements_of(" a b,\tc , d") == List {"a b", "c", "d"});
    CHECK(elements_of("a,,b,") == List {"a", "", "b", ""});
    CHECK(elements_of(" ") == List {""});
    CHECK(elements_of("a, b; c", ';') == List {"a, b", "c"});
}

} // namespace memsim::units_test
