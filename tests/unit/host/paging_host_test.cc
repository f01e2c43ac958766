#include "host/paging_host.hh"

#include "../flash/support.hh"
#include "../gpu/mmu_support.hh"
#include "../mem/driver.hh"
#include "link/pcie.hh"

namespace memsim::paging_host_test {

using namespace memsim::test_mmu;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

constexpr std::uint64_t KiB = 1024;
constexpr Tick us = 1'000'000'000;

/// A page prefetcher from outside the tree: the page behind each that is faulted on.
class NextPage final : public PolicyModel<NextPage, device_parts::PagePrefetcher> {
  public:
    struct Params {
        Param<unsigned> pages {1, {1, 8}, "Pages to bring"};
    };
    struct State {
        std::uint64_t held = 0;
    };
    explicit NextPage(const Params& p) : params(p) {}
    void resize(std::uint64_t, std::uint64_t) override {}
    void claimed(const device_parts::PageName&) override { ++state.held; }
    void evicted(const device_parts::PageName&) override { --state.held; }
    void bring(const std::vector<device_parts::PageName>& faults,
               std::vector<device_parts::PageName>& with_them) override {
        for (const device_parts::PageName& f : faults)
            for (unsigned i = 1; i <= params.pages; ++i)
                with_them.push_back({f.page + i, f.application});
    }
    const Params params;
    State state;
};
const PolicyRegistration<NextPage> next_page {"test_next_page", "The pages behind a fault."};

/// One SM's driver, TLB and MMU whose pages a host brings, straight or over PCIe.
struct Paged : Bench {
    Paged(const std::string& host, const std::string& mmu, const std::string& pcie = "none",
          const std::string& drive = "")
        : Bench("misses=1024 queue=1024",
                "placement=faults fault_buffer=1024 walk_buffer=1024 queue=1024 "
                "lookups=64 " +
                    mmu,
                1, false, "queue=4096") {
        const bool has_drive = host.find("source=drive") != std::string::npos;
        m.add("host", "host.PagingHost", arguments(host));
        m.add("frames", "test_mmu.Recorder", {{"queue", "1024"}});
        m.bind("mmu", "fault_side", "host", "faults");
        m.bind("host", "pages", "mmu", "mover_side[0]");
        if (pcie == "none")
            m.bind("host", "device_side", "frames", "cpu_side[0]");
        else {
            m.add("pcie", "link.Pcie", arguments(pcie));
            m.bind("host", "device_side", "pcie", "from_host");
            m.bind("pcie", "to_device", "frames", "cpu_side[0]");
        }
        if (drive == "flash") {
            test_flash::Flash flash;
            flash.blocks = 64;
            flash.drive = {{"over_provisioning", "0.25"}};
            flash.add(m);
            m.bind("host", "drive_side", "drive", "host[0]");
        } else if (has_drive) {
            m.add("drive", "flash.FixedDrive", arguments(drive));
            m.bind("host", "drive_side", "drive", "requests");
        }
    }
    host::PagingHost& host() { return m.get<host::PagingHost>("host"); }
};

Tick passes(std::int64_t bytes, std::int64_t rate) {
    return static_cast<Tick>(Int128 {bytes} * ticks_per_second / rate);
}

// A miss up to the fault's arrival at the host, and from its answer to the memory's.
constexpr Tick to_host = 1 + (10_ns).raw + 2 * walk_read + 1;
constexpr Tick from_host = 1 + (10_ns).raw + (833'334_fs + 100_ns).raw + 1;
// The driver's time for a batch of one, and the time of a page's copy with a memory of 100 ns.
constexpr Tick driver = 20 * us + us;
constexpr Tick copy = 1 + (100_ns).raw;

} // namespace

TEST_CASE("A page fault takes the driver's time, the page's and the copy's", "[host]") {
    Paged b("", "");
    b.run([&] {
        b.driver().read(0, 0);
        b.driver().read(100 * us, 64);
    });
    const Tick dram = passes(4096, 34'000'000'000) + (100_ns).raw;
    CHECK(b.driver().answered(0) == to_host + driver + dram + copy + from_host);
    CHECK(b.driver().answered(1) == 100 * us + hit_time);
    CHECK(value(b.host().stat.bytes_in) == 4096);
    CHECK(value(b.host().stat.batches) == 1);
}

TEST_CASE("A page from a drive passes host DRAM, from GPU-direct storage it does not", "[host]") {
    const Tick read = passes(4096, 3'200'000'000) + 15 * us + 1;
    for (const unsigned copies : {0u, 1u, 3u}) {
        Paged b("source=drive host_copies=" + std::to_string(copies), "");
        b.run([&] { b.driver().read(0, 0); });
        const Tick dram = passes(4096 * (2 + 2 * copies), 34'000'000'000) + (100_ns).raw;
        CHECK(b.driver().answered(0) == to_host + driver + 1 + read + dram + copy + from_host);
    }
    Paged b("source=drive_direct", "");
    b.run([&] { b.driver().read(0, 0); });
    CHECK(b.driver().answered(0) == to_host + driver + 1 + read + copy + from_host);
    CHECK(value(b.host().stat.dram_bytes) == 0);
}

TEST_CASE("Stages tell what a page fault consists of", "[host]") {
    const Tick read = passes(4096, 3'200'000'000) + 15 * us;
    Paged b("source=drive host_copies=0", "");
    Stamps& stamps = b.m.sim().stamps();
    Stamps::Id id;
    b.run([&] {
        stamps.enable(1);
        b.driver().read(0, 0);
        id = b.driver().state.plan.entries.back().message.stamps = stamps.open(0, 0);
    });
    stamps.close(id, Stage::find("response"), b.driver().answered(0));
    const auto sum = [&](const char* stage) {
        return static_cast<Tick>(stamps.sum(Stage::find(stage)));
    };
    CHECK(sum("fault_driver") == driver);
    CHECK(sum("drive") == read);
    CHECK(sum("page_read") == passes(4096 * 2, 34'000'000'000) + (100_ns).raw + 1);
    CHECK(sum("page_copy") == copy);
    CHECK(sum("fault_driver") + sum("drive_queue") + sum("drive") + sum("page_read") +
              sum("page_copy") + sum("translation") + sum("response") ==
          b.driver().answered(0));
}

TEST_CASE("Faults that come together are a batch; one that comes later waits for the next",
          "[host]") {
    Paged b("page_cost=0fs", "");
    b.run([&] {
        for (unsigned p = 0; p < 8; ++p) b.driver().read(0, p * 4 * KiB);
        b.driver().read(19 * us, 8 * 4 * KiB);          // still in time
        b.driver().read(20 * us + us / 2, 9 * 4 * KiB); // too late
    });
    CHECK(value(b.host().stat.batches) == 2);
    CHECK(b.driver().answered(8) < 22 * us);
    CHECK(b.driver().answered(9) > 40 * us);
    CHECK(b.driver().answered(9) < 43 * us);
}

TEST_CASE("A batch holds no more than its size", "[host]") {
    Paged b("batch=3 page_cost=0fs", "");
    b.run([&] {
        for (unsigned p = 0; p < 10; ++p) b.driver().read(0, p * 4 * KiB);
    });
    CHECK(value(b.host().stat.batches) == 4);
}

TEST_CASE("The driver spends its time on page after page", "[host]") {
    Paged b("page_cost=2us transfers=64", "");
    b.run([&] {
        for (unsigned p = 0; p < 50; ++p) b.driver().read(0, p * 4 * KiB);
    });
    const Tick dram = passes(4096, 34'000'000'000) + (100_ns).raw;
    CHECK(b.driver().answered(49) == to_host + 20 * us + 50 * 2 * us + dram + copy + from_host);
}

TEST_CASE("Without the driver's time, pages come as fast as PCIe or host DRAM carries them",
          "[host]") {
    for (const bool slow_dram : {false, true}) {
        Paged b(std::string("page_cost=0fs transfers=64 batch=1024 queue=1024 dram_bandwidth=") +
                    (slow_dram ? "5GB/s" : "100GB/s"),
                "", "queue=256");
        constexpr int n = 512;
        b.run([&] {
            for (unsigned p = 0; p < n; ++p) b.driver().read(0, p * 4 * KiB);
        });
        CHECK(value(b.host().stat.batches) == 1);
        const std::int64_t link = link::Pcie::rate(3, 16).raw;
        const Tick whole =
            slow_dram ? passes(n * 4096, 5'000'000'000) : passes(n * 4096 / 256 * (256 + 24), link);
        const Tick around = b.driver().answered(n - 1) - to_host - 20 * us;
        CHECK(around >= whole);
        CHECK(around < whole + 2 * us);
    }
}

TEST_CASE("A dirty page is copied out, and to its drive, before its frame is used again",
          "[host]") {
    for (const std::string source : {"host_memory", "drive", "drive_direct"}) {
        Paged b("source=" + source, "memory=4KiB");
        b.run([&] {
            b.driver().write(0, 0, 32, false);  // dirty
            b.driver().read(200 * us, 4 * KiB); // copies page 0 out
            b.driver().read(400 * us, 8 * KiB); // page 1 is clean
            b.driver().read(600 * us, 0);
        });
        CHECK(value(b.host().stat.pages_out) == 1);
        CHECK(value(b.host().stat.bytes_out) == 4096);
        CHECK(value(b.host().stat.bytes_in) == 4 * 4096);
        CHECK(value(b.host().stat.drive_writes) == (source == "host_memory" ? 0 : 1));
        const auto& seen = b.m.get<Recorder>("frames").state.seen;
        REQUIRE(seen.size() == 5 * 32);
        for (unsigned i = 0; i < 32; ++i) CHECK(seen[32 + i].request.command == Command::read);
        // A clean page costs no more than a free frame.
        const Tick first = b.driver().answered(2) - 400 * us;
        CHECK(first < (source == "host_memory" ? 22 : 39) * us);
    }
}

TEST_CASE("Prefetched pages arrive with their block after the faulted page", "[host][prefetch]") {
    const std::string prefetch = "page_cost=2us prefetch=density prefetch_cost=1us";
    Paged b(prefetch, "address_space=1MiB");
    b.run([&] {
        b.driver().read(0, 0);
        b.driver().read(200 * us, 15 * 4 * KiB); // of the same block
        b.driver().read(300 * us, 16 * 4 * KiB); // of the next one: 32 pages are wanted of 64
    });
    const Tick dram = passes(4096, 34'000'000'000) + (100_ns).raw;
    CHECK(b.driver().answered(0) == to_host + 20 * us + 2 * us + dram + copy + from_host);
    CHECK(b.driver().answered(1) < 201 * us);
    CHECK(b.driver().answered(2) > 320 * us);
    CHECK(value(b.host().stat.faults) == 2);
    CHECK(value(b.host().stat.prefetches) == 30);
    CHECK(value(b.host().stat.batches) == 2);
    CHECK(value(b.host().stat.bytes_in) == 32 * 4096);
    CHECK(value(b.host().stat.cpu_time) ==
          2 * static_cast<std::uint64_t>(20 * us + 2 * us + 15 * us));
    CHECK(value(b.mmu().stat.eviction.evictions) == 0);

    Paged without("page_cost=2us", "address_space=1MiB");
    without.run([&] {
        without.driver().read(0, 0);
        without.driver().read(200 * us, 15 * 4 * KiB);
    });
    CHECK(value(without.host().stat.faults) == 2);
    CHECK(value(without.host().stat.prefetches) == 0);
}

TEST_CASE("A fault on a page that a prefetch brings is answered with the batch",
          "[host][prefetch]") {
    Paged b("prefetch=density prefetch_cost=1us", "address_space=1MiB");
    b.run([&] {
        b.driver().read(0, 0);
        b.driver().read(25 * us, 15 * 4 * KiB); // arrives last of its block, at about 36 us
    });
    CHECK(value(b.host().stat.batches) == 1);
    CHECK(value(b.host().stat.faults) == 2);
    CHECK(value(b.host().stat.late_faults) == 1);
    CHECK(value(b.host().stat.batched_faults) == 1);
    CHECK(value(b.host().stat.bytes_in) == 16 * 4096);
    CHECK(b.driver().answered(1) < 38 * us);
    // The first from its interrupt at 0, the second from when it was taken, at about 36 us.
    CHECK(b.m.stat_value("host", "fault_time", "min") < 2000); // ns
    CHECK(b.m.stat_value("host", "fault_time", "max") > 20'000);
}

TEST_CASE("What was prefetched makes room as other pages do, and is counted if it was not used",
          "[host][prefetch]") {
    Paged b("prefetch=density(block=16KiB,region=16KiB)", "memory=8KiB");
    b.run([&] {
        b.driver().read(0, 0);               // 2 and 3 take the places of 0 and 1
        b.driver().read(100 * us, 0);        // 0 and 1 those of 2 and 3
        b.driver().read(200 * us, 64 * KiB); // 16 to 19 those of 0 and 1, of 16 and 17
    });
    CHECK(value(b.mmu().stat.eviction.evictions) == 8);
    CHECK(value(b.mmu().stat.eviction.unused_prefetches) == 5); // all but 0, 0 and 16
    CHECK(value(b.host().stat.faults) == 3);
    CHECK(b.driver().state.answers.size() == 3);
}

TEST_CASE("Page-on-page prefetch brings the group of a fault, but for pages that are there",
          "[host][prefetch]") {
    Paged b("prefetch=page-on-page(pages=4,where=behind)", "address_space=1MiB");
    b.run([&] {
        b.driver().read(0, 4 * 4 * KiB);        // 5, 6 and 7 come, too
        b.driver().read(200 * us, 7 * 4 * KiB); // is present
        b.driver().read(300 * us, 2 * 4 * KiB); // 3; 4 and 5 are present
    });
    CHECK(value(b.host().stat.faults) == 2);
    CHECK(value(b.host().stat.prefetches) == 4);
    CHECK(value(b.host().stat.bytes_in) == 6 * 4096);
}

TEST_CASE("A page prefetcher is chosen by name, with parameters of its own", "[host][prefetch]") {
    Paged b("prefetch=test_next_page(pages=2) prefetch_cost=1us",
            "address_space=1MiB memory=16KiB");
    b.run([&] {
        b.driver().read(0, 0);
        b.driver().read(100 * us, 2 * 4 * KiB); // was copied with page 0
        b.driver().read(200 * us, 5 * 4 * KiB); // 6 and 7 come, too, and two make room
    });
    CHECK(value(b.host().stat.faults) == 2);
    CHECK(value(b.host().stat.prefetches) == 4);
    CHECK(dynamic_cast<const NextPage&>(*b.host().state.prefetch).state.held == 4);
}

TEST_CASE("Pages come from a drive of flash, and go back to it", "[host]") {
    for (const std::string source : {"drive", "drive_direct"}) {
        Paged b("source=" + source, "memory=4KiB", "none", "flash");
        b.run([&] {
            b.driver().write(0, 0, 32, false);
            b.driver().read(10'000 * us, 4 * KiB);
            b.driver().read(20'000 * us, 0); // pages written back are read from flash
        });
        CHECK(b.driver().state.answers.size() == 3);
        CHECK(value(b.host().stat.drive_reads) == 3);
        CHECK(value(b.host().stat.drive_writes) == 1);
        CHECK(value(b.m.get<flash::Drive>("drive").stat.commands.writes) == 1);
    }
}

TEST_CASE("A wrong host is refused", "[host]") {
    auto error = [](const std::string& host, const std::string& mmu) -> std::string {
        try {
            Paged b(host, mmu);
            b.m.build();
        } catch (const ConfigError& e) {
            return e.what();
        }
        return "";
    };
    CHECK(error("page=64KiB", "") == "host.page: must equal that of mmu, 4KiB");
    CHECK_THAT(error("drive_space=5000B", ""),
               StartsWith("host.drive_space: '5kB' must be a multiple of page = 4KiB"));
    CHECK(error("source=drive drive_space=1MiB", "address_space=2MiB") ==
          "host.drive_space: 1MiB is less than the address space of mmu: set it to at least 2MiB");
    CHECK(error("source=drive drive_space=2MiB", "address_space=2MiB").empty());
    CHECK(error("drive_space=1MiB", "address_space=2MiB").empty()); // without a drive
    CHECK_THAT(error("chunk=96B", ""), StartsWith("host.chunk: '96B' must be a power of two"));
    CHECK_THAT(error("prefetch=density(block=96KiB)", ""),
               Contains("density.block: '96KiB' must be a power of two"));
    CHECK_THAT(error("prefetch=density(region=32KiB)", ""),
               Contains("density.block: '64KiB' must be at most region = 32KiB"));
    CHECK_THAT(error("prefetch=densty", ""),
               Contains("there is no page prefetcher 'densty' (did you mean 'density'?)"));
}

TEST_CASE("Pages of hints come with the next batch, but those that are there", "[host][prefetch]") {
    Paged b("prefetch_cost=1us", "address_space=1MiB");
    b.m.add("hinter", "test_mem.Hinter", {});
    b.m.bind("hinter", "hints", "host", "hints");
    b.run([&] {
        b.m.get<test_mem::Hinter>("hinter").plan(0, 4 * KiB, 10 * KiB);
        b.driver().read(100 * us, 4 * KiB);  // 2 and 3 come with it
        b.driver().read(200 * us, 12 * KiB); // there: no fault
        b.driver().read(300 * us, 20 * KiB); // alone
    });
    CHECK(value(b.host().stat.prefetches) == 2);
    CHECK(value(b.host().stat.faults) == 2);
    CHECK(value(b.host().stat.bytes_in) == 4 * 4096);
    CHECK(b.driver().answered(1) < 201 * us);
}

TEST_CASE("More hints than are remembered drop the oldest; none lies beyond the addresses",
          "[host][prefetch]") {
    Paged b("hinted=2", "address_space=32KiB");
    b.m.add("hinter", "test_mem.Hinter", {});
    b.m.bind("hinter", "hints", "host", "hints");
    b.run([&] {
        b.m.get<test_mem::Hinter>("hinter").plan(0, 8 * KiB, 64 * KiB);
        b.driver().read(100 * us, 0);
    });
    CHECK(value(b.host().stat.prefetches) == 2); // pages 6 and 7 of 8
}

} // namespace memsim::paging_host_test
