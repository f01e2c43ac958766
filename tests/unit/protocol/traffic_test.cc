// The shares of addresses behind crossbars, compared with the addresses themselves.
#include "protocol/traffic.hh"

#include "device_parts/interleave.hh"

#include <catch2/catch.hpp>

namespace memsim::protocol::traffic_test {

namespace {

bool has(const AddressShare& s, std::uint64_t address) {
    return device_parts::Interleave(s.chunk, s.ways).way(address) == s.index;
}

Traffic of(const AddressShare& s) { return {s, 0, nullptr}; }

} // namespace

TEST_CASE("an output's share consists of the incoming addresses that are mapped to it",
          "[protocol]") {
    constexpr std::uint64_t chunk = 256;
    unsigned known = 0;
    for (std::uint32_t slices = 1; slices <= 8; ++slices)
        for (std::uint32_t inputs = 1; inputs < 1u << slices; ++inputs) // which slices are bound
            for (std::uint32_t ways = 1; ways <= 8; ++ways)
                for (std::uint32_t index = 0; index < ways; ++index) {
                    std::vector<Traffic> in;
                    for (std::uint32_t s = 0; s < slices; ++s)
                        if (inputs >> s & 1) in.push_back(of({chunk, slices, s}));
                    const Traffic out = dealt(in, {chunk, ways, index});
                    if (!out.share) continue;
                    ++known;
                    for (std::uint64_t c = 0; c < 840; ++c) { // all counts of ways divide it
                        const std::uint64_t address = c * chunk;
                        const bool comes = inputs >> c % slices & 1 && c % ways == index;
                        if (has(*out.share, address) != comes) {
                            CAPTURE(slices, inputs, ways, index, c, out.share->text());
                            REQUIRE(has(*out.share, address) == comes);
                        }
                    }
                }
    CHECK(known > 500);
}

TEST_CASE("unknown shares stay unknown; an invalid share gives none", "[protocol]") {
    const AddressShare own {256, 4, 1}, all {256, 1, 0};
    CHECK(dealt({Traffic {}}, own).share->same(own)); // any address may come
    CHECK_FALSE(dealt({Traffic {}}, all).share);
    CHECK_FALSE(dealt({of({256, 4, 0}), of({256, 4, 3})}, all).share);
    CHECK_FALSE(dealt({of({512, 4, 0})}, own).share); // other chunks
    CHECK(dealt({of({256, 4, 2}), of({256, 4, 3})}, all).share->same({512, 2, 1}));
    CHECK(dealt({of({256, 6, 1}), of({256, 6, 4})}, all).share->same({256, 3, 1}));
    CHECK(AddressShare {256, 3, 1}.text() == "part 1 of 3 in chunks of 256B");
    CHECK(AddressShare {512, 1, 0}.same({256, 1, 0}));
}

TEST_CASE("the largest block of an output is the largest of all inputs", "[protocol]") {
    CHECK(dealt({Traffic {{}, 32, nullptr}, Traffic {{}, 128, nullptr}}, {256, 2, 0}).block == 128);
}

} // namespace memsim::protocol::traffic_test
