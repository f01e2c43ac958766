#include "flash/ftl/tournament.hh"

#include "core/base/rng.hh"

#include <catch2/catch.hpp>

#include <vector>

namespace memsim::flash::tournament_test {

using flash::Tournament;

namespace {

/// Values that grow with time, each at its own speed; the greatest wins.
struct Race {
    struct Runner {
        std::uint64_t from, speed;
    };
    std::vector<Runner> runners;
    Tournament tournament;
    std::uint64_t now = 0;
    unsigned compared = 0;

    std::uint64_t at(std::uint32_t i) const { return runners[i].from + runners[i].speed * now; }
    auto compare() {
        return [this](std::uint32_t a, std::uint32_t b) -> Tournament::Winner {
            ++compared;
            const bool second = at(b) > at(a);
            const std::uint32_t first = second ? b : a, last = second ? a : b;
            if (runners[last].speed <= runners[first].speed) return {second};
            const std::uint64_t closes = runners[last].speed - runners[first].speed;
            const std::uint64_t lead = at(first) - at(last);
            return {second, now + std::max<std::uint64_t>(1, (lead + closes - 1) / closes)};
        };
    }
    std::uint32_t best() { return tournament.best(now, compare()); }
    /// A look through all of them.
    std::uint32_t greatest() const {
        std::uint32_t best = Tournament::none;
        for (std::uint32_t i = 0; i < runners.size(); ++i)
            if (best == Tournament::none || at(i) > at(best)) best = i;
        return best;
    }
};

} // namespace

TEST_CASE("A tournament's best place equals that of a full search, the lower of two equals",
          "[flash]") {
    for (const std::uint64_t speeds : {1, 4}) { // with 1 nothing depends on time
        Rng random(speeds, "race");
        Race race;
        for (int i = 0; i < 20'000; ++i) {
            const auto n = static_cast<std::uint32_t>(race.runners.size());
            const auto place = static_cast<std::uint32_t>(n ? random.below(n) : 0);
            const Race::Runner drawn {random.below(30), random.below(speeds)};
            switch (random.below(n < 40 ? 4 : 5)) {
            case 0:
            case 1:
                race.runners.push_back(drawn);
                race.tournament.push(race.compare());
                break;
            case 2:
                if (n == 0) break;
                race.runners[place] = drawn;
                race.tournament.changed(place, race.compare());
                break;
            case 3:
                race.now += random.below(3);
                break;
            default: // the last one replaces a removed one
                race.runners[place] = race.runners.back();
                race.runners.pop_back();
                race.tournament.pop(race.compare());
                if (place + 1 != n) race.tournament.changed(place, race.compare());
            }
            REQUIRE(race.tournament.size() == race.runners.size());
            REQUIRE(race.best() == race.greatest());
        }
    }
}

TEST_CASE("A change in a tournament costs at most one comparison per level; the best place none",
          "[flash]") {
    Race race;
    for (std::uint64_t i = 0; i < 1024; ++i) {
        race.runners.push_back({i, 0});
        race.tournament.push(race.compare());
    }
    race.compared = 0;
    CHECK(race.best() == 1023);
    CHECK(race.compared == 0);
    race.runners[0].from = 5000;
    race.tournament.changed(0, race.compare());
    CHECK(race.compared == 10);
    CHECK(race.best() == 0);
    race.compared = 0;
    race.runners[512].from = 1; // it never was the better one
    race.tournament.changed(512, race.compare());
    CHECK(race.compared == 1);
}

TEST_CASE("A tournament without places has no best one", "[flash]") {
    Race race;
    CHECK(race.best() == Tournament::none);
    race.runners.push_back({1, 0});
    race.tournament.push(race.compare());
    CHECK(race.best() == 0);
    race.runners.pop_back();
    race.tournament.pop(race.compare());
    CHECK(race.best() == Tournament::none);
}

} // namespace memsim::flash::tournament_test
