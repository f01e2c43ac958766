#pragma once

#include "../gpu/script.hh"

namespace memsim::test {

/// SMs with their L1s and an L2, whose mem_side the caller binds, run the script 0; a
/// sap.MemoryManager watches them, and asks the component `memory` for units.
inline void add_watched(Machine& m, unsigned sms, Arguments manager, const Arguments& sm = {},
                        const std::string& l1 = "32KiB", const Arguments& host = {}) {
    const std::string n = std::to_string(sms);
    manager.push_back({"sms", n});
    Arguments script {{"script", "0"}};
    script.insert(script.end(), host.begin(), host.end());
    m.add("dispatcher", "gpu.Dispatcher", {{"sms", n}});
    m.add("host", "test.ScriptHost", script);
    m.bind("host", "dispatcher", "dispatcher", "host");
    m.add("network", "mem.Crossbar", {{"inputs", n}, {"outputs", "1"}});
    m.add("l2", "mem.Cache", {{"control_ports", "1"}});
    m.add("manager", "sap.MemoryManager", manager);
    for (unsigned i = 0; i < sms; ++i) {
        const std::string k = "[" + std::to_string(i) + "]";
        m.add("sm" + k, "gpu.Sm", sm);
        m.add("l1" + k, "mem.Cache", {{"control_ports", "1"}, {"capacity", l1}, {"ways", "2"}});
        m.bind("dispatcher", "sm_side" + k, "sm" + k, "blocks");
        m.bind("sm" + k, "mem_side", "l1" + k, "cpu_side");
        m.bind("l1" + k, "mem_side", "network", "cpu_side" + k);
        m.bind("manager", "queries" + k, "sm" + k, "queries");
        m.bind("sm" + k, "upcoming", "manager", "upcoming" + k);
        m.bind("manager", "l1" + k, "l1" + k, "control[0]");
    }
    m.bind("network", "mem_side[0]", "l2", "cpu_side");
    m.bind("manager", "l2[0]", "l2", "control[0]");
    m.bind("memory", "misses", "manager", "misses");
    m.bind("manager", "hints", "memory", "hints");
}

} // namespace memsim::test
