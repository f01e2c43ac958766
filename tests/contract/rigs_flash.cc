#include "oracle.hh"

#include <string>

/// Flash parts under random requests: test_flash.Checker writes, reads, trims and flushes a small
/// drive until its garbage collection never rests.
namespace memsim::test::rigs_flash {

namespace {

/// A drive of 1 or 2 channels of one package; `more` for the drive.
void drive(Machine& m, unsigned channels, const char* host, const Arguments& host_params,
           const Arguments& more, const char* registers = "1", const char* independent = "false",
           const char* suspend = "none") {
    m.add("host", host, host_params);
    Arguments params {{"channels", std::to_string(channels)},
                      {"packages", "1"},
                      {"dies", "2"},
                      {"planes", "2"},
                      {"blocks", "14"},
                      {"pages", "4"},
                      {"page", "4KiB"},
                      {"over_provisioning", "50%"},
                      {"cache", "64KiB"},
                      {"write_buffer", "32KiB"}};
    params.insert(params.end(), more.begin(), more.end());
    m.add("drive", "flash.Drive", params);
    if (host != std::string("test_flash.LoadListener")) m.bind("host", "drive", "drive", "host[0]");
    for (unsigned c = 0; c < channels; ++c) {
        m.add(at("channel", c), "flash.Channel",
              {{"packages", "1"},
               {"registers", registers},
               {"independent_planes", independent},
               {"join_reads", independent}});
        m.add(at("package", c), "flash.Package",
              {{"dies", "2"},
               {"planes", "2"},
               {"blocks", "14"},
               {"pages", "4"},
               {"registers", registers},
               {"independent_planes", independent},
               {"suspend", suspend},
               {"media", "slc"}});
        m.bind("drive", at("channel", c), at("channel", c), "controller");
        m.bind(at("channel", c), "package[0]", at("package", c), "io[0]");
    }
}

const Arguments busy {{"count", "250"}, {"sectors", "600"}, {"largest", "20"}, {"writes", "70%"}};

} // namespace

static const RigFor package {
    "flash.Package", [](Machine& m) { drive(m, 1, "test_flash.Checker", busy, {}, "2", "true"); }};
static const RigFor suspending_package {"flash.Package", [](Machine& m) {
                                            drive(m, 1, "test_flash.Checker", busy, {}, "2",
                                                  "false", "programs_and_erases");
                                        }};
static const RigFor suspending_channel {
    "flash.Channel",
    [](Machine& m) { drive(m, 1, "test_flash.Checker", busy, {}, "1", "true", "erases"); }};
static const RigFor channel {"flash.Channel",
                             [](Machine& m) { drive(m, 1, "test_flash.Checker", busy, {}, "2"); }};
static const RigFor drive_of_one {"flash.Drive", [](Machine& m) {
                                      drive(m, 2, "test_flash.Checker", busy,
                                            {{"map_cache", "180B"},
                                             {"firmware", "2us"},
                                             {"cores", "2"},
                                             {"static_wear_levelling", "3"}});
                                  }};
static const RigFor drive_of_the_past {"flash.Drive", [](Machine& m) {
                                           drive(m, 2, "test_flash.Checker", busy,
                                                 {{"preconditioned", "80%"},
                                                  {"cache_reads", "true"},
                                                  {"dirty_pages", "4"},
                                                  {"keep_rewritten", "true"},
                                                  {"fixed_plane", "false"}});
                                       }};
static const RigFor drive_of_many_collections {"flash.Drive", [](Machine& m) {
                                                   drive(m, 2, "test_flash.Checker", busy,
                                                         {{"gc_blocks", "3"},
                                                          {"gc_stop", "4"},
                                                          {"gc_per_block", "true"},
                                                          {"gc_holds_writes", "true"},
                                                          {"static_wear_levelling", "0"}});
                                               }};
static const RigFor drive_of_two_collections {
    "flash.Drive", [](Machine& m) {
        drive(m, 1, "test_flash.Checker", busy,
              {{"preconditioned", "80%"}, {"gc_blocks", "2"}, {"fixed_plane", "false"}});
    }};
static const RigFor drive_in_use {
    "flash.Drive", [](Machine& m) {
        drive(m, 1, "test_flash.Checker", busy,
              {{"preconditioned", "100%"}, {"overwritten", "100%"}, {"cache_reads", "true"}});
    }};
static const RigFor traffic {
    "flash.BlockTraffic", [](Machine& m) {
        drive(m, 1, "flash.BlockTraffic",
              {{"requests", "200"}, {"range", "700"}, {"read_share", "40%"}, {"period", "30us"}},
              {{"unwritten", "past"}});
    }};
static const RigFor recorded_traffic {
    "flash.BlockTraffic", [](Machine& m) {
        std::string text; // every fifth request is larger than a command, and than the range
        for (unsigned i = 0; i < 60; ++i)
            text += std::to_string(200 * i) + " 0 " + std::to_string(37 * i) +
                    (i % 5 ? " 12 " : " 1500 ") + std::to_string(i % 3 / 2) + "\n";
        drive(m, 1, "flash.BlockTraffic",
              {{"pattern", "trace"},
               {"trace", written("block.trace", text)},
               {"trace_unit", "1us"},
               {"range", "700"},
               {"fold", "true"},
               {"outstanding", "2"}},
              {{"unwritten", "past"}});
    }};
/// A cache of small units over a drive of sectors, which reports its load.
static const RigFor merger {
    "flash.SectorMerger", [](Machine& m) {
        m.add("driver", "test.Driver", {{"gap", "2us"}, {"footprint", "16KiB"}});
        m.add("cache", "mem.PageCache",
              {{"capacity", "2KiB"}, {"unit", "256B"}, {"requests", "8"}, {"batch", "2"}});
        m.add("dram", "mem.SimpleMemory", {{"queue", "4"}});
        m.add("merger", "flash.SectorMerger", {{"jobs", "3"}, {"queue", "2"}});
        drive(m, 1, "test_flash.LoadListener", {},
              {{"announce", "100us"}, {"gc_target", "25%"}, {"write_buffer", "8KiB"}});
        m.bind("driver", "mem", "cache", "cpu_side");
        m.bind("cache", "dram_side", "dram", "cpu_side");
        m.bind("cache", "drive_side", "merger", "requests");
        m.bind("merger", "drive", "drive", "host[0]");
        m.bind("drive", "load", "host", "load");
    }};
static const RigFor fixed {"flash.FixedDrive", [](Machine& m) {
                               m.add("host", "test_flash.Checker", busy);
                               m.add("listener", "test_flash.LoadListener", {});
                               m.add("drive", "flash.FixedDrive",
                                     {{"read_latency", "5us"},
                                      {"write_bandwidth", "1GB/s"},
                                      {"write_time", "80ns"},
                                      {"task_writes", "3"}});
                               m.bind("host", "drive", "drive", "requests");
                               m.bind("drive", "load", "listener", "load");
                           }};
static const RigFor mesh {
    "zng.Mesh", [](Machine& m) {
        m.add("mesh", "zng.Mesh", {{"columns", "3"}, {"rows", "2"}, {"buffer", "20"}});
        for (unsigned i = 0; i < 8; ++i) {
            m.add(at("node", i), "test_flash.Node",
                  {{"index", std::to_string(i)},
                   {"nodes", "8"},
                   {"count", "60"},
                   {"pause", i % 2 ? "40ns" : "0ns"},
                   {"depth", "2"}});
            m.bind(at("node", i), "output", "mesh", at("input", i));
            m.bind("mesh", at("output", i), at("node", i), "input");
        }
    }};

} // namespace memsim::test::rigs_flash
