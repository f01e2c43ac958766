#include "oracle.hh"

#include <string>

namespace memsim::test::rigs_cxl_root {

/// Three endpoints in one interleave set, which firmware programs while requests wait.
static void root(Machine& m) {
    m.add("driver", "test.Driver", {{"gap", "30ns"}, {"footprint", "24KiB"}});
    m.add("bridge", "cxl.HostBridge",
          {{"queue", "2"}, {"buffer", "3"}, {"outstanding", "4"}, {"decoders", "2"}});
    m.add("firmware", "cxl.Firmware", {{"ways", "3"}, {"latency", "50ns"}});
    m.bind("firmware", "bridge", "bridge", "config");
    m.bind("driver", "mem", "bridge", "cpu_side");
    for (unsigned i = 0; i < 3; ++i) {
        const std::string n = "[" + std::to_string(i) + "]";
        m.add("endpoint" + n, "cxl.Endpoint",
              {{"capacity", "8KiB"}, {"queue", "2"}, {"outstanding", "3"}, {"media_ready", "1us"}});
        m.add("memory" + n, "mem.SimpleMemory", {{"queue", "2"}});
        m.bind("bridge", "mem_side", "endpoint" + n, "cpu_side");
        m.bind("firmware", "endpoints", "endpoint" + n, "config");
        m.bind("endpoint" + n, "mem_side", "memory" + n, "cpu_side");
    }
}
static const RigFor bridge {"cxl.HostBridge", root};
static const RigFor endpoint {"cxl.Endpoint", root};
static const RigFor firmware {"cxl.Firmware", root};

} // namespace memsim::test::rigs_cxl_root
