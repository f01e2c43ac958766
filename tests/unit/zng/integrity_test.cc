#include "probes.hh"
#include "support.hh"
#include "zng/flash_controller.hh"
#include "zng/package.hh"

using namespace memsim;
using namespace memsim::test_zng;
using zng::FlashController;
using zng::Package;

/// Random writes, whole and in part, evictions, merges into other planes and reads through all of
/// it: every read is compared with the version written last.
TEST_CASE("No line is lost, whatever the registers' network", "[zng]") {
    for (const char* network : {"none", "swnet", "fcnet", "nif"})
        for (const char* independent : {"true", "false"})
            for (const char* registers : {"2", "4"}) {
                INFO(network << " " << independent << " " << registers);
                Machine m;
                add_flash(m, 2, 2,
                          {{"network", network},
                           {"independent_planes", independent},
                           {"registers", registers}},
                          {}, {{"count", "6000"}, {"lines", "4"}});
                m.build();
                m.start();
                m.run(never);
                if (m.pending())
                    for (auto& l : m.wait_report()) WARN(l);
                REQUIRE_FALSE(m.pending());
                std::uint64_t senses = 0, register_reads = 0, merges = 0, migrations = 0, moves = 0;
                for (unsigned p = 0; p < 2; ++p) {
                    const auto& s = m.get<Package>(at("package", p)).stat;
                    senses += value(s.senses), register_reads += value(s.register_reads);
                    merges += value(s.merges), migrations += value(s.migrations);
                    moves += value(s.moves);
                }
                for (unsigned c = 0; c < 2; ++c)
                    CHECK(value(m.get<FlashController>(at("controller", c)).stat.content_errors) ==
                          0);
                CHECK(value(m.get<Host>("host").stat.answered) == 6000);
                CHECK(value(m.get<Host>("host").stat.merges) > 20);
                CHECK(senses > 100);
                CHECK(register_reads > 10);
                CHECK(merges > 100);
                CHECK(moves > 200);
                CHECK((migrations == 0) == (std::string(network) == "fcnet"));
            }
}
