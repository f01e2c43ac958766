#include "cmd/tables/hash_store.hh"

#include "references.hh"

namespace memsim::hash_store_test {

using namespace memsim::cmd;
using namespace memsim::cmd::test;

static bool insert(HashStore& store, std::uint64_t hash, std::uint32_t place) {
    return store.insert(digest(hash), 0b1111, place).inserted;
}
static HashStore store_of(std::uint32_t entries, std::uint32_t ways) {
    return sized<HashStore>(entries, ways);
}

TEST_CASE("A hash is found only with its sectors", "[cmd]") {
    HashStore store = store_of(4, 4);
    REQUIRE(store.insert(digest(7), 0b1011, 20).inserted);
    CHECK(store.find(digest(7), 0b1011)->place == 20);
    CHECK_FALSE(store.find(digest(7), 0b1101));
    CHECK_FALSE(store.find(digest(8), 0b1011));
    Reference::Digest last = digest(7);
    last[15] = 1; // all 16 bytes count
    CHECK_FALSE(store.find(last, 0b1011));
    REQUIRE(store.insert(digest(7), 0b1101, 21).inserted);
    CHECK(store.find(digest(7), 0b1011)->place == 20);
    CHECK(store.find(digest(7), 0b1101)->place == 21);
}

TEST_CASE("At most 65,535 blocks are mapped to a place", "[cmd]") {
    HashStore store = store_of(2, 2);
    REQUIRE(insert(store, 1, 10)); // the first
    for (std::uint32_t n = 2; n < 65'535; ++n) REQUIRE(store.join(10));
    CHECK(store.join(10));
    CHECK(count(store, 10) == 65'535);
    CHECK_FALSE(store.join(10));
    CHECK(count(store, 10) == 65'535);
    CHECK_FALSE(store.leave(10));
    CHECK(store.join(10));
    for (std::uint32_t n = 1; n < 65'535; ++n) REQUIRE_FALSE(store.leave(10));
    CHECK(count(store, 10) == 1);
    CHECK(store.leave(10));
    CHECK_FALSE(store.find_place(10));
    CHECK_FALSE(store.find(digest(1), 0b1111));
}

TEST_CASE("The least recently used hash with count 1 is replaced; without one, insertion fails",
          "[cmd]") {
    HashStore store = store_of(3, 3);
    REQUIRE((insert(store, 1, 10) && insert(store, 2, 20) && insert(store, 3, 30)));
    REQUIRE(store.join(10)); // 20 is used least recently
    const auto first = store.insert(digest(4), 0b1111, 40);
    CHECK(first.inserted);
    CHECK(first.evicted);
    CHECK(first.victim.place == 20);
    CHECK_FALSE(store.find(digest(2), 0b1111));
    CHECK(store.leave(20)); // evicted, so it had no other block

    REQUIRE(store.join(40));
    const auto second = store.insert(digest(5), 0b1111, 50); // 10 is older than 30, but shared
    CHECK(second.victim.place == 30);
    REQUIRE(store.join(50));
    const auto third = store.insert(digest(6), 0b1111, 60);
    CHECK_FALSE(third.inserted);
    CHECK_FALSE(third.evicted);
    CHECK_FALSE(store.find_place(60));
    CHECK(store.size() == 3);

    // Shared no more, it is as old as its last use, not as its loss of the other block.
    REQUIRE_FALSE(store.leave(50));
    REQUIRE_FALSE(store.leave(10));
    CHECK(store.insert(digest(6), 0b1111, 60).victim.place == 10);
}

TEST_CASE("A reference moves to a donor's place and is removed when withdrawn", "[cmd]") {
    HashStore store = store_of(2, 2);
    REQUIRE((insert(store, 1, 10) && store.join(10)));
    store.move(10, 11);
    CHECK_FALSE(store.find_place(10));
    CHECK(store.find(digest(1), 0b1111)->place == 11);
    CHECK(count(store, 11) == 2);
    store.withdraw(11);
    store.withdraw(12);
    CHECK_FALSE(store.find(digest(1), 0b1111));
    CHECK(store.size() == 0);
    REQUIRE((insert(store, 1, 11) && insert(store, 2, 12))); // in the places that are free again
}

} // namespace memsim::hash_store_test
