#include "../flash/support.hh"
#include "access_reporter.hh"

#include "core/base/rng.hh"
#include "zng/read_path/page_buffer.hh"

namespace memsim::page_buffer_test {

using namespace memsim::test_zng;
using test_mem::arguments;
using test_mem::value;
using zng::PageBuffer;

namespace {

/// drivers - page buffer - memory of 100 ns as its DRAM, and a small drive of 2 channels.
struct Rig {
    explicit Rig(const std::string& params, const Arguments& drive = {}, unsigned drivers = 1) {
        test_flash::Flash flash {2, 1, 2, 2, 24, 8};
        flash.drive = test_flash::with({{"page", "4KiB"},
                                        {"over_provisioning", "50%"},
                                        {"cache", "128KiB"},
                                        {"write_buffer", "64KiB"},
                                        {"firmware", "5us"},
                                        {"host_rate", "1000GB/s"},
                                        {"completion", "1fs"},
                                        {"dram_latency", "0fs"},
                                        {"dram_rate", "1000GB/s"}},
                                       drive);
        flash.package = {{"media", "z_nand"}};
        Arguments buffer {{"capacity", "8KiB"}, {"ways", "2"}, {"dirty_pages", "2"}};
        m.add("buffer", "zng.PageBuffer", test_flash::with(buffer, arguments(params)));
        m.add("dram", "mem.SimpleMemory", {{"bandwidth", "1000000GB/s"}});
        flash.add(m);
        m.bind("buffer", "dram_side", "dram", "cpu_side");
        m.bind("buffer", "drive_side", "drive", "host[0]");
        if (drivers > 1) {
            m.add("network", "mem.Crossbar",
                  {{"inputs", std::to_string(drivers)}, {"outputs", "1"}});
            m.bind("network", "mem_side[0]", "buffer", "cpu_side");
        }
        for (unsigned i = 0; i < drivers; ++i) {
            const std::string n = "[" + std::to_string(i) + "]";
            m.add("driver" + n, "test_mem.Driver", {});
            m.bind("driver" + n, "mem_side", drivers > 1 ? "network" : "buffer",
                   drivers > 1 ? "cpu_side" + n : "cpu_side");
        }
        m.build();
    }
    test_mem::Driver& driver(unsigned i = 0) {
        return m.get<test_mem::Driver>("driver[" + std::to_string(i) + "]");
    }
    PageBuffer& buffer() { return m.get<PageBuffer>("buffer"); }
    const flash::Drive& drive() { return m.get<flash::Drive>("drive"); }
    void run() { test_flash::run(m); }
    Machine m;
};

std::string error_of(const std::string& params) {
    return test_flash::error_of([&] { Rig rig(params); });
}

} // namespace

TEST_CASE("A held page is read from the DRAM without firmware", "[zng][page_buffer]") {
    Rig rig("");
    rig.driver().read(0, 0, 128);
    rig.driver().read(100 * us, 512, 128);
    rig.run();
    const auto& s = rig.buffer().stat;
    CHECK(value(s.front.misses) == 1);
    CHECK(value(s.front.hits) == 1);
    CHECK(value(s.pages_in) == 1);
    CHECK(rig.driver().answered(0) > 5 * us); // the firmware's time at least
    // The three links, the DRAM's 100 ns and the dispatcher's answer.
    CHECK(rig.driver().answered(1) > 100 * us + 102 * ns);
    CHECK(rig.driver().answered(1) < 100 * us + 103 * ns);
    CHECK(value(s.dram_bytes) == 4096 + 2 * 128);
}

TEST_CASE("Host writes to a page in transfer are kept, in either direction", "[zng][page_buffer]") {
    const auto look = [](Rig& rig, std::uint64_t address, bool write, std::uint8_t byte = 0) {
        FunctionalAccess a {address, 0, write, {}};
        if (write) {
            a.data.known = SectorBytes::all;
            a.data.bytes.fill(byte);
            a.data.order.fill(7);
        }
        rig.buffer().functional(rig.buffer().port.cpu_side, a);
        CHECK(a.address == address);
        return a.data.known ? a.data.bytes[5] : 0;
    };
    const auto at = [&](Rig& rig, Tick when) {
        rig.m.sim().contents().enable();
        look(rig, 64, true, 1);
        look(rig, 96, true, 1);
        rig.m.start();
        rig.m.run(when);
        look(rig, 64, true, 42);
        look(rig, 4064, true, 42);
        CHECK(look(rig, 64, false) == 42);
        REQUIRE(rig.m.run(never) == Stop::idle);
        CHECK(look(rig, 96, false) == 1);
        CHECK(look(rig, 4064, false) == 42);
        return look(rig, 64, false);
    };
    Rig comes(GENERATE("", "passing=true"));
    comes.driver().read(0, 0);
    comes.driver().read(0, 64);
    const auto when = GENERATE(6 * us, 8 * us, 9 * us, 10 * us, 11 * us, 12 * us, 13 * us);
    CHECK(at(comes, when) == 42);
    // Written back by the excess of dirty pages, then evicted clean and read again.
    Rig goes("dirty_pages=1");
    goes.driver().write(0, 0, 32, false);
    goes.driver().write(100 * us, 4096, 32, false);
    goes.driver().read(300 * us, 8192);
    goes.driver().read(400 * us, 12288);
    CHECK(at(goes, 100 * us + (when - 6 * us)) == 42);
}

TEST_CASE("Reads that precede a write are answered from the page as it passes",
          "[zng][page_buffer]") {
    const bool passing = GENERATE(false, true);
    Rig rig(std::string("passing=") + (passing ? "true" : "false"));
    rig.driver().read(0, 0, 128);
    rig.driver().read(10 * ns, 256, 128);
    rig.driver().write(20 * ns, 512, 128, false);
    rig.driver().read(30 * ns, 512, 128); // behind the write: waits for the page in the DRAM
    rig.run();
    const auto& s = rig.buffer().stat;
    CHECK(value(s.passing_reads) == (passing ? 2 : 0));
    CHECK(value(s.dram_bytes) == 4096 + (passing ? 2 : 4) * 128);
    const Tick came = static_cast<Tick>(s.drive_time.sum()) + 2 * ns; // since it was missed
    for (unsigned i : {0u, 1u}) {
        if (passing)
            CHECK(rig.driver().answered(i) < came + 3 * ns);
        else
            CHECK(rig.driver().answered(i) > came + 100 * ns);
    }
    CHECK(rig.driver().answered(3) > came + 100 * ns);
}

TEST_CASE("The dispatcher processes one request at a time", "[zng][page_buffer]") {
    Rig rig("dispatch=20ns");
    rig.driver().read(0, 0, 32);
    for (int i = 0; i < 4; ++i) rig.driver().read(100 * us, 0, 32);
    rig.run();
    for (unsigned i = 2; i < 5; ++i)
        CHECK(rig.driver().answered(i) - rig.driver().answered(i - 1) == 20 * ns);
}

TEST_CASE("Requests for a page in transfer wait in order; other requests continue",
          "[zng][page_buffer]") {
    Rig rig("");
    rig.driver().read(0, 4096, 32);
    rig.driver().read(100 * us, 0, 32);
    rig.driver().read(100 * us, 128, 32);  // waits with it
    rig.driver().read(100 * us, 4096, 32); // here
    rig.run();
    CHECK(value(rig.buffer().stat.front.merged) == 1);
    CHECK(value(rig.buffer().stat.front.misses) == 2);
    CHECK(rig.driver().answered(3) < 101 * us);
    CHECK(rig.driver().answered(1) > 105 * us);
    CHECK(rig.driver().answered(2) >= rig.driver().answered(1));
}

TEST_CASE("The least recently used clean page is replaced", "[zng][page_buffer]") {
    Rig rig(""); // one set of two
    rig.driver().read(0, 0, 32);
    rig.driver().read(100 * us, 4096, 32);
    rig.driver().read(200 * us, 0, 32);
    rig.driver().read(300 * us, 8192, 32); // takes the place of page 1
    rig.driver().read(400 * us, 0, 32);
    rig.driver().read(500 * us, 4096, 32);
    rig.run();
    CHECK(rig.driver().answered(4) < 401 * us);
    CHECK(rig.driver().answered(5) > 505 * us);
}

TEST_CASE("Another policy of the page buffer chooses another victim", "[zng][page_buffer]") {
    // One set of two: page 0 arrived first, page 1 was used longest ago.
    const auto [policy, misses] =
        GENERATE(table<std::string, std::uint64_t>({{"lru", 3}, {"fifo", 4}}));
    Rig rig("replacement=" + policy);
    Tick at = 0;
    for (const std::uint64_t page : {0, 1, 0, 2, 0}) {
        rig.driver().read(at, page * 4096, 32);
        at += 100 * us;
    }
    rig.run();
    CHECK(value(rig.buffer().stat.front.misses) == misses);
}

TEST_CASE("Prefetched pages replace only clean, idle pages and are counted", "[zng][page_buffer]") {
    Rig rig("capacity=16KiB prefetch=page-on-page(pages=4) prefetch_end=32KiB"); // two sets of two
    rig.driver().write(0, 5 * 4096, 128, false); // 4, 6 and 7 come, too
    rig.driver().read(2 * us, 4 * 4096, 32);     // late
    rig.driver().read(200 * us, 7 * 4096, 32);
    rig.driver().read(400 * us, 0, 32); // takes the place of 6, 2 of 4, 1 of 7; of 5, which is
                                        // dirty, 3 takes none, nor of 1, which is on its way
    rig.driver().read(600 * us, 5 * 4096, 32);
    rig.driver().read(800 * us, 6 * 4096, 32); // in the place of 2; 4 in that of 0, 7 in that of 1;
                                               // 5 is there
    rig.run();
    const auto& s = rig.buffer().stat;
    CHECK(value(s.front.misses) == 3);
    CHECK(value(s.front.merged) == 1);
    CHECK(value(s.front.hits) == 2);
    CHECK(value(s.ahead.prefetches) == 3 + 2 + 2);
    CHECK(value(s.ahead.dropped_prefetches) == 1);
    CHECK(value(s.ahead.late_prefetches) == 1);
    CHECK(value(s.ahead.unused_prefetches) == 1 + 2);
    CHECK(value(s.pages_in) == 10);
    CHECK(value(s.pages_out) == 0);
}

TEST_CASE("The dirty page written least recently goes to the drive", "[zng][page_buffer]") {
    Rig rig("capacity=32KiB ways=8");
    const auto write = [&](Tick at, std::uint64_t page) {
        rig.driver().write(at, page * 4096, 128, false);
    };
    write(0, 0), write(100 * us, 1), write(200 * us, 0), write(300 * us, 2); // page 1 leaves
    rig.run();
    CHECK(value(rig.buffer().stat.pages_out) == 1);
    const auto dirty = [&](std::uint64_t page) {
        for (const auto& frame : rig.buffer().state.frames)
            if (frame.page == page && frame.dirty) return true;
        return false;
    };
    CHECK(dirty(0));
    CHECK(dirty(2));
    CHECK_FALSE(dirty(1));
}

TEST_CASE("Dirty pages stay up to the limit; then the first is written to the drive",
          "[zng][page_buffer]") {
    const unsigned pages = GENERATE(2u, 3u);
    Rig rig("capacity=32KiB ways=8");
    for (unsigned i = 0; i < pages; ++i) rig.driver().write(i * 100 * us, i * 4096, 128, false);
    rig.run();
    CHECK(value(rig.buffer().stat.pages_out) == pages - 2);
    CHECK(value(rig.drive().stat.commands.writes) == pages - 2);
    // A page is brought before it is written, and read from the DRAM before it leaves.
    CHECK(value(rig.buffer().stat.dram_bytes) == pages * (4096 + 128) + (pages - 2) * 4096);
    CHECK(rig.buffer().state.dirty == 2);
}

TEST_CASE("Incoming pages and requests alternate at the DRAM", "[zng][page_buffer]") {
    Rig rig("dram_queue=1 queue=256"); // a read at a time: 100 ns each
    rig.driver().read(0, 4096, 32);
    rig.driver().read(100 * us, 0, 32); // its page arrives about 8 us later
    for (int i = 0; i < 200; ++i) rig.driver().read(104 * us, 4096, 32);
    rig.run();
    CHECK(rig.driver().answered(201) > 124 * us);
    CHECK(rig.m.stat_value("buffer", "fetch_time", "max") < 16'000); // 24 us if it were read last
}

TEST_CASE("A set full of dirty pages writes one out, and the request waits", "[zng][page_buffer]") {
    Rig rig("");
    rig.driver().write(0, 0, 128, false);
    rig.driver().write(100 * us, 4096, 128, false);
    rig.driver().read(200 * us, 8192, 128);
    rig.run();
    CHECK(value(rig.buffer().stat.stalled_by_set) == 1);
    CHECK(value(rig.buffer().stat.pages_out) == 1);
    CHECK(rig.driver().answered(2) > 210 * us); // firmware twice
}

TEST_CASE("Firmware limits the page rate to cores / time per page", "[zng][page_buffer]") {
    const unsigned cores = GENERATE(1u, 5u);
    Rig rig("capacity=1MiB ways=8 queue=256", {{"cores", std::to_string(cores)}});
    for (std::uint64_t i = 0; i < 50; ++i) rig.driver().read(0, i * 4096, 32);
    rig.run();
    Tick last = 0;
    for (unsigned i = 0; i < 50; ++i) last = std::max(last, rig.driver().answered(i));
    CHECK(last >= 50 * 5 * us / cores);
    CHECK(last < 50 * 5 * us / cores + 10 * us);
}

TEST_CASE("Misuse of a page buffer gives an error message", "[zng][page_buffer]") {
    using Catch::Contains;
    const auto go = [](Rig& rig) {
        rig.m.start();
        rig.m.run(never);
    };
    CHECK_THAT(error_of("capacity=10KiB"), Contains("buffer.capacity") && Contains("multiple of"));
    CHECK_THAT(error_of("dirty_pages=3"), Contains("buffer.dirty_pages") && Contains("2 pages"));
    CHECK_THAT(error_of("page=5000B"), Contains("power of two"));
    Rig rig("");
    rig.driver().read(0, 4000, 128);
    CHECK_THAT(test_flash::error_of([&] { go(rig); }), Contains("does not lie within one page"));
    Rig beyond("");
    beyond.driver().read(0, 1ull << 40, 128);
    CHECK_THAT(test_flash::error_of([&] { go(beyond); }), Contains("beyond the drive"));
}

} // namespace memsim::page_buffer_test
