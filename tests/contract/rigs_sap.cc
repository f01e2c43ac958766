#include "../unit/sap/upcoming_source.hh"
#include "../unit/sap/watched.hh"
#include "oracle.hh"

namespace memsim::test::rigs_sap {

/// Policies and prefetches without other components; a record that overflows.
static const RigFor shadow_dram {
    "sap.ShadowDram", [](Machine& m) {
        planned_hints() = {};
        m.add("upcoming_source", "test.UpcomingSource", {{"count", "400"}, {"hearing", "1"}});
        m.add("shadow", "sap.ShadowDram",
              {{"least", "32KiB"}, {"capacities", "3"}, {"replacement", "clock"}, {"record", "5"}});
        m.bind("upcoming_source", "accesses[0]", "shadow", "accesses");
        m.bind("upcoming_source", "upcoming[0]", "shadow", "recorded");
    }};
static const RigFor stack_distances {
    "sap.StackDistances", [](Machine& m) {
        planned_hints() = {};
        m.add("upcoming_source", "test.UpcomingSource", {{"count", "1500"}});
        m.add("distances", "sap.StackDistances", {{"least", "32KiB"}, {"capacities", "3"}});
        m.bind("upcoming_source", "accesses[0]", "distances", "accesses");
    }};

namespace {

/// Blocks whose warps load from units of their own, in turns with arithmetic; idle gaps between
/// launches.
Script strides() {
    Script s;
    s.launches = 2, s.blocks = 3, s.warps = 4;
    s.write = [](auto& w, unsigned warp) {
        for (unsigned i = 0; i < 6; ++i) {
            w.compute(~0u, 20);
            w.access(gpu_program::WarpOpKind::load, 16, ~0u, 4, word(8192 * i + 40960 * warp, 64),
                     nullptr);
        }
    };
    return s;
}

} // namespace

/// Two SMs, a DRAM of few units before a drive, a full record, and a listener.
static const RigFor memory_manager {
    "sap.MemoryManager", [](Machine& m) {
        scripts() = {strides()};
        m.add("monitor", "mem.Monitor", {{"listeners", "1"}});
        m.add("memory", "mem.PageCache", {{"capacity", "64KiB"}, {"hint_queue", "1"}});
        m.add("dram", "mem.SimpleMemory", {});
        m.add("drive", "flash.FixedDrive", {{"read_latency", "5us"}});
        m.add("shadow", "sap.ShadowDram",
              {{"least", "32KiB"}, {"capacities", "2"}, {"queue", "1"}});
        m.bind("monitor", "mem_side", "memory", "cpu_side");
        m.bind("monitor", "passed[0]", "shadow", "accesses");
        m.bind("memory", "dram_side", "dram", "cpu_side");
        m.bind("memory", "drive_side", "drive", "requests");
        add_watched(m, 2, {{"record", "6"}, {"period", "50"}, {"listeners", "1"}, {"queue", "1"}},
                    {}, "32KiB", {{"launch_latency", "3us"}});
        m.bind("l2", "mem_side", "monitor", "cpu_side");
        m.bind("manager", "recorded[0]", "shadow", "recorded");
    }};

} // namespace memsim::test::rigs_sap
