#include "cmd/controller/deduplicator.hh"
#include "cmd/detect/ecc.hh"
#include "mem/cache/cache.hh"

#include "../../contract/data_driver.hh"
#include "../mem/driver.hh"

#include <catch2/catch.hpp>

#include <sstream>

namespace memsim::deduplicator_test {

using cmd::Deduplicator;
using test_mem::arguments;

namespace {

/// A counter of the component, by its name.
std::uint64_t counted(const Object& of, const std::string& name) {
    for (const auto& s : of.stats())
        if (s.name == name)
            return static_cast<std::uint64_t>(static_cast<const Counter*>(s.stat)->value());
    FAIL("there is no statistic " + name);
    return 0;
}

struct Scheme {
    std::string name, driver, deduplicator;
    bool l2 = false;     ///< with caches above, from which sectors are copied
    std::string happens; ///< counters that must not be 0 in the end
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

/// What `weak fingerprint` cannot tell apart: check bits are linear.
std::string collision() {
    std::uint64_t word = 3; // even weight: the least one without check bits has weight 4
    while (cmd::check_bits(word)) ++word;
    return " twist=" + std::to_string(word) + " ";
}

std::vector<Scheme> schemes() {
    const std::string no_hash = "detection=none intra=nowhere ";
    return {
        {"strong hash", "", "", false, "intra inter silent borrowed dedup_reads intra_sectors"},
        {"strong hash, L2", "", "", true, "intra inter borrowed copied_sectors map_hits"},
        {"thrashing hash store", "", "hash_entries=4 hash_ways=2", false, "forgotten unlisted"},
        {"thrashing hash store, L2", "", "hash_entries=4 hash_ways=2", true, "forgotten unlisted"},
        {"no limit", "values=90", "exact=true", false, "inter borrowed"},
        {"two values, all lines in use", "values=2 lines=128", "", false, "silent"},
        {"many values, all lines in use", "values=500 lines=128", "", true, "borrowed"},
        {"intra-duplicates in memory", "", "intra=block", false, "intra inter"},
        {"intra-duplicates in memory, L2", "", "intra=block", true, "intra copied_sectors"},
        {"intra-duplicates as all others", "values=4", "intra=nowhere", true, "silent"},
        {"looks take banks", "", "look_takes_bank=true", true, "copied_sectors looked_sectors"},
        {"tables at once", "", "whole_tables=true", true, "copied_sectors mask_hits"},
        {"intra-duplicates alone", "", "detection=none", true, "intra intra_sectors"},
        {"hash of one core", "", "detection=md5(interval=228)", true, "hashed"},
        {"lines far apart", "stride=200 values=12 lines=64",
         "capacity=4MiB intra=nowhere donor_tries=2", true, "borrowed lent_by_duplicates"},
        {"the host writes while writes are outstanding", "copies=20 pause=150ns", "", false,
         "intra inter borrowed"},
        {"the host writes while bit planes are made", "copies=20 pause=150ns",
         no_hash + "compression=bpc", false, "packed"},
        {"the host writes while blocks are verified", "copies=20 pause=150ns lines=128 values=60",
         "detection=ecc intra=nowhere", true, "verify_reads"},
        {"parts of lines, and the host writes at once",
         "values=3 lines=128 whole=0 copies=5 pause=50ns", "intra=nowhere", false, "brought_home"},
        {"parts of lines", "values=3 lines=128 whole=0 copies=15", "intra=nowhere", false,
         "brought_home"},
        {"parts of sectors, completed without a read", "values=3 lines=128 whole=0 copies=15",
         "sectors_alone=true", true, "partial_sectors uncovered_reads intra inter"},
        {"weak fingerprint", collision(), "detection=ecc intra=nowhere hash_entries=32", false,
         "verify_reads inter collisions"},
        {"weak fingerprint, thrashing", collision(),
         "detection=ecc intra=nowhere hash_entries=4 hash_ways=2", true, "forgotten collisions"},
        {"bit planes alone", "", no_hash + "compression=bpc", false, "packed dedup_reads"},
        {"bit planes alone, L2", "", no_hash + "compression=bpc", true, "packed"},
        {"strong hash and bit planes", "", "compression=bpc", true, "inter intra"},
        {"strong hash and bit planes, no other", "values=41 lines=128",
         "intra=nowhere compression=bpc", true, "packed borrowed"},
        {"base and difference", "", no_hash + "compression=bcd(bases=8,differences=8,ways=2)",
         false, "packed on_chip"},
        {"base and difference, L2", "values=6",
         no_hash + "compression=bcd(bases=16,differences=16,ways=2)", true, "packed on_chip"},
    };
}

} // namespace

TEST_CASE("a look-up in the L2 occupies its bank if configured", "[cmd]") {
    struct Counts {
        std::uint64_t busy, looked;
    };
    const auto run = [](const std::string& takes) {
        Machine m(1);
        build(m, {"", "", "look_takes_bank=" + takes, true, ""});
        m.start();
        finish(m);
        return Counts {
            static_cast<std::uint64_t>(m.get<mem::Cache>("l2").stat.bank_busy.total(never)),
            counted(m.get<Deduplicator>("dedup"), "looked_sectors")};
    };
    const Counts free = run("false"), taken = run("true");
    REQUIRE(taken.looked > 100);
    // A cycle a look-up; the rest is equal except for responses at other times.
    CHECK(taken.busy > free.busy + taken.looked / 2);
    CHECK(taken.busy < free.busy + taken.looked * 2);
}

TEST_CASE("reads that equation 1 requires for whole sectors are counted, and sectors_alone makes "
          "no others",
          "[cmd]") {
    const auto run = [](const std::string& alone) {
        Machine m(1);
        build(m, {"", "values=3 lines=128 whole=0", "sectors_alone=" + alone, true, ""});
        m.start();
        finish(m);
        const auto& d = m.get<Deduplicator>("dedup");
        CHECK(counted(d, "partial_sectors") > 0);
        return std::pair(counted(d, "dedup_reads"), counted(d, "uncovered_reads"));
    };
    const auto bytes = run("false"), sectors = run("true");
    CHECK(bytes.first > bytes.second);
    CHECK(sectors.first == sectors.second);
    CHECK(sectors.second > 0);
}

TEST_CASE(
    "reads are counted by the type of their block, and silent blocks by how many blocks have them",
    "[cmd]") {
    Machine m(1);
    build(m, {"", "", "", false, ""});
    m.start();
    finish(m);
    const auto& d = m.get<Deduplicator>("dedup");
    const auto of = [&](const char* name) { return counted(d, name); };
    CHECK(of("reads_never_written") + of("reads_of_intra") + of("reads_of_inter") +
              of("reads_of_own") ==
          of("reads"));
    for (const char* name : {"reads_of_intra", "reads_of_inter", "reads_of_own"})
        CHECK(of(name) > 0);
    CHECK(of("silent_shared") > 0);
    CHECK(of("silent_shared") <= of("silent"));
}

TEST_CASE("without a scheme reads are counted by 32 bytes, too", "[cmd]") {
    Machine m(1);
    m.add("driver", "test_mem.Driver", {});
    m.add("dedup", "cmd.Deduplicator", arguments(small + "false detection=none intra=nowhere"));
    m.add("memory", "mem.SimpleMemory", {});
    m.bind("driver", "mem_side", "dedup", "cpu_side");
    m.bind("dedup", "mem_side", "memory", "cpu_side");
    m.build();
    auto& driver = m.get<test_mem::Driver>("driver");
    driver.write(0, 256, 128);
    driver.read(1'000'000'000, 0, 128); // never written: read-only
    driver.read(2'000'000'000, 256, 96);
    driver.read(3'000'000'000, 256, 32);
    m.start();
    REQUIRE(m.run(never) == Stop::idle);
    const auto& d = m.get<Deduplicator>("dedup");
    CHECK(counted(d, "read_only_reads") == 4);
    CHECK(counted(d, "data_reads") == 4);
}

TEST_CASE("with deduplication every read returns the last written bytes", "[cmd]") {
    std::uint64_t seed = 0;
    std::string name;
    for (const Scheme& s : schemes()) {
        INFO(s.name);
        Machine m(++seed);
        build(m, s);
        m.start();
        m.run(static_cast<Tick>(60'000'000'000 + 777'777 * seed));
        const Snapshot half = m.save();
        finish(m);
        for (std::istringstream names(s.happens); names >> name;) {
            INFO(name);
            CHECK(counted(m.get<Deduplicator>("dedup"), name) > 0);
        }
        Machine again(seed);
        build(again, s);
        again.load(half);
        finish(again);
    }
}

} // namespace memsim::deduplicator_test
