#include "../unit/gpu/script.hh"
#include "../unit/zng/ftl_support.hh"
#include "oracle.hh"

/// Two applications on ZnG's split FTL, whose log blocks are merged all the time: saved and
/// restored at random ticks, so in the middle of merges, too.
namespace memsim::test::rigs_zng_ftl {

namespace {

void ftl(Machine& m, bool assist, const char* network, unsigned span = 1) {
    Script s;
    s.launches = 3, s.blocks = 8, s.warps = 6;
    s.write = [](gpu_program::WarpStreamWriter& w, unsigned warp) {
        for (unsigned i = 0; i < 20; ++i) w.compute(~0u, 100 + 7 * warp), w.barrier(~0u);
    };
    scripts() = {s};
    test_zng::Ftl f;
    f.assist = assist;
    f.gates = false;
    f.span = span, f.across = span > 1;
    f.wanderer = {{"count", "500"}, {"lines", "300"}, {"stride", "20"}, {"writes", "70"}};
    f.package = {{"network", network}, {"log_filled", "100%"}};
    f.add(m);
}

} // namespace

static const RigFor assist_warp {"zng.GarbageCollector", [](Machine& m) { ftl(m, true, "nif"); }};
static const RigFor own_sm {"zng.GarbageCollector", [](Machine& m) { ftl(m, false, "swnet"); }};
static const RigFor mapped_blocks {"zng.GarbageCollector",
                                   [](Machine& m) { ftl(m, false, "nif", 4); }};

} // namespace memsim::test::rigs_zng_ftl
