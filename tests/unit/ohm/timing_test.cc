#include "bench.hh"
#include "core/kernel/registry.hh"

#include <catch2/catch.hpp>

using namespace memsim;
using namespace memsim::test_ohm;
using Clean = std::vector<std::string>;

namespace memsim::test_ohm {
static const Registration<Sender> sender {"Test: sends a script of memory requests."};
}

namespace {
// Sender's link, mapping table; the way over the channel and the transfer of 128 bytes.
constexpr Tick ends = 1 * ns + 833'000;
constexpr Tick way = 3'300'000;
constexpr Tick transfer = 2'133'333; // 128 B at 60 GB/s, the fraction is carried on
} // namespace

TEST_CASE("An unloaded read of XPoint takes the media, the handshake and the channel, to the tick",
          "[ohm]") {
    Bench b;
    const auto t = b.read(10 * ns, b.at(0, 1));
    CHECK(b.run_to_end() == Clean {});
    CHECK(b.latency(t, 10 * ns) == ends + 2 * way + 190 * ns + 10 * ns + transfer);
    CHECK(value(b.controller().stat.demand.xpoint_reads) == 1);
}

TEST_CASE("Handshake and media scale the latency of XPoint, and nothing else does", "[ohm]") {
    Bench b(Arguments {{"grant_latency", "30ns"}},
            {{"ready_latency", "45ns"}, {"t_read", "305ns"}});
    const auto t = b.read(0, b.at(0, 1));
    CHECK(b.run_to_end() == Clean {});
    CHECK(b.latency(t, 0) == ends + 2 * way + 305 * ns + 75 * ns + transfer);
}

TEST_CASE("An unloaded read of DRAM takes activate, column and the channel", "[ohm]") {
    Bench b;
    const auto t = b.read(10 * ns, b.at(0, 0));
    CHECK(b.run_to_end() == Clean {});
    const Tick latency = b.latency(t, 10 * ns);
    // Four bursts: the commands are a burst apart, up to a femtosecond each.
    CHECK(latency >= ends + 2 * way + 36 * ns + transfer);
    CHECK(latency <= ends + 2 * way + 36 * ns + transfer + 4);
    CHECK(value(b.controller().stat.demand.dram_reads) == 1);
    CHECK(value(b.controller().stat.channel.row_misses) == 1);
}

TEST_CASE("Only requested sectors cross the channel, from either memory", "[ohm]") {
    Bench b;
    const auto dram = b.read(0, b.at(0, 0)), xpoint = b.read(1000 * ns, b.at(0, 1));
    for (std::uint32_t i = 0; i < 2; ++i) b.sender().state.script[i].request.sectors = 0b1001;
    CHECK(b.run_to_end() == Clean {});
    CHECK(value(b.controller().stat.channel.demand_bytes) == 2 * 64);
    CHECK(b.latency(xpoint, 1000 * ns) <= ends + 2 * way + 200 * ns + transfer / 2 + 2);
    CHECK(b.latency(dram, 0) <= ends + 2 * way + 36 * ns + transfer / 2 + 4);
}

TEST_CASE("Commands on the light use their share per 32 bytes", "[ohm]") {
    for (const unsigned bits : {0u, 16u}) {
        Bench b(Arguments {{"command_bits", std::to_string(bits)}});
        CHECK(b.controller().params.channel.rate().raw == (bits ? 56'470'588'235 : 60'000'000'000));
        b.read(0, b.at(0, 0));
        b.read(0, b.at(0, 1));
        CHECK(b.run_to_end() == std::vector<std::string> {});
        const auto time = value(b.controller().stat.channel.demand_time); // of 256 bytes
        CHECK(time / 1000 == (bits ? 4'533'333 : 4'266'666) / 1000);
    }
}

TEST_CASE("Electrical and optical channels differ only in their path", "[ohm]") {
    Bench optical,
        electrical(
            {{"width", "32"}, {"lane_rate", "15GHz"}, {"serdes", "0fs"}, {"flight", "670ps"}},
            {{"channel_latency", "670ps"}});
    const auto a = optical.read(0, optical.at(0, 1)), b = electrical.read(0, electrical.at(0, 1));
    CHECK(optical.run_to_end() == Clean {});
    CHECK(electrical.run_to_end() == Clean {});
    CHECK(optical.latency(a, 0) - electrical.latency(b, 0) == 2 * (way - 670'000));
}

TEST_CASE("Addresses map one to one to controllers, groups and slots", "[ohm]") {
    const ohm::Placement p {6, 2, 2048, 35, 8, 2};
    std::vector<int> seen(35 * 9);
    for (std::uint64_t a = 0; a < p.bytes_of_all(); a += 2048) {
        const auto page = p.page_of(a + 5);
        REQUIRE(page.slot <= 8);
        REQUIRE(page.offset == 5);
        REQUIRE(p.address_of(page) == a + 5);
        if (page.controller == 2) ++seen[page.slot * 35 + page.group];
    }
    for (int n : seen) REQUIRE(n == 1);
    CHECK(p.page_of(p.bytes_of_all()).slot == 9);
    // A contiguous range as large as the DRAM has one page in each group.
    std::vector<int> groups(35);
    for (std::uint64_t i = 0; i < 35; ++i) ++groups[p.page_of((100 * 6 + i * 6) * 2048).group];
    for (int n : groups) REQUIRE(n == 1);
}

TEST_CASE("Pages of XPoint are disjoint in the modules and fill them", "[ohm]") {
    Bench b;
    std::vector<int> seen(64);
    for (std::uint64_t g = 0; g < 8; ++g)
        for (std::uint32_t k = 1; k <= 8; ++k) {
            const auto& p = b.controller().placement();
            REQUIRE(p.module_address(g, k) + 2048 <= 64 << 10);
            ++seen[p.module_of(g, k) * 32 + p.module_address(g, k) / 2048];
        }
    for (int n : seen) REQUIRE(n == 1);
}

TEST_CASE("A transfer waits while another uses the channel", "[ohm]") {
    Bench b;
    // Two reads of different modules, ready at once: the second has its slot behind the first, with
    // the turnaround between.
    const auto first = b.read(0, b.at(0, 1)), second = b.read(0, b.at(1, 1));
    CHECK(b.run_to_end() == Clean {});
    CHECK(b.sender().when(second) - b.sender().when(first) == 2 * ns + transfer);
}

TEST_CASE("Requests that are not accepted stop the sender; all are answered in the end", "[ohm]") {
    Bench b(Arguments {{"requests", "4"}, {"queue", "3"}}, {}, {});
    for (unsigned i = 0; i < 40; ++i) b.read(0, b.at(i % 8, 1, i / 8 * 256));
    b.machine.start();
    b.machine.run(100 * ns);
    CHECK(value(b.sender().stat.sent) == 7); // 4 accepted, 3 in the queue
    CHECK(b.machine.pending());
    CHECK_FALSE(b.machine.wait_report().empty());
    CHECK(b.finish() == Clean {});
    CHECK(b.sender().state.log.size() == 40);
    CHECK(b.controller().stat.channel.stall_time.value() > 0);
}

TEST_CASE("Posted writes have no response; other writes and atomics have one", "[ohm]") {
    Bench b;
    b.write(0, b.at(0, 0), true);
    const auto dram = b.write(0, b.at(1, 0));
    const auto xpoint = b.write(0, b.at(1, 1));
    const auto atomic = b.send(0, b.at(2, 0), protocol::Command::atomic, 32);
    CHECK(b.run_to_end() == Clean {});
    CHECK(b.sender().state.log.size() == 3);
    for (auto t : {dram, xpoint, atomic}) CHECK(b.sender().when(t) != never);
    // A write to XPoint is done when it has left: its slot, no media.
    CHECK(b.sender().when(xpoint) < 100 * ns);
    CHECK(value(b.controller().stat.demand.dram_writes) == 3);
    CHECK(value(b.controller().stat.demand.xpoint_writes) == 1);
}

TEST_CASE("ohm.PlanarController rejects invalid parameters with a message", "[ohm]") {
    using Catch::Contains;
    using A = Arguments;
    CHECK_THROWS_WITH(Bench(A {{"swap_buffer", "8KiB"}}), Contains("controller.swap_buffer"));
    CHECK_THROWS_WITH(Bench(A {{"index", "1"}}), Contains("controller.index"));
    CHECK_THROWS_WITH(Bench(A {{"dram", "17KiB"}}), Contains("multiple of page x modules"));
    CHECK_THROWS_WITH(Bench(A {{"page", "1000B"}}), Contains("controller.page"));
    CHECK_THROWS_WITH(Bench(A {{"dram_changes", "tFOO=1ns"}}), Contains("dram_changes"));
    const A none;
    CHECK_THROWS_WITH(Bench(none, A {{"capacity", "32KiB"}}),
                      Contains("module0.capacity: 32KiB is less than"));
    CHECK_THROWS_WITH(Bench(none, A {{"channel_latency", "1ns"}}),
                      Contains("module0.channel_latency: 1ns differs from 2 x serdes + flight"));
    for (auto [address, bytes, sentence] :
         {std::tuple {144u << 10, 128u, "lies beyond the memory of 147456 bytes"},
          std::tuple {64u, 128u, "128 aligned bytes"}}) {
        Bench b;
        b.read(0, address, bytes);
        CHECK_THROWS_WITH(b.run_to_end(), Contains(sentence));
    }
    Bench other(A {{"controllers", "2"}});
    other.read(0, 2048);
    CHECK_THROWS_WITH(other.run_to_end(), Contains("belongs to controller 1"));
}
