#include "oracle.hh"

namespace memsim::test {

static const RigFor simple_memory {"mem.SimpleMemory", [](Machine& m) {
                                       m.add("driver", "test.Driver", {{"gap", "3ns"}});
                                       m.add("memory", "mem.SimpleMemory", {{"queue", "4"}});
                                       m.bind("driver", "mem", "memory", "cpu_side");
                                   }};

} // namespace memsim::test
