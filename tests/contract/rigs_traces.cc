#include "oracle.hh"

/// Rigs of what plays and records traces; their files are written here.
namespace memsim::test::rigs_traces {

namespace {

/// Blocks of two warps that load, wait, meet at a barrier and store.
std::string kernel(unsigned blocks) {
    std::string text = "-kernel name = k\n-grid dim = (" + std::to_string(blocks) +
                       ",1,1)\n-block dim = (64,1,1)\n-accelsim tracer version = 3\n#\n";
    for (unsigned b = 0; b < blocks; ++b) {
        text += "#BEGIN_TB\nthread block = " + std::to_string(b) + ",0,0\n";
        for (unsigned w = 0; w < 2; ++w) {
            const std::string at = std::to_string(10 * (b % 3) + w);
            text += "warp = " + std::to_string(w) +
                    "\ninsts = 10\n" //
                    "0000 ffffffff 1 R2 LDG.E 1 R0 4 1 0x7f00000" +
                    at + "00 4\n" + "0010 0000ffff 1 R4 LDG.E 1 R0 4 2 0x7f0000010" + at +
                    " 100 -60 4 8 16 32 64 "
                    "128 256 512 4 4 4 4 4\n" +
                    "0020 ffffffff 1 R5 LDS 1 R2 4 1 0x0 8\n"
                    "0030 ffffffff 1 R2 IADD3 2 R4 R2 0\n"
                    "0040 ffffffff 0 BAR.SYNC 0 0\n"
                    "0044 ffffffff 0 STL.64 2 R1 R4 8 1 0xfffdc0 0\n"
                    "0048 ffffffff 1 R6 LDL.128 1 R1 16 1 0xfffa00 16\n"
                    "0050 ffffffff 0 STG.E 2 R0 R5 4 1 0x7f00000" +
                    at + "00 4\n" +
                    "0060 00000001 0 RED.E.ADD 2 R0 R5 4 1 0x7f0000000000 0\n"
                    "0070 ffffffff 0 EXIT 0 0\n";
        }
        text += "#END_TB\n";
    }
    return text;
}

} // namespace

static const RigFor program {
    "workload.TraceProgram", [](Machine& m) {
        m.add("program", "workload.TraceProgram",
              {{"trace", written("kernel.traceg", kernel(7))},
               {"repeat", "2"},
               {"launch_latency", "100ns"}});
        m.add("dispatcher", "gpu.Dispatcher", {{"sms", "1"}, {"block_slots", "2"}});
        m.add("sm", "gpu.Sm", {});
        m.add("memory", "mem.SimpleMemory", {{"queue", "4"}});
        m.bind("program", "dispatcher", "dispatcher", "host");
        m.bind("dispatcher", "sm_side[0]", "sm", "blocks");
        m.bind("sm", "mem_side", "memory", "cpu_side");
    }};
static const RigFor recorder {
    "workload.TraceRecorder", [](Machine& m) {
        m.add("recorder", "workload.TraceRecorder",
              {{"file", "/dev/null"}, {"batch", "16"}, {"outstanding", "4"}, {"queue", "2"}});
        m.add("memory", "mem.SimpleMemory", {{"queue", "2"}});
        m.add("driver", "test.Driver", {{"gap", "3ns"}});
        m.bind("driver", "mem", "recorder", "cpu_side");
        m.bind("recorder", "mem_side", "memory", "cpu_side");
    }};
static const RigFor player {
    "workload.TracePlayer", [](Machine& m) {
        std::string text;
        for (unsigned i = 0; i < 400; ++i)
            text += "0x" + std::to_string(i * 7919 % 100000) + (i % 3 ? " READ " : " WRITE ") +
                    std::to_string(i * i % 50 + 5 * i) + "\n";
        m.add("player", "workload.TracePlayer",
              {{"trace", written("player.trace", text)}, {"unit", "1ns"}, {"outstanding", "8"}});
        m.add("memory", "mem.SimpleMemory", {{"queue", "2"}, {"bandwidth", "8GB/s"}});
        m.bind("player", "mem_side", "memory", "cpu_side");
    }};

} // namespace memsim::test::rigs_traces
