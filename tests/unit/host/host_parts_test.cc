#include "host/copy_engine.hh"
#include "host/fault_driver.hh"
#include "host/held_pages.hh"
#include "host/page_backing.hh"

#include <catch2/catch.hpp>

namespace memsim::host_parts_test {

/// What a host of page faults is made of, each part alone.
using namespace memsim::literals;
using namespace memsim::host;

TEST_CASE("The directions of a copy engine take turns, each with one page at a time",
          "[host_parts]") {
    CopyEngine e;
    CHECK(e.idle());
    e.out.push(7), e.in.push(1), e.in.push(2);
    std::vector<std::pair<std::uint32_t, bool>> order;
    const auto send = [&](bool last) {
        const CopyEngine::Chunk c = e.next();
        order.emplace_back(c.page, c.in);
        e.sent(c, last);
    };
    send(false), send(false), send(true), send(true), send(true);
    CHECK(order == decltype(order) {{7, false}, {1, true}, {7, false}, {1, true}, {2, true}});
    CHECK(e.idle());
}

TEST_CASE("The driver takes a batch after its interrupt, and one page after the other",
          "[host_parts]") {
    FaultDriver d;
    d.interrupted(100, Time {50});
    CHECK_FALSE(d.takes_batch(149));
    CHECK(d.busy(149));
    CHECK(d.takes_batch(150));
    d.batch.push({{1, 0, false, 0}, false});
    d.batch.push({{2, 0, false, 0}, true});
    d.begin(Time {10});
    const auto cost = [](const WantedPage& p) { return Time {p.prefetch ? 3 : 10}; };
    CHECK_FALSE(d.has_page(159));
    CHECK(d.has_page(160));
    CHECK(d.next_page(160, cost).fault.page == 1);
    CHECK_FALSE(d.has_page(162));
    CHECK_FALSE(d.begun());
    CHECK(d.next_page(163, cost).prefetch);
    CHECK(d.begun());
    CHECK_FALSE(d.busy(163));
}

TEST_CASE("A page that was claimed twice is held until both have gone", "[host_parts]") {
    HeldPages held;
    held.claimed({5, 1});
    held.claimed({5, 1});
    CHECK_FALSE(held.holds({5, 0}));
    held.evicted({5, 1});
    CHECK(held.holds({5, 1}));
    held.evicted({5, 1});
    CHECK_FALSE(held.holds({5, 1}));
}

TEST_CASE("Each application's pages lie on the drive from a place of its own on", "[host_parts]") {
    PageBacking backing;
    backing.init(4096, 128, 1 << 20, true);
    CHECK(backing.sector({0, 0}) == 0);
    CHECK(backing.sector({3, 0}) == 3 * 8);
    CHECK(backing.sector({3, 2}) == 2 * 2048 + 3 * 8);
}

} // namespace memsim::host_parts_test
