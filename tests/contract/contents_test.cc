#include "../unit/cxl_gpu/support.hh"
#include "../unit/flash/probes.hh"
#include "../unit/flash/support.hh"
#include "../unit/mem/driver.hh"
#include "../unit/zng/ftl_support.hh"
#include "data_driver.hh"

#include <catch2/catch.hpp>

#include <functional>

/// The data contract of everything that takes block requests: random traffic, every read compared
/// with a reference memory, the image at the end, and both again in a machine that was saved and
/// restored on its way.
namespace memsim::test::contents_test {

namespace {

struct DataRig {
    std::string name;
    std::vector<std::string> drivers;
    std::function<void(Machine&)> build;
    std::vector<std::string> block_drivers {}; ///< test_flash.Checkers
};

using test_mem::arguments;

void add_memory(Machine& m, const std::string& path, const std::string& text = "") {
    m.add(path, "mem.SimpleMemory", arguments("latency=50ns bandwidth=8GB/s queue=4 " + text));
}

/// driver - L1 - L2 - memory.
DataRig caches(const std::string& l1, const std::string& l2) {
    return {"caches, " + l1 + "; " + l2, {"driver"}, [=](Machine& m) {
                m.add("driver", "test.DataDriver", {});
                m.add("l1", "mem.Cache",
                      arguments("capacity=512B ways=2 latency=3ns mshrs=3 targets=2 mem_queue=3 " +
                                l1));
                m.add("l2", "mem.Cache",
                      arguments("capacity=1KiB ways=4 latency=5ns mshrs=4 targets=3 mem_queue=4 " +
                                l2));
                add_memory(m, "memory");
                m.bind("driver", "mem", "l1", "cpu_side");
                m.bind("l1", "mem_side", "l2", "cpu_side");
                m.bind("l2", "mem_side", "memory", "cpu_side");
            }};
}

/// driver - L1 - victim buffer - L2 - victim buffer - memory.
DataRig caches_with_victims(const std::string& l1, const std::string& l2) {
    return {"caches with victim buffers, " + l1 + "; " + l2, {"driver"}, [=](Machine& m) {
                m.add("driver", "test.DataDriver", {});
                m.add("l1", "mem.Cache",
                      arguments("capacity=512B ways=2 latency=3ns mshrs=3 targets=2 mem_queue=4 " +
                                l1));
                m.add("l2", "mem.Cache",
                      arguments("capacity=1KiB ways=4 latency=5ns mshrs=4 targets=3 mem_queue=4 " +
                                l2));
                m.add("l1_victims", "mem.VictimBuffer", arguments("sectors=6 outstanding=2"));
                m.add("l2_victims", "mem.VictimBuffer", arguments("sectors=32"));
                add_memory(m, "memory");
                m.bind("driver", "mem", "l1", "cpu_side");
                m.bind("l1", "mem_side", "l1_victims", "cpu_side");
                m.bind("l1_victims", "mem_side", "l2", "cpu_side");
                m.bind("l2", "mem_side", "l2_victims", "cpu_side");
                m.bind("l2_victims", "mem_side", "memory", "cpu_side");
            }};
}

/// A drive of two channels that collects all the time.
test_flash::Flash small_drive(const std::string& more, unsigned registers = 1) {
    test_flash::Flash f {2, 1, 2, 2, 14, 4};
    f.drive = test_flash::with({{"page", "4KiB"},
                                {"over_provisioning", "50%"},
                                {"cache", "64KiB"},
                                {"write_buffer", "32KiB"}},
                               arguments(more));
    f.channel = f.package = {{"registers", std::to_string(registers)}};
    f.package.emplace_back("media", "slc");
    return f;
}

DataRig drive(const std::string& more, unsigned registers = 1) {
    return {"a drive, " + more,
            {},
            [=](Machine& m) {
                m.add("host", "test_flash.Checker", arguments("count=2500 sectors=880 gap=100us"));
                small_drive(more, registers).add(m);
                m.bind("host", "drive", "drive", "host[0]");
            },
            {"host"}};
}

/// A drive whose flash is a stack of HBF.
DataRig drive_of_hbf() {
    return {"a drive of HBF",
            {},
            [](Machine& m) {
                m.add("host", "test_flash.Checker", arguments("count=2500 sectors=880 gap=100us"));
                m.add("drive", "flash.Drive", small_drive("cache_reads=true").of_drive());
                m.add("stack", "flash.HbfStack",
                      arguments("channels=2 dies=2 banks=2 blocks=14 pages=4 written=false "
                                "retry_chance=10%"));
                m.bind("host", "drive", "drive", "host[0]");
                for (const std::string c : {"[0]", "[1]"})
                    m.bind("drive", "channel" + c, "stack", "host" + c);
            },
            {"host"}};
}

/// A link of CXL before a memory; `more` is of both of its ends.
DataRig cxl_link(const std::string& more) {
    return {"a link of CXL, " + more, {"driver"}, [=](Machine& m) {
                m.add("driver", "test.DataDriver", arguments("lines=40"));
                m.add("root", "cxl.RootPort", arguments(more));
                m.add("device", "cxl.DevicePort", arguments("ingress=3 outstanding=4 " + more));
                add_memory(m, "memory");
                m.bind("driver", "mem", "root", "cpu_side");
                m.bind("root", "flits_out", "device", "flits_in");
                m.bind("device", "flits_out", "root", "flits_in");
                m.bind("device", "mem_side", "memory", "cpu_side");
            }};
}

/// HybridGPU's buffer of 16 pages over a drive.
DataRig page_buffer(const std::string& dram) {
    return {"a page buffer, " + dram, {"driver"}, [=](Machine& m) {
                m.add("driver", "test.DataDriver",
                      arguments("count=4000 lines=200 stride=7 gap=2us answers=40"));
                m.add("buffer", "zng.PageBuffer",
                      arguments("capacity=64KiB ways=4 dirty_pages=3 requests=12 dram_queue=6"));
                m.add("dram", dram, {});
                small_drive("firmware=300ns cores=2").add(m);
                m.bind("driver", "mem", "buffer", "cpu_side");
                m.bind("buffer", "dram_side", "dram", "cpu_side");
                m.bind("buffer", "drive_side", "drive", "host[0]");
            }};
}

/// A buffer of a few lines before far memory; `more` is of the component.
DataRig read_ahead(const std::string& more) {
    return {"arrays that are read ahead, " + more, {"driver"}, [=](Machine& m) {
                m.add("driver", "test.DataDriver", arguments("lines=40 answers=6 copies=150"));
                Arguments all = arguments("base=1MiB fetches=4 outstanding=6 " + more);
                const bool routed = more.find("router") != std::string::npos;
                all.emplace_back("arrays", routed ? "0B 1KiB; 1KiB 1KiB 0; 2KiB 512B 1"
                                                  : "0B 1KiB; 1KiB 1KiB; 2KiB 512B, 3KiB 1KiB");
                m.add("ahead", "mem.ReadAhead", all);
                m.add("router", "link.AddressRouter", {{"ranges", "0B 1MiB 0, 1MiB 1MiB 1"}});
                add_memory(m, "far");
                add_memory(m, "near");
                m.bind("driver", "mem", "ahead", "cpu_side");
                m.bind("ahead", "mem_side", "router", "cpu_side");
                m.bind("router", "mem_side", "far", "cpu_side");
                m.bind("router", "mem_side", "near", "cpu_side");
            }};
}

/// A DRAM of 12 units before a drive; `hints`: it prefetches.
DataRig page_cache(const std::string& more, const std::string& drive, bool hints) {
    return {"a page cache, " + more + "; " + drive, {"driver"}, [=](Machine& m) {
                m.add("driver", "test.DataDriver",
                      arguments("count=4000 lines=200 stride=7 gap=2us answers=40"));
                m.add("cache", "mem.PageCache",
                      arguments("capacity=48KiB requests=12 dram_queue=6 drive_queue=3 batch=4 " +
                                more));
                m.add("dram", "mem.DramController", {});
                m.bind("driver", "mem", "cache", "cpu_side");
                m.bind("cache", "dram_side", "dram", "cpu_side");
                if (drive == "flash.Drive") {
                    small_drive("firmware=300ns cores=2").add(m);
                    m.bind("cache", "drive_side", "drive", "host[0]");
                } else {
                    m.add("drive", drive, {});
                    m.bind("cache", "drive_side", "drive", "requests");
                }
                if (!hints) return;
                m.add("prefetcher", "test.NextPages", arguments("pages=3"));
                m.bind("cache", "misses", "prefetcher", "misses");
                m.bind("prefetcher", "hints", "cache", "hints");
            }};
}

/// The same with 12 units of 256 bytes, over a drive of such blocks, or one of sectors of 512.
DataRig small_units(bool merges, const std::string& more = "") {
    return {(merges ? "a page cache of small units, merged" : "a page cache of small units") + more,
            {"driver"},
            [=](Machine& m) {
                m.add("driver", "test.DataDriver",
                      arguments("count=4000 lines=120 gap=2us answers=40"));
                m.add("cache", "mem.PageCache",
                      arguments("capacity=3KiB unit=256B requests=12 dram_queue=6 drive_queue=3 "
                                "batch=4" +
                                more));
                m.add("dram", "mem.SimpleMemory", {});
                m.bind("driver", "mem", "cache", "cpu_side");
                m.bind("cache", "dram_side", "dram", "cpu_side");
                if (!merges) {
                    m.add("drive", "flash.FixedDrive", arguments("block=256B"));
                    m.bind("cache", "drive_side", "drive", "requests");
                    return;
                }
                small_drive("").add(m);
                m.add("merger", "flash.SectorMerger",
                      arguments(more.find("group") == std::string::npos
                                    ? "jobs=3 queue=2"
                                    : "jobs=5 queue=2 group=1KiB"));
                m.bind("cache", "drive_side", "merger", "requests");
                m.bind("merger", "drive", "drive", "host[0]");
            }};
}

/// A memory that appears as a drive: of a host, or of a page cache.
DataRig block_adapter(const std::string& adapter) {
    return {"a memory as a drive, " + adapter,
            {},
            [=](Machine& m) {
                m.add("host", "test_flash.Checker", arguments("gap=2us trims=0%"));
                m.add("adapter", "link.BlockAdapter", arguments(adapter));
                m.add("dram", "mem.DramController", {});
                m.bind("host", "drive", "adapter", "requests");
                m.bind("adapter", "mem_side", "dram", "cpu_side");
            },
            {"host"}};
}
DataRig page_cache_over_memory(const std::string& more) {
    return {"a page cache over a memory, " + more, {"driver"}, [=](Machine& m) {
                m.add("driver", "test.DataDriver",
                      arguments("count=4000 lines=200 stride=7 gap=200ns answers=40 copies=150"));
                m.add("cache", "mem.PageCache",
                      arguments("capacity=48KiB requests=12 dram_queue=6 drive_queue=3 batch=4 " +
                                more));
                m.add("dram", "mem.DramController", {});
                m.add("adapter", "link.BlockAdapter", arguments("jobs=2 outstanding=8"));
                m.add("far", "mem.DramController", {});
                m.bind("driver", "mem", "cache", "cpu_side");
                m.bind("cache", "dram_side", "dram", "cpu_side");
                m.bind("cache", "drive_side", "adapter", "requests");
                m.bind("adapter", "mem_side", "far", "cpu_side");
            }};
}

/// A CXL host bridge over two endpoints in an interleave set.
DataRig cxl_root() {
    return {"a CXL root complex", {"driver"}, [](Machine& m) {
                m.add("driver", "test.DataDriver", arguments("base=8KiB lines=64"));
                m.add("bridge", "cxl.HostBridge", arguments("buffer=3"));
                m.add("firmware", "cxl.Firmware", arguments("window_base=8KiB ways=2"));
                m.bind("driver", "mem", "bridge", "cpu_side");
                m.bind("firmware", "bridge", "bridge", "config");
                for (const std::string n : {"[0]", "[1]"}) {
                    m.add("endpoint" + n, "cxl.Endpoint", arguments("capacity=4KiB"));
                    add_memory(m, "memory" + n);
                    m.bind("bridge", "mem_side", "endpoint" + n, "cpu_side");
                    m.bind("firmware", "endpoints", "endpoint" + n, "config");
                    m.bind("endpoint" + n, "mem_side", "memory" + n, "cpu_side");
                }
            }};
}

/// ZnG's flash: an L2, controllers, mesh, packages; its collector merges log blocks meanwhile.
DataRig zng_flash(const std::string& package, const std::string& l2, bool redirect = false) {
    return {"ZnG's flash, " + package + "; " + l2, {"wanderer[0]", "wanderer[1]"}, [=](Machine& m) {
                test_zng::Ftl ftl;
                ftl.driver = "test.DataDriver";
                ftl.gates = false;
                ftl.redirect = redirect;
                ftl.wanderer = arguments("count=3000 lines=300 stride=20 gap=400ns answers=32");
                ftl.package = arguments(package);
                ftl.l2 = arguments(l2);
                ftl.add(m);
            }};
}

/// Two drivers behind TLBs and L1s, one L2 and one memory, which holds all pages or some of them.
/// `drive`: its type, if the others are there.
DataRig paging(const std::string& name, bool faults, const std::string& drive = {},
               const std::string& source = "host_memory") {
    return {
        name, {"driver[0]", "driver[1]"}, [=](Machine& m) {
            const auto at = [](const char* what, unsigned i) {
                return std::string(what) + "[" + std::to_string(i) + "]";
            };
            m.add("network", "mem.Crossbar",
                  arguments("outputs=1 inputs=" + std::string(faults ? "4" : "3")));
            m.add("l2", "mem.Cache",
                  arguments("capacity=2KiB ways=4 write_policy=write_back write_allocate=true"));
            add_memory(m, "memory");
            m.bind("network", "mem_side[0]", "l2", "cpu_side");
            m.bind("l2", "mem_side", "memory", "cpu_side");
            m.add("mmu", "gpu.Mmu",
                  arguments("tlbs=2 page=1KiB address_space=16KiB walkers=2 entries=8 ways=2 "
                            "walk_cache=2 walk_cache_ways=1 leaf_entries=2 orders=2" +
                            std::string(faults ? " placement=faults memory=6KiB"
                                               : " placement=first_touch memory=16KiB")));
            m.bind("mmu", "walk_side", "network", "cpu_side[2]");
            for (unsigned i = 0; i < 2; ++i) {
                m.add(at("driver", i), "test.DataDriver",
                      arguments("count=1500 lines=64 gap=300ns base=" + std::to_string(8192 * i) +
                                "B"));
                m.add(at("tlb", i), "gpu.Tlb",
                      arguments("page=1KiB entries=4 ways=2 misses=2 targets=2 queue=4 "
                                "acknowledged_stores=true"));
                m.add(at("l1", i), "mem.Cache", arguments("capacity=1536B mshrs=4"));
                m.bind(at("driver", i), "mem", at("tlb", i), "cpu_side");
                m.bind(at("tlb", i), "mem_side", at("l1", i), "cpu_side");
                m.bind(at("tlb", i), "mmu_side", "mmu", at("tlb_side", i));
                m.bind("mmu", at("shootdowns", i), at("tlb", i), "shootdowns");
                m.bind(at("l1", i), "mem_side", "network", at("cpu_side", i));
            }
            if (!faults) return;
            m.add("host", "host.PagingHost",
                  arguments("page=1KiB fault_latency=2us page_cost=100ns batch=4 transfers=2 "
                            "outstanding=4 drive_space=64KiB source=" +
                            source));
            if (drive == "flash.Drive") {
                small_drive("cache=16KiB write_buffer=8KiB").add(m);
                m.bind("host", "drive_side", "drive", "host[0]");
            } else if (!drive.empty()) {
                m.add("drive", drive, {});
                m.bind("host", "drive_side", "drive", "requests");
            }
            m.add("pcie", "link.Pcie", arguments("queue=4 lanes=4"));
            m.bind("mmu", "fault_side", "host", "faults");
            m.bind("host", "pages", "mmu", "mover_side[0]");
            m.bind("host", "device_side", "pcie", "from_host");
            m.bind("pcie", "to_device", "network", "cpu_side[3]");
        }};
}

/// A controller of Ohm-GPU with two XPoint modules, whose buffers are small and whose gap moves
/// often.
DataRig ohm(const std::string& mode, const std::string& controller, const std::string& driver,
            const std::string& module = "") {
    return {"Ohm-GPU, " + mode + ", " + controller, {"driver"}, [=](Machine& m) {
                m.add("driver", "test.DataDriver", arguments("answers=40 " + driver));
                m.add("controller", "ohm." + mode + "Controller",
                      arguments("controllers=1 " + controller));
                m.bind("driver", "mem", "controller", "cpu_side");
                const bool function = controller.find("swap_function") != std::string::npos;
                const bool plain = controller.find("swaps=0") != std::string::npos;
                for (unsigned i = 0; i < 2; ++i) {
                    const std::string n = "[" + std::to_string(i) + "]";
                    m.add("xpoint" + n, plain ? "xpoint.Module" : "ohm.XpointModule",
                          arguments("capacity=16KiB partitions=4 psi=7 read_buffer=4 "
                                    "write_buffer=4 drain_high=3 drain_low=1 " +
                                    std::string(function ? "swaps=4 " : "") + module));
                    if (function) m.bind("controller", "sequences" + n, "xpoint" + n, "dram[0]");
                    m.bind("controller", "commands" + n, "xpoint" + n, "commands");
                    m.bind("controller", "transfers" + n, "xpoint" + n, "transfers");
                }
            }};
}

/// The parameters that Ohm-GPU's platforms give to their controllers
/// (python/memsim/papers/ohm/modes.py), with few pages or lines, so that nearly all of them move
/// all the time.
void add_ohm(std::vector<DataRig>& all) {
    const std::string planar = "dram=4KiB hot_threshold=2 requests=40 postponed=6 ";
    const std::string pages = "gap=60ns lines=288";
    for (const char* platform :
         {"routes=electrical buffer_reads=false swap_patience=0fs",
          "buffer_reads=false swap_patience=0fs", "", "auto_rw=true swap_patience=0fs",
          "auto_rw=true", "migration_channel=dedicated", "swap_function=true routes=wom",
          "swap_function=true routes=wom behind_writes=true",
          "swap_function=true routes=half_coupled behind_writes=true"})
        all.push_back(ohm("Planar", planar + platform, pages));
    const std::string still = "dram=4KiB swaps=0 ";
    all.push_back(ohm("Planar", still, "gap=60ns lines=100 base=4KiB"));
    all.push_back(ohm("Planar", still, "gap=400ns lines=12 base=4KiB",
                      "psi=1 write_buffer=2 "
                      "drain_high=1 drain_low=0"));
    const std::string lines = "gap=60ns lines=128";
    for (const char* line : {"line=128B ", "line=256B "})
        for (const char* platform :
             {"", "auto_rw=true", "auto_rw=true evictions=2", "migration_channel=dedicated",
              "reverse_write=true dram_register=512B reverse_batch=2",
              "auto_rw=true reverse_write=true reverse_hold=channel"})
            all.push_back(
                ohm("TwoLevel", std::string("dram=2KiB ratio=8 ") + line + platform, lines));
}

/// The queues of a CXL root port over an endpoint that keeps no order.
DataRig cxl_queues(const test_cxl_gpu::Queues& parts) {
    return {"CXL-GPU, " + parts.stores.value_or("no stores") + "; " + *parts.queues,
            {"driver"},
            [=](Machine& m) {
                m.add("driver", "test.DataDriver", arguments("gap=300ns answers=40"));
                parts.add(m, "driver", "mem");
            }};
}

std::vector<DataRig> rigs() {
    std::vector<DataRig> all;
    for (const char* l1 :
         {"write_policy=write_through", "write_policy=write_through write_allocate=true",
          "write_policy=write_through write_allocate=true fetch_on_write=false banks=2",
          "write_policy=write_evict replacement=fifo",
          "write_policy=write_evict reserved_ways=1 write_cycles=5 replacement=srrip",
          "write_policy=write_through reserved_ways=1 write_cycles=5",
          "write_policy=write_back replacement=tree_plru",
          "write_policy=write_back write_allocate=true replacement=random",
          "write_policy=write_back write_allocate=true fetch_on_write=false",
          "write_policy=write_back write_allocate=true fetch_on_write=false reserved_ways=1"})
        for (const char* l2 :
             {"write_policy=write_back write_allocate=true set_hash=polynomial",
              "write_policy=write_back write_allocate=true fetch_on_write=false banks=3 "
              "write_cycles=5",
              "write_policy=write_back write_allocate=true sector=64B acknowledged_writebacks=true",
              "write_policy=write_back write_allocate=true warm_base=0B warm_bytes=1KiB",
              "write_policy=write_through replacement=tree_plru",
              "write_policy=write_evict reserved_ways=2 replacement=srrip"})
            all.push_back(caches(l1, l2));
    for (const char* l1 : {"write_policy=write_through write_allocate=true",
                           "write_policy=write_evict", "write_policy=write_evict reserved_ways=1",
                           "write_policy=write_back write_allocate=true fetch_on_write=false"})
        for (const char* l2 :
             {"write_policy=write_back write_allocate=true acknowledged_writebacks=true",
              "write_policy=write_back write_allocate=true fetch_on_write=false",
              "write_policy=write_back write_allocate=true warm_base=0B warm_bytes=1KiB"})
            all.push_back(caches_with_victims(l1, l2));
    all.push_back({"a memory", {"driver"}, [](Machine& m) {
                       m.add("driver", "test.DataDriver", {});
                       add_memory(m, "memory");
                       m.bind("driver", "mem", "memory", "cpu_side");
                   }});
    for (const char* order : {"first_ready", "oldest_ready", "bank_rotation", "committed",
                              "per_bank_mixed bank_queue=2 write_low=2"})
        all.push_back({std::string("DRAM, ") + order, {"driver"}, [=](Machine& m) {
                           m.add("driver", "test.DataDriver", arguments("gap=5ns answers=40"));
                           m.add("dram", "mem.DramController",
                                 arguments(std::string("order=") + order));
                           m.bind("driver", "mem", "dram", "cpu_side");
                       }});
    all.push_back({"a crossbar over slices of an L2", {"driver[0]", "driver[1]"}, [](Machine& m) {
                       for (int i = 0; i < 2; ++i)
                           m.add("driver[" + std::to_string(i) + "]", "test.DataDriver",
                                 arguments("lines=32 base=" + std::to_string(i * 4096) + "B"));
                       m.add("crossbar", "mem.Crossbar",
                             arguments("inputs=2 outputs=3 granularity=256B"));
                       for (int i = 0; i < 2; ++i)
                           m.bind("driver[" + std::to_string(i) + "]", "mem", "crossbar",
                                  "cpu_side[" + std::to_string(i) + "]");
                       for (int i = 0; i < 3; ++i) {
                           const std::string n = "[" + std::to_string(i) + "]";
                           m.add("l2" + n, "mem.Cache",
                                 arguments("capacity=1KiB ways=4 write_policy=write_back "
                                           "write_allocate=true interleave_ways=3 "
                                           "interleave_index=" +
                                           std::to_string(i)));
                           add_memory(m, "memory" + n);
                           m.bind("crossbar", "mem_side" + n, "l2" + n, "cpu_side");
                           m.bind("l2" + n, "mem_side", "memory" + n, "cpu_side");
                       }
                   }});
    all.push_back({"a router over two memories", {"driver"}, [](Machine& m) {
                       m.add("driver", "test.DataDriver", {}); // of 3 KiB
                       m.add("router", "link.AddressRouter",
                             {{"ranges", "0B 1KiB 1, 1KiB 2KiB 0"}, {"buffer", "3"}});
                       m.bind("driver", "mem", "router", "cpu_side");
                       for (const char* memory : {"memory[0]", "memory[1]"}) {
                           add_memory(m, memory);
                           m.bind("router", "mem_side", memory, "cpu_side");
                       }
                   }});
    all.push_back({"a monitor", {"driver"}, [](Machine& m) {
                       m.add("driver", "test.DataDriver", {});
                       m.add("monitor", "mem.Monitor", {});
                       add_memory(m, "memory");
                       m.bind("driver", "mem", "monitor", "cpu_side");
                       m.bind("monitor", "mem_side", "memory", "cpu_side");
                   }});
    add_ohm(all);
    all.push_back(paging("pages placed when first touched", false));
    all.push_back(paging("pages brought by faults", true));
    for (const char* type : {"flash.FixedDrive", "flash.Drive"})
        for (const char* source : {"drive", "drive_direct"})
            all.push_back(
                paging(std::string("pages on a ") + type + ", " + source, true, type, source));
    for (const char* more : {"unwritten=zeros", "preconditioned=100% fixed_plane=false",
                             "preconditioned=100% overwritten=100%",
                             "cache_reads=true dirty_pages=8", "map_cache=180B keep_rewritten=true",
                             "static_wear_levelling=2 unwritten=past gc_first=false",
                             "map_cache=90B preconditioned=60% gc_moves=1 allocation=PDWC"})
        for (const unsigned registers : {1, 2}) all.push_back(drive(more, registers));
    all.push_back({"a drive of fixed latency",
                   {},
                   [](Machine& m) {
                       m.add("host", "test_flash.Checker", arguments("gap=10us"));
                       m.add("drive", "flash.FixedDrive", {});
                       m.bind("host", "drive", "drive", "requests");
                   },
                   {"host"}});
    for (const char* dram : {"mem.SimpleMemory", "mem.DramController"})
        all.push_back(page_buffer(dram));
    for (const char* drive_type : {"flash.FixedDrive", "flash.Drive"})
        for (const char* more : {"replacement=lru", "replacement=clock line=64B"})
            for (const bool hints : {false, true})
                all.push_back(page_cache(more, drive_type, hints));
    for (const bool merges : {false, true})
        for (const char* more :
             {"", " write_group=1KiB", " early_writes=true", " write_group=1KiB early_writes=true"})
            all.push_back(small_units(merges, more));
    for (const char* drive_type : {"flash.FixedDrive", "flash.Drive"})
        all.push_back(page_cache("write_group=16KiB early_writes=true", drive_type, true));
    for (const char* more :
         {"capacity=4KiB ahead=2", "capacity=512B", "capacity=1KiB predict=last",
          "capacity=1KiB predict=router signals=2 signal_base=3KiB signal_bytes=128B "
          "signal_end=4KiB"})
        all.push_back(read_ahead(more));
    for (const char* adapter : {"", "block=32B base=1MiB outstanding=3", "block=64B jobs=2"})
        all.push_back(block_adapter(adapter));
    for (const char* more : {"replacement=lru", "write_group=16KiB early_writes=true"})
        all.push_back(page_cache_over_memory(more));
    all.push_back(drive_of_hbf());
    all.push_back(cxl_root());
    for (const char* network : {"none", "swnet", "fcnet", "nif"})
        for (const char* more :
             {"registers=2", "independent_planes=false reuse=none", "log_filled=100%"})
            all.push_back(
                zng_flash(std::string("network=") + network + " " + more, "capacity=1KiB ways=4"));
    const std::string endpoint = "least=20ns most=2us changes=4 busy=20us";
    for (const char* queues : {"read_ahead=none memory_queue=6", "sr_queue=8"}) {
        all.push_back(cxl_queues({{}, queues, endpoint}));
        for (const char* stores : {"reserve=1KiB", "reserve=128B", "entries=5 flushes=3"})
            all.push_back(cxl_queues(
                {std::string("line=128B reserve_base=1MiB ") + stores, queues, endpoint}));
    }
    all.push_back(zng_flash("registers=2", "write_policy=write_through capacity=1KiB"));
    all.push_back(zng_flash("registers=2 network=none", "capacity=2KiB", true));
    for (const char* more : {"credits=64", "credits=4 flush=100ns", "bit_errors=100000000000",
                             "controller=smt bit_errors=200000000000 timeout=512 skp_blocks=9",
                             "flit=256B credits=4 flush=100ns", "flit=256B bit_errors=1000000000",
                             "flit=256B bit_errors=100000000000 timeout=256",
                             "flit=256B-lopt bit_errors=500000000000 timeout=256 skp_blocks=9"})
        all.push_back(cxl_link(more));
    return all;
}

void build(Machine& m, const DataRig& rig) {
    m.carry_contents();
    rig.build(m);
    m.build();
}

void finish_and_check(Machine& m, const DataRig& rig) {
    REQUIRE(m.run(never) == Stop::idle);
    REQUIRE_FALSE(m.pending());
    CHECK(m.imbalances() == std::vector<std::string> {});
    CHECK(m.sim().contents().overtaken() == 0);
    for (const std::string& path : rig.drivers) {
        auto& driver = m.get<DataDriver>(path);
        CHECK(driver.stat.compared.value() > 1000);
        CHECK(driver.stat.old.value() == 0);
        CHECK(driver.stat.wrong.value() == 0);
        CHECK(driver.compare_image() == 0);
    }
    for (const std::string& path : rig.block_drivers) {
        auto& driver = m.get<test_flash::Checker>(path);
        CHECK(driver.stat.compared.value() > 1'000'000);
        CHECK(driver.stat.wrong.value() == 0);
        CHECK(driver.compare_image() == 0);
    }
}

} // namespace

TEST_CASE("every read returns the bytes written last", "[contract][contents]") {
    std::uint64_t seed = 0;
    for (const DataRig& rig : rigs()) {
        INFO(rig.name);
        Machine m(++seed);
        build(m, rig);
        m.start();
        m.run(static_cast<Tick>(10'000'000'000 + 777'777 * seed)); // in the middle of it
        const Snapshot half = m.save();
        finish_and_check(m, rig);
        Machine again(seed);
        build(again, rig);
        again.load(half);
        finish_and_check(again, rig);
    }
}

} // namespace memsim::test::contents_test
