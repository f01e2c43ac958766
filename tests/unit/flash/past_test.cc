#include "flash/drive.hh"
#include "flash/past.hh"
#include "support.hh"

#include <set>

namespace memsim::past_test {

using namespace memsim::flash;
using namespace memsim::literals;

namespace {

Policy<VictimPolicy> greedy() {
    Policy<VictimPolicy> policy;
    policy.make("greedy", "test", 1);
    return policy;
}

std::uint64_t valid(const PlaneBlocks& plane) {
    std::uint64_t sum = 0;
    for (const auto& b : plane.blocks) sum += b.valid;
    return sum;
}

/// 12 planes of 16 blocks of 4 pages; 8 translation pages behind the host's.
Past::Config figures(std::uint64_t aged) {
    const Geometry g {3, 1, 2, 2, 16, 4};
    return {g, plane_order("CWDP", g), 400, 8, aged};
}
constexpr PlaneLife::Config plane {16, 4, 2, 2, true};

} // namespace

TEST_CASE("A plane in long use keeps its rules: pages, free blocks, least worn first",
          "[flash][past]") {
    const auto policy = greedy();
    Rng random(1, "test");
    PlaneLife life({32, 8, 3, 5, true}, *policy, random);
    life.fill(180);
    CHECK(valid(life.now()) == 180);
    CHECK(life.now().fresh == 23); // 22.5 blocks; no page was written twice, so none is collected
    CHECK(life.now().closings == 22);
    CHECK(life.now().host == 22);
    unsigned low = 0, high = 0;
    for (int i = 0; i < 2000; ++i) {
        const std::uint32_t before = life.now().free_blocks();
        life.overwrite(1);
        const PlaneBlocks& now = life.now();
        REQUIRE(valid(now) == 180);
        REQUIRE(now.free_blocks() >= 3); // where it was lower, a collection went on to the target
        if (now.free_blocks() > before) REQUIRE(now.free_blocks() == 5);
        low += now.free_blocks() == 3, high += now.free_blocks() == 5;
        std::uint32_t in_lists = now.free_blocks() + static_cast<std::uint32_t>(now.closed.size());
        for (const std::uint32_t open : {now.host, now.collector})
            if (open != PlaneBlocks::none) {
                ++in_lists;
                REQUIRE(now.blocks[open].written < 8);
            }
        REQUIRE(in_lists == 32);
    }
    CHECK(low > 100);
    CHECK(high > 100);
    std::uint32_t least = ~0u, most = 0;
    for (const auto& b : life.now().blocks) {
        least = std::min(least, b.erases), most = std::max(most, b.erases);
        CHECK(b.valid <= b.written);
    }
    CHECK(least > 10);
    CHECK(most - least <= 6);
    life.drop();
    CHECK(valid(life.now()) == 179);
}

TEST_CASE("Any page is as likely to be written again as another, whatever its block holds",
          "[flash][past]") {
    const auto policy = greedy();
    Rng random(1, "test");
    PlaneLife life({16, 8, 2, 2, true}, *policy, random);
    life.fill(12); // eight in the first block, four in the second
    unsigned first = 0;
    for (int i = 0; i < 3000; ++i) {
        PlaneLife here = life;
        here.drop();
        first += here.now().blocks[0].valid == 7;
    }
    CHECK(first > 1900);
    CHECK(first < 2100);
}

TEST_CASE("A plane in long use collects the block that the policy takes", "[flash][past]") {
    // Greedy leaves fewer pages to be moved than the block that was closed first.
    const auto erases = [](const char* name) {
        Policy<VictimPolicy> policy;
        policy.make(name, "test", 1);
        Rng random(1, "test");
        PlaneLife life({64, 8, 2, 2, true}, *policy, random);
        life.fill(64 * 7);
        life.overwrite(64 * 8 * 20);
        std::uint64_t sum = 0;
        for (const auto& b : life.now().blocks) sum += b.erases;
        return sum;
    };
    CHECK(erases("greedy") * 11 < erases("fifo") * 10);
}

TEST_CASE("Pages of the past each have one place, and places know their pages", "[flash][past]") {
    const auto policy = greedy();
    for (const std::uint64_t aged : {0, 331, 400})
        for (const bool used : {false, true}) {
            if (used && !aged) continue;
            Past past(figures(aged));
            if (used) past.use(100_pct, plane, *policy, Rng(7, "test"));
            std::set<std::uint32_t> places;
            const std::uint32_t written = static_cast<std::uint32_t>(aged ? aged + 8 : 0);
            std::vector<std::uint64_t> in_plane(12);
            for (std::uint32_t lpn = 0; lpn < 408; ++lpn) {
                const std::uint32_t page = past.page_of(lpn);
                if (lpn >= aged && (lpn < 400 || !aged)) {
                    CHECK(page == no_page);
                    continue;
                }
                CHECK(places.insert(page).second);
                CHECK(past.owner_of(page) == lpn);
                ++in_plane[page / 64];
                if (!used) continue;
                const auto& b = past.blocks_of(page / 64).blocks[page % 64 / 4];
                CHECK(page % 4 < b.written);
            }
            CHECK(places.size() == written);
            for (std::uint32_t page = 0; page < 768; ++page)
                CHECK((past.owner_of(page) != no_page) == places.contains(page));
            for (std::uint32_t p = 0; p < 12; ++p) CHECK(in_plane[p] == past.pages_of(p));
        }
}

TEST_CASE("Each plane has a life of its own, and stands at another page of its open block",
          "[flash][past]") {
    const auto policy = greedy();
    Past past(figures(400));
    past.use(200_pct, plane, *policy, Rng(7, "test"));
    std::set<std::uint32_t> open, erases;
    for (std::uint32_t p = 0; p < 12; ++p) {
        const PlaneBlocks& b = past.blocks_of(p);
        open.insert(b.host == PlaneBlocks::none ? 0 : b.blocks[b.host].written);
        std::uint32_t sum = 0;
        for (const auto& block : b.blocks) sum += block.erases;
        erases.insert(sum);
        CHECK(b.free_blocks() >= 2);
        CHECK(b.free_blocks() <= 3);
    }
    CHECK(open.size() == 4);
    CHECK(erases.size() > 3);
}

TEST_CASE("Planes of a large drive share a life, at different times of it", "[flash][past]") {
    const auto policy = greedy();
    const Geometry g {8, 1, 2, 2, 256, 64}; // 16,384 pages a plane, two million writes of 32
    Past past({g, plane_order("CWDP", g), 32 * 12'000 + 5, 0, 32 * 12'000 + 5});
    past.use(1000_pct, {256, 64, 8, 8, true}, *policy, Rng(7, "test"));
    std::set<std::uint32_t> open;
    for (std::uint32_t p = 0; p < 32; ++p) {
        const PlaneBlocks& b = past.blocks_of(p);
        CHECK(valid(b) == past.pages_of(p)); // five planes have one more
        open.insert(b.host == PlaneBlocks::none ? 0 : b.blocks[b.host].written);
    }
    CHECK(open.size() > 20);
}

TEST_CASE("A used drive's blocks are on record, their pages computed until they are touched",
          "[flash][past]") {
    FtlState state;
    Ftl ftl({figures(400), true, true}, state);
    const auto policy = greedy();
    ftl.init();
    ftl.past().use(100_pct, plane, *policy, Rng(7, "test"));
    const std::uint32_t page = ftl.lookup(17).page; // before start(), as a machine that is restored
    CHECK(state.blocks.empty());
    ftl.start();
    CHECK(ftl.lookup(17).page == page);
    CHECK(state.map.empty());
    for (std::uint32_t p = 0; p < 12; ++p) {
        CHECK(ftl.free_blocks(p) == ftl.past().blocks_of(p).free_blocks());
        REQUIRE(ftl.victim(p, *policy) != no_page);
        const FtlBlock& victim = ftl.block(ftl.victim(p, *policy));
        CHECK(victim.use == BlockUse::closed);
        CHECK(victim.valid < 4);
        for (const std::uint32_t closed : state.planes[p].closed)
            CHECK(ftl.block(closed).valid >= victim.valid);
    }
    // Pages in an open block follow those that are there.
    const std::uint32_t plane_17 = page / 64;
    const std::uint32_t to = ftl.allocate(plane_17, Frontier::host, 17);
    const std::uint32_t host = ftl.past().blocks_of(plane_17).host;
    if (host != PlaneBlocks::none) {
        const std::uint32_t written = ftl.past().blocks_of(plane_17).blocks[host].written;
        CHECK(to == plane_17 * 64 + host * 4 + written);
        CHECK(ftl.written_before(to) == written);
    }
    const std::uint32_t block = page / 4;
    const std::uint32_t* const record = state.record_of.find(block);
    REQUIRE(record);
    const std::uint32_t before = state.blocks[*record].valid;
    ftl.commit(17, to, ~0u);
    CHECK(state.blocks[*record].valid + 1 == before + (to / 4 == block));
    CHECK(ftl.lookup(17).page == to);
}

} // namespace memsim::past_test
