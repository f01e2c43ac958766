#include "ohm/channel/slot_allocator.hh"

#include "core/base/rng.hh"

#include <catch2/catch.hpp>

#include <set>

namespace memsim::ohm::slot_allocator_test {

TEST_CASE("The lowest free slot is allocated, and allocated slots are found in order", "[ohm]") {
    const auto size = GENERATE(1u, 63u, 64u, 65u, 256u);
    SlotAllocator slots;
    slots.resize(size);
    std::set<std::uint32_t> taken;
    Rng r(3, "slots");
    for (int i = 0; i < 20'000; ++i) {
        if (taken.size() < size && (taken.empty() || r.below(2))) {
            std::uint32_t lowest = 0;
            while (taken.count(lowest)) ++lowest;
            REQUIRE(slots.take() == lowest);
            taken.insert(lowest);
        } else {
            const auto given = std::next(taken.begin(), static_cast<long>(r.below(taken.size())));
            slots.give_back(*given);
            taken.erase(given);
        }
        REQUIRE(slots.taken == taken.size());
        std::vector<std::uint32_t> found;
        slots.for_each_taken([&](std::uint32_t p) { found.push_back(p); });
        REQUIRE(found == std::vector<std::uint32_t>(taken.begin(), taken.end()));
    }
}

} // namespace memsim::ohm::slot_allocator_test
