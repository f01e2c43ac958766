#include "device_parts/shuffle.hh"

#include <catch2/catch.hpp>

#include <set>

namespace memsim::shuffle_test {

using device_parts::Shuffle;

TEST_CASE("A shuffle is a permutation that depends on its key and has an inverse", "[parts]") {
    for (const std::uint64_t n : {1, 2, 3, 4, 5, 16, 17, 384, 1000}) {
        const Shuffle one(n, 1), other(n, 2);
        std::set<std::uint64_t> places;
        std::uint64_t same = 0, next = 0, last = n;
        for (std::uint64_t x = 0; x < n; ++x) {
            const std::uint64_t place = one.place_of(x);
            places.insert(place);
            CHECK(place < n);
            CHECK(one.at(place) == x);
            same += place == other.place_of(x);
            next += place == last + 1;
            last = place;
        }
        CHECK(places.size() == n);
        if (n < 100) continue;
        CHECK(same < n / 20);
        CHECK(next < n / 20);
    }
}

} // namespace memsim::shuffle_test
