#pragma once

#include "driver.hh"
#include "mem/crossbar/crossbar.hh"
#include "mem/simple_memory.hh"

#include <catch2/catch.hpp>

#include <string>

namespace memsim::mem::crossbar_test {

using test_mem::Driver;

constexpr Tick ns = 1'000'000;

inline std::string numbered(const std::string& name, unsigned i) {
    return name + "[" + std::to_string(i) + "]";
}

/// `inputs` drivers, a crossbar of 1 GHz and 32 B, `outputs` fast memories.
struct Rig {
    Rig(unsigned inputs, unsigned outputs, const std::string& more = "",
        const std::string& memory = "latency=100ns bandwidth=1000000GB/s queue=1000",
        const std::string& groups = "") {
        Arguments all =
            test_mem::arguments("clock=1GHz width=32B latency=5ns granularity=128B " + more);
        all.emplace_back("inputs", std::to_string(inputs));
        all.emplace_back("outputs", std::to_string(outputs));
        if (!groups.empty()) all.emplace_back("groups", groups);
        for (unsigned i = 0; i < inputs; ++i) m.add(numbered("driver", i), "test_mem.Driver", {});
        m.add("xbar", "mem.Crossbar", all);
        for (unsigned o = 0; o < outputs; ++o)
            m.add(numbered("memory", o), "mem.SimpleMemory", test_mem::arguments(memory));
        for (unsigned i = 0; i < inputs; ++i)
            m.bind(numbered("driver", i), "mem_side", "xbar", numbered("cpu_side", i));
        for (unsigned o = 0; o < outputs; ++o)
            m.bind("xbar", numbered("mem_side", o), numbered("memory", o), "cpu_side");
        m.build();
    }
    Driver& driver(unsigned i) { return m.get<Driver>(numbered("driver", i)); }
    Crossbar& xbar() { return m.get<Crossbar>("xbar"); }
    SimpleMemory& memory(unsigned o) { return m.get<SimpleMemory>(numbered("memory", o)); }
    void run() {
        m.start();
        CHECK(m.run(never) == Stop::idle);
        CHECK_FALSE(m.pending());
        CHECK(m.imbalances().empty());
    }
    Machine m;
};

} // namespace memsim::mem::crossbar_test
