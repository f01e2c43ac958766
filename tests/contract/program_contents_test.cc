#include "../unit/mem/driver.hh"
#include "core/kernel/registry.hh"
#include "core/machine/functional.hh"
#include "core/machine/machine.hh"

#include <catch2/catch.hpp>

#include <functional>
#include <sstream>

/// Whole programs with contents: what their stores, atomics and hosts leave in the machine is what
/// they leave in their own memory, byte by byte.
namespace memsim::test::program_contents_test {

namespace {

using test_mem::arguments;
std::string at(const char* what, unsigned i) {
    return std::string(what) + "[" + std::to_string(i) + "]";
}

struct Options {
    std::string program = "name=vadd";
    std::string sm, dispatcher, l2 = "write_policy=write_back write_allocate=true";
    bool faults = false;
};

/// Two SMs behind write-through L1s, two slices of an L2, DRAM behind each; with `faults` an MMU,
/// whose frames are a part of the program's pages.
void build(Machine& m, const Options& o) {
    m.carry_contents();
    m.add("program", "workload.Program", arguments(o.program));
    m.add("dispatcher", "gpu.Dispatcher",
          arguments("sms=2 " + o.dispatcher + (o.faults ? " translated=true" : "")));
    m.bind("program", "dispatcher", "dispatcher", "host[0]");
    m.add("network", "mem.Crossbar",
          arguments("outputs=2 granularity=256B inputs=" + std::string(o.faults ? "4" : "2")));
    for (unsigned i = 0; i < 2; ++i) {
        m.add(at("sm", i), "gpu.Sm", arguments(o.sm));
        m.add(at("l1", i), "mem.Cache", arguments("capacity=6KiB ways=6"));
        m.bind("dispatcher", at("sm_side", i), at("sm", i), "blocks");
        m.bind(at("l1", i), "mem_side", "network", at("cpu_side", i));
        m.add(at("l2", i), "mem.Cache",
              arguments("capacity=8KiB ways=8 interleave_ways=2 interleave_index=" +
                        std::to_string(i) + " " + o.l2));
        m.add(
            at("dram", i), "mem.DramController",
            arguments("channels=2 map=RoRaBaCoChCl interleave=256B channel=" + std::to_string(i)));
        m.bind("network", at("mem_side", i), at("l2", i), "cpu_side");
        m.bind(at("l2", i), "mem_side", at("dram", i), "cpu_side");
    }
    if (!o.faults) {
        for (unsigned i = 0; i < 2; ++i) m.bind(at("sm", i), "mem_side", at("l1", i), "cpu_side");
        return m.build();
    }
    m.add("mmu", "gpu.Mmu",
          arguments("tlbs=2 page=4KiB address_space=16MiB placement=faults "
                    "memory=128KiB table_base=1GiB"));
    m.bind("mmu", "walk_side", "network", "cpu_side[2]");
    for (unsigned i = 0; i < 2; ++i) {
        m.add(at("tlb", i), "gpu.Tlb", arguments("page=4KiB acknowledged_stores=true"));
        m.bind(at("sm", i), "mem_side", at("tlb", i), "cpu_side");
        m.bind(at("tlb", i), "mem_side", at("l1", i), "cpu_side");
        m.bind(at("tlb", i), "mmu_side", "mmu", at("tlb_side", i));
        m.bind("mmu", at("shootdowns", i), at("tlb", i), "shootdowns");
    }
    m.add("host", "host.PagingHost", arguments("page=4KiB fault_latency=1us page_cost=50ns"));
    m.add("pcie", "link.Pcie", {});
    m.bind("mmu", "fault_side", "host", "faults");
    m.bind("host", "pages", "mmu", "mover_side[0]");
    m.bind("host", "device_side", "pcie", "from_host");
    m.bind("pcie", "to_device", "network", "cpu_side[3]");
    m.build();
}

ContentsReport finish(Machine& m) {
    REQUIRE(m.run(never) == Stop::idle);
    REQUIRE_FALSE(m.pending());
    CHECK(m.imbalances() == std::vector<std::string> {});
    return m.compare_contents();
}

} // namespace

TEST_CASE("after a run the machine's memory equals the program's functional memory",
          "[contract][contents]") {
    for (const char* program :
         {"name=vadd size=3000", "name=bfs1 size=8 degree=4", "name=betw size=7 degree=4",
          "name=pr size=7 degree=4 iterations=2", "name=gaus size=24", "name=rsum size=5000"})
        for (const bool faults : {false, true}) {
            INFO(program << (faults ? ", paged" : ""));
            Options o;
            o.program = program;
            o.faults = faults;
            Machine m;
            build(m, o);
            m.start();
            m.run(20'000'000'000);
            const Snapshot some = m.save();
            const ContentsReport report = finish(m);
            CHECK(report.first == "");
            CHECK(report.different == 0);
            CHECK(report.left_out == 0);
            CHECK(report.bytes > 1000);
            Machine again;
            build(again, o);
            again.load(some);
            CHECK(finish(again).different == 0);
        }
}

TEST_CASE("words that atomics wrote are left out where they are loads", "[contract][contents]") {
    Options o;
    o.program = "name=pr size=7 degree=4 iterations=2";
    o.sm = "atomics=loads";
    Machine m;
    build(m, o);
    m.start();
    const ContentsReport report = finish(m);
    CHECK(report.first == "");
    CHECK(report.left_out > 0);
}

TEST_CASE("a byte that a memory loses is found", "[contract][contents]") {
    Options o;
    Machine m;
    build(m, o);
    m.start();
    finish(m);
    FunctionalAccess wrong {64, 0, true, {}};
    wrong.data.known = 4;
    wrong.data.bytes[2] = 0xa5;
    wrong.data.order[2] = ~0u;
    look_through(*m.get<Component>("sm[0]").ports()[1].port, wrong);
    const ContentsReport report = finish(m);
    CHECK(report.different == 1);
    CHECK_THAT(report.first, Catch::Contains("the byte at address 66 of application 0 is 165"));
}

} // namespace memsim::test::program_contents_test
