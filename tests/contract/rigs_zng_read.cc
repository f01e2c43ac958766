#include "oracle.hh"

#include <string>

/// What ZnG's machines are made of, under the random requests of test.Driver.
namespace memsim::test::rigs_zng_read {

namespace {

void cached(Machine& m, const char* variant) {
    m.add("driver", "test.Driver",
          {{"gap", "3ns"}, {"footprint", "32KiB"}, {"line", "128"}, {"masks", "true"}});
    m.add("cache", "mem.Cache",
          {{"capacity", "8KiB"},
           {"ways", "4"},
           {"mshrs", "40"},
           {"write_policy", "write_back"},
           {"write_allocate", "true"},
           {"hint_ports", "1"},
           {"hint_queue", "2"},
           {"observers", "1"}});
    m.add("memory", "mem.SimpleMemory", {{"queue", "4"}});
    m.add("prefetcher", "zng.Prefetcher",
          {{"variant", variant}, {"threshold", "0"}, {"window", "20"}, {"high", "20%"}});
    m.bind("driver", "mem", "cache", "cpu_side");
    m.bind("cache", "mem_side", "memory", "cpu_side");
    m.bind("cache", "events[0]", "prefetcher", "events[0]");
    m.bind("prefetcher", "hints[0]", "cache", "hints[0]");
}

} // namespace

static const RigFor dynamic_prefetch {"zng.Prefetcher", [](Machine& m) { cached(m, "dyn-pref"); }};
static const RigFor small_prefetch {"zng.Prefetcher", [](Machine& m) { cached(m, "1KBpref"); }};

/// Few pages, so that they come and go, and a drive that collects.
static const RigFor page_buffer {
    "zng.PageBuffer", [](Machine& m) {
        m.add("driver", "test.Driver",
              {{"gap", "300ns"}, {"footprint", "64KiB"}, {"line", "128"}, {"masks", "true"}});
        m.add("buffer", "zng.PageBuffer",
              {{"capacity", "16KiB"},
               {"ways", "2"},
               {"dirty_pages", "2"},
               {"requests", "6"},
               {"dram_queue", "3"},
               {"drive_queue", "2"}});
        m.add("dram", "mem.DramController", {{"timing", "ddr4_3200"}});
        m.add("drive", "flash.Drive",
              {{"channels", "1"},
               {"packages", "1"},
               {"dies", "2"},
               {"planes", "2"},
               {"blocks", "14"},
               {"pages", "4"},
               {"page", "4KiB"},
               {"over_provisioning", "50%"},
               {"cache", "64KiB"},
               {"write_buffer", "32KiB"},
               {"firmware", "500ns"},
               {"cores", "2"}});
        m.add("channel", "flash.Channel", {{"packages", "1"}, {"registers", "2"}});
        m.add("package", "flash.Package",
              {{"dies", "2"},
               {"planes", "2"},
               {"blocks", "14"},
               {"pages", "4"},
               {"registers", "2"},
               {"media", "z_nand"}});
        m.bind("driver", "mem", "buffer", "cpu_side");
        m.bind("buffer", "dram_side", "dram", "cpu_side");
        m.bind("buffer", "drive_side", "drive", "host[0]");
        m.bind("drive", "channel[0]", "channel", "controller");
        m.bind("channel", "package[0]", "package", "io[0]");
    }};

} // namespace memsim::test::rigs_zng_read
