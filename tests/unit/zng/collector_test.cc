#include "ftl_support.hh"

using namespace memsim;
using namespace memsim::test_zng;
using zng::FlashController;
using zng::GarbageCollector;
using zng::Package;

namespace {

void run_all(Machine& m, const Ftl& ftl) {
    ftl.add(m);
    m.build();
    ftl.look(m);
    m.start();
    m.run(never);
    if (m.pending())
        for (auto& l : m.wait_report()) WARN(l);
    REQUIRE_FALSE(m.pending());
    CHECK(m.imbalances() == std::vector<std::string> {});
}

} // namespace

/// Random reads and writes of two applications, log blocks merged meanwhile: every read of the
/// flash returns what was written last, and no request goes to a block that is not its
/// application's.
TEST_CASE("No line is lost and none goes astray while log blocks are merged", "[zng]") {
    for (const char* network : {"none", "swnet", "fcnet", "nif"})
        for (const char* filled : {"0%", "100%"}) {
            INFO(network << " " << filled);
            Machine m {3};
            Ftl ftl;
            ftl.wanderer = {{"count", "6000"}, {"lines", "400"}, {"stride", "7"}};
            ftl.package = {{"network", network}, {"log_filled", filled}};
            run_all(m, ftl);
            const auto& c = m.get<GarbageCollector>("collector");
            CHECK(value(c.stat.merges) > 10);
            CHECK(value(c.stat.merges) == value(c.stat.log_lows));
            for (unsigned i = 0; i < 2; ++i) {
                const auto& f = m.get<FlashController>(at("controller", i)).stat;
                CHECK(value(f.content_errors) == 0);
                CHECK(value(f.reads) > 500);
                CHECK(value(f.writes) > 500);
                CHECK(value(m.get<Gate>(at("gate", i)).stat.astray) == 0);
                CHECK(value(m.get<Gate>(at("gate", i)).stat.passed) > 1000);
            }
        }
}
