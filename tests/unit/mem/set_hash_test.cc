// The sets of caches: every policy is one to one, and "polynomial" spreads strides.
#include "mem/cache/lines/set_index.hh"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <random>

namespace memsim::mem::set_hash_test {

namespace {

struct Hash {
    Policy<SetHash> policy;
    explicit Hash(const std::string& name, std::uint64_t sets) {
        policy.make(name, "cache.set_hash", 1);
        policy->resize(sets);
    }
    std::uint64_t operator()(std::uint64_t line) const { return SetIndex(policy)(line); }
};

/// The definition, a bit at a time, with polynomials that are found and not looked up.
class Reference {
  public:
    explicit Reference(std::uint64_t sets) : sets_(sets) {
        degree_ = std::max(1, static_cast<int>(std::bit_width(sets - 1)));
        polynomial_ = (std::uint64_t {2} << degree_) - 1;
        while (!primitive()) polynomial_ -= 2;
    }
    std::uint64_t operator()(std::uint64_t line) const {
        std::uint64_t rest = 0;
        for (int bit = 63; bit >= -degree_; --bit) // times x^degree
            rest = step(rest, bit >= 0 && line / sets_ >> bit & 1);
        return (line + rest) % sets_; // as lines are below 2^42, nothing overflows
    }

  private:
    std::uint64_t step(std::uint64_t rest, std::uint64_t bit) const {
        rest = rest << 1 | bit;
        return rest >> degree_ ? rest ^ polynomial_ : rest;
    }
    /// Powers of x come round to 1 after 2^degree - 1 of them, and not before.
    bool primitive() const {
        std::uint64_t power = 1;
        for (std::uint64_t i = 1; i < (std::uint64_t {1} << degree_); ++i)
            if ((power = step(power, 0)) == 1) return i + 1 == std::uint64_t {1} << degree_;
        return false;
    }
    std::uint64_t sets_, polynomial_;
    int degree_;
};

/// Lines of the fullest set.
template <class H>
int most(const H& hash, std::uint64_t sets, std::uint64_t stride, std::uint64_t first,
         std::uint64_t lines) {
    std::vector<int> n(sets);
    for (std::uint64_t i = 0; i < lines; ++i) ++n[hash(first + i * stride)];
    return *std::ranges::max_element(n);
}

const std::vector<std::uint64_t> set_counts {1,  2,  3,  4,  5,  6,   7,   12,  16,  24,
                                             32, 48, 64, 80, 96, 100, 128, 192, 384, 768};

} // namespace

TEST_CASE("a set and the quotient by the sets name a line, in every policy", "[parts][hash]") {
    std::mt19937_64 random(7);
    for (const auto& [name, info] : policies().at("set hash"))
        for (const std::uint64_t sets : set_counts) {
            const Hash hash(name, sets);
            for (int round = 0; round < 20; ++round) {
                const std::uint64_t first = (random() >> 22) / sets * sets;
                std::vector<bool> taken(sets);
                for (std::uint64_t i = 0; i < sets; ++i) {
                    const std::uint64_t set = hash(first + i);
                    REQUIRE(set < sets);
                    REQUIRE_FALSE(taken[set]);
                    taken[set] = true;
                }
            }
        }
}

TEST_CASE("the polynomial hash is its definition, bit by bit", "[parts][hash]") {
    std::mt19937_64 random(11);
    for (const std::uint64_t sets : set_counts) {
        const Hash hash("polynomial", sets);
        const Reference reference(sets);
        for (int i = 0; i < 500; ++i) {
            const std::uint64_t line = random() >> (22 + random() % 40);
            CAPTURE(sets, line);
            REQUIRE(hash(line) == reference(line));
        }
    }
    const Hash large("polynomial", 3 << 20); // of degree 22
    const Reference reference(3 << 20);
    for (int i = 0; i < 100; ++i) {
        const std::uint64_t line = random() >> 22;
        REQUIRE(large(line) == reference(line));
    }
}

TEST_CASE("strides of powers of two use all sets about equally", "[parts][hash]") {
    for (const std::uint64_t sets : set_counts) {
        const Hash hash("polynomial", sets), linear("linear", sets);
        const int bound = std::has_single_bit(sets) ? 2 : 4; // times the mean
        for (int power = 0; power < 30; ++power)
            for (const std::uint64_t first : {std::uint64_t {0}, std::uint64_t {12345}}) {
                CAPTURE(sets, power, first);
                CHECK(most(hash, sets, std::uint64_t {1} << power, first, 4 * sets) <= 4 * bound);
            }
        if (sets > 1 && std::has_single_bit(sets))
            CHECK(most(linear, sets, sets, 0, 4 * sets) == static_cast<int>(4 * sets));
    }
}

TEST_CASE("a warp's words of local memory, 5,120 lines apart, use all sets", "[parts][hash]") {
    // 80 SMs of 64 warps: 48 KiB L1s of 6 and of 4 ways, an L1 of 128 KiB, slices of several sizes.
    for (const std::uint64_t sets : {64, 96, 32, 384, 100}) {
        CAPTURE(sets);
        CHECK(most(Hash("polynomial", sets), sets, 5120, 77, 4 * sets) <= 16);
    }
    CHECK(most(Hash("linear", 64), 64, 5120, 77, 256) == 256);
}

} // namespace memsim::mem::set_hash_test
