#include "cmd/deduplicator.hh"

#include "../../contract/data_driver.hh"
#include "../mem/driver.hh"

#include <catch2/catch.hpp>

namespace memsim {

using cmd::Deduplicator;
using test_mem::arguments;

namespace {

std::uint64_t count(const Counter& c) { return static_cast<std::uint64_t>(c.value()); }

struct Scheme {
    std::string name, driver, deduplicator;
    bool l2 = false; ///< with caches above, from which sectors are copied
};

const std::string lines = "count=6000 lines=96 values=24 gap=30ns copies=200 ";
const std::string small = "capacity=16KiB table_cycles=3 map_cache=1KiB type_cache=1KiB "
                          "mask_cache=1KiB metadata_ways=2 metadata_mshrs=2 reads=6 writes=4 "
                          "channels=1 assisted_read=";

/// driver - (L2) - deduplicator - DRAM.
void build(Machine& m, const Scheme& s) {
    m.carry_contents();
    m.add("driver", "test.DataDriver", arguments(lines + s.driver));
    m.add("dedup", "cmd.Deduplicator",
          arguments(small + (s.l2 ? "true slices=1 " : "false ") + s.deduplicator));
    m.add("dram", "mem.DramController", {});
    m.bind("dedup", "mem_side", "dram", "cpu_side");
    if (s.l2) {
        m.add("l2", "mem.Cache",
              arguments("capacity=4KiB ways=4 write_policy=write_back write_allocate=true "
                        "fetch_on_write=false mem_queue=4 control_ports=1"));
        m.bind("driver", "mem", "l2", "cpu_side");
        m.bind("l2", "mem_side", "dedup", "cpu_side");
        m.bind("dedup", "caches[0]", "l2", "control[0]");
    } else
        m.bind("driver", "mem", "dedup", "cpu_side");
    m.build();
}

void finish(Machine& m) {
    REQUIRE(m.run(never) == Stop::idle);
    CHECK(m.imbalances() == std::vector<std::string> {});
    auto& driver = m.get<test::DataDriver>("driver");
    CHECK(driver.stat.compared.value() > 1000);
    CHECK(driver.stat.old.value() == 0);
    CHECK(driver.stat.wrong.value() == 0);
    CHECK(driver.compare_image() == 0);
}

const std::vector<Scheme> schemes {
    {"strong hash", "", ""},
    {"strong hash, L2", "", "", true},
    {"thrashing hash store", "", "hash_entries=4 hash_ways=2"},
    {"thrashing hash store, L2", "", "hash_entries=4 hash_ways=2", true},
    {"no limit", "values=90", "hash_entries=0"},
    {"two values, all lines in use", "values=2 lines=128", ""},
    {"many values, all lines in use", "values=500 lines=128", "", true},
    {"intra-duplicates in memory", "", "intra=block"},
    {"intra-duplicates in memory, L2", "", "intra=block", true},
    {"intra-duplicates as all others", "values=4", "intra=nowhere", true},
    {"tables at once", "", "whole_tables=true", true},
    {"intra-duplicates alone", "", "detection=none", true},
    {"hash of one core", "", "hash_interval=228", true},
    {"no donors", "values=41 lines=128", "intra=nowhere"},
    {"no donors, L2", "values=31 lines=128", "intra=nowhere", true},
    {"weak fingerprint", "", "detection=ecc intra=nowhere hash_entries=32"},
    {"weak fingerprint, thrashing", "", "detection=ecc intra=nowhere hash_entries=4 hash_ways=2",
     true},
    {"bit planes alone", "", "detection=none intra=nowhere compression=bpc"},
    {"bit planes alone, L2", "", "detection=none intra=nowhere compression=bpc", true},
    {"strong hash and bit planes", "", "compression=bpc", true},
    {"strong hash and bit planes, no donors", "values=41 lines=128",
     "intra=nowhere compression=bpc", true},
    {"base and difference", "",
     "detection=none intra=nowhere compression=bcd bases=8 differences=8 bcd_ways=2"},
    {"base and difference, L2", "values=6",
     "detection=none intra=nowhere compression=bcd bases=16 differences=16 bcd_ways=2", true},
};

} // namespace

TEST_CASE("behind deduplication every read gets the bytes that were written last", "[cmd]") {
    std::uint64_t seed = 0;
    for (const Scheme& s : schemes) {
        INFO(s.name);
        Machine m(++seed);
        build(m, s);
        m.start();
        m.run(static_cast<Tick>(60'000'000'000 + 777'777 * seed));
        const Snapshot half = m.save();
        finish(m);
        const auto& stat = m.get<Deduplicator>("dedup").stat;
        WARN(s.name << ": writes " << count(stat.writes) << " intra " << count(stat.intra)
                    << " inter " << count(stat.inter) << " silent " << count(stat.silent)
                    << " borrowed " << count(stat.borrowed) << " home " << count(stat.brought_home)
                    << " copied " << count(stat.copied_sectors) << " dedup reads "
                    << count(stat.dedup_reads) << " unlisted " << count(stat.unlisted));
        Machine again(seed);
        build(again, s);
        again.load(half);
        finish(again);
    }
}

} // namespace memsim
