#include "cmd/hash_store.hh"

#include "support.hh"

#include <map>

using namespace memsim;
using namespace memsim::cmd;
using namespace memsim::cmd::test;

static Reference::Digest digest(std::uint64_t n) {
    Reference::Digest d {};
    std::memcpy(d.data(), &n, sizeof n);
    return d;
}
static std::uint32_t count(const HashStore& store, std::uint32_t place) {
    const Reference* const r = store.find_place(place);
    return r ? r->count : 0;
}
static bool insert(HashStore& store, std::uint64_t hash, std::uint32_t place) {
    return store.insert(digest(hash), 0b1111, place).inserted;
}
static HashStore store_of(std::uint32_t entries, std::uint32_t ways) {
    HashStore store;
    store.resize(entries, ways);
    return store;
}

TEST_CASE("A hash is found under its sectors only", "[cmd]") {
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

TEST_CASE("65,535 blocks are mapped to a place, the next one is refused", "[cmd]") {
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

TEST_CASE("The least recently used hash of count 1 makes room, and none if there is none",
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

TEST_CASE("A reference moves to a donor's place, and is forgotten when it is withdrawn", "[cmd]") {
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

TEST_CASE("Sets fill apart, and equal bytes of a hash still spread over them", "[cmd]") {
    HashStore store = store_of(64, 4);
    std::map<std::uint64_t, std::uint32_t> in_set;
    for (std::uint32_t n = 0; n < 160; ++n) {
        Reference::Digest d;
        d.fill(static_cast<std::uint8_t>(n));
        const bool full = in_set[store.set_of(d)]++ >= 4;
        CHECK(store.insert(d, 0b1111, n).evicted == full);
    }
    CHECK(in_set.size() == 16);
}

namespace {

/// The same, plainly: a list by use, of which everything is looked for.
struct PlainStore {
    std::size_t ways = 0;
    std::vector<std::pair<std::uint64_t, Reference>> all; ///< with sets; the last one used last

    auto at(std::uint32_t place) {
        return std::find_if(all.begin(), all.end(),
                            [&](const auto& e) { return e.second.place == place; });
    }
    HashStore::Insertion insert(std::uint64_t set, const Reference& r) {
        HashStore::Insertion result;
        const auto same = [&](const auto& e) { return e.first == set; };
        if (ways && std::count_if(all.begin(), all.end(), same) == static_cast<long>(ways)) {
            const auto victim = std::find_if(all.begin(), all.end(), [&](const auto& e) {
                return same(e) && e.second.count == 1;
            });
            if (victim == all.end()) return result;
            result.evicted = true;
            result.victim = victim->second;
            all.erase(victim);
        }
        all.emplace_back(set, r);
        result.inserted = true;
        return result;
    }
    void join(std::uint32_t place) {
        ++at(place)->second.count;
        std::rotate(at(place), at(place) + 1, all.end());
    }
    bool leave(std::uint32_t place) {
        if (at(place) == all.end()) return true;
        if (--at(place)->second.count) return false;
        all.erase(at(place));
        return true;
    }
};

} // namespace

TEST_CASE("The hash store does on random strings what a plain list does, saved and loaded",
          "[cmd]") {
    const auto [entries, ways] =
        GENERATE(std::pair {12u, 3u}, std::pair {6u, 6u}, std::pair {5u, 1u}, std::pair {0u, 0u});
    HashStore store = store_of(entries, ways);
    PlainStore plain {ways, {}};
    Rng r(5, "hashes");
    for (int i = 0; i < 6'000; ++i) {
        const Reference::Digest d = digest(r.below(24));
        const auto mask = static_cast<std::uint8_t>(1 + r.below(2));
        const auto place = static_cast<std::uint32_t>(r.below(24));
        switch (r.below(6)) {
        case 0:
            REQUIRE(store.leave(place) == plain.leave(place));
            break;
        case 1:
            if (const auto to = static_cast<std::uint32_t>(r.below(24));
                store.find_place(place) && !store.find_place(to)) {
                store.move(place, to);
                plain.at(place)->second.place = to;
            }
            break;
        case 2:
            if (r.below(4)) break;
            store.withdraw(place);
            if (plain.at(place) != plain.all.end()) plain.all.erase(plain.at(place));
            break;
        default:
            if (const Reference* const known = store.find(d, mask)) {
                const std::uint32_t of = known->place;
                REQUIRE(store.join(of));
                plain.join(of);
            } else if (!store.find_place(place)) {
                const auto a = store.insert(d, mask, place);
                const auto b = plain.insert(store.set_of(d), {d, place, 1, mask});
                REQUIRE(a.inserted == b.inserted);
                REQUIRE(a.evicted == b.evicted);
                REQUIRE((!a.evicted || a.victim.place == b.victim.place));
            }
        }
        REQUIRE(store.size() == plain.all.size());
        for (const auto& [set, e] : plain.all) {
            REQUIRE(store.find(e.digest, e.mask) == store.find_place(e.place));
            REQUIRE(count(store, e.place) == e.count);
        }
        if (i % 50 == 0) {
            HashStore other = store_of(entries, ways);
            REQUIRE(load(saved(store), other) == "");
            REQUIRE(saved(other) == saved(store));
            std::swap(store, other);
        }
    }
}

TEST_CASE("A hash store that cannot be is not loaded", "[cmd]") {
    const auto refused = [](const std::vector<Reference>& all) {
        HashStore store = store_of(2, 2);
        return load(saved(all), store);
    };
    CHECK(refused({{digest(1), 10, 1, 15}, {digest(1), 11, 1, 7}}) == "");
    CHECK(refused({{digest(1), 10, 0, 15}}) == "has a reference of no block");
    CHECK(refused({{digest(1), 10, 1, 15}, {digest(1), 11, 1, 15}}) == "has a digest twice");
    CHECK(refused({{digest(1), 10, 1, 15}, {digest(2), 10, 1, 15}}) ==
          "has two references of one place");
    CHECK(refused({{digest(1), 10, 1, 15}, {digest(2), 11, 1, 15}, {digest(3), 12, 1, 15}}) ==
          "has more references than a set has ways");
}
