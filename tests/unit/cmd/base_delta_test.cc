#include "cmd/compress/base_delta.hh"

#include "support.hh"

#include <numeric>

namespace memsim::base_delta_test {

using namespace memsim::cmd;
using namespace memsim::cmd::test;

using Kind = BaseDelta::Kind;

static BaseDeltaStores stores(std::uint32_t bases, std::uint32_t differences,
                              std::uint32_t high_bits = 16) {
    BaseDeltaStores s;
    s.resize(bases, differences, std::gcd(bases, differences), high_bits);
    return s;
}

namespace {

/// A block in its stored form, with its contents.
struct Kept {
    BlockBytes block {}, data {};
    BaseDelta how;

    Kept() = default;
    Kept(BaseDeltaStores& s, const BlockBytes& b) : block(b) {
        how = s.encode(b, data);
        REQUIRE(s.has(how));
        // What encode() has not put there belongs to others.
        for (std::uint32_t i = how.bytes; i < block_bytes; ++i) data[i] = 0xee;
    }
    bool whole(const BaseDeltaStores& s) const { return s.decode(how, data) == block; }
};

} // namespace

/// A block of one cluster, by its number, with a low byte changed in word 3.
static BlockBytes of_cluster(std::uint32_t cluster, std::uint8_t change = 0) {
    return words_block([&](std::uint32_t i) {
        return (cluster << 16 | (i * 7 + cluster)) ^ (i == 3 ? change : 0u);
    });
}

TEST_CASE("The first block of a cluster is raw; an equal block needs no memory", "[cmd]") {
    BaseDeltaStores s = stores(4, 4);
    const Kept first(s, of_cluster(1)), equal(s, of_cluster(1)), other(s, of_cluster(2));
    CHECK(first.how.kind == Kind::raw);
    CHECK(first.how.moved() == 128);
    CHECK(equal.how.kind == Kind::duplicate);
    CHECK(equal.how.moved() == 0);
    CHECK(other.how.kind == Kind::raw);
    CHECK((first.whole(s) && equal.whole(s) && other.whole(s)));
}

TEST_CASE("Equal differences of different clusters are shared", "[cmd]") {
    BaseDeltaStores s = stores(64, 64);
    const Kept base_1(s, of_cluster(1)), base_2(s, of_cluster(2));
    const Kept first(s, of_cluster(1, 5)), same(s, of_cluster(2, 5)), other(s, of_cluster(2, 6));
    CHECK(first.how.kind == Kind::difference);
    CHECK(first.how.bytes == 8 + 1);
    CHECK(first.how.moved() == 32);
    CHECK(same.how.kind == Kind::duplicate);
    CHECK(same.how.moved() == 0);
    CHECK(other.how.kind == Kind::difference);
    // The blocks of which base and difference were made are written over: the copies stay.
    s.release(base_1.how), s.release(base_2.how), s.release(first.how);
    CHECK((same.whole(s) && other.whole(s)));
}

TEST_CASE("A difference is kept only if it saves a sector", "[cmd]") {
    BaseDeltaStores s = stores(4, 4, 0); // one cluster
    const auto zeros = words_block([](std::uint32_t) { return 0; });
    const Kept base(s, zeros);
    const auto bytes_of = [&](auto&& word) {
        const Kept kept(s, words_block(word));
        REQUIRE(kept.whole(s));
        const BaseDelta how = kept.how;
        s.release(how);
        return std::pair<std::uint32_t, std::uint32_t> {how.bytes, how.moved()};
    };
    using P = std::pair<std::uint32_t, std::uint32_t>;
    const auto of = [](std::uint32_t i, std::uint32_t n, std::uint32_t value) {
        return i < n ? value : 0;
    };
    CHECK(bytes_of([&](std::uint32_t i) { return of(i, 32, 0xff); }) == P {40, 64});
    CHECK(bytes_of([&](std::uint32_t i) { return of(i, 24, 0x80); }) == P {32, 32});
    CHECK(bytes_of([&](std::uint32_t i) { return of(i, 25, 1); }) == P {33, 64});
    CHECK(bytes_of([&](std::uint32_t i) { return of(i, 32, 0x100); }) == P {72, 96});
    CHECK(bytes_of([&](std::uint32_t i) { return of(i, 32, 0xffff); }) == P {72, 96});
    CHECK(bytes_of([&](std::uint32_t i) { return of(i, 22, 0x10000); }) == P {96, 96});
    CHECK(bytes_of([&](std::uint32_t i) { return of(i, 22, ~i) + (i == 22); }) == P {128, 128});
    CHECK(bytes_of([&](std::uint32_t i) { return of(i, 32, 1u << 31); }) == P {128, 128});
}

TEST_CASE("The words' high bits select a cluster", "[cmd]") {
    BaseDeltaStores s = stores(64, 64);
    const Kept base(s, of_cluster(1));
    const auto changed = [&](std::uint32_t word, std::uint32_t by) {
        BlockBytes block = of_cluster(1);
        set_element(block, word, element<std::uint32_t>(block, word) ^ by);
        return Kept(s, block).how.kind;
    };
    CHECK(changed(31, 0x8000) == Kind::difference);
    CHECK(changed(31, 0x10000) == Kind::raw);
    CHECK(changed(0, 0x80000000) == Kind::raw);
}

TEST_CASE("Different differences with the same hash are kept apart", "[cmd]") {
    BaseDeltaStores s = stores(4, 4, 0);
    const auto block = [](std::uint64_t first, std::uint64_t second) {
        BlockBytes b {};
        set_element(b, 0, first), set_element(b, 1, second);
        return b;
    };
    std::uint64_t one = 1, two = 2; // the second word reverts the change of the first one
    const std::uint64_t second = split_mix(one) ^ split_mix(two);
    const BlockBytes a = block(1, 0), b = block(2, second);
    REQUIRE(s.digest_of(a, ~0u) == s.digest_of(b, ~0u));
    const Kept base(s, block(0, 0)), kept_a(s, a), kept_b(s, b), again(s, b);
    CHECK(kept_a.how.kind == Kind::difference);
    CHECK(kept_b.how.kind == Kind::difference);
    CHECK(again.how.kind == Kind::difference); // the hash has one line only
    CHECK(Kept(s, a).how.kind == Kind::duplicate);
    for (const Kept* k : {&kept_a, &kept_b, &again}) CHECK(k->whole(s));
}

TEST_CASE("A base is kept while a block needs it and can then be replaced", "[cmd]") {
    BaseDeltaStores s = stores(1, 1);
    const Kept base(s, of_cluster(1)), a(s, of_cluster(1)), b(s, of_cluster(1, 9));
    REQUIRE((a.how.kind == Kind::duplicate && b.how.kind == Kind::difference));
    CHECK(Kept(s, of_cluster(2)).how.kind == Kind::raw);
    CHECK(Kept(s, of_cluster(2)).how.kind == Kind::raw); // there was no room for a base
    CHECK((a.whole(s) && b.whole(s)));
    s.release(a.how);
    CHECK(Kept(s, of_cluster(2)).how.kind == Kind::raw);
    CHECK(b.whole(s));
    s.release(b.how);
    CHECK(Kept(s, of_cluster(2)).how.kind == Kind::raw);
    CHECK(Kept(s, of_cluster(2)).how.kind == Kind::duplicate);
    CHECK(Kept(s, of_cluster(1)).how.kind == Kind::raw);
}

TEST_CASE("A difference is kept while a duplicate needs it; its first block does not count",
          "[cmd]") {
    BaseDeltaStores s = stores(64, 1);
    const Kept base(s, of_cluster(1));
    const Kept first(s, of_cluster(1, 1)), second(s, of_cluster(1, 2)); // makes room
    const Kept again(s, of_cluster(1, 1)), duplicate(s, of_cluster(1, 1));
    CHECK(again.how.kind == Kind::difference);
    CHECK(duplicate.how.kind == Kind::duplicate);
    CHECK(Kept(s, of_cluster(1, 2)).how.kind == Kind::difference);
    CHECK(Kept(s, of_cluster(1, 2)).how.kind == Kind::difference); // there was no room
    for (const Kept* k : {&first, &second, &again, &duplicate}) CHECK(k->whole(s));
    s.release(duplicate.how);
    CHECK(Kept(s, of_cluster(1, 2)).how.kind == Kind::difference);
    CHECK(Kept(s, of_cluster(1, 2)).how.kind == Kind::duplicate);
    for (const Kept* k : {&first, &second, &again}) CHECK(k->whole(s));
}

TEST_CASE("A base serves 65,534 blocks; the next one is raw", "[cmd]") {
    BaseDeltaStores s = stores(1, 1);
    const Kept base(s, of_cluster(1));
    BlockBytes data;
    for (std::uint32_t n = 1; n < 65'534; ++n)
        REQUIRE(s.encode(base.block, data).kind == Kind::duplicate);
    const Kept last(s, base.block), over(s, base.block);
    CHECK(last.how.kind == Kind::duplicate);
    CHECK(over.how.kind == Kind::raw);
    s.release(last.how);
    CHECK(Kept(s, base.block).how.kind == Kind::duplicate);
}

TEST_CASE("Contents stay correct under evictions, saving and loading", "[cmd]") {
    const auto size = GENERATE(1u, 2u, 8u, 64u);
    BaseDeltaStores s;
    const std::uint32_t ways = std::min(size, 4u);
    s.resize(size, size, ways, 16);
    std::array<Kept, 64> kept;
    std::array<std::uint32_t, 3> of_kind {};
    Rng r(12, "blocks");
    for (int i = 0; i < 4'000; ++i) {
        Kept& k = kept[r.below(kept.size())];
        s.release(k.how);
        const auto cluster = static_cast<std::uint32_t>(r.below(12));
        BlockBytes block = of_cluster(cluster, static_cast<std::uint8_t>(r.below(6)));
        if (r.below(8) == 0) block[4 * r.below(32) + 1] ^= 0x40;
        if (r.below(8) == 0) block = random_block(r);
        k = Kept(s, block);
        ++of_kind[static_cast<std::size_t>(k.how.kind)];
        for (const Kept& other : kept)
            if (i % 8 == 0 || &other == &k) REQUIRE(other.whole(s));
        if (i % 100 == 0) {
            BaseDeltaStores loaded;
            loaded.resize(size, size, ways, 16);
            REQUIRE(load(saved(s), loaded) == "");
            REQUIRE(saved(loaded) == saved(s));
            s = loaded;
        }
    }
    for (const std::uint32_t n : of_kind) CHECK(n > 50);
}

TEST_CASE("Invalid lines, and blocks that need them, are not loaded", "[cmd]") {
    BaseDeltaStores s = stores(2, 2), other = stores(2, 2), larger = stores(4, 2);
    const Kept base(s, of_cluster(1)), equal(s, of_cluster(1));
    CHECK(load(saved(s), larger) == "has 2 elements and not 4");
    REQUIRE(load(saved(s), other) == "");
    CHECK(other.has(equal.how));
    CHECK_FALSE(other.has({Kind::duplicate, 0, equal.how.base, 0}));
    CHECK_FALSE(other.has({Kind::difference, 9, 1}));
    CHECK_FALSE(other.has({Kind::duplicate, 0}));
    CHECK_FALSE(other.has({Kind::raw, 128, equal.how.base}));
    std::string bytes = saved(s); // a number of references, then a digest and the line's number
    bytes[8 + 16] = 1;
    CHECK(load(bytes, other) == "has lines that its index does not find");
}

} // namespace memsim::base_delta_test
