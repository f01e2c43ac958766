#include "cmd/detect/intra.hh"

#include "support.hh"

namespace memsim::intra_test {

using namespace memsim::cmd;
using namespace memsim::cmd::test;

TEST_CASE("Equal words in the mask's sectors make an intra-duplicate, regardless of other sectors",
          "[cmd]") {
    const auto sector_0110 = words_block([](std::uint32_t i) {
        return i / 8 == 1 || i / 8 == 2 ? 0x3f800000u : i; // 1.0f
    });
    CHECK(intra_value(sector_0110, 0b0110) == 0x3f800000u);
    CHECK(intra_value(sector_0110, 0b0010) == 0x3f800000u);
    for (const std::uint32_t mask : {0b1111u, 0b1110u, 0b0111u, 0b0001u, 0b1000u, 0u})
        CHECK_FALSE(intra_value(sector_0110, mask));
    CHECK(intra_value(words_block([](std::uint32_t) { return 0; }), 0b1111) == 0u);
}

TEST_CASE("A single different bit prevents an intra-duplicate", "[cmd]") {
    const auto alike = words_block([](std::uint32_t) { return 0xdeadbeef; });
    REQUIRE(intra_value(alike, 0b1111) == 0xdeadbeefu);
    for (std::uint32_t bit = 0; bit < 8 * block_bytes; ++bit) {
        BlockBytes other = alike;
        other[bit / 8] = static_cast<std::uint8_t>(other[bit / 8] ^ 1u << bit % 8);
        CHECK_FALSE(intra_value(other, 0b1111));
        const std::uint32_t sector = bit / 8 / sector_bytes;
        CHECK_FALSE(intra_value(other, 1u << sector));
        CHECK(intra_value(other, all_sectors & ~(1u << sector)) == 0xdeadbeefu);
    }
    // Equal halves of 8 bytes are not enough: the granularity is 4 bytes.
    CHECK_FALSE(intra_value(words_block([](std::uint32_t i) { return i % 2; }), 0b1111));
}

} // namespace memsim::intra_test
