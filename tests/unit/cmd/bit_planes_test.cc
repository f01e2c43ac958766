#include "cmd/compress/bit_planes.hh"

#include "support.hh"

namespace memsim::bit_planes_test {

using namespace memsim::cmd;
using namespace memsim::cmd::bit_planes;
using namespace memsim::cmd::test;

/// Its size in bits. Checks that decoding restores the block.
static std::uint32_t bits_of(const BlockBytes& block) {
    const Packed packed = encode(block);
    REQUIRE(decode(packed) == block);
    return packed.bit_count;
}
static std::uint32_t bits_of_equal(std::uint32_t word) {
    return bits_of(words_block([&](std::uint32_t) { return word; }));
}
/// A block that begins with `base` and whose words then differ by step(0) to step(30).
template <class F>
BlockBytes steps_block(std::uint32_t base, F&& step) {
    std::uint32_t word = base;
    return words_block([&](std::uint32_t i) { return word += i ? step(i - 1) : 0; });
}
/// A block with these planes (DBX) at the low end, highest first, under planes that are 0.
static BlockBytes planes_block(const std::vector<std::uint32_t>& dbx) {
    std::array<std::uint32_t, 31> steps {};
    for (std::uint32_t p = 0, dbp = 0; p < dbx.size(); ++p) {
        dbp ^= dbx[p];
        for (std::uint32_t i = 0; i < steps.size(); ++i)
            steps[i] |= (dbp >> i & 1) << (dbx.size() - 1 - p);
    }
    return steps_block(0, [&](std::uint32_t i) { return steps[i]; });
}

TEST_CASE("A block of equal words is its base and one run of 33 planes", "[cmd]") {
    CHECK(bits_of_equal(0) == 3 + 7);
    for (const std::uint32_t word : {1u, 7u, ~0u, ~7u}) CHECK(bits_of_equal(word) == 7 + 7);
    for (const std::uint32_t word : {8u, 127u, ~8u, ~127u}) CHECK(bits_of_equal(word) == 11 + 7);
    for (const std::uint32_t word : {128u, 32'767u, ~128u, ~32'767u})
        CHECK(bits_of_equal(word) == 19 + 7);
    for (const std::uint32_t word : {32'768u, ~32'768u, 1u << 31, 0x7fffffffu, 0x3f800000u})
        CHECK(bits_of_equal(word) == 33 + 7);
}

TEST_CASE("The length of each plane code", "[cmd]") {
    const auto ramp = [](std::uint32_t base, std::uint32_t step) {
        return bits_of(steps_block(base, [&](std::uint32_t) { return step; }));
    };
    CHECK(ramp(0, 1) == 3 + 7 + 5);                // 32 planes of 0, all ones
    CHECK(ramp(31, ~0u) == 11 + 5 + 7);            // all ones, 32 planes like it
    CHECK(ramp(0, 2) == 3 + 7 + 5 + 5);            // and then DBP = 0
    CHECK(ramp(0, 3) == 3 + 7 + 5 + 3);            // and then one plane like it
    CHECK(ramp(0, 7) == 3 + 7 + 5 + 7);            // and then two
    CHECK(ramp(5, 1u << 26) == 7 + 7 + 5 + 5 + 7); // 25 planes like DBP = 0 behind it
    for (std::uint32_t at = 0; at < 31; ++at) {
        CHECK(bits_of(planes_block({1u << at})) == 3 + 7 + 10);
        if (at < 30) CHECK(bits_of(planes_block({3u << at})) == 3 + 7 + 10);
        if (at < 29) CHECK(bits_of(planes_block({5u << at})) == 3 + 7 + 32);
        if (at < 29) CHECK(bits_of(planes_block({7u << at})) == 3 + 7 + 32);
    }
    CHECK(bits_of(planes_block({0x7ffffffe})) == 3 + 7 + 32);
    // One word that differs: +1 and -1. The planes of the sign have a single one, the lowest both.
    CHECK(bits_of(words_block([](std::uint32_t i) { return i == 9; })) == 3 + 10 + 7 + 10);
}

TEST_CASE("Differences need their 33rd bit", "[cmd]") {
    // -(2^32 - 1) and 2^32 - 1 alternately: bits 32 and 0 of the former, bits 31 to 0 of the
    // latter.
    CHECK(bits_of(words_block([](std::uint32_t i) { return i % 2 ? 0u : ~0u; })) ==
          7 + 32 + 5 + 7 + 32);
    // -2^31 and 2^31: bits 32 and 31 of the former, bit 31 of the latter.
    CHECK(bits_of(words_block([](std::uint32_t i) { return i % 2 ? 0u : 1u << 31; })) ==
          33 + 32 + 32 + 5 + 7);
}

TEST_CASE("A block is transferred in the minimum number of sectors for its codes", "[cmd]") {
    std::vector<std::uint32_t> raw;
    for (std::uint32_t i = 0; i < 7; ++i) raw.push_back(0x101 << i | 1u << 30);
    auto full = raw, over = raw;
    full.insert(full.end(), {1, 0x7fffffff, 0, 0});
    over.insert(over.end(), {1, 1u << 4, 0});
    CHECK(bits_of(planes_block(full)) == 3 + 7 + 7 * 32 + 10 + 5 + 7);
    CHECK(packed_bytes(planes_block(full)) == 32);
    CHECK(packed_sectors(planes_block(full)) == 1);
    CHECK(bits_of(planes_block(over)) == 3 + 7 + 7 * 32 + 10 + 10 + 3);
    CHECK(packed_bytes(planes_block(over)) == 33);
    CHECK(packed_sectors(planes_block(over)) == 2);

    Rng r(10, "blocks");
    BlockBytes block = random_block(r);
    for (int i = 0; i < 9 && bits_of(block) < most_bits; ++i) block = random_block(r);
    CHECK(packed_bytes(block) == 137);
    CHECK(packed_sectors(block) == 4); // as it is: its codes take 5
}

TEST_CASE("Every block is restored from its bit planes", "[cmd]") {
    Rng r(11, "blocks");
    std::array<std::uint32_t, block_sectors + 1> of_sectors {};
    for (int i = 0; i < 3'000; ++i) {
        // Differences of random width and sign, some of them 0, from a base of random width.
        const auto value = [&](std::uint64_t most) {
            const std::uint64_t width = 1 + r.below(most);
            const std::uint32_t v = static_cast<std::uint32_t>(r.next() >> (64 - width));
            return r.below(2) ? v : -v;
        };
        const std::uint64_t most = 1 + r.below(32), density = 1 + r.below(8);
        const auto block = steps_block(
            value(32), [&](std::uint32_t) { return r.below(density) ? 0 : value(most); });
        CHECK(bits_of(block) <= most_bits);
        ++of_sectors[packed_sectors(block)];
        bits_of(random_block(r));
        // Few values, the extreme ones among them.
        const std::array<std::uint32_t, 6> few {0, ~0u, 1u << 31, 0x7fffffff, 1, value(32)};
        bits_of(words_block([&](std::uint32_t) { return few[r.below(few.size())]; }));
        // Floating-point numbers of a smooth row.
        const auto scale = static_cast<float>(1 + r.below(1'000));
        BlockBytes row;
        for (std::uint32_t w = 0; w < 32; ++w)
            set_element(row, w, (static_cast<float>(w) - 11.5F) * static_cast<float>(w) / scale);
        bits_of(row);
    }
    for (std::uint32_t n = 1; n <= block_sectors; ++n) CHECK(of_sectors[n] > 100);
}

} // namespace memsim::bit_planes_test
