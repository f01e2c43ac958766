#include "oracle.hh"

#include <sstream>

namespace memsim::test::rigs_workload {

namespace {

/// A recording of one kernel: 64 threads in two blocks load, compute and store.
std::string recorded_kernel() {
    std::ostringstream file;
    const auto word = [&](std::uint64_t v) { file.write(reinterpret_cast<char*>(&v), 8); };
    file << "memsimS1";
    word(16 + 64 * 8);
    for (std::uint64_t t = 0; t < 64; ++t) word(4 * (t * 37 % 64));
    file << "array x 0 256\nlaunch k 2 32 8\nstep load 0 4 1 0 16 0 0\nstep compute 0 0 5 0 0 0 1 "
            "0\n"
            "step store 16 4 1 0 16 16 1 0\nlaunch k 2 32 8\nstep atomic 0 4 1 0 16 0 0\nend 0\n";
    return file.str();
}

/// It is written once: another machine may be reading it.
std::string recording() {
    static const std::string path = written("program.steps", recorded_kernel());
    return path;
}

const RigFor recorded {"workload.Recorded", [](Machine& m) {
                           m.add("program", "workload.Recorded", {{"file", recording()}});
                           m.add("dispatcher", "gpu.Dispatcher", {{"sms", "1"}});
                           m.add("sm", "gpu.Sm", {});
                           m.add("memory", "mem.SimpleMemory", {});
                           m.bind("program", "dispatcher", "dispatcher", "host");
                           m.bind("dispatcher", "sm_side[0]", "sm", "blocks");
                           m.bind("sm", "mem_side", "memory", "cpu_side");
                       }};

/// Fewer hardware threads than work-groups, and none for some lanes of the last round.
const RigFor serial {
    "workload.SerialGroups", [](Machine& m) {
        m.add("program", "workload.Program",
              {{"name", "bfs_rodinia"}, {"size", "8"}, {"threads_per_block", "16"}});
        m.add("threads", "workload.SerialGroups", {{"lanes", "2"}, {"warps", "3"}});
        m.add("dispatcher", "gpu.Dispatcher", {{"sms", "1"}});
        m.add("sm", "gpu.Sm", {{"lanes", "2"}});
        m.add("memory", "mem.SimpleMemory", {});
        m.bind("threads", "program", "program", "dispatcher");
        m.bind("dispatcher", "host[0]", "threads", "dispatcher");
        m.bind("dispatcher", "sm_side[0]", "sm", "blocks");
        m.bind("sm", "mem_side", "memory", "cpu_side");
    }};

} // namespace

} // namespace memsim::test::rigs_workload
