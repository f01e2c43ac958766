#include "oracle.hh"

namespace memsim::test::rigs_cxl_link {

/// Small queues and few credits; `more` is of both ends.
static void cxl_link(Machine& m, const Arguments& more) {
    Arguments root {{"queue", "4"}, {"buffer", "16"}, {"outstanding", "16"}};
    Arguments device {{"ingress", "2"}, {"outstanding", "3"}};
    root.insert(root.end(), more.begin(), more.end());
    device.insert(device.end(), more.begin(), more.end());
    m.add("driver", "test.Driver",
          {{"gap", "12ns"}, {"footprint", "8KiB"}, {"line", "128"}, {"masks", "true"}});
    m.add("root", "cxl.RootPort", root);
    m.add("device", "cxl.DevicePort", device);
    m.add("memory", "mem.SimpleMemory", {{"queue", "2"}});
    m.bind("driver", "mem", "root", "cpu_side");
    m.bind("root", "flits_out", "device", "flits_in");
    m.bind("device", "flits_out", "root", "flits_in");
    m.bind("device", "mem_side", "memory", "cpu_side");
}

static const RigFor root_port {"cxl.RootPort", [](Machine& m) { cxl_link(m, {}); }};
/// With flits in replay all the time.
static const RigFor device_port {"cxl.DevicePort", [](Machine& m) {
                                     cxl_link(m, {{"bit_errors", "200000000000"},
                                                  {"timeout", "256"},
                                                  {"credits", "4"},
                                                  {"flush", "50ns"},
                                                  {"skp_blocks", "20"}});
                                 }};

/// The same in 256-byte flits: a fifth of them is lost.
static Arguments replaying(const char* flit) {
    return {{"flit", flit},     {"bit_errors", "600000000000"},
            {"timeout", "256"}, {"credits", "6"},
            {"flush", "50ns"},  {"skp_blocks", "20"}};
}
static const RigFor root_port_256 {"cxl.RootPort",
                                   [](Machine& m) { cxl_link(m, replaying("256B")); }};
static const RigFor device_port_256 {"cxl.DevicePort",
                                     [](Machine& m) { cxl_link(m, replaying("256B-lopt")); }};

} // namespace memsim::test::rigs_cxl_link
