#include "cxl/link/physical.hh"

#include "cxl/flit/flit.hh"

#include <catch2/catch.hpp>

#include <bit>

namespace memsim::physical_test {

using namespace memsim::cxl;

TEST_CASE("lanes have the rate of their generation, with and without sync headers",
          "[cxl][physical]") {
    CHECK(lanes_rate(5, 8, true).raw == 32'000'000'000);
    CHECK(lanes_rate(5, 8, false).raw == 31'507'692'307);
    CHECK(lanes_rate(5, 16, true).raw == 64'000'000'000);
    CHECK(lanes_rate(4, 8, true).raw == 16'000'000'000);
    CHECK(lanes_rate(3, 1, false).raw == 984'615'384);
    CHECK(lanes_rate(6, 8, true).raw == 64'000'000'000);
}

TEST_CASE("a SKP ordered set delays the flit behind it, and nothing on idle wires",
          "[cxl][physical]") {
    SkipClock skip {1000};
    const auto wait = [&](Tick now, Tick free) { return skip.wait(now, free, 1000, 40, 128); };
    CHECK(wait(999, 999) == 0);
    CHECK(wait(1010, 1010) == 128); // due while the wires were busy: behind that flit
    CHECK(skip.next == 2000);
    CHECK(wait(1100, 1100) == 0);
    CHECK(wait(2010, 1200) == 96); // began at 2000, 30 of 40 are left
    CHECK(wait(2020, 2020) == 0);
    CHECK(wait(7100, 2100) == 0); // all that were due have passed
    CHECK(skip.next == 8000);
}

TEST_CASE("bits are flipped at the rate that is set, at all places alike", "[cxl][physical]") {
    Rng random(4, "bits");
    std::array<std::uint8_t, flit_bytes> bytes {};
    CHECK_FALSE(BitErrors().flip(bytes, random));
    CHECK_FALSE(BitErrors(0, flit_bits).flip(bytes, random));

    constexpr int flits = 200'000;
    const BitErrors errors(BitErrors::unit / 1000, flit_bits);
    int with_error = 0, ones = 0;
    std::array<int, 4> quarter {};
    for (int i = 0; i < flits; ++i) {
        bytes = {};
        with_error += errors.flip(bytes, random);
        for (std::size_t b = 0; b < bytes.size(); ++b) {
            ones += std::popcount(bytes[b]);
            quarter[b / 17] += std::popcount(bytes[b]);
        }
    }
    // 1 - 0.999^544 = 0.4197 of the flits, 0.544 bits each
    CHECK(with_error == Approx(0.4197 * flits).epsilon(0.01));
    CHECK(ones == Approx(0.544 * flits).epsilon(0.01));
    for (const int n : quarter) CHECK(n == Approx(ones / 4.0).epsilon(0.02));
}

} // namespace memsim::physical_test
