#include "flash/drive/drive.hh"
#include "flash/ftl/past.hh"
#include "support.hh"

#include <algorithm>
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
        REQUIRE(now.free_blocks() >= 3); // otherwise a collection continued to the target
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

namespace {

/// The same life by a look through all blocks at each choice.
struct LifeByLook {
    PlaneLife::Config f;
    const VictimPolicy& policy;
    Rng& random;
    PlaneBlocks now;

    LifeByLook(const PlaneLife::Config& figures, const VictimPolicy& p, Rng& r)
        : f(figures), policy(p), random(r) {
        now.blocks.resize(f.blocks);
    }
    void drop() {
        for (;;) {
            const std::uint64_t place = random.below(std::uint64_t {f.blocks} * f.pages);
            if (place % f.pages >= now.blocks[place / f.pages].valid) continue;
            --now.blocks[place / f.pages].valid;
            return;
        }
    }
    void write() {
        put(now.host);
        if (now.free_blocks() >= f.free_blocks) return;
        while (now.free_blocks() < f.target) {
            const std::uint32_t victim =
                choose_victim(policy, now.closed, PlaneBlocks::none, [&](std::uint32_t i) {
                    const PlaneBlocks::Block& b = now.blocks[i];
                    return VictimBlock {b.valid, f.pages, b.erases, now.closings - b.closed_at};
                });
            if (victim == PlaneBlocks::none) return;
            std::iter_swap(std::ranges::find(now.closed, victim), now.closed.end() - 1);
            now.closed.pop_back();
            PlaneBlocks::Block& b = now.blocks[victim];
            for (; b.valid > 0; --b.valid) put(now.collector);
            ++b.erases;
            b.written = 0;
            now.erased.push_back(victim);
        }
    }
    void put(std::uint32_t& open) {
        if (open == PlaneBlocks::none) open = take();
        PlaneBlocks::Block& b = now.blocks[open];
        ++b.valid;
        if (++b.written < f.pages) return;
        b.closed_at = now.closings++;
        now.closed.push_back(std::exchange(open, PlaneBlocks::none));
    }
    std::uint32_t take() {
        if (now.fresh < f.blocks && (f.least_worn_first || now.erased.empty())) return now.fresh++;
        const auto erases = [&](std::uint32_t i) { return now.blocks[i].erases; };
        if (f.least_worn_first)
            std::iter_swap(std::ranges::min_element(now.erased, {}, erases), now.erased.end() - 1);
        const std::uint32_t taken = now.erased.back();
        now.erased.pop_back();
        return taken;
    }
};

/// Counts comparisons.
struct Counting final : PolicyModel<Counting, VictimPolicy> {
    struct Params {};
    struct State {};
    explicit Counting(const VictimPolicy& policy) : of(policy) {}
    bool before(const VictimBlock& a, const VictimBlock& b) const override {
        ++compared;
        return of.before(a, b);
    }
    std::uint64_t holds(const VictimBlock& a, const VictimBlock& b) const override {
        return of.holds(a, b);
    }
    State state;
    const VictimPolicy& of;
    mutable std::uint64_t compared = 0;
};

} // namespace

TEST_CASE("A plane's past equals that of a full search at each choice", "[flash][past]") {
    for (const char* name : {"greedy", "fifo", "cost_benefit"})
        for (const bool least_worn_first : {true, false}) {
            INFO(name << ", " << least_worn_first);
            Policy<VictimPolicy> policy;
            policy.make(name, "test", 1);
            const PlaneLife::Config figures {48, 8, 3, 6, least_worn_first};
            Rng random(3, "test"), same(3, "test");
            PlaneLife life(figures, *policy, random);
            LifeByLook look(figures, *policy, same);
            life.fill(48 * 6);
            for (int i = 0; i < 48 * 6; ++i) look.write();
            for (int i = 0; i < 5000; ++i) {
                life.overwrite(1);
                look.drop();
                look.write();
                REQUIRE(life.now().closed == look.now.closed);
                REQUIRE(life.now().erased == look.now.erased);
            }
            for (std::size_t b = 0; b < 48; ++b) {
                CHECK(life.now().blocks[b].erases == look.now.blocks[b].erases);
                CHECK(life.now().blocks[b].valid == look.now.blocks[b].valid);
            }
        }
}

TEST_CASE("A write to a plane needs no search through its blocks", "[flash][past]") {
    const auto greedy_policy = greedy();
    const auto compared = [&](std::uint32_t blocks) {
        const Counting counting(*greedy_policy);
        Rng random(1, "test");
        PlaneLife life({blocks, 8, 2, 2, true}, counting, random);
        life.fill(blocks * 6);
        const std::uint64_t before = counting.compared;
        life.overwrite(20'000);
        return static_cast<double>(counting.compared - before) / 20'000;
    };
    const double few = compared(256), many = compared(16'384);
    CHECK(few < 40);
    CHECK(many < few + 20); // six levels more
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

TEST_CASE("Each plane has its own past and position in its open block", "[flash][past]") {
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

TEST_CASE("Planes of a large drive share a past at different times", "[flash][past]") {
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
    // Pages in an open block follow its written pages.
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
