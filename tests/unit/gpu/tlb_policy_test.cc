#include "../device_parts/tag_policy_models.hh"
#include "device_parts/tag_array.hh"
#include "gpu/mmu/tlb_array.hh"

#include <catch2/catch.hpp>

namespace memsim::gpu::tlb_policy_test {

using test_policies::all_policies;
using test_policies::model;

TEST_CASE("a TLB takes any tag policy", "[gpu][policy]") {
    for (const std::string policy : all_policies) {
        INFO(policy);
        constexpr std::uint32_t ways = 4;
        TlbArray tlb;
        tlb.resize(3 * ways, ways, policy, "test", 5);
        const auto plain = model(policy, ways);
        Rng random(2, "string");
        for (int i = 0; i < 3000; ++i) {
            const std::uint64_t tag = random.below(random.below(2) ? ways + 1 : 2 * ways);
            const std::uint64_t page = 3 * tag + 1; // of one set
            if (random.below(40) == 0) {
                tlb.erase(page);
                plain->drop(tag);
                continue;
            }
            const bool hit = tlb.find(page);
            if (!hit) tlb.insert(page, tag, false);
            REQUIRE(plain->access(tag) == hit);
        }
    }
}

} // namespace memsim::gpu::tlb_policy_test
