#include "oracle.hh"

/// Rigs of TLBs, MMU, PCIe and host under the random requests of test.Driver: more pages than
/// frames.
namespace memsim::test::rigs_mmu {

namespace {

/// Two drivers behind TLBs and L1s, a crossbar, one memory for pages and page tables.
void gpu(Machine& m, bool faults, const Arguments& tlb, bool drive = false,
         const Arguments& host = {}) {
    const std::string inputs = faults ? "4" : "3";
    m.add("network", "mem.Crossbar", {{"inputs", inputs}, {"outputs", "1"}});
    m.add("memory", "mem.SimpleMemory", {{"queue", "8"}});
    m.bind("network", "mem_side[0]", "memory", "cpu_side");
    Arguments mmu {
        {"tlbs", "2"},         {"page", "1KiB"}, {"address_space", "16KiB"}, {"walkers", "2"},
        {"walk_buffer", "4"},  {"targets", "1"}, {"entries", "8"},           {"ways", "2"},
        {"walk_cache", "2"},   {"queue", "2"},   {"walk_cache_ways", "1"},   {"leaf_entries", "2"},
        {"fault_buffer", "3"}, {"orders", "2"}};
    mmu.emplace_back("placement", faults ? "faults" : "first_touch");
    mmu.emplace_back("memory", faults ? "6KiB" : "16KiB");
    m.add("mmu", "gpu.Mmu", mmu);
    m.bind("mmu", "walk_side", "network", "cpu_side[2]");
    for (unsigned i = 0; i < 2; ++i) {
        Arguments params {{"page", "1KiB"}, {"entries", "4"}, {"ways", "2"},
                          {"misses", "2"},  {"targets", "2"}, {"queue", "4"}};
        params.insert(params.end(), tlb.begin(), tlb.end());
        m.add(at("driver", i), "test.Driver",
              {{"gap", faults ? "300ns" : "3ns"}, {"footprint", "16KiB"}});
        m.add(at("tlb", i), "gpu.Tlb", params);
        m.add(at("l1", i), "mem.Cache", {{"capacity", "1536B"}, {"mshrs", "4"}});
        m.bind(at("driver", i), "mem", at("tlb", i), "cpu_side");
        m.bind(at("tlb", i), "mem_side", at("l1", i), "cpu_side");
        m.bind(at("tlb", i), "mmu_side", "mmu", at("tlb_side", i));
        m.bind("mmu", at("shootdowns", i), at("tlb", i), "shootdowns");
        m.bind(at("l1", i), "mem_side", "network", at("cpu_side", i));
    }
    if (!faults) return;
    Arguments params {{"page", "1KiB"},
                      {"fault_latency", "2us"},
                      {"page_cost", "100ns"},
                      {"batch", "4"},
                      {"transfers", "2"},
                      {"outstanding", "4"},
                      {"source", drive ? "drive" : "host_memory"}};
    params.insert(params.end(), host.begin(), host.end());
    m.add("host", "host.PagingHost", params);
    if (drive) {
        m.add("drive", "flash.FixedDrive", {{"read_latency", "3us"}, {"queue", "1"}});
        m.bind("host", "drive_side", "drive", "requests");
    }
    m.add("pcie", "link.Pcie", {{"queue", "4"}, {"lanes", "4"}});
    m.bind("mmu", "fault_side", "host", "faults");
    m.bind("host", "pages", "mmu", "mover_side[0]");
    m.bind("host", "device_side", "pcie", "from_host");
    m.bind("pcie", "to_device", "network", "cpu_side[3]");
}

/// Requests of both sides of a link cross it.
void both_ways(Machine& m) {
    m.add("pcie", "link.Pcie", {{"queue", "2"}, {"outstanding", "4"}});
    for (const auto& [name, from, to] :
         {std::tuple {"host", "from_host", "to_device"}, {"device", "from_device", "to_host"}}) {
        const std::string memory = std::string(name) + "_requests_go_to";
        m.add(name, "test.Driver", {{"gap", "3ns"}});
        m.add(memory, "mem.SimpleMemory", {{"queue", "2"}});
        m.bind(name, "mem", "pcie", from);
        m.bind("pcie", to, memory, "cpu_side");
    }
}

} // namespace

static const RigFor tlb {"gpu.Tlb", [](Machine& m) {
                             gpu(m, true, {{"acknowledged_stores", "true"}});
                         }};
static const RigFor mmu {"gpu.Mmu", [](Machine& m) { gpu(m, false, {}); }};
static const RigFor host {"host.PagingHost", [](Machine& m) { gpu(m, true, {}); }};
static const RigFor prefetching_host {
    "host.PagingHost", [](Machine& m) {
        gpu(m, true, {}, false, {{"prefetch", "density(block=2KiB, region=8KiB)"}});
    }};
static const RigFor fixed_drive {"flash.FixedDrive", [](Machine& m) { gpu(m, true, {}, true); }};
static const RigFor pcie {"link.Pcie", both_ways};

} // namespace memsim::test::rigs_mmu
