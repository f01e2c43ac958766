#include "../unit/mem/page_cache_support.hh"
#include "oracle.hh"

namespace memsim::test::rigs_mem {

static const RigFor simple_memory {"mem.SimpleMemory", [](Machine& m) {
                                       m.add("driver", "test.Driver", {{"gap", "3ns"}});
                                       m.add("memory", "mem.SimpleMemory", {{"queue", "4"}});
                                       m.bind("driver", "mem", "memory", "cpu_side");
                                   }};

/// More units than frames, small queues everywhere.
static void page_cache(Machine& m, const std::string& replacement, bool prefetches,
                       const std::string& prefetch = "none", bool groups = false) {
    m.add("driver", "test.Driver", {{"gap", "300ns"}, {"footprint", "16KiB"}});
    m.add("cache", "mem.PageCache",
          {{"capacity", "5KiB"},
           {"unit", "512B"},
           {"replacement", replacement},
           {"queue", "2"},
           {"requests", "5"},
           {"dram_queue", "3"},
           {"drive_queue", "2"},
           {"batch", "2"},
           {"hint_queue", "1"},
           {"prefetch", prefetch},
           {"prefetch_end", "16KiB"},
           {"write_group", groups ? "2KiB" : "0B"},
           {"early_writes", groups ? "true" : "false"}});
    m.add("dram", "mem.SimpleMemory", {{"queue", "4"}});
    m.add("drive", "flash.FixedDrive", {{"read_latency", "2us"}, {"queue", "2"}});
    m.bind("driver", "mem", "cache", "cpu_side");
    m.bind("cache", "dram_side", "dram", "cpu_side");
    m.bind("cache", "drive_side", "drive", "requests");
    if (!prefetches) return;
    m.add("prefetcher", "test.NextPages", {{"pages", "3"}});
    m.bind("cache", "misses", "prefetcher", "misses");
    m.bind("prefetcher", "hints", "cache", "hints");
}
static const RigFor fetching {"mem.PageCache", [](Machine& m) { page_cache(m, "lru", false); }};
static const RigFor prefetching {"mem.PageCache", [](Machine& m) { page_cache(m, "clock", true); }};
static const RigFor arc {"mem.PageCache", [](Machine& m) { page_cache(m, "arc", true); }};
static const RigFor car {"mem.PageCache",
                         [](Machine& m) { page_cache(m, "car", false, "page-on-page(pages=2)"); }};
static const RigFor groups {"mem.PageCache",
                            [](Machine& m) { page_cache(m, "lru", true, "none", true); }};
static const RigFor clock_pro {
    "mem.PageCache",
    [](Machine& m) { page_cache(m, "clock-pro", false, "density(region=2KiB,block=1KiB)"); }};

/// Random requests change the group all the time; few places everywhere.
static void read_ahead(Machine& m, const std::string& predict, const std::string& footprint,
                       const std::string& signals = "0") {
    m.add("driver", "test.Driver",
          {{"gap", "100ns"}, {"footprint", footprint}, {"masks", "true"}, {"line", "128"}});
    m.add("ahead", "mem.ReadAhead",
          {{"arrays", signals == "0" ? "0B 1KiB; 1KiB 512B, 2KiB 1KiB; 3KiB 256B; 4KiB 2KiB"
                                     : "0B 1KiB; 1KiB 512B 0, 2KiB 1KiB 1; 3KiB 256B 3; 4KiB 2KiB"},
           {"ahead", "2"},
           {"signals", signals},
           {"signal_base", "6KiB"},
           {"signal_bytes", "128B"},
           {"signal_end", "8KiB"},
           {"predict", predict},
           {"capacity", "1KiB"},
           {"base", "1MiB"},
           {"fetches", "3"},
           {"queue", "2"},
           {"outstanding", "4"}});
    m.add("memory", "mem.SimpleMemory", {{"queue", "3"}, {"latency", "300ns"}});
    m.bind("driver", "mem", "ahead", "cpu_side");
    m.bind("ahead", "mem_side", "memory", "cpu_side");
}
static const RigFor read_ahead_all {"mem.ReadAhead",
                                    [](Machine& m) { read_ahead(m, "all", "8KiB"); }};
static const RigFor read_ahead_router {"mem.ReadAhead",
                                       [](Machine& m) { read_ahead(m, "router", "8KiB", "4"); }};
static const RigFor read_ahead_last {"mem.ReadAhead",
                                     [](Machine& m) { read_ahead(m, "last", "2KiB"); }};

/// A page cache over a memory that appears as a drive, and a host that flushes; few places.
static const RigFor block_adapter {
    "link.BlockAdapter", [](Machine& m) {
        m.add("driver", "test.Driver", {{"gap", "300ns"}, {"footprint", "16KiB"}});
        m.add("cache", "mem.PageCache",
              {{"capacity", "5KiB"}, {"unit", "512B"}, {"requests", "5"}, {"batch", "2"}});
        m.add("dram", "mem.SimpleMemory", {{"queue", "4"}});
        m.add("host", "test_flash.Checker", {{"count", "300"}, {"gap", "2us"}, {"trims", "0%"}});
        for (const char* n : {"[0]", "[1]"}) {
            const std::string i = n;
            m.add("adapter" + i, "link.BlockAdapter",
                  {{"jobs", "3"}, {"queue", "2"}, {"outstanding", "5"}, {"base", "4KiB"}});
            m.add("memory" + i, "mem.SimpleMemory", {{"queue", "3"}, {"latency", "300ns"}});
            m.bind("adapter" + i, "mem_side", "memory" + i, "cpu_side");
        }
        m.bind("driver", "mem", "cache", "cpu_side");
        m.bind("cache", "dram_side", "dram", "cpu_side");
        m.bind("cache", "drive_side", "adapter[0]", "requests");
        m.bind("host", "drive", "adapter[1]", "requests");
    }};

} // namespace memsim::test::rigs_mem
