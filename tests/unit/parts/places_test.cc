#include "parts/places.hh"

#include "core/rng.hh"

#include <catch2/catch.hpp>

#include <set>

namespace memsim::parts {

TEST_CASE("The lowest free place is taken, and those that are taken are found in order",
          "[parts]") {
    const auto size = GENERATE(1u, 63u, 64u, 65u, 256u);
    Places places;
    places.resize(size);
    std::set<std::uint32_t> taken;
    Rng r(3, "places");
    for (int i = 0; i < 20'000; ++i) {
        if (taken.size() < size && (taken.empty() || r.below(2))) {
            std::uint32_t lowest = 0;
            while (taken.count(lowest)) ++lowest;
            REQUIRE(places.take() == lowest);
            taken.insert(lowest);
        } else {
            const auto given = std::next(taken.begin(), static_cast<long>(r.below(taken.size())));
            places.give_back(*given);
            taken.erase(given);
        }
        REQUIRE(places.taken == taken.size());
        std::vector<std::uint32_t> found;
        places.for_each_taken([&](std::uint32_t p) { found.push_back(p); });
        REQUIRE(found == std::vector<std::uint32_t>(taken.begin(), taken.end()));
    }
}

} // namespace memsim::parts
