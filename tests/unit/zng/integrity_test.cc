#include "../../contract/data_driver.hh"
#include "ftl_support.hh"

namespace memsim::integrity_test {

using namespace memsim::test_zng;
using zng::Package;

/// Random writes, whole and in part, evictions, merges into other planes and reads through all of
/// it: every byte read is compared with the byte written last.
TEST_CASE("No line is lost with any register network", "[zng]") {
    for (const char* network : {"none", "swnet", "fcnet", "nif"})
        for (const char* independent : {"true", "false"})
            for (const char* registers : {"2", "4"}) {
                INFO(network << " " << independent << " " << registers);
                Machine m;
                m.carry_contents();
                Ftl ftl;
                ftl.wanderers = 1;
                ftl.gates = false;
                ftl.driver = "test.DataDriver";
                ftl.wanderer = {{"count", "6000"},
                                {"lines", "300"},
                                {"stride", "20"},
                                {"answers", "32"},
                                {"gap", "400ns"}};
                ftl.package = {{"network", network},
                               {"independent_planes", independent},
                               {"registers", registers}};
                ftl.l2 = {{"capacity", "1KiB"}};
                ftl.add(m);
                m.build();
                run(m);
                auto& driver = m.get<test::DataDriver>("wanderer[0]");
                CHECK(value(driver.stat.wrong) == 0);
                CHECK(value(driver.stat.old) == 0);
                CHECK(driver.compare_image() == 0);
                std::uint64_t senses = 0, register_reads = 0, merges = 0, migrations = 0, moves = 0;
                for (unsigned p = 0; p < 2; ++p) {
                    const auto& s = m.get<Package>(at("package", p)).stat;
                    senses += value(s.senses), register_reads += value(s.register_reads);
                    merges += value(s.merges), migrations += value(s.migrations);
                    moves += value(s.moves);
                }
                CHECK(senses > 100);
                CHECK(register_reads > 10);
                CHECK(merges > 100);
                CHECK(moves > 200);
                CHECK((migrations == 0) == (std::string(network) == "fcnet"));
            }
}

} // namespace memsim::integrity_test
