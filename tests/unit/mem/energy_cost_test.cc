#include "mem/energy_cost.hh"

#include "core/machine/machine.hh"

#include <catch2/catch.hpp>

namespace memsim::energy_cost_test {

TEST_CASE("An energy cost has a statistic or a power; other combinations are refused", "[mem]") {
    const auto refused = [](const Arguments& cost, const std::string& why) {
        Machine m;
        m.add("cost", "mem.EnergyCost", cost);
        CHECK_THROWS_WITH(m.build(), Catch::StartsWith(why));
    };
    refused({{"part", "DRAM"}, {"each", "2nJ"}}, "cost.each: is set without a statistic");
    refused({{"statistic", "activates"}, {"power", "1W"}},
            "cost.power: is set although a statistic is multiplied");
    Machine m;
    m.add("reads", "mem.EnergyCost", {{"statistic", "reads"}, {"each", "2nJ"}});
    m.add("static", "mem.EnergyCost", {{"power", "1W"}});
    m.add("lasers", "mem.EnergyCost", {{"statistic", "laser_power"}, {"share", "25%"}});
    m.build();
}

} // namespace memsim::energy_cost_test
