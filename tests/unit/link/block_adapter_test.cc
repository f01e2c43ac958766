#include "link/block_adapter.hh"

#include "../flash/probes.hh"
#include "../flash/support.hh"
#include "../mem/driver.hh"
#include "mem/simple_memory.hh"

#include <catch2/catch.hpp>

namespace memsim::block_adapter_test {

/// Block requests to a memory.

using namespace memsim::test_flash;
using Catch::Contains;
using protocol::BlockOp;
using test_mem::arguments;

namespace {

/// A script, an adapter and memories of 100 and 300 ns that a router joins; by default the first
/// two sectors are in the faster one. All links have 1 fs.
struct Bench {
    /// From the sending of a request to its answer, if a memory, which accepts a byte each
    /// femtosecond, serves `sectors` of it.
    static constexpr Tick fast(Tick sectors) { return 100 * ns + 5 + 512 * sectors - 128; }
    static constexpr Tick slow(Tick sectors) { return 200 * ns + fast(sectors); }
    Machine m;
    std::uint32_t tags = 0;
    explicit Bench(const std::string& adapter = "",
                   const std::string& ranges = "0B 1KiB 0, 1KiB 1MiB 1", bool contents = false) {
        m.add("host", "test_flash.HostScript", {{"latency", "1fs"}});
        m.add("adapter", "link.BlockAdapter", arguments(adapter));
        m.add("router", "link.AddressRouter",
              {{"latency", "1fs"}, {"ranges", ranges}, {"queue", "64"}, {"buffer", "64"}});
        m.add("memory[0]", "mem.SimpleMemory", arguments("latency=100ns bandwidth=1000000GB/s"));
        m.add("memory[1]", "mem.SimpleMemory", arguments("latency=300ns bandwidth=1000000GB/s"));
        m.bind("host", "to", "adapter", "requests");
        m.bind("adapter", "mem_side", "router", "cpu_side");
        m.bind("router", "mem_side[0]", "memory[0]", "cpu_side");
        m.bind("router", "mem_side[1]", "memory[1]", "cpu_side");
        if (contents) m.sim().contents().enable();
        m.build();
    }
    Bench& at(Tick when, BlockOp op, std::uint64_t sector, std::uint64_t sectors = 1,
              bool urgent = false) {
        m.get<HostScript>("host").state.script.push(
            {when, {sector, sectors, {}, tags++, op, urgent}});
        return *this;
    }
    /// The ticks of the answers, by request.
    std::vector<Tick> answers() {
        run(m);
        std::vector<Tick> at(tags);
        for (const auto& s : m.get<HostScript>("host").state.log) at[s.response.tag] = s.at;
        return at;
    }
    void stop() { m.start(), m.run(never); }
    link::BlockAdapter& adapter() { return m.get<link::BlockAdapter>("adapter"); }
    const link::BlockAdapter::Stats& stat() { return adapter().stat; }
    const mem::SimpleMemory::Stats& memory(unsigned i) {
        return m.get<mem::SimpleMemory>("memory[" + std::to_string(i) + "]").stat;
    }
};

} // namespace

TEST_CASE("A block request is answered when its last part has been answered", "[block_adapter]") {
    for (const BlockOp op : {BlockOp::read, BlockOp::write}) { // 4 parts of each sector
        Bench b;
        b.at(0, op, 0, 2).at(1000 * ns, op, 1, 2).at(2000 * ns, op, 2, 3);
        CHECK(b.answers() == std::vector<Tick> {Bench::fast(2), 1000 * ns + Bench::slow(1),
                                                2000 * ns + Bench::slow(3)});
        const bool read = op == BlockOp::read;
        CHECK(value(b.stat().parts) == 28);
        CHECK(value(read ? b.stat().reads : b.stat().writes) == 3);
        CHECK(value(read ? b.stat().read_bytes : b.stat().write_bytes) == 7 * 512);
        CHECK(value(read ? b.memory(0).reads : b.memory(0).writes) == 12);
        CHECK(value(read ? b.memory(1).reads : b.memory(1).writes) == 16);
        CHECK(b.stat().latency.sum() ==
              Uint128(Bench::fast(2) + Bench::slow(1) + Bench::slow(3) - 3 * 2));
        for (const auto& s : b.m.get<HostScript>("host").state.log)
            CHECK(s.response.sectors == (s.response.tag == 2 ? 3 : 2));
    }
    Bench first_is_slow("", "0B 512B 1, 512B 1MiB 0");
    first_is_slow.at(0, BlockOp::read, 0, 2);
    CHECK(first_is_slow.answers() == std::vector<Tick> {Bench::slow(1)});
}

TEST_CASE("Parts beyond `outstanding` wait for answers", "[block_adapter]") {
    constexpr Tick round = 100 * ns + 3; // from the sending of a part to its answer
    Bench two("outstanding=2");
    two.at(0, BlockOp::read, 0, 2); // 8 parts
    CHECK(two.answers() == std::vector<Tick> {4 * round + 128 + 2});
    Bench seven("outstanding=7 block=64B");
    seven.at(0, BlockOp::write, 0); // 8 parts
    CHECK(seven.answers() == std::vector<Tick> {2 * round + 2});
    Bench eight("outstanding=8 block=64B");
    eight.at(0, BlockOp::write, 0);
    CHECK(eight.answers() == std::vector<Tick> {round + 7 * 64 + 2});
}

TEST_CASE("A block request waits for a place, and the sender for the adapter", "[block_adapter]") {
    Bench b("jobs=2 queue=1");
    for (int i = 0; i < 5; ++i) b.at(0, BlockOp::read, 0);
    b.m.start();
    b.m.run(50 * ns);
    CHECK(b.m.get<HostScript>("host").state.script.size() == 2); // two accepted, one in the queue
    REQUIRE(b.m.run(never) == Stop::idle);
    const auto& log = b.m.get<HostScript>("host").state.log;
    REQUIRE(log.size() == 5);
    CHECK(log[0].at == Bench::fast(1));
    CHECK(log[2].at == 2 * Bench::fast(1) - 2); // accepted when the first one was answered
    CHECK(log[4].at == 3 * Bench::fast(1) - 4);
    Bench more("jobs=5 queue=5");
    for (int i = 0; i < 5; ++i) more.at(0, BlockOp::read, 0);
    CHECK(more.answers() == std::vector<Tick> {Bench::fast(1), Bench::fast(2), Bench::fast(3),
                                               Bench::fast(4), Bench::fast(5)});
}

TEST_CASE("Parts of urgent requests are sent before others", "[block_adapter]") {
    constexpr Tick round = 100 * ns + 3;
    Bench b("outstanding=1");
    b.at(0, BlockOp::read, 0).at(10 * ns, BlockOp::read, 1); // 4 parts each
    b.at(20 * ns, BlockOp::read, 1, 1, true);
    CHECK(b.answers() == std::vector<Tick> {8 * round + 2, 12 * round + 2, 5 * round + 2});
}

TEST_CASE("A flush is answered when all earlier writes have been", "[block_adapter]") {
    Bench b;
    b.at(0, BlockOp::flush, 0, 0);         // nothing to wait for
    b.at(10 * ns, BlockOp::write, 8);      // slow
    b.at(11 * ns, BlockOp::write, 0);      // fast
    b.at(12 * ns, BlockOp::read, 8);       // a read does not matter
    b.at(13 * ns, BlockOp::flush, 0, 0);   // waits for both writes
    b.at(14 * ns, BlockOp::write, 9);      // is not waited for
    b.at(15 * ns, BlockOp::flush, 0, 0);   // waits for all three
    b.at(1000 * ns, BlockOp::flush, 0, 0); // all have been answered
    const std::vector<Tick> at = b.answers();
    CHECK(at[0] == 2);
    CHECK(at[4] == 10 * ns + Bench::slow(1));
    CHECK(at[4] < at[3]);
    CHECK(at[6] == 14 * ns + Bench::slow(1));
    CHECK(at[7] == 1000 * ns + 2);
    CHECK(value(b.stat().flushes) == 4);
}

TEST_CASE("Sector 0 lies at `base`", "[block_adapter]") {
    Bench b("base=512B");
    b.at(0, BlockOp::read, 0).at(1000 * ns, BlockOp::read, 1);
    CHECK(b.answers() == std::vector<Tick> {Bench::fast(1), 1000 * ns + Bench::slow(1)});
}

TEST_CASE("An untimed access finds a write that has not been sent", "[block_adapter]") {
    Bench b("outstanding=1 base=512B", "0B 1MiB 0, 1MiB 1MiB 1", true);
    Contents& contents = b.m.sim().contents();
    const auto data = [&](std::uint8_t value) {
        SectorBytes s;
        s.known = SectorBytes::all;
        s.bytes.fill(value);
        return s;
    };
    const Contents::Id id = contents.create();
    for (std::uint32_t i = 0; i < 16; ++i)
        contents[id].pieces.push_back({i, data(static_cast<std::uint8_t>(i))});
    b.at(0, BlockOp::write, 3);
    b.m.get<HostScript>("host").state.script.front().request.contents = id;
    b.m.start();
    b.m.run(50 * ns); // one part of 4 sectors has been sent
    auto& port = b.adapter().port.requests;
    const auto look = [&](std::uint32_t piece) {
        FunctionalAccess access;
        access.address = 3 * 512 + piece * 32;
        b.adapter().functional(port, access);
        CHECK(access.address == 3 * 512 + piece * 32);
        return access.data;
    };
    CHECK(look(5).bytes[0] == 5);
    CHECK(look(15).bytes[31] == 15);
    CHECK(look(16).known == 0); // the next sector of the drive
    FunctionalAccess copy;
    copy.address = 3 * 512 + 6 * 32, copy.write = true, copy.data = data(99);
    b.adapter().functional(port, copy);
    CHECK(look(6).bytes[7] == 99);
    REQUIRE(b.m.run(never) == Stop::idle);
    CHECK(look(0).bytes[0] == 0);
    CHECK(look(6).bytes[7] == 99); // not overwritten by the older data of the write
    CHECK(look(7).bytes[7] == 7);
}

TEST_CASE("The adapter refuses what a memory cannot do", "[block_adapter]") {
    Bench trim;
    trim.at(0, BlockOp::trim, 2, 2);
    CHECK_THROWS_WITH(trim.stop(),
                      Contains("adapter.requests: accepts reads, writes and flushes, not trims: "
                               "router is a memory; write zeros instead"));
    Bench none;
    none.at(0, BlockOp::read, 7, 0);
    CHECK_THROWS_WITH(none.stop(), Contains("adapter.requests: a request of 0 sectors from sector "
                                            "7: send 1 to 1024"));
    Bench large;
    large.at(0, BlockOp::write, 0, 1025);
    CHECK_THROWS_WITH(large.stop(), Contains("a request of 1025 sectors from sector 0"));
    CHECK_THROWS_WITH(Bench("base=64B"), Contains("adapter.base"));
}

} // namespace memsim::block_adapter_test
