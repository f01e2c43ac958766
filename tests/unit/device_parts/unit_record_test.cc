#include "device_parts/unit_record.hh"

#include <catch2/catch.hpp>

#include <vector>

namespace memsim::unit_record_test {

using memsim::device_parts::UnitRecord;

static std::vector<std::uint64_t> taken(UnitRecord& record) {
    std::vector<std::uint64_t> units;
    record.take_all([&](std::uint64_t unit) { units.push_back(unit); });
    return units;
}

TEST_CASE("A record has each unit once, in the order of their first notes", "[parts]") {
    UnitRecord record;
    for (const std::uint64_t unit : {7, 3, 7, 9, 3}) CHECK(!record.add(unit, 4));
    CHECK(record.size() == 3);
    CHECK(record.sound());
    CHECK(taken(record) == std::vector<std::uint64_t> {7, 3, 9});
    CHECK(record.size() == 0);
    CHECK(!record.add(7, 4)); // it is empty: 7 is new again
    CHECK(taken(record) == std::vector<std::uint64_t> {7});
}

TEST_CASE("A full record drops the unit that was noted first", "[parts]") {
    UnitRecord record;
    for (const std::uint64_t unit : {1, 2, 3}) CHECK(!record.add(unit, 3));
    CHECK(!record.add(1, 3)); // known: nothing is dropped
    CHECK(record.add(4, 3));
    CHECK(record.size() == 3);
    CHECK(record.add(1, 3)); // dropped before, so it is new
    CHECK(taken(record) == std::vector<std::uint64_t> {3, 4, 1});
}

} // namespace memsim::unit_record_test
