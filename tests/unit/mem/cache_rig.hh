#pragma once

#include "driver.hh"
#include "mem/cache/cache.hh"
#include "mem/simple_memory.hh"

#include <catch2/catch.hpp>

/// What the tests of caches share.
namespace memsim::mem {

using protocol::Command;
using test_mem::Driver;
using test_mem::value;

inline constexpr Tick ns = 1'000'000;

/// driver - cache - memory of 100 ns. By default the cache has 2 sets of 2 lines.
struct Rig {
    explicit Rig(const std::string& cache, const std::string& bandwidth = "1000000GB/s",
                 unsigned sources = 2) {
        Arguments all {
            {"capacity", "512B"}, {"ways", "2"}, {"latency", "10ns"}, {"fill_port", "true"}};
        for (const auto& a : test_mem::arguments(cache)) {
            std::erase_if(all, [&](auto& old) { return old.first == a.first; });
            all.push_back(a);
        }
        m.add("driver", "test_mem.Driver", {{"sources", std::to_string(sources)}});
        if (value_of(all, "control_ports")) {
            m.add("manager", "test_mem.Driver", {});
            managed = true;
        }
        if (value_of(all, "hint_ports")) m.add("hinter", "test_mem.Hinter", {});
        m.add("cache", "mem.Cache", all);
        m.add("memory", "mem.SimpleMemory", {{"bandwidth", bandwidth}});
        m.bind("driver", "mem_side", "cache", "cpu_side");
        m.bind("cache", "mem_side", "memory", "cpu_side");
        if (managed) m.bind("manager", "mem_side", "cache", "control[0]");
        if (value_of(all, "hint_ports")) m.bind("hinter", "hints", "cache", "hints[0]");
        m.build();
    }
    static bool value_of(const Arguments& all, const std::string& name) {
        for (const auto& a : all)
            if (a.first == name) return true;
        return false;
    }
    Driver& manager() { return m.get<Driver>("manager"); }
    test_mem::Hinter& hinter() { return m.get<test_mem::Hinter>("hinter"); }
    Driver& driver() { return m.get<Driver>("driver"); }
    Cache& cache() { return m.get<Cache>("cache"); }
    SimpleMemory& memory() { return m.get<SimpleMemory>("memory"); }
    /// To the end, which has to balance.
    void run() {
        m.start();
        CHECK(m.run(never) == Stop::idle);
        CHECK_FALSE(m.pending());
        CHECK(m.imbalances().empty());
    }
    Machine m;
    bool managed = false;
};

/// The error that refuses a cache with these parameters below so many requesters, or "".
inline std::string refused(const std::string& cache, unsigned sources = 2) {
    try {
        Rig rig(cache, "1000000GB/s", sources);
    } catch (const ConfigError& e) {
        return e.what();
    }
    return "";
}

// What a request takes: 1 fs to the cache, `latency` back; a miss 1 fs to the memory and its
// latency on top.
inline constexpr Tick hit_time = 1 + 10 * ns;
inline constexpr Tick miss_time = hit_time + 1 + 100 * ns;

} // namespace memsim::mem
