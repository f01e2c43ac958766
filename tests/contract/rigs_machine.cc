#include "../unit/link/firmware.hh"
#include "oracle.hh"

#include <algorithm>

/// Rigs of devices under the random requests of test.Driver, and of whole machines under a graph.
namespace memsim::test::rigs_machine {

namespace {

void driver(Machine& m, const char* path, const std::string& to, const char* port) {
    m.add(path, "test.Driver",
          {{"gap", "3ns"}, {"footprint", "16KiB"}, {"line", "128"}, {"masks", "true"}});
    m.bind(path, "mem", to, port);
}

/// A controller with two modules, small enough that pages are swapped all the time.
void planar_memory(Machine& m, const Arguments& more = {},
                   const char* module = "ohm.XpointModule") {
    Arguments params {{"controllers", "1"}, {"dram", "8KiB"}, {"hot_threshold", "3"}};
    params.insert(params.end(), more.begin(), more.end());
    m.add("controller", "ohm.PlanarController", params);
    const auto is = [](const auto& p) { return p.first == "swap_function" && p.second == "true"; };
    const bool function = std::any_of(more.begin(), more.end(), is);
    for (unsigned i = 0; i < 2; ++i) {
        Arguments of {{"capacity", "2MiB"}, {"psi", "7"}};
        if (function) of.emplace_back("swaps", "4");
        m.add(at("xpoint", i), module, of);
        if (function) m.bind("controller", at("sequences", i), at("xpoint", i), "dram[0]");
        m.bind("controller", at("commands", i), at("xpoint", i), "commands");
        m.bind("controller", at("transfers", i), at("xpoint", i), "transfers");
    }
}

/// The same in two-level mode, with a set for every eighth of the driver's lines.
void two_level_memory(Machine& m, const Arguments& more = {}) {
    Arguments params {{"controllers", "1"}, {"dram", "2KiB"}, {"ratio", "8"}};
    params.insert(params.end(), more.begin(), more.end());
    m.add("controller", "ohm.TwoLevelController", params);
    for (unsigned i = 0; i < 2; ++i) {
        m.add(at("xpoint", i), "ohm.XpointModule", {{"capacity", "8KiB"}, {"psi", "7"}});
        m.bind("controller", at("commands", i), at("xpoint", i), "commands");
        m.bind("controller", at("transfers", i), at("xpoint", i), "transfers");
    }
}

/// Ohm-GPU's planar machine with two SMs, running `kernel` on 64 vertices.
void ohm_machine(Machine& m, const char* kernel, const char* scheduler) {
    m.add("program", "workload.Program",
          {{"name", kernel},
           {"size", "6"},
           {"iterations", "2"},
           {"threads_per_block", "32"},
           {"launch_latency", "100ns"}});
    m.add("dispatcher", "gpu.Dispatcher", {{"sms", "2"}});
    m.bind("program", "dispatcher", "dispatcher", "host");
    m.add("network", "mem.Crossbar", {{"inputs", "2"}, {"outputs", "1"}});
    m.add("l2", "mem.Cache",
          {{"capacity", "2KiB"},
           {"ways", "4"},
           {"write_policy", "write_back"},
           {"write_allocate", "true"},
           {"stage", "l2"}});
    for (unsigned i = 0; i < 2; ++i) {
        m.add(at("sm", i), "gpu.Sm", {{"scheduler", scheduler}});
        m.add(at("l1", i), "mem.Cache", {{"capacity", "1536B"}});
        m.bind("dispatcher", at("sm_side", i), at("sm", i), "blocks");
        m.bind(at("sm", i), "mem_side", at("l1", i), "cpu_side");
        m.bind(at("l1", i), "mem_side", "network", at("cpu_side", i));
    }
    m.bind("network", "mem_side[0]", "l2", "cpu_side");
    planar_memory(m, {{"dram", "64KiB"}});
    m.bind("l2", "mem_side", "controller", "cpu_side");
    m.add("note", "workload.Invariant", {{"name", "nothing"}});
    m.add("optics", "optical.Channel", {});
}

} // namespace

static const RigFor write_back_cache {"mem.Cache", [](Machine& m) {
                                          m.add("cache", "mem.Cache",
                                                {{"capacity", "1KiB"},
                                                 {"ways", "2"},
                                                 {"mshrs", "2"},
                                                 {"targets", "2"},
                                                 {"atomic_interval", "7"},
                                                 {"atomic_latency", "3"},
                                                 {"write_policy", "write_back"},
                                                 {"write_allocate", "true"}});
                                          m.add("memory", "mem.SimpleMemory", {{"queue", "4"}});
                                          driver(m, "driver", "cache", "cpu_side");
                                          m.bind("cache", "mem_side", "memory", "cpu_side");
                                      }};
/// Requesters of both partitions; the link holds few responses.
static const RigFor partitioned_cache {
    "mem.Cache", [](Machine& m) {
        m.add("network", "mem.Crossbar", {{"inputs", "2"}, {"outputs", "1"}, {"of_a_pair", "3"}});
        m.add("cache", "mem.Cache",
              {{"capacity", "2KiB"},
               {"ways", "4"},
               {"mshrs", "4"},
               {"partitions", "2"},
               {"partition", "1"},
               {"far_queue", "2"},
               {"write_policy", "write_back"},
               {"write_allocate", "true"}});
        m.add("memory", "mem.SimpleMemory", {{"queue", "4"}});
        driver(m, "lower", "network", "cpu_side[0]");
        driver(m, "upper", "network", "cpu_side[1]");
        m.bind("network", "mem_side[0]", "cache", "cpu_side");
        m.bind("cache", "mem_side", "memory", "cpu_side");
    }};
static const RigFor write_through_cache {
    "mem.Cache", [](Machine& m) {
        m.add("cache", "mem.Cache",
              {{"capacity", "1536B"}, {"mshrs", "4"}, {"replacement", "tree_plru"}});
        m.add("memory", "mem.SimpleMemory", {});
        driver(m, "driver", "cache", "cpu_side");
        m.bind("cache", "mem_side", "memory", "cpu_side");
    }};
/// Every mechanism of a cache that another one has not.
static const RigFor stt_mram_cache {"mem.Cache", [](Machine& m) {
                                        m.add("cache", "mem.Cache",
                                              {{"capacity", "2KiB"},
                                               {"ways", "4"},
                                               {"banks", "3"},
                                               {"accesses_per_cycle", "2"},
                                               {"write_cycles", "5"},
                                               {"replacement", "random"},
                                               {"set_hash", "polynomial"},
                                               {"write_policy", "write_evict"},
                                               {"reserved_ways", "1"},
                                               {"warm_bytes", "1KiB"},
                                               {"mem_queue", "3"}});
                                        m.add("memory", "mem.SimpleMemory", {{"queue", "2"}});
                                        driver(m, "driver", "cache", "cpu_side");
                                        m.bind("cache", "mem_side", "memory", "cpu_side");
                                    }};
static const RigFor managed_cache {"mem.Cache", [](Machine& m) {
                                       m.add("cache", "mem.Cache",
                                             {{"capacity", "2KiB"},
                                              {"ways", "4"},
                                              {"mshrs", "4"},
                                              {"write_policy", "write_back"},
                                              {"write_allocate", "true"},
                                              {"fetch_on_write", "false"},
                                              {"hint_ports", "1"},
                                              {"control_ports", "1"},
                                              {"outstanding", "4"},
                                              {"mem_queue", "3"}});
                                       m.add("memory", "mem.SimpleMemory", {{"queue", "2"}});
                                       m.add("manager", "test.CacheManager", {});
                                       driver(m, "driver", "cache", "cpu_side");
                                       m.bind("manager", "control", "cache", "control[0]");
                                       m.bind("manager", "hints", "cache", "hints[0]");
                                       m.bind("cache", "mem_side", "memory", "cpu_side");
                                   }};
/// Few ways, one of them for writes, and many fetches: writes wait for a way, or to move their
/// line.
static const RigFor reserving_cache {
    "mem.Cache", [](Machine& m) {
        m.add("cache", "mem.Cache",
              {{"capacity", "512B"},
               {"ways", "2"},
               {"reserved_ways", "1"},
               {"hint_ports", "1"},
               {"control_ports", "1"},
               {"mshrs", "8"},
               {"demand_mshrs", "1"}});
        m.add("memory", "mem.SimpleMemory", {{"queue", "4"}});
        m.add("manager", "test.CacheManager", {{"ways", "1"}, {"gap", "30ns"}, {"count", "600"}});
        driver(m, "driver", "cache", "cpu_side");
        m.bind("manager", "control", "cache", "control[0]");
        m.bind("manager", "hints", "cache", "hints[0]");
        m.bind("cache", "mem_side", "memory", "cpu_side");
    }};
static const RigFor lazy_cache {
    "mem.Cache", [](Machine& m) {
        m.add(
            "cache", "mem.Cache",
            {{"capacity", "1536B"}, {"write_allocate", "true"}, {"mshrs", "3"}, {"targets", "2"}});
        m.add("memory", "mem.SimpleMemory", {{"queue", "4"}});
        driver(m, "driver", "cache", "cpu_side");
        m.bind("cache", "mem_side", "memory", "cpu_side");
    }};
static const RigFor victim_buffer {
    "mem.VictimBuffer", [](Machine& m) {
        m.add("cache", "mem.Cache",
              {{"capacity", "1KiB"},
               {"ways", "2"},
               {"mshrs", "4"},
               {"control_ports", "1"},
               {"hint_ports", "1"},
               {"mem_queue", "4"},
               {"replacement", "srrip"},
               {"write_policy", "write_back"},
               {"write_allocate", "true"}});
        m.add("buffer", "mem.VictimBuffer", {{"outstanding", "3"}, {"queue", "2"}});
        m.add("memory", "mem.SimpleMemory", {{"queue", "2"}, {"bandwidth", "8GB/s"}});
        m.add("manager", "test.CacheManager", {{"ways", "1"}});
        driver(m, "driver", "cache", "cpu_side");
        m.bind("manager", "control", "cache", "control[0]");
        m.bind("manager", "hints", "cache", "hints[0]");
        m.bind("cache", "mem_side", "buffer", "cpu_side");
        m.bind("buffer", "mem_side", "memory", "cpu_side");
    }};
static const RigFor crossbar {
    "mem.Crossbar", [](Machine& m) {
        m.add("network", "mem.Crossbar",
              {{"inputs", "2"}, {"outputs", "3"}, {"buffer", "2"}, {"queue", "2"}});
        driver(m, "first", "network", "cpu_side[0]");
        driver(m, "second", "network", "cpu_side[1]");
        for (unsigned i = 0; i < 3; ++i) {
            m.add(at("memory", i), "mem.SimpleMemory", {{"queue", "2"}, {"bandwidth", "8GB/s"}});
            m.bind("network", at("mem_side", i), at("memory", i), "cpu_side");
        }
    }};
/// Groups that share slow links; requests overtake each other on their way to a slice.
static const RigFor grouped_crossbar {
    "mem.Crossbar", [](Machine& m) {
        m.add("network", "mem.Crossbar",
              {{"inputs", "4"},
               {"outputs", "4"},
               {"buffer", "2"},
               {"queue", "2"},
               {"of_a_pair", "3"},
               {"groups", "2 0.5 1.25, 4 0.75 0.5"},
               {"spread", "4ns"}});
        for (unsigned i = 0; i < 4; ++i) {
            driver(m, at("driver", i).c_str(), "network", at("cpu_side", i).c_str());
            m.add(at("memory", i), "mem.SimpleMemory", {{"queue", "2"}, {"bandwidth", "30GB/s"}});
            m.bind("network", at("mem_side", i), at("memory", i), "cpu_side");
        }
    }};
static const RigFor router {
    "link.AddressRouter", [](Machine& m) {
        m.add("router", "link.AddressRouter",
              {{"ranges", "0B 6KiB 0, 6KiB 58KiB 1"}, {"buffer", "2"}, {"queue", "2"}});
        driver(m, "driver", "router", "cpu_side");
        for (unsigned i = 0; i < 2; ++i) {
            m.add(at("memory", i), "mem.SimpleMemory", {{"queue", "1"}, {"bandwidth", "2GB/s"}});
            m.bind("router", "mem_side", at("memory", i), "cpu_side");
        }
        m.add("firmware", "test_mem.Firmware", {});
        m.bind("firmware", "router", "router", "control");
        auto& firmware = m.get<test_mem::Firmware>("firmware");
        for (unsigned i = 0; i < 40; ++i) { // above the driver's addresses
            const auto op = i % 3 == 2 ? protocol::RangeOp::remove : protocol::RangeOp::add;
            firmware.plan(static_cast<Tick>(i) * (50_ns).raw, op, (64 + i % 4) * 1024, 1024, i % 2);
        }
    }};
static const RigFor dram {"mem.DramController", [](Machine& m) {
                              m.add("dram", "mem.DramController", {});
                              driver(m, "driver", "dram", "cpu_side");
                          }};
static const RigFor mixed_dram {
    "mem.DramController", [](Machine& m) {
        m.add("dram", "mem.DramController",
              {{"order", "per_bank_mixed(idle=100ns)"},
               {"bank_queue", "2"},
               {"write_queue", "8"},
               {"write_high", "8"},
               {"write_low", "2"},
               {"refresh", "ranks_in_turn(opened_first=true, closes_singly=true)"},
               {"changes", "tREFI=1us"}});
        driver(m, "driver", "dram", "cpu_side");
    }};
static const RigFor pseudo_channels {"mem.DramController", [](Machine& m) {
                                         m.add("dram", "mem.DramController",
                                               {{"timing", "hbm2"},
                                                {"pseudo_channels", "2"},
                                                {"read_queue", "4"},
                                                {"write_queue", "6"},
                                                {"write_high", "5"},
                                                {"write_low", "2"},
                                                {"map", "RoBaBgCoRa"},
                                                {"changes", "tREFI=1us"}});
                                         driver(m, "driver", "dram", "cpu_side");
                                     }};
static const RigFor monitor {"mem.Monitor", [](Machine& m) {
                                 m.add("monitor", "mem.Monitor", {});
                                 m.add("memory", "mem.SimpleMemory", {{"queue", "2"}});
                                 driver(m, "driver", "monitor", "cpu_side");
                                 m.bind("monitor", "mem_side", "memory", "cpu_side");
                             }};
static const RigFor generator {
    "mem.TrafficGen", [](Machine& m) {
        m.add("generator", "mem.TrafficGen", {{"pattern", "random"}, {"requests", "500"}});
        m.add("dram", "mem.DramController", {});
        m.bind("generator", "mem_side", "dram", "cpu_side");
    }};
static const RigFor probed {
    "mem.ProbedStream", [](Machine& m) {
        m.add("load", "mem.ProbedStream", {{"every", "60"}, {"probes", "100"}});
        m.add("dram", "mem.DramController",
              {{"timing", "ramulator_ddr4_2400r"}, {"capacity", "8GiB"}, {"map", "RoCoBaBg"}});
        m.bind("load", "mem_side", "dram", "cpu_side");
    }};
static const RigFor planar {"ohm.PlanarController", [](Machine& m) {
                                planar_memory(m);
                                driver(m, "driver", "controller", "cpu_side");
                            }};
#define PLATFORM(name, ...)                                                                        \
    static const RigFor name {"ohm.PlanarController", [](Machine& m) {                             \
                                  planar_memory(m, __VA_ARGS__);                                   \
                                  driver(m, "driver", "controller", "cpu_side");                   \
                              }};
PLATFORM(planar_auto, {{"auto_rw", "true"}})
PLATFORM(planar_wom, {{"swap_function", "true"}, {"behind_writes", "true"}, {"routes", "wom"}})
PLATFORM(planar_bw, {{"swap_function", "true"}, {"routes", "half_coupled"}})
PLATFORM(planar_dedicated, {{"migration_channel", "dedicated"}})
#undef PLATFORM
static const RigFor two_level {"ohm.TwoLevelController", [](Machine& m) {
                                   two_level_memory(m);
                                   driver(m, "driver", "controller", "cpu_side");
                               }};
#define TWO_LEVEL(name, type, ...)                                                                 \
    static const RigFor name {type, [](Machine& m) {                                               \
                                  two_level_memory(m, {__VA_ARGS__});                              \
                                  driver(m, "driver", "controller", "cpu_side");                   \
                              }};
TWO_LEVEL(two_level_auto, "ohm.TwoLevelController", {"auto_rw", "true"}, {"evictions", "2"})
TWO_LEVEL(two_level_dedicated, "ohm.TwoLevelController", {"migration_channel", "dedicated"})
TWO_LEVEL(two_level_reverse, "ohm.TwoLevelController", {"auto_rw", "true"},
          {"reverse_write", "true"}, {"dram_register", "256B"}, {"reverse_batch", "2"})
TWO_LEVEL(two_level_no_hold, "ohm.TwoLevelController", {"reverse_write", "true"},
          {"reverse_hold", "nothing"})
TWO_LEVEL(two_level_channel, "ohm.TwoLevelController", {"auto_rw", "true"},
          {"reverse_write", "true"}, {"dram_register", "256B"}, {"reverse_hold", "channel"})
TWO_LEVEL(snarfing_module, "ohm.XpointModule", {"auto_rw", "true"}, {"line", "256B"})
#undef TWO_LEVEL
static const RigFor module_of_it {"xpoint.Module", [](Machine& m) {
                                      planar_memory(m, {{"swaps", "0"}}, "xpoint.Module");
                                      driver(m, "driver", "controller", "cpu_side");
                                  }};

#define MACHINE(name, type, kernel, scheduler)                                                     \
    static const RigFor name {type, [](Machine& m) { ohm_machine(m, kernel, scheduler); }};
MACHINE(dispatcher, "gpu.Dispatcher", "bfs_topology", "greedy_then_oldest")
MACHINE(sm, "gpu.Sm", "bfs_data", "loose_round_robin")
MACHINE(program, "workload.Program", "pagerank", "greedy_then_oldest")
#undef MACHINE

} // namespace memsim::test::rigs_machine
