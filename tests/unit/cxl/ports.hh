#pragma once

#include "../mem/driver.hh"
#include "cxl/endpoint/device_port.hh"
#include "cxl/root/root_port.hh"
#include "mem/simple_memory.hh"

#include <catch2/catch.hpp>

/// A driver, a link and a memory, which the tests of the ports share.
namespace memsim::cxl {

using namespace memsim::literals;
using test_mem::arguments;
using test_mem::Command;
using test_mem::value;

struct Linked {
    Machine m {1};

    /// `both` is of both ends of the link; `medium` is a memory unless it names another component.
    explicit Linked(const std::string& both = "", const std::string& of_root = "",
                    const std::string& of_device = "", const std::string& of_memory = "",
                    const std::string& medium = "mem.SimpleMemory") {
        m.add("driver", "test_mem.Driver", {{"outstanding", "4096"}});
        m.add("root", "cxl.RootPort", arguments(both + " " + of_root));
        m.add("device", "cxl.DevicePort", arguments(both + " " + of_device));
        m.add("medium", medium, arguments(of_memory));
        m.bind("driver", "mem_side", "root", "cpu_side");
        m.bind("root", "flits_out", "device", "flits_in");
        m.bind("device", "flits_out", "root", "flits_in");
        m.bind("device", "mem_side", "medium", "cpu_side");
    }
    test_mem::Driver& driver() { return m.get<test_mem::Driver>("driver"); }
    RootPort& root() { return m.get<RootPort>("root"); }
    DevicePort& device() { return m.get<DevicePort>("device"); }
    void run() {
        m.build(), m.start();
        REQUIRE(m.run(never) == Stop::idle);
        CHECK_FALSE(m.pending());
        CHECK(m.imbalances() == std::vector<std::string> {});
    }
    /// From the time planned to the answer.
    Tick round_trip(std::uint32_t tag) {
        return driver().answered(tag) - driver().state.plan[tag].at;
    }
};

} // namespace memsim::cxl
