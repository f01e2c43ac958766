#include "two_level_bench.hh"

#include "core/kernel/registry.hh"

#include <catch2/catch.hpp>

namespace memsim::bank_stats_test {

using memsim::test_ohm::cache;
using protocol::Command;

TEST_CASE("Statistics of banks add up to those of the DRAM and are optional", "[ohm]") {
    test_ohm::TwoLevel b(Arguments {{"bank_stats", "true"}});
    for (std::uint32_t i = 0; i < 40; ++i)
        b.send(i * 50'000'000, i * 160 % cache / 128 * 128 + i % 3 * cache,
               i % 4 ? Command::read : Command::write);
    CHECK(b.run_to_end() == test_ohm::Clean {});
    const auto& stat = b.controller().stat;
    const auto sum = [](const Each<Counter>& each) {
        CHECK(each.size() == 16);
        Uint128 all = 0;
        for (unsigned i = 0; i < each.size(); ++i) all += each[i].value();
        return all;
    };
    CHECK(stat.channel.activates.value() > 1);
    CHECK(sum(stat.bank.bank_activates) == stat.channel.activates.value());
    CHECK(sum(stat.bank.bank_row_hits) == stat.channel.row_hits.value());
    CHECK(sum(stat.bank.bank_reads) + sum(stat.bank.bank_writes) ==
          stat.channel.row_hits.value() + stat.channel.row_misses.value() +
              stat.channel.row_conflicts.value());
    CHECK(test_ohm::TwoLevel().controller().stat.bank.bank_reads.size() == 0);
}

} // namespace memsim::bank_stats_test
