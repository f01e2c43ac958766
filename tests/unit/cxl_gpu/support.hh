#pragma once

#include "../mem/driver.hh"
#include "cxl_gpu/deterministic_store.hh"
#include "cxl_gpu/queue_logic.hh"
#include "endpoint.hh"
#include "mem/simple_memory.hh"

#include <catch2/catch.hpp>

#include <optional>

/// What the tests of this folder share: a root port's queues between a driver and an endpoint.
namespace memsim::test_cxl_gpu {

using protocol::Command;
using protocol::MemRequest;
using test_mem::arguments;
using test_mem::Driver;
using test_mem::value;

constexpr Tick ns = 1'000'000, us = 1000 * ns;

/// Parameters of each part; a part without is left out.
struct Queues {
    std::optional<std::string> stores, queues;
    std::string endpoint {};
    std::string local = "latency=50ns bandwidth=1000000GB/s";
    std::string network {}; ///< a crossbar before the local memory
    std::string local_type = "mem.SimpleMemory";

    /// driver - stores (with the local memory) - queues - endpoint.
    void add(Machine& m, const std::string& driver, const std::string& driver_port) const {
        m.add("endpoint", "test_cxl_gpu.Endpoint", arguments(endpoint));
        std::string below = "endpoint";
        unsigned reports = 0;
        const auto put = [&](const std::string& path, const std::string& type,
                             const std::string& params) {
            m.add(path, type, arguments(params));
            m.bind(path, "mem_side", below, "cpu_side");
            m.bind("endpoint", "telemetry[" + std::to_string(reports++) + "]", path, "telemetry");
            below = path;
        };
        if (queues) put("queues", "cxl_gpu.QueueLogic", *queues);
        if (stores) {
            put("stores", "cxl_gpu.DeterministicStore", *stores);
            m.add("local", local_type, arguments(local));
            if (network.empty()) {
                m.bind("stores", "local_side", "local", "cpu_side");
            } else {
                m.add("network", "mem.Crossbar", arguments(network));
                m.bind("stores", "local_side", "network", "cpu_side[0]");
                m.bind("network", "mem_side[0]", "local", "cpu_side");
            }
        }
        m.bind(driver, driver_port, below, "cpu_side");
    }
};

/// The same under a driver that sends a plan.
struct Bench {
    explicit Bench(const Queues& parts, bool contents = false) {
        if (contents) m.carry_contents();
        m.add("driver", "test_mem.Driver", {});
        parts.add(m, "driver", "mem_side");
        m.build();
    }
    void run() {
        m.start();
        CHECK(m.run(never) == Stop::idle);
        CHECK_FALSE(m.pending());
        CHECK(m.imbalances().empty());
    }
    void load(Tick at, DevLoad load) { endpoint().state.plan.add(at, load); }
    Driver& driver() { return m.get<Driver>("driver"); }
    Endpoint& endpoint() { return m.get<Endpoint>("endpoint"); }
    cxl_gpu::QueueLogic& queues() { return m.get<cxl_gpu::QueueLogic>("queues"); }
    cxl_gpu::DeterministicStore& stores() { return m.get<cxl_gpu::DeterministicStore>("stores"); }
    mem::SimpleMemory& local() { return m.get<mem::SimpleMemory>("local"); }
    Machine m;
};

} // namespace memsim::test_cxl_gpu
