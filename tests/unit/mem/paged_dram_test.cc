#include "core/machine/machine.hh"
#include "mem/page_cache/paged_dram.hh"

#include <catch2/catch.hpp>

/// Requests and pages before a DRAM, without the DRAM: frames of 256 bytes from address 4096 on.
namespace memsim::mem::paged_dram_test {

namespace {

using protocol::Command;
using protocol::MemRequest;

struct Bench final : PagedDram::Owner {
    Machine m;
    Simulation* const simulation = &m.sim();
    PagedDram::State state;
    PagedDram dram {{4096, 256, 128, 4}, SimulationRef(simulation), state, *this};
    std::vector<PagedDram::Transfer> transfers {3};
    std::vector<std::uint32_t> gone, over, in, out;

    Bench() { transfers.resize(3); }
    PagedDram::Transfer& transfer(std::uint32_t f) override { return transfers[f]; }
    void sent(std::uint32_t f) override { gone.push_back(f); }
    void done(std::uint32_t f) override { over.push_back(f); }
    void copied_in(std::uint32_t f) override { in.push_back(f); }
    void copied_out(std::uint32_t f) override { out.push_back(f); }

    static MemRequest request(std::uint64_t address, Command c = Command::read) {
        MemRequest r;
        r.address = address, r.bytes = 32, r.command = c;
        r.posted = c == Command::write;
        r.tag = 99, r.source = 5;
        return r;
    }
    protocol::MemResponse answer(std::uint32_t tag, std::uint64_t address) {
        protocol::MemResponse r;
        r.tag = tag, r.address = address;
        return r;
    }
};

} // namespace

TEST_CASE("A request is sent to the address of its frame, and the response belongs to the request",
          "[page_cache]") {
    Bench b;
    Distribution latency {Unit::time, ""};
    const std::uint32_t slot = b.dram.take(Bench::request(7 * 256 + 64), 2);
    CHECK_FALSE(b.dram.idle());
    b.dram.serve(slot);
    REQUIRE(b.dram.any());
    const MemRequest r = b.dram.next();
    CHECK(r.address == 4096 + 2 * 256 + 64);
    CHECK(r.source == 0);
    CHECK(b.gone == std::vector<std::uint32_t> {2});
    CHECK(b.over.empty());
    const auto answer = b.dram.answered(b.answer(r.tag, r.address), latency);
    REQUIRE(answer);
    CHECK(answer->address == 7 * 256 + 64);
    CHECK(answer->tag == 99);
    CHECK(answer->source == 5);
    CHECK(b.over == std::vector<std::uint32_t> {2});
    CHECK(b.dram.idle());
    CHECK(latency.count() == 1);

    b.dram.serve(b.dram.take(Bench::request(0, Command::write), 1)); // posted: done when it leaves
    b.dram.next();
    CHECK(b.dram.idle());
    CHECK(b.over.back() == 1);
}

TEST_CASE("Requests and pages take the DRAM in turn", "[page_cache]") {
    Bench b;
    b.dram.copy_in(0);
    for (int i = 0; i < 3; ++i) b.dram.serve(b.dram.take(Bench::request(64), 1));
    std::string order;
    while (b.dram.any()) order += b.dram.next().bytes == 128 ? 'p' : 'r';
    CHECK(order == "rprpr");
}

TEST_CASE("A page has left when its last line is read, and has arrived when its last line is sent",
          "[page_cache]") {
    Bench b;
    Distribution latency {Unit::time, ""};
    b.dram.copy_out(1);
    const MemRequest first = b.dram.next(), second = b.dram.next();
    CHECK(first.command == Command::read);
    CHECK(first.address == 4096 + 256);
    CHECK(second.address == 4096 + 256 + 128);
    CHECK_FALSE(b.dram.any());
    CHECK_FALSE(b.dram.answered(b.answer(second.tag, second.address), latency));
    CHECK(b.out.empty());
    CHECK_FALSE(b.dram.answered(b.answer(first.tag, first.address), latency));
    CHECK(b.out == std::vector<std::uint32_t> {1});
    CHECK_THROWS_AS(b.dram.answered(b.answer(first.tag, first.address), latency), Panic);
    b.dram.copy_in(2);
    CHECK(b.dram.next().posted);
    CHECK(b.in.empty());
    CHECK(b.dram.next().command == Command::write);
    CHECK(b.in == std::vector<std::uint32_t> {2});
}

TEST_CASE("Requests that wait for a page are served in order", "[page_cache]") {
    Bench b;
    for (const std::uint32_t address : {0, 32, 64})
        b.dram.wait(b.transfers[0], b.dram.take(Bench::request(address), 0));
    std::vector<std::uint64_t> seen;
    b.dram.each_waiting(std::exchange(b.transfers[0], {}),
                        [&](std::uint32_t r) { seen.push_back(b.dram[r].request.address); });
    CHECK(seen == std::vector<std::uint64_t> {0, 32, 64});

    const auto refused = [&](const PagedDram::Transfer& t) {
        const std::string nothing;
        Loader l(nothing);
        try {
            b.dram.check_loaded(l, "head", t);
        } catch (const ConfigError& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    const std::uint32_t last = b.dram.take(Bench::request(0), 0);
    b.dram.wait(b.transfers[1], last);
    CHECK(refused(b.transfers[1]).empty());
    b.state.requests[last].next = last;
    CHECK_THAT(refused(b.transfers[1]), Catch::Contains("list of requests that ends"));
}

TEST_CASE("A stall is counted once until a request is accepted", "[page_cache]") {
    Bench b;
    Counter stalls {Unit::count, ""};
    for (int i = 0; i < 3; ++i) CHECK_FALSE(b.dram.stall(stalls));
    CHECK(stalls.value() == 1);
    for (int i = 0; i < 4; ++i) b.dram.take(Bench::request(0), 0);
    CHECK(b.dram.full());
    b.dram.stall(stalls);
    CHECK(stalls.value() == 2);
    CHECK_FALSE(b.dram.takes(Bench::request(240))); // over the end of its page
    CHECK(b.dram.takes(Bench::request(224)));
    CHECK_FALSE(b.dram.takes(Bench::request(0, Command::flush)));
}

} // namespace memsim::mem::paged_dram_test
