#include "flash/ftl/ftl.hh"
#include "support.hh"

namespace memsim::ftl_test {

using namespace memsim::flash;
using memsim::test_flash::error_of;

namespace {

struct Dut {
    FtlState state;
    Ftl ftl;
    Policy<VictimPolicy> victim;
    explicit Dut(std::uint64_t aged = 0, bool least_worn = true)
        : ftl({{{1, 1, 1, 2, 8, 4}, {0, 1}, 40, 0, aged}, true, least_worn}, state) {
        ftl.init();
        victim.make("greedy", "test", 1);
    }
    std::uint32_t write(std::uint32_t lpn) {
        const std::uint32_t page = ftl.allocate(ftl.plane_for(lpn), Frontier::host, lpn);
        ftl.commit(lpn, page, ~0u);
        return page;
    }
};

} // namespace

TEST_CASE("Allocation orders: the first letter changes first, whatever the radices", "[flash]") {
    const Geometry g {3, 2, 1, 5, 1, 1};
    const auto cwdp = plane_order("CWDP", g);
    CHECK(cwdp[0] == 0);
    CHECK(cwdp[1] == 10); // the next channel
    CHECK(cwdp[3] == 5);  // the next package
    CHECK(cwdp[6] == 1);  // the next plane
    const auto pdwc = plane_order("PDWC", g);
    for (std::uint32_t i = 0; i < pdwc.size(); ++i) CHECK(pdwc[i] == i);
    auto sorted = plane_order("WPCD", g);
    std::sort(sorted.begin(), sorted.end());
    CHECK(sorted == pdwc); // each plane once
    CHECK(error_of([&] { plane_order("CWD", g); }) ==
          "'CWD' does not cover the drive: name C, W, D and P, as in 'CWDP'");
    CHECK(error_of([&] { plane_order("CWDC", g); }) == "'CWDC' names 'C' twice");
    CHECK(error_of([&] { plane_order("CWDX", g); }).find("'CWDX' has a 'X'") == 0);
}

TEST_CASE("Pages of 6 channels and 384 pages a block are numbered without gaps", "[flash]") {
    const Geometry g {6, 3, 2, 5, 7, 384};
    for (std::uint32_t page : {0u, 383u, 384u, 2687u, 2688u, 483'839u}) {
        const auto p = g.place(page);
        const std::uint32_t plane =
            ((g.channel_of(page) * 3u + p.package) * 2 + p.die) * 5 + p.plane;
        CHECK((plane * 7 + p.block) * 384 + p.page == page);
    }
    CHECK(g.all_pages() == 483'840);
}

TEST_CASE("The victim is the closed block with the fewest valid pages", "[flash]") {
    Dut d;
    for (std::uint32_t i = 0; i < 12; ++i) d.write(2 * i); // three blocks of plane 0
    CHECK(d.ftl.victim(0, *d.victim) == no_page);          // nothing to gain
    d.write(8), d.write(10), d.write(16);                  // two of the second, one of the third
    CHECK(d.ftl.block(d.ftl.victim(0, *d.victim)).block == 1);
    CHECK(d.ftl.block(d.ftl.victim(0, *d.victim)).valid == 2);
    d.ftl.trim(18, ~0u), d.ftl.trim(20, ~0u);
    CHECK(d.ftl.block(d.ftl.victim(0, *d.victim)).block == 2);
    CHECK(d.ftl.victim(1, *d.victim) == no_page);
}

TEST_CASE("A block with outstanding programs is not a victim", "[flash]") {
    Dut d;
    for (std::uint32_t i = 0; i < 3; ++i) d.write(0);
    const std::uint32_t last = d.ftl.allocate(0, Frontier::host, 0);
    CHECK(d.ftl.victim(0, *d.victim) == no_page);
    d.ftl.commit(0, last, ~0u);
    CHECK(d.ftl.victim(0, *d.victim) != no_page);
}

TEST_CASE("The last free block of a plane is reserved for the collector", "[flash]") {
    Dut d;
    for (std::uint32_t i = 0; i < 28; ++i) d.write(0); // seven blocks of eight
    CHECK(d.ftl.free_blocks(0) == 1);
    CHECK(d.ftl.plane_for(0) == no_page);
    CHECK_FALSE(d.ftl.has_room(0, Frontier::host));
    CHECK(d.ftl.has_room(0, Frontier::collector));
    CHECK(d.ftl.plane_for(1) == 1);
}

TEST_CASE("Free blocks are kept for the collector; below a mark the host writes nothing",
          "[flash]") {
    const auto room_after = [](std::uint32_t kept, std::uint32_t stop, unsigned writes) {
        FtlState state; // 8 blocks of 4 pages
        Ftl ftl({{{1, 1, 1, 1, 8, 4}, {0}, 20, 3, 0}, true, true, kept, stop}, state);
        ftl.init();
        for (unsigned i = 0; i < writes; ++i)
            ftl.commit(0, ftl.allocate(0, Frontier::host, 0), ~0u);
        CHECK(ftl.has_room(0, Frontier::collector));
        return ftl.has_room(0, Frontier::host);
    };
    CHECK(room_after(2, 0, 23)); // of the sixth block a page is left
    CHECK_FALSE(room_after(2, 0, 24));
    CHECK(room_after(1, 3, 20)); // three are free, and the next write may take one
    CHECK_FALSE(room_after(1, 3, 21));
    CHECK(room_after(1, 2, 21));
}

TEST_CASE("A copy that arrives after a newer write is not used", "[flash]") {
    Dut d;
    const std::uint32_t from = d.write(0);
    const std::uint32_t copy = d.ftl.allocate(0, Frontier::collector, 0);
    const std::uint32_t newer = d.write(0);
    CHECK_FALSE(d.ftl.moved(0, from, copy));
    CHECK(d.ftl.lookup(0).page == newer);
    const std::uint32_t again = d.ftl.allocate(0, Frontier::collector, 0);
    CHECK(d.ftl.moved(0, newer, again));
    CHECK(d.ftl.lookup(0).page == again);
}

TEST_CASE("A preconditioned drive is computed until it is touched", "[flash]") {
    Dut d(20);
    CHECK(d.state.blocks.empty());
    CHECK(d.state.planes[0].fresh == 3); // ten pages of four
    CHECK(d.ftl.lookup(0).page == 0);
    CHECK(d.ftl.lookup(3).page == 33);
    CHECK(d.ftl.lookup(19).page == 41);
    CHECK(d.ftl.lookup(20).page == no_page);
    CHECK(d.ftl.written_before(33) == 4);
    d.write(3);
    CHECK(d.state.map.size() == 1);
    CHECK(d.ftl.lookup(3).page == 32 + 3 * 4); // the first block that was free
    CHECK(d.ftl.lookup(1).page == 32);
    CHECK(d.ftl.victim(1, *d.victim) != no_page);
    d.ftl.trim(0, ~0u);
    CHECK(d.ftl.lookup(0).page == no_page);
    CHECK(d.ftl.named(0));
}

TEST_CASE("Each page of the flash is valid, invalid or erased", "[flash]") {
    const auto is = [](const FlashUsage& u, std::uint64_t free, std::uint64_t valid,
                       std::uint64_t invalid) {
        CHECK(u.free_blocks == free);
        CHECK(u.valid_pages == valid);
        CHECK(u.invalid_pages == invalid);
        CHECK(u.valid_pages + u.invalid_pages + u.erased_pages == 64);
    };
    Dut d; // two planes of eight blocks of four pages
    is(d.ftl.usage(), 16, 0, 0);
    d.write(0);
    is(d.ftl.usage(), 15, 1, 0);
    const std::uint32_t on_its_way = d.ftl.allocate(0, Frontier::host, 0); // not programmed yet
    is(d.ftl.usage(), 15, 1, 0);
    d.ftl.commit(0, on_its_way, ~0u);
    is(d.ftl.usage(), 15, 1, 1);
    d.write(0), d.write(2);
    is(d.ftl.usage(), 15, 2, 2);
    d.ftl.trim(2, ~0u);
    is(d.ftl.usage(), 15, 1, 3);
    const std::uint32_t victim = d.ftl.victim(0, *d.victim);
    d.ftl.begin_collecting(victim);
    const std::uint32_t copy = d.ftl.allocate(0, Frontier::collector, 0);
    CHECK(d.ftl.moved(0, d.ftl.lookup(0).page, copy));
    is(d.ftl.usage(), 14, 1, 4);
    d.ftl.erased(victim);
    is(d.ftl.usage(), 15, 1, 0);

    Dut aged(20); // ten pages of each plane: two blocks, and one that is closed half full
    is(aged.ftl.usage(), 10, 20, 4);
    aged.write(3);
    is(aged.ftl.usage(), 9, 20, 5);
    aged.write(19); // of the block that is not full
    is(aged.ftl.usage(), 9, 20, 6);
    aged.write(30);
    is(aged.ftl.usage(), 8, 21, 6);
}

TEST_CASE("Wear levelling takes the least worn free block and the coldest full block", "[flash]") {
    {
        Dut d;
        for (int round = 0; round < 60; ++round) { // one logical page, over and over
            for (int i = 0; i < 4; ++i) d.write(0);
            while (d.ftl.free_blocks(0) < 3) {
                const std::uint32_t victim = d.ftl.victim(0, *d.victim);
                REQUIRE(victim != no_page);
                REQUIRE(d.ftl.block(victim).valid == 0);
                d.ftl.begin_collecting(victim);
                d.ftl.erased(victim);
            }
        }
        std::uint32_t least = ~0u, most = 0;
        for (const FtlBlock& b : d.state.blocks)
            least = std::min(least, b.erases), most = std::max(most, b.erases);
        CHECK(most - least <= 2);
    }
    Dut d;
    for (std::uint32_t i = 0; i < 4; ++i) d.write(2 * i);
    CHECK(d.ftl.cold_victim(0, 99, 100) == no_page);
    CHECK(d.ftl.block(d.ftl.cold_victim(0, 100, 100)).block == 0);
}

} // namespace memsim::ftl_test
