#include "device_parts/tag_array.hh"
#include "tag_policy_models.hh"

#include <catch2/catch.hpp>

/// Each tag policy against a plain model of it, on random strings of tags.
namespace memsim::device_parts::tag_policy_test {

using test_policies::all_policies;
using test_policies::model;

TEST_CASE("every tag policy hits and misses as its textbook does", "[parts][policy]") {
    for (const std::string policy : all_policies)
        for (const std::uint32_t ways : {1u, 2u, 3u, 4u, 6u, 8u, 16u, 70u}) {
            INFO(policy << ", " << ways << " ways");
            TagArray tags;
            tags.resize(2, ways, policy, "test", 5);
            const auto plain = model(policy, ways);
            Rng random(ways, "string");
            for (int i = 0; i < 4000; ++i) {
                // Near tags are reused, and sometimes a line is dropped.
                const std::uint64_t tag = random.below(random.below(2) ? ways + 1 : 2 * ways + 4);
                const std::uint32_t line = tags.find(1, tag);
                if (random.below(50) == 0) {
                    if (line != TagArray::none) tags.drop(line);
                    plain->drop(tag);
                    continue;
                }
                if (line != TagArray::none)
                    tags.touch(line);
                else {
                    const std::uint32_t way = tags.victim(1, 0, ways);
                    tags.replace(way, tag, 0);
                    tags.add_valid(way, 1);
                }
                REQUIRE(plain->access(tag) == (line != TagArray::none));
            }
        }
}

TEST_CASE("no tag policy replaces a line that is locked or in other ways", "[parts][policy]") {
    for (const std::string policy : all_policies) {
        INFO(policy);
        TagArray tags;
        tags.resize(3, 6, policy, "test", 1);
        Rng random(1, "string");
        for (std::uint32_t w = 0; w < 6; ++w) {
            tags.replace(tags.line(1, w), w, 0);
            tags.add_valid(tags.line(1, w), 1);
        }
        for (int i = 0; i < 500; ++i) {
            const auto from = static_cast<std::uint32_t>(random.below(6));
            const auto to = from + 1 + static_cast<std::uint32_t>(random.below(6 - from));
            std::uint32_t unlocked = 0;
            for (std::uint32_t w = 0; w < 6; ++w) {
                if (random.below(2))
                    tags.lock(tags.line(1, w), 7);
                else
                    tags.unlock(tags.line(1, w)), unlocked += w >= from && w < to;
            }
            const std::uint32_t line = tags.victim(1, from, to);
            REQUIRE(line == tags.victim(1, from, to)); // asking changes nothing
            REQUIRE((line == TagArray::none) == (unlocked == 0));
            if (unlocked == 0) continue;
            REQUIRE_FALSE(tags.locked(line));
            REQUIRE(line >= tags.line(1, from));
            REQUIRE(line < tags.line(1, to));
            tags.replace(line, 100u + static_cast<std::uint64_t>(i), 0);
            tags.add_valid(line, 1);
        }
    }
}

TEST_CASE("the order of LRU is kept when its clock overflows", "[parts][policy]") {
    std::vector<std::uint32_t> table(12, 0);
    const TagWords words {table.data(), 6, 4, 2}; // two sets of 4 ways, 6 words apart
    Lru lru {Lru::Params {}};
    lru.state.clock = ~std::uint32_t {0} - 5;
    for (std::uint32_t line : {8u, 6u, 0u, 3u, 1u}) lru.touch(words, line);
    CHECK(lru.state.clock == ~std::uint32_t {0});
    lru.touch(words, 8);
    CHECK(lru.state.clock < 100);
    CHECK(lru.victim(words, {6, 10}) == 7); // it is empty
    CHECK(lru.victim(words, {0, 2}) == 0);
    lru.touch(words, 7), lru.touch(words, 9);
    CHECK(lru.victim(words, {6, 10}) == 6);
}

TEST_CASE("lines used in turn hit with lru_random where they miss with lru", "[parts][policy]") {
    const auto hits = [](const std::string& policy, std::uint64_t tags_in_turn) {
        TagArray tags;
        tags.resize(1, 16, policy, "test", 1);
        int hits = 0;
        for (std::uint64_t i = 0; i < 200 * tags_in_turn; ++i) {
            const std::uint64_t tag = i % tags_in_turn;
            if (const std::uint32_t line = tags.find(0, tag); line != TagArray::none) {
                tags.touch(line);
                ++hits;
                continue;
            }
            const std::uint32_t way = tags.victim(0, 0, 16);
            tags.replace(way, tag, 0);
            tags.add_valid(way, 1);
        }
        return hits / (200.0 * static_cast<double>(tags_in_turn));
    };
    CHECK(hits("lru", 17) == 0);
    CHECK(hits("lru_random(among=1)", 17) == 0);
    // Shares of hits in a separate simulation of one set.
    CHECK(hits("lru_random", 17) == Approx(0.58).margin(0.05));
    CHECK(hits("lru_random", 19) == Approx(0.27).margin(0.05));
    CHECK(hits("lru_random", 25) < 0.05);
}

} // namespace memsim::device_parts::tag_policy_test
