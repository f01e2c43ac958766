#include "core/base/rng.hh"
#include "flash/ftl/victim_policy.hh"

#include <catch2/catch.hpp>

#include <cmath>

namespace memsim::victim_test {

using flash::VictimBlock;
using flash::VictimPolicy;

namespace {

std::vector<VictimBlock> some_blocks(Rng& random) {
    std::vector<VictimBlock> all(1 + random.below(20));
    for (VictimBlock& b : all) {
        b.pages = 64;
        b.valid = static_cast<std::uint32_t>(random.below(8) * 9);
        b.erases = static_cast<std::uint32_t>(random.below(4));
        b.age = 1 + random.below(40);
    }
    return all;
}

/// The one that the policy takes when all are offered, one after the other.
std::size_t taken(const VictimPolicy& policy, const std::vector<VictimBlock>& all) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < all.size(); ++i)
        if (policy.before(all[i], all[best])) best = i;
    return best;
}

/// The first of those with the greatest value.
template <class F>
std::size_t greatest(const std::vector<VictimBlock>& all, F&& value) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < all.size(); ++i)
        if (value(all[i]) > value(all[best])) best = i;
    return best;
}

} // namespace

TEST_CASE("Victim policies agree with their definitions on random blocks", "[flash][policy]") {
    Policy<VictimPolicy> greedy, fifo, cost_benefit;
    greedy.make("greedy", "test", 1);
    fifo.make("fifo", "test", 1);
    cost_benefit.make("cost_benefit", "test", 1);
    Rng random(1, "blocks");
    unsigned differ = 0;
    for (int i = 0; i < 5000; ++i) {
        const auto all = some_blocks(random);
        const std::size_t g =
            greatest(all, [](const VictimBlock& b) { return -1000.0 * b.valid - b.erases; });
        const std::size_t f =
            greatest(all, [](const VictimBlock& b) { return static_cast<double>(b.age); });
        const std::size_t c = greatest(all, [](const VictimBlock& b) {
            if (b.valid == 0) return HUGE_VAL; // costs nothing
            const double u = b.valid / 64.0;
            return static_cast<double>(b.age + 1) * (1 - u) / (2 * u);
        });
        REQUIRE(taken(*greedy, all) == g);
        REQUIRE(taken(*fifo, all) == f);
        REQUIRE(taken(*cost_benefit, all) == c);
        differ += g != c && f != c && g != f;
    }
    CHECK(differ > 500);
}

} // namespace memsim::victim_test
