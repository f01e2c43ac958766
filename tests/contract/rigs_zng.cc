#include "../unit/zng/support.hh"
#include "oracle.hh"

/// ZnG's flash under random reads, writes and merges of log blocks, for each network of registers.
namespace memsim::test::rigs_zng {

namespace {

void flash(Machine& m, const char* network, const char* independent, const char* reuse,
           const char* count = "600") {
    test_zng::add_flash(m, 2, 2,
                        {{"network", network},
                         {"independent_planes", independent},
                         {"reuse", reuse},
                         {"transfer", reuse == std::string("none") ? "page" : "line"},
                         {"data_registers", network == std::string("nif") ? "1" : "0"},
                         {"registers", "3"}},
                        {}, {{"count", count}, {"lines", "4"}, {"used", "8"}, {"writes", "70"}});
}

} // namespace

static const RigFor nif {"zng.Package", [](Machine& m) { flash(m, "nif", "true", "waiting"); }};
static const RigFor swnet {"zng.Package", [](Machine& m) { flash(m, "swnet", "false", "none"); }};
static const RigFor fcnet {"zng.Package", [](Machine& m) { flash(m, "fcnet", "true", "waiting"); }};
/// Fewer requests, because its oracle takes about ten times as long as those of the others. Three
/// log blocks are merged, and writes wait for registers.
static const RigFor controller {"zng.FlashController",
                                [](Machine& m) { flash(m, "none", "true", "waiting", "200"); }};

} // namespace memsim::test::rigs_zng
