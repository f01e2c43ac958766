#include "../../validation/table.hh"
#include "mem/dram/presets/preset.hh"
#include "script.hh"

namespace memsim::gpu_validation_test {

using namespace memsim::test;
using gpu_program::WarpOpKind;
using validation::Table;

/// The GPU against answers that can be worked out: latencies are sums of parameters, throughputs
/// follow from Little's law. All clocks run at 1 GHz, so that a cycle is a nanosecond.
namespace {

constexpr Tick ns = 1'000'000;
Tick edge(Tick t) { return (t + ns - 1) / ns * ns; }

/// SM, L1, crossbar, L2, memory.
struct Hierarchy {
    static constexpr Tick sm = 1, l1 = 20 * ns - 1, l1_miss = 2 * ns - 1, network = 5 * ns,
                          l2 = 80 * ns - ns / 4, l2_miss = 3 * ns, header = 8, width = 32;
    static std::string fs(Tick t) { return std::to_string(t) + "fs"; }

    Machine machine;
    Hierarchy(const Script& script, const std::string& memory, const Arguments& of_memory,
              const std::string& l1_capacity = "3KiB") {
        scripts() = {script};
        machine.add("host", "test.ScriptHost", {});
        machine.add("dispatcher", "gpu.Dispatcher", {{"sms", "1"}, {"clock", "1GHz"}});
        machine.add("sm", "gpu.Sm", {{"clock", "1GHz"}, {"arithmetic_latency", "1"}});
        machine.add("l1", "mem.Cache",
                    {{"capacity", l1_capacity},
                     {"clock", "1GHz"},
                     {"mshrs", "64"},
                     {"latency", fs(l1)},
                     {"miss_latency", fs(l1_miss)}});
        machine.add("network", "mem.Crossbar",
                    {{"clock", "1GHz"}, {"width", "32B"}, {"latency", fs(network)}});
        machine.add("l2", "mem.Cache",
                    {{"capacity", "48KiB"},
                     {"clock", "1GHz"},
                     {"mshrs", "64"},
                     {"latency", fs(l2)},
                     {"miss_latency", fs(l2_miss)},
                     {"write_policy", "write_back"},
                     {"write_allocate", "true"}});
        machine.add("memory", memory, of_memory);
        machine.bind("host", "dispatcher", "dispatcher", "host");
        machine.bind("dispatcher", "sm_side", "sm", "blocks");
        machine.bind("sm", "mem_side", "l1", "cpu_side");
        machine.bind("l1", "mem_side", "network", "cpu_side");
        machine.bind("network", "mem_side", "l2", "cpu_side");
        machine.bind("l2", "mem_side", "memory", "cpu_side");
        machine.build();
        machine.start();
        REQUIRE(machine.run(never) == Stop::idle);
    }
    double cycles() { return machine.stat_value("dispatcher", "cycles", ""); }

    /// What a load should take, from issue to the issue of what needs it: at each crossing a
    /// message waits for the clock's edge and takes its bytes' time.
    static Tick to_l1() { return edge(sm + l1); }
    static Tick to_l2_and_back(Tick there) {
        const Tick at_network = edge(sm + l1_miss);
        const Tick at_l2 = at_network + network + header * ns / width;
        const Tick back_at_network = edge(at_l2 + there + l2);
        return edge(back_at_network + network + (header + 32) * ns / width + l1);
    }
};

/// A chase: each load needs the one before. `address` of the i-th.
template <class F>
Script chase(unsigned loads, F address) {
    Script s;
    s.footprint = 1 << 24;
    s.write = [=](auto& w, unsigned) {
        for (unsigned i = 0; i < loads; ++i)
            w.access(WarpOpKind::load, 16, 1, 4, word(address(i), 0), nullptr, i > 0);
    };
    return s;
}

/// Cycles of a load, from the difference of two chases, which removes the cycles around them.
template <class F>
double step(unsigned from, unsigned to, F address, const std::string& memory,
            const Arguments& of_memory) {
    const double less = Hierarchy(chase(from, address), memory, of_memory).cycles();
    return (Hierarchy(chase(to, address), memory, of_memory).cycles() - less) / (to - from);
}

} // namespace

TEST_CASE("A chase of loads shows the latency of each level, exactly", "[validation][gpu]") {
    const std::string simple = "mem.SimpleMemory";
    const Arguments fixed {{"latency", "150ns"}};
    Table table("Latency of dependent loads", "In ns, from a load's issue to the next one's",
                "level | stages | sum | measured");
    auto row = [&](const char* level, const char* stages, double measured, Tick sum) {
        table.row("{} | {} | {} | {:.2f}", level, stages, sum / ns, measured);
        CHECK(measured == static_cast<double>(sum / ns));
    };
    const auto one_line = [](unsigned) { return std::uint64_t {0}; };
    const auto in_l2 = [](unsigned i) { return std::uint64_t {i % 100} * 128; }; // 12.5 KiB
    const auto far = [](unsigned i) { return std::uint64_t {i} * 8192; };
    row("L1", "SM to L1, L1's latency", step(10, 110, one_line, simple, fixed), Hierarchy::to_l1());
    row("L2",
        "L1's miss path 2, edge, crossbar 5, 8 of 32 B 0.25, L2 79.75, edge, crossbar 5, 40 of 32 "
        "B "
        "1.25, L1 20, edge",
        step(100, 300, in_l2, simple, fixed), Hierarchy::to_l2_and_back(0));
    row("a memory of 150 ns", "as L2, and L2's miss path 3, the memory 150",
        step(10, 110, far, simple, fixed),
        Hierarchy::to_l2_and_back(Hierarchy::l2_miss + 150 * ns));
    // An activate at the next command edge, a read, the first and last data of a burst.
    const auto& t = mem::DramTable::find("ddr4_2400");
    const Tick burst = Tick {t.burst} * ticks_per_second / t.rate.raw;
    row("DDR4-2400, closed page", "as L2, and 3, tRCD + tCL + burst",
        step(10, 110, far, "mem.DramController",
             {{"timing", "ddr4_2400"}, {"page", "closed"}, {"changes", "tREFI=0ns"}}),
        Hierarchy::to_l2_and_back(Hierarchy::l2_miss + t.tRCDRD.raw + t.tCL.raw + burst + 1));
}

TEST_CASE("Streaming loads reach the bandwidth of the channel", "[validation][gpu]") {
    Table table("Streaming loads", "GB/s over DDR4-2400", "bound | GB/s | reached | %");
    auto reach = [&](const char* what, const std::string& changes, double bound) {
        Script s;
        s.footprint = 1 << 21;
        s.blocks = 32, s.warps = 8;
        auto block = std::make_shared<unsigned>(0);
        s.write = [block](auto& w, unsigned warp) {
            if (warp == 0) ++*block;
            for (unsigned i = 0; i < 64; ++i)
                w.access(WarpOpKind::load, 16, ~0u, 4,
                         word(((*block - 1) * 512 + i * 8 + warp) * 128, 4));
        };
        Hierarchy h(s, "mem.DramController",
                    {{"timing", "ddr4_2400"}, {"changes", changes}, {"map", "RoCoRaBaCh"}},
                    "48KiB");
        const double reached = 128.0 * 32 * 8 * 64 / h.cycles();
        table.row("{} | {:.2f} | {:.2f} | {:.1f}", what, bound, reached, 100 * reached / bound);
        CHECK(reached <= bound);
        CHECK(reached >= 0.9 * bound);
    };
    const auto& t = mem::DramTable::find("ddr4_2400");
    const double pins = static_cast<double>(t.rate.raw) / 1e9;
    const double refresh = static_cast<double>(t.tRFC.raw) / static_cast<double>(t.tREFI.raw);
    reach("without refresh: the pins", "tREFI=0ns", pins);
    reach("with refresh: pins x (1 - tRFC / tREFI)", "", pins * (1 - refresh));
}

TEST_CASE("Throughput follows the number of warps by Little's law", "[validation][gpu]") {
    Table table("Throughput of warps", "Measured and expected, for W warps",
                "W | loads, GB/s | expected | instructions a cycle | expected");
    // A load is back after 1 fs, 200 ns and the edge; the memory takes 10 ns for each line.
    constexpr unsigned latency = 201, line_time = 10, arithmetic = 22;
    for (unsigned warps : {1u, 2u, 4u, 8u, 16u, 20u, 24u, 32u, 48u}) {
        Script loads;
        loads.warps = warps;
        loads.write = [](auto& w, unsigned warp) {
            for (unsigned i = 0; i < 200; ++i)
                w.access(WarpOpKind::load, 16, ~0u, 4, word((i * 48 + warp) * 128, 4), nullptr,
                         i > 0);
        };
        ScriptRig memory({loads}, {{"clock", "1GHz"}}, 1, {{"clock", "1GHz"}},
                         {{"latency", "200ns"}, {"bandwidth", "12.8GB/s"}, {"queue", "64"}});
        memory.run();
        const double bandwidth = 128.0 * 200 * warps / memory.cycles();
        const double expected = std::min(128.0 * warps / latency, 128.0 / line_time);
        Script stretches; // of ten instructions, so that warps take turns
        stretches.warps = warps;
        stretches.write = [](auto& w, unsigned) {
            for (unsigned i = 0; i < 100; ++i) w.compute(i % 2 ? ~0u : 1u, 10);
        };
        ScriptRig sm(stretches, {{"arithmetic_latency", std::to_string(arithmetic)},
                                 {"scheduler", "loose_round_robin"}});
        sm.run();
        const double ipc = 1000.0 * warps / sm.cycles();
        const double full = std::min(1.0, static_cast<double>(warps) / arithmetic);
        table.row("{} | {:.3f} | {:.3f} | {:.3f} | {:.3f}", warps, bandwidth, expected, ipc, full);
        CHECK(bandwidth == Approx(expected).epsilon(0.03));
        CHECK(ipc == Approx(full).epsilon(0.02));
    }
}

TEST_CASE("Coalescing: lines and sectors of a warp's load by its stride", "[validation][gpu]") {
    Table table("Coalescing", "A warp's load of words of 4 bytes",
                "stride, words | offset, B | requests | expected | sectors | expected");
    auto measure = [&](unsigned stride, unsigned offset, double requests, double sectors) {
        Script s;
        s.write = [=](auto& w, unsigned) {
            for (unsigned i = 0; i < 50; ++i)
                w.access(WarpOpKind::load, 16, ~0u, 4, word(i * 8192 + offset, 4 * stride));
        };
        ScriptRig rig(s);
        rig.run();
        const double r = static_cast<double>(rig.sm().stat.memory.requests.value()) / 50;
        const double n = static_cast<double>(rig.sm().stat.memory.bytes.value()) / 50 / 32;
        table.row("{} | {} | {} | {} | {} | {}", stride, offset, r, requests, n, sectors);
        CHECK(r == requests);
        CHECK(n == sectors);
    };
    for (unsigned stride : {1u, 2u, 3u, 4u, 8u, 16u, 32u, 64u})
        measure(stride, 0, std::min(stride, 32u), std::min(4 * stride, 32u));
    measure(0, 0, 1, 1);  // one word for all
    measure(1, 4, 2, 5);  // a row that is a word off
    measure(1, 32, 2, 4); // a sector off
}

TEST_CASE("Shared memory serves one pass per cycle for any number of warps", "[validation][gpu]") {
    Table table("Shared memory", "Accesses a cycle", "passes | warps | measured | expected");
    for (unsigned passes : {1u, 2u, 8u, 32u})
        for (unsigned warps : {1u, 8u, 32u}) {
            Script s;
            s.warps = warps;
            s.write = [=](auto& w, unsigned) {
                for (unsigned i = 0; i < 200; ++i) w.shared(16, ~0u, passes, true, i > 0);
            };
            ScriptRig rig(s, {{"shared_latency", "20"}, {"scheduler", "loose_round_robin"}});
            rig.run();
            const double rate = 200.0 * warps / rig.cycles();
            const double expected = std::min(1.0 / passes, warps / (passes + 20.0));
            table.row("{} | {} | {:.4f} | {:.4f}", passes, warps, rate, expected);
            CHECK(rate == Approx(expected).epsilon(0.02));
        }
}

} // namespace memsim::gpu_validation_test
