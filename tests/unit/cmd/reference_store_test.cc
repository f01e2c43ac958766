#include "cmd/tables/fingerprint_store.hh"
#include "cmd/tables/hash_store.hh"

#include "references.hh"

#include <map>

namespace memsim::reference_store_test {

using namespace memsim::cmd;
using namespace memsim::cmd::test;

TEST_CASE("Sets fill independently, and hashes with equal bytes are spread over them", "[cmd]") {
    auto store = sized<HashStore>(64, 4);
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
    bool alone = false; ///< only a reference of count 1 makes room
    std::vector<std::pair<std::uint64_t, Reference>> all; ///< with sets; the last one used last

    auto at(std::uint32_t place) {
        return std::find_if(all.begin(), all.end(),
                            [&](const auto& e) { return e.second.place == place; });
    }
    Insertion insert(std::uint64_t set, const Reference& r) {
        Insertion result;
        const auto same = [&](const auto& e) { return e.first == set; };
        if (ways && std::count_if(all.begin(), all.end(), same) == static_cast<long>(ways)) {
            const auto victim =
                std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
                    return same(a) && (!same(b) || a.second.count < b.second.count);
                });
            if (alone && victim->second.count > 1) return result;
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

/// Random calls of both, saved and loaded now and then.
template <class Store>
static void replay(std::uint32_t entries, std::uint32_t ways, bool alone) {
    auto store = sized<Store>(entries, ways);
    PlainStore plain {ways, alone, {}};
    Rng r(5, "references");
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
        REQUIRE(
            store.all([&](const Reference& is) { return plain.at(is.place) != plain.all.end(); }));
        for (const auto& [set, e] : plain.all) {
            REQUIRE(store.find(e.digest, e.mask) == store.find_place(e.place));
            REQUIRE(count(store, e.place) == e.count);
        }
        if (i % 50 == 0) {
            auto other = sized<Store>(entries, ways);
            REQUIRE(load(saved(store), other) == "");
            REQUIRE(saved(other) == saved(store));
            std::swap(store, other);
        }
    }
}

TEST_CASE("Both reference stores behave like a plain list under random operations", "[cmd]") {
    for (const auto& [entries, ways] :
         {std::pair {12u, 3u}, std::pair {6u, 6u}, std::pair {5u, 1u}, std::pair {0u, 0u}}) {
        replay<HashStore>(entries, ways, true);
        replay<FingerprintStore>(entries, ways, false);
    }
}

TEST_CASE("An invalid reference store is not loaded", "[cmd]") {
    const auto refused = [](const std::vector<Reference>& all) {
        auto store = sized<HashStore>(2, 2);
        return load(saved(all), store);
    };
    CHECK(refused({{digest(1), 10, 1, 15}, {digest(1), 11, 1, 7}}) == "");
    CHECK(refused({{digest(1), 10, 0, 15}}) == "has a reference without a block");
    CHECK(refused({{digest(1), 10, 1, 15}, {digest(1), 11, 1, 15}}) == "has a digest twice");
    CHECK(refused({{digest(1), 10, 1, 15}, {digest(2), 10, 1, 15}}) ==
          "has two references of one place");
    CHECK(refused({{digest(1), 10, 1, 15}, {digest(2), 11, 1, 15}, {digest(3), 12, 1, 15}}) ==
          "has more references than a set has ways");
}

} // namespace memsim::reference_store_test
