#include "core/machine/machine.hh"
#include "optical/channel.hh"
#include "optical/wom_code.hh"

#include <catch2/catch.hpp>

namespace memsim::optical_test {

using namespace memsim::optical;

TEST_CASE("WOM: every first write is read back, lit pulses in at least two of three", "[optical]") {
    for (WomData d = 0; d < 4; ++d) {
        CHECK(wom_decode(wom_first(d)) == d);
        CHECK_FALSE(wom_written_twice(wom_first(d)));
    }
}

TEST_CASE("WOM: any data can be written on any other, by putting pulses out only", "[optical]") {
    for (WomData a = 0; a < 4; ++a)
        for (WomData b = 0; b < 4; ++b) {
            const WomCode first = wom_first(a), second = wom_second(first, b);
            CHECK(wom_decode(second) == b);
            CHECK((second & ~first) == 0); // light is only ever absorbed
            if (a == b) CHECK(second == first);
        }
}

TEST_CASE("The layout of Fig. 15: 24 rings, 10 for planar, 14 for two-level", "[optical]") {
    CHECK(general_layout().size() == 24);
    CHECK(rings_of(plain) == 6);
    CHECK(rings_of(plain | swap) == 10);
    CHECK(rings_of(plain | auto_rw | reverse_write) == 14);
    unsigned transmitters = 0;
    for (const Ring& r : general_layout()) transmitters += r.role == Role::transmitter;
    CHECK(transmitters == 12); // each receiver has its transmitter: pairs
}

TEST_CASE("Half-coupled: a receiver costs 3 dB, a transmitter as much again", "[optical]") {
    const Eye plain_eye = modulated(1, false);
    CHECK(half_of(plain_eye).opening() == plain_eye.opening() / 2);
    // Both: the data route opens a quarter, the memory route writes on a quarter.
    const Eye both = half_of(modulated(1, true));
    CHECK(both.opening() == 0.25);
    CHECK(modulated(both.zero, false).opening() == 0.25);
}

namespace {
Channel::Params design(bool auto_rw, bool swap, bool reverse, Coding coding, unsigned factor) {
    Channel::Params p;
    p.auto_rw.parse(auto_rw ? "true" : "false");
    p.swap.parse(swap ? "true" : "false");
    p.reverse_write.parse(reverse ? "true" : "false");
    p.coding.parse(names_of(Coding {})[static_cast<std::size_t>(coding)]);
    p.laser_factor.parse(std::to_string(factor));
    return p;
}
} // namespace

TEST_CASE("The laser factors of the paper give every route the plain route's light", "[optical]") {
    Channel base(Channel::Params {});
    base.init();
    CHECK(base.stat.received.value() == Approx(-7.177).margin(0.001));
    CHECK(base.stat.ber.value() == Approx(7.2e-16).epsilon(0.01));
    Channel wom(design(true, true, false, Coding::wom, 2));
    wom.init();
    Channel bw(design(true, true, false, Coding::half_coupled, 4));
    bw.init();
    // Equal but for the rings passed, a hundredth of a dB each.
    for (double received :
         {wom.stat.received.value(), wom.stat.received_snarfed.value(),
          wom.stat.received_swap.value(), bw.stat.received.value(), bw.stat.received_swap.value()})
        CHECK(received == Approx(base.stat.received.value()).margin(0.11));
    CHECK(wom.stat.shared_rate.value() == Approx(40e9));
    CHECK(bw.stat.shared_rate.value() == 60e9);
}

TEST_CASE("Rings are tuned for 200 fJ a bit, on every wavelength of every waveguide", "[optical]") {
    Channel::Params p;
    p.waveguides.parse("2");
    Channel two(p);
    two.init();
    CHECK(two.stat.tuning_power.value() == Approx(2 * 96 * 30e9 * 200e-15 * 1e3)); // mW
    CHECK(two.stat.rate.value() == 120e9);
}

TEST_CASE("Insufficient light is refused with the missing amount", "[optical]") {
    Channel dark(design(true, true, false, Coding::half_coupled, 2));
    CHECK_THROWS_WITH(dark.init(),
                      Catch::Matchers::Contains("laser") && Catch::Matchers::Contains("dB below"));
}

TEST_CASE("Channels that do not fit the wavelengths, or swaps without rings, are refused",
          "[optical]") {
    Channel::Params many;
    many.virtual_channels.parse("97");
    CHECK_THROWS_WITH(Channel(many).init(),
                      Catch::Matchers::Contains("97 virtual channels for 96"));
    CHECK_THROWS_WITH(Channel(design(true, false, false, Coding::wom, 2)).init(),
                      Catch::Matchers::Contains("no rings for a swap"));
    CHECK_THROWS_WITH(Channel(design(true, true, false, Coding::none, 2)).init(),
                      Catch::Matchers::Contains("wom or half_coupled"));
}

} // namespace memsim::optical_test
