#include "support.hh"

#include <set>

namespace memsim::ecc_test {

using namespace memsim::cmd;
using namespace memsim::cmd::test;

TEST_CASE("Single-bit errors have distinct syndromes, double-bit errors invalid ones", "[cmd]") {
    Rng r(7, "words");
    const std::uint64_t word = r.next();
    const std::uint8_t right = check_bits(word);
    std::set<std::uint32_t> single;
    std::uint32_t ones = 0;
    for (std::uint32_t i = 0; i < 64; ++i) {
        const std::uint32_t syndrome = check_bits(word ^ std::uint64_t {1} << i) ^ right;
        CHECK((std::popcount(syndrome) == 3 || std::popcount(syndrome) == 5));
        CHECK(single.insert(syndrome).second);
        ones += static_cast<std::uint32_t>(std::popcount(syndrome));
        for (std::uint32_t j = 0; j < i; ++j) {
            const std::uint64_t two = word ^ std::uint64_t {1} << i ^ std::uint64_t {1} << j;
            const std::uint32_t both = check_bits(two) ^ right;
            CHECK(both != 0);                    // detected,
            CHECK(std::popcount(both) % 2 == 0); // and not taken for a single one
        }
        // So is an error of a data bit with one of a check bit.
        for (std::uint32_t j = 0; j < 8; ++j) CHECK(std::popcount(syndrome ^ 1u << j) % 2 == 0);
        for (std::uint32_t j = 0; j < 8; ++j) CHECK(syndrome != 1u << j);
    }
    CHECK(ones == 8 * 26); // Hsiao's minimum
    for (std::uint32_t row = 0; row < 8; ++row)
        CHECK(std::count_if(single.begin(), single.end(),
                            [&](std::uint32_t s) { return s >> row & 1; }) == 26);
}

TEST_CASE(
    "A fingerprint changes with any one or two bits of its sectors and with no bit outside of them",
    "[cmd]") {
    Rng r(8, "blocks");
    const BlockBytes block = random_block(r);
    const auto whole = ecc_of(block, 0b1111), half = ecc_of(block, 0b0101);
    for (std::uint32_t w = 0; w < ecc_words; ++w) CHECK(half[w] == (w / 4 % 2 == 0 ? whole[w] : 0));
    const auto flip = [](BlockBytes& b, std::uint32_t bit) {
        b[bit / 8] = static_cast<std::uint8_t>(b[bit / 8] ^ 1u << bit % 8);
    };
    BlockBytes other = block;
    for (std::uint32_t i = 0; i < 1024; ++i) {
        flip(other, i);
        const auto changed = ecc_of(other, 0b1111);
        for (std::uint32_t w = 0; w < ecc_words; ++w)
            REQUIRE((changed[w] != whole[w]) == (w == i / 64));
        REQUIRE((ecc_of(other, 0b0101) != half) == (i / 256 % 2 == 0));
        for (std::uint32_t j = i + 1; j < 1024; j += 1 + static_cast<std::uint32_t>(r.below(8))) {
            flip(other, j);
            REQUIRE(ecc_of(other, 0b1111) != whole);
            flip(other, j);
        }
        flip(other, i);
    }
}

TEST_CASE("Different blocks with one fingerprint can be made", "[cmd]") {
    Rng r(9, "collisions");
    for (int i = 0; i < 1'000; ++i) {
        const BlockBytes block = random_block(r), other = same_ecc(block, r);
        REQUIRE(block != other);
        for (std::uint32_t mask = 0; mask <= all_sectors; ++mask)
            REQUIRE(ecc_of(block, mask) == ecc_of(other, mask));
    }
}

} // namespace memsim::ecc_test
