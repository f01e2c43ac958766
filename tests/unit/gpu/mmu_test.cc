#include "mmu_support.hh"

#include <set>

namespace memsim::mmu_test {

using namespace memsim::test_mmu;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using protocol::PageOrderKind;

namespace {
constexpr std::uint64_t KiB = 1024;
constexpr Tick us = 1'000'000'000;
} // namespace

TEST_CASE("A TLB hit costs its latency, a miss as many reads as the walk has levels", "[mmu]") {
    for (const bool cached : {true, false}) {
        Bench b("", cached ? "" : "walk_cache=0");
        b.run([&] {
            b.driver().read(0, 0);             // both levels
            b.driver().read(10 * us, 8);       // hits
            b.driver().read(20 * us, 4 * KiB); // the root's entry is in the walk cache
        });
        const Tick walk = hit_time + to_mmu_and_back;
        CHECK(b.driver().answered(0) == walk + 2 * walk_read);
        CHECK(b.driver().answered(1) == 10 * us + hit_time);
        CHECK(b.driver().answered(2) == 20 * us + walk + (cached ? 1 : 2) * walk_read);
        CHECK(value(b.tlb().stat.hits) == 1);
        CHECK(value(b.mmu().stat.walker.walk_cache_hits) == (cached ? 1 : 0));
    }
}

TEST_CASE("The L2 TLB answers without a walk", "[mmu]") {
    Bench b("", "", 2);
    b.run([&] {
        b.driver(0).read(0, 0);
        b.driver(1).read(10 * us, 64);
    });
    CHECK(b.driver(1).answered(0) == 10 * us + hit_time + to_mmu_and_back);
    CHECK(value(b.mmu().stat.hits) == 1);
    CHECK(value(b.mmu().stat.walker.walks) == 1);
}

TEST_CASE("The L2 TLB looks up one request a cycle, the TLBs in turn", "[mmu]") {
    Bench b("", "clock=1GHz", 3);
    b.run([&] {
        b.driver(0).read(0, 0); // all three know page 0 afterwards through the L2 TLB
        for (unsigned i = 0; i < 3; ++i) b.driver(i).read(10 * us, 0);
        b.driver(1).state.plan.entries.back().at = b.driver(2).state.plan.entries.back().at =
            10 * us;
    });
    CHECK(b.driver(1).answered(0) == 10 * us + hit_time + to_mmu_and_back);
    // The look-up arrives 1 fs after the edge; its cycle is taken up to the next one.
    CHECK(b.driver(2).answered(0) ==
          10 * us + hit_time + to_mmu_and_back + (1_ns).raw - (1_fs).raw);
}

TEST_CASE("A walk beyond the walker threads waits for one", "[mmu]") {
    for (const unsigned pages : {32u, 33u}) {
        Bench b("misses=64", "lookups=64 queue=64 walk_cache=0");
        b.run([&] {
            for (unsigned p = 0; p < pages; ++p) b.driver().read(0, p * 4 * KiB);
        });
        const Tick walk = hit_time + to_mmu_and_back + 2 * walk_read;
        CHECK(b.driver().answered(31) == walk);
        if (pages == 33) CHECK(b.driver().answered(32) == walk + 2 * walk_read);
    }
}

TEST_CASE("A full walk buffer holds up the TLBs, and all is walked in the end", "[mmu]") {
    Bench b("", "walkers=1 walk_buffer=2 queue=1 targets=1");
    b.run([&] {
        for (unsigned p = 0; p < 20; ++p) b.driver().read(0, p * 4 * KiB);
    });
    CHECK(b.driver().state.answers.size() == 20);
    CHECK(value(b.mmu().stat.walker.walks) == 20);
}

TEST_CASE("Misses of one page, from any TLB, share one walk and are answered in order", "[mmu]") {
    Bench b("", "", 2);
    b.run([&] {
        for (unsigned i = 0; i < 5; ++i) b.driver(0).read(0, i * 64);
        b.driver(1).read(0, 0);
    });
    CHECK(value(b.mmu().stat.walker.walks) == 1);
    CHECK(value(b.mmu().stat.walker.walk_reads) == 2);
    CHECK(value(b.mmu().stat.merged) == 1);
    CHECK(value(b.tlb(0).stat.merged) == 4);
    CHECK(value(b.tlb(0).stat.misses) == 5);
    std::vector<std::uint64_t> order;
    for (const auto& s : b.memory().state.seen)
        if (s.input == 0) order.push_back(s.request.address);
    CHECK(order == std::vector<std::uint64_t> {0, 64, 128, 192, 256});
}

TEST_CASE("Requests for present pages overtake waiting requests", "[mmu]") {
    Bench b;
    b.run([&] {
        b.driver().read(0, 0);
        b.driver().read(10 * us, 4 * KiB); // misses
        b.driver().read(10 * us, 0);       // hits meanwhile
    });
    CHECK(b.driver().answered(2) == 10 * us + hit_time);
    CHECK(b.driver().answered(1) > b.driver().answered(2));
}

TEST_CASE("A TLB stalls when it has no room for a miss or for another request of a page", "[mmu]") {
    Bench one("misses=1");
    one.run([&] {
        one.driver().read(0, 0);
        one.driver().read(0, 4 * KiB);
    });
    const Tick first = hit_time + to_mmu_and_back + 2 * walk_read;
    CHECK(one.driver().answered(0) == first);
    // It is served when the first page arrives.
    CHECK(one.driver().answered(1) == first - (833'334_fs + 100_ns + 1_fs).raw + to_mmu_and_back +
                                          walk_read + (833'334_fs + 100_ns + 1_fs).raw);
    CHECK(value(one.tlb().stat.stalled_by_misses) == 1);

    Bench two("targets=2");
    two.run([&] {
        for (unsigned i = 0; i < 3; ++i) two.driver().read(0, i * 64);
    });
    for (unsigned i = 0; i < 3; ++i) CHECK(two.driver().answered(i) == first);
    CHECK(value(two.tlb().stat.stalled_by_targets) == 1);
}

TEST_CASE("The page used longest ago leaves an L1 TLB", "[mmu]") {
    Bench b("entries=2 ways=2");
    b.run([&] {
        unsigned i = 0;
        for (const unsigned page : {0u, 1u, 0u, 2u, 0u, 1u})
            b.driver().read(++i * 10 * us, page * 4 * KiB);
    });
    CHECK(value(b.tlb().stat.hits) == 2);   // page 0 twice
    CHECK(value(b.tlb().stat.misses) == 4); // 1 was replaced by 2
    CHECK(value(b.tlb().stat.replaced) == 2);
}

TEST_CASE("Placement: where pages lie", "[mmu]") {
    auto frames = [](const std::string& how) {
        Bench b("", how + " memory=32KiB address_space=32KiB");
        b.run([&] {
            for (const unsigned page : {5u, 0u, 1u, 2u, 3u, 4u, 6u, 7u})
                b.driver().read(page == 5 ? 0 : (page + 1) * 10 * us, page * 4 * KiB + 32);
        });
        std::vector<std::uint64_t> all; // in the order of the accesses
        for (const auto& s : b.memory().state.seen) {
            CHECK(s.request.address % (4 * KiB) == 32);
            all.push_back(s.request.address / (4 * KiB));
        }
        return all;
    };
    using List = std::vector<std::uint64_t>;
    CHECK(frames("placement=identity") == List {5, 0, 1, 2, 3, 4, 6, 7});
    CHECK(frames("placement=identity memory_base=1MiB") ==
          List {261, 256, 257, 258, 259, 260, 262, 263});
    CHECK(frames("placement=first_touch") == List {0, 1, 2, 3, 4, 5, 6, 7});
    CHECK(frames("placement=interleaved partitions=4") == List {3, 0, 2, 4, 6, 1, 5, 7});
    List random = frames("placement=random");
    CHECK(random != frames("placement=identity"));
    std::sort(random.begin(), random.end());
    CHECK(random == List {0, 1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("Page sizes of 64 KiB and 2 MiB map as much with one walk", "[mmu]") {
    for (const auto& [size, bytes] : {std::pair {"64KiB", 64 * KiB}, {"2MiB", 2048 * KiB}}) {
        const std::string page = std::string("page=") + size;
        Bench b(page, page + " placement=first_touch");
        b.run([&, bytes = bytes] {
            b.driver().read(0, bytes);
            b.driver().read(10 * us, 2 * bytes - 32);
            b.driver().read(20 * us, 0);
        });
        CHECK(value(b.mmu().stat.walker.walks) == 2);
        CHECK(b.memory().state.seen[1].request.address == bytes - 32);
        CHECK(b.memory().state.seen[2].request.address == bytes);
    }
}

TEST_CASE("Two applications at equal virtual addresses see their own data", "[mmu]") {
    for (const std::string placement : {"identity", "first_touch", "random"}) {
        Bench b("", "applications=2 address_space=32KiB memory=64KiB placement=" + placement, 2);
        b.run([&] {
            for (std::uint16_t a = 0; a < 2; ++a)
                for (unsigned page = 0; page < 8; ++page) {
                    auto& write = b.driver(a).plan(0, Command::write, page * 4 * KiB, 32);
                    write.application = a;
                    write.pc = 100u * (a + 1u) + page;
                }
            for (std::uint16_t a = 0; a < 2; ++a) // each through the other's TLB
                for (unsigned page = 0; page < 8; ++page) {
                    auto& read = b.driver(1 - a).plan(50 * us, Command::read, page * 4 * KiB, 32);
                    read.application = a;
                    read.pc = 100u * (a + 1u) + page;
                }
        });
        unsigned reads = 0;
        for (const auto& s : b.memory().state.seen)
            if (s.request.command == Command::read) {
                CHECK(s.content == s.request.pc);
                ++reads;
            }
        CHECK(reads == 16);
    }
}

TEST_CASE("Addresses go round the pages of a stripe, unit by unit", "[mmu]") {
    Bench b("page=12KiB stripe=4",
            "page=12KiB address_space=96KiB memory=96KiB placement=identity");
    b.run([&] {
        for (unsigned unit = 0; unit < 24; ++unit) b.driver().read(0, unit * 4 * KiB + unit);
    });
    REQUIRE(b.memory().state.seen.size() == 24);
    std::set<std::uint64_t> units;
    for (const auto& s : b.memory().state.seen) {
        const std::uint64_t unit =
            s.request.address % (4 * KiB); // identifies the request: the added offset
        const std::uint64_t page = unit / 12 * 4 + unit % 4, within = unit % 12 / 4;
        CHECK(s.request.address == page * 12 * KiB + within * 4 * KiB + unit);
        units.insert(unit);
    }
    CHECK(units.size() == 24);
    CHECK(value(b.mmu().stat.walker.walks) ==
          8); // a page is one translation, wherever its units are
    for (const auto& a : b.driver().state.answers)
        CHECK(a.response.address == a.response.tag * (4 * KiB + 1));
}

TEST_CASE("A TLB that does not translate passes addresses on", "[mmu]") {
    Bench b("translates=false");
    b.run([&] { b.driver().read(0, 123456); });
    CHECK(b.driver().answered(0) == hit_time);
    CHECK(b.memory().state.seen[0].request.address == 123456);
    CHECK(b.driver().state.answers[0].response.address == 123456);
}

TEST_CASE("Answers carry the addresses and tags of their requests", "[mmu]") {
    Bench b("", "memory_base=1MiB");
    b.run([&] {
        for (unsigned i = 0; i < 40; ++i) b.driver().read(0, i * 1000);
    });
    REQUIRE(b.driver().state.answers.size() == 40);
    for (const auto& a : b.driver().state.answers)
        CHECK(a.response.address == a.response.tag * 1000);
}

TEST_CASE("Pages may be flash blocks, of no power of two", "[mmu]") {
    const std::uint64_t page = 384 * 4 * KiB;
    Bench b("page=1536KiB", "page=1536KiB address_space=96MiB memory=96MiB", 1, true);
    b.run([&] {
        b.driver().read(0, 5 * page + page - 32);
        b.driver().read(us, 6 * page);
        b.mover().plan(2 * us, PageOrderKind::unmap, 6);
        b.mover().plan(3 * us, PageOrderKind::map, 6, 40);
        b.driver().read(4 * us, 6 * page + 5 * 4 * KiB);
    });
    const auto& seen = b.memory().state.seen;
    REQUIRE(seen.size() == 3);
    CHECK(seen[0].request.address == 5 * page + page - 32);
    CHECK(seen[1].request.address == 6 * page);
    CHECK(seen[2].request.address == 40 * page + 5 * 4 * KiB);
    CHECK(value(b.tlb().stat.misses) == 3);
    CHECK(b.mmu().frame_at_start(0) == 0u);
}

namespace {
/// The sentence that building this machine fails with.
std::string refused(const std::string& tlb, const std::string& mmu) {
    try {
        Bench b(tlb, mmu);
        b.m.build();
    } catch (const ConfigError& e) {
        return e.what();
    }
    return "";
}
} // namespace

TEST_CASE("The L2 TLB and the walk cache evict according to their tag policies", "[mmu]") {
    // Pages 0, 1, 0, 2, 0 of an L1 TLB that holds one: two fit, and 2 takes the place of 1 by lru,
    // of 0 by fifo.
    const auto read = [](Bench& b, std::uint64_t step) {
        unsigned i = 0;
        for (const unsigned page : {0u, 1u, 0u, 2u, 0u})
            b.driver().read(++i * 10 * us, page * step);
    };
    for (const std::string policy : {"lru", "fifo"}) {
        INFO(policy);
        Bench b("entries=1 ways=1", "entries=2 ways=2 replacement=" + policy);
        b.run([&] { read(b, 4 * KiB); });
        CHECK(value(b.mmu().stat.hits) == (policy == "lru" ? 2 : 1));
        // The same of leaf tables: a page of each, without an L2 TLB.
        Bench walks("entries=1 ways=1", "entries=0 walk_cache=2 walk_cache_ways=2 "
                                        "walk_cache_replacement=" +
                                            policy);
        walks.run([&] { read(walks, 512 * 4 * KiB); });
        CHECK(value(walks.mmu().stat.walker.walk_cache_hits) == (policy == "lru" ? 2 : 1));
    }
    CHECK_THAT(refused("", "replacement=plru"), Contains("there is no tag policy 'plru'"));
}

TEST_CASE("A wrong TLB or MMU is refused before time 0", "[mmu]") {
    CHECK(refused("", "page=5000B") == "mmu.page: must be a multiple of 1KiB");
    CHECK_THAT(refused("page=5000B", ""),
               StartsWith("tlb[0].page: '5kB' must be a multiple of 1KiB"));
    CHECK(refused("page=64KiB", "") == "tlb[0].page: must equal that of mmu, 4KiB");
    CHECK(refused("stripe=2 stripe_unit=3KiB", "") == "tlb[0].stripe_unit: must divide the page");
    CHECK_THAT(refused("entries=6 ways=4", ""),
               StartsWith("tlb[0].ways: '4' must be a divisor of entries = 6"));
    CHECK(refused("", "entries=10 ways=4") ==
          "mmu.ways: 10 entries are not a whole number of sets of 4");
    CHECK(refused("", "walk_cache=10 walk_cache_ways=4") ==
          "mmu.walk_cache_ways: 10 entries are not a whole number of sets of 4");
    CHECK(refused("", "table_memory=1MiB") ==
          "mmu.table_memory: 1MiB are too small for the page tables of 1 address spaces of 1GiB, "
          "which need 2101248B: use more memory, or larger pages");
    CHECK(refused("", "address_space=1MiB memory=1020KiB") ==
          "mmu.memory: 1020KiB hold 255 pages; all pages of 1 address spaces are 256: place pages "
          "by first_touch or faults, or use more memory");
    CHECK(refused("", "address_space=2KiB memory=2KiB") ==
          "mmu.memory: is smaller than a page of 4KiB");
    CHECK(refused("", "memory_base=100B") == "mmu.memory_base: must be a multiple of the page");
    CHECK(refused("", "placement=interleaved partitions=3") ==
          "mmu.partitions: 262144 pages cannot be divided into 3 equal parts");
    CHECK_THAT(refused("", "table_base=1GiB memory_base=1GiB"),
               StartsWith("mmu has its pages in memory from address 1073741824 to 2147483647, "
                          "where mmu has its page tables, from address 1073741824 to"));
    CHECK(refused("", "leaf_entries=500") == "mmu.leaf_entries: must be a power of two");
    CHECK(refused("", "walk_read=4B") ==
          "mmu.walk_read: must be a power of two that holds an entry of 8B");
    CHECK(refused("", "placement=faults").find("mmu.fault_side: pages that are not resident") == 0);
}

TEST_CASE("An address beyond its space, or a page beyond the memory, is refused when it is met",
          "[mmu]") {
    auto error = [](const std::string& mmu, std::uint64_t address, std::uint16_t application) {
        Bench b("", mmu);
        b.m.build();
        b.driver().read(0, 0);
        b.driver().plan(0, Command::read, address, 32).application = application;
        b.m.start();
        try {
            b.m.run(never);
        } catch (const ConfigError& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    CHECK(
        error("address_space=1MiB", 1024 * KiB, 0) ==
        "mmu.address_space: application 0 uses address 1048576, beyond its 1MiB: make it at least "
        "the footprint of the program");
    CHECK(error("address_space=1MiB", 0, 1) ==
          "mmu.applications: application 1 sends requests, and only 1 have an address space: count "
          "all applications");
    CHECK(error("placement=first_touch memory=4KiB", 4 * KiB, 0) ==
          "mmu.memory: all 1 pages are in use and application 0 touches another: use more memory, "
          "or place pages by faults");
}

TEST_CASE("The memory of an MMU is bounded by the accessed pages", "[mmu]") {
    Bench b("page=64KiB", "placement=first_touch address_space=1TiB memory=512GiB page=64KiB "
                          "table_memory=1GiB");
    b.run([&] {
        for (std::uint64_t i = 0; i < 100; ++i) b.driver().read(0, i << 33);
    });
    std::size_t bytes = 0;
    for (const auto& object : b.m.save().objects)
        if (object.path == "mmu") bytes = object.state.size();
    CHECK(bytes < 400 * KiB); // the queues and buffers, and 100 mappings
}

} // namespace memsim::mmu_test
