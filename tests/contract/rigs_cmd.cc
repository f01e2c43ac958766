#include "../unit/mem/driver.hh"
#include "oracle.hh"

namespace memsim::test::rigs_cmd {

using test_mem::arguments;

/// Few blocks with few different data, small tables and queues.
static void deduplicated(Machine& m, const std::string& params, bool l2 = false) {
    m.carry_contents();
    m.add("driver", "test.DataDriver", arguments("count=400 lines=64 values=12 gap=20ns"));
    m.add("dedup", "cmd.Deduplicator",
          arguments("capacity=8KiB table_cycles=3 map_cache=1KiB type_cache=1KiB mask_cache=1KiB "
                    "metadata_ways=2 metadata_mshrs=2 reads=4 writes=3 queue=4 outstanding=6 " +
                    params + (l2 ? " slices=1" : " assisted_read=false")));
    m.add("dram", "mem.DramController", {});
    m.bind("dedup", "mem_side", "dram", "cpu_side");
    if (!l2) return m.bind("driver", "mem", "dedup", "cpu_side");
    m.add("l2", "mem.Cache",
          arguments("capacity=4KiB ways=4 mshrs=4 write_policy=write_back write_allocate=true "
                    "fetch_on_write=false mem_queue=4 control_ports=1"));
    m.bind("driver", "mem", "l2", "cpu_side");
    m.bind("l2", "mem_side", "dedup", "cpu_side");
    m.bind("dedup", "caches[0]", "l2", "control[0]");
}

static const RigFor strong_hash {
    "cmd.Deduplicator", [](Machine& m) { deduplicated(m, "hash_entries=16 hash_ways=4", true); }};
static const RigFor weak_fingerprint {
    "cmd.Deduplicator", [](Machine& m) {
        deduplicated(m, "detection=ecc intra=nowhere hash_entries=8 hash_ways=2", true);
    }};
static const RigFor bit_planes {"cmd.Deduplicator",
                                [](Machine& m) { deduplicated(m, "compression=bpc exact=true"); }};
static const RigFor base_and_difference {
    "cmd.Deduplicator", [](Machine& m) {
        deduplicated(m, "detection=none intra=nowhere compression=bcd(bases=8,differences=8,"
                        "ways=2)");
    }};
static const RigFor passing_on {
    "cmd.Deduplicator", [](Machine& m) { deduplicated(m, "detection=none intra=nowhere"); }};

} // namespace memsim::test::rigs_cmd
