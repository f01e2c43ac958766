#include "gpu/mmu/device_pages.hh"
#include "gpu/mmu/missing_pages.hh"
#include "gpu/mmu/page_moves.hh"

#include "mmu_support.hh"

namespace memsim::mmu_parts_test {

/// The parts of an MMU, each alone.

using namespace memsim::test_mmu;
using gpu::MissingPages;
using gpu::page_key;
using gpu::PageMap;
using gpu::PageOrders;
using gpu::PagePlacement;

namespace {

/// A component that lends its path to the parts that refuse parameters.
struct Owner {
    Bench b;
    Owner() { b.m.build(); }
    const Component& operator*() { return b.mmu(); }
};

/// Params of a part, some of them changed.
template <class P>
P changed(const std::function<void(P&)>& change) {
    P p;
    change(p);
    return p;
}

gpu::PlacementParams placement(const char* how) {
    return changed<gpu::PlacementParams>([&](auto& p) {
        p.placement.parse(how);
        p.applications.parse("2");
        p.address_space.parse("32KiB"); // 8 pages
        p.memory.parse("64KiB");        // 16 frames
        p.memory_base.parse("400KiB");  // from 100 on
        p.partitions.parse("4");
    });
}

} // namespace

TEST_CASE("Pages lie at the places of their placement policy", "[mmu]") {
    Owner owner;
    const auto frames = [&](const char* how, std::uint16_t application) {
        const gpu::PlacementParams p = placement(how);
        PageMap map;
        map.init(*owner, p, 1);
        std::vector<std::uint64_t> all;
        for (std::uint64_t page = 0; page < 4; ++page)
            all.push_back(map.find(page_key(application, page)).value_or(0));
        return all;
    };
    using Frames = std::vector<std::uint64_t>;
    CHECK(frames("identity", 1) == Frames {108, 109, 110, 111});
    CHECK(frames("interleaved", 0) == Frames {100, 104, 108, 112});
    CHECK(frames("interleaved", 1) == Frames {102, 106, 110, 114});
    CHECK(frames("first_touch", 0) == Frames {0, 0, 0, 0});
    CHECK(frames("faults", 0) == Frames {0, 0, 0, 0});
    Frames random = frames("random", 0);
    std::sort(random.begin(), random.end());
    CHECK(std::unique(random.begin(), random.end()) == random.end());
    CHECK((random.front() >= 100 && random.back() < 116));
}

TEST_CASE("Pages receive frames at their first access; an access to a removed page waits",
          "[mmu]") {
    Owner owner;
    const gpu::PlacementParams p = placement("first_touch");
    PageMap map;
    map.init(*owner, p, 1);
    CHECK(map.untouched(5));
    CHECK(map.touch(5) == 100);
    CHECK(map.touch(page_key(1, 5)) == 101);
    CHECK_FALSE(map.untouched(5));
    CHECK(map.find(5) == 100u);
    map.unmap(5);
    CHECK_FALSE(map.find(5));
    CHECK(map.unmapped(5));
    CHECK_FALSE(map.untouched(5));
    map.map(5, 109);
    CHECK(map.find(5) == 109u);
    CHECK_FALSE(map.unmapped(5));
    map.hold(1), map.hold(1);
    CHECK(map.held(1));
    CHECK_FALSE(map.held(0));
    CHECK_FALSE(map.resume(1));
    CHECK(map.resume(1));
    CHECK_FALSE(map.held(1));
}

TEST_CASE(
    "A walk reads the root's entry and the leaf's, or the leaf's alone where the root is known",
    "[mmu]") {
    Owner owner;
    const gpu::PlacementParams pages = placement("identity");
    const auto params = changed<gpu::WalkerParams>([](auto& p) {
        p.walkers.parse("2");
        p.leaf_entries.parse("4"); // 2 leaf tables
        p.walk_read.parse("8B");
    });
    gpu::WalkerStats stat;
    gpu::PageWalker walker;
    walker.init(*owner, params, pages);
    const std::uint64_t base = std::uint64_t {1} << 40;
    const std::uint32_t first = walker.start(7, page_key(0, 5), 0, stat);
    auto r = walker.take_read(stat);
    CHECK(r.address == base + 8); // the root's second entry
    CHECK(r.tag == first);
    CHECK_FALSE(walker.has_read());
    CHECK_FALSE(walker.entry_read(first));
    r = walker.take_read(stat);
    CHECK(r.address == base + (2 + 5) * 8);
    CHECK(walker.entry_read(first) == 7u);
    CHECK(walker.busy() == 1); // until it is released
    const std::uint32_t second = walker.start(8, page_key(0, 6), 0, stat);
    CHECK_FALSE(walker.idle());
    CHECK(walker.take_read(stat).address == base + (2 + 6) * 8);
    CHECK(walker.entry_read(second) == 8u);
    walker.release(first, 0, stat), walker.release(second, 0, stat);
    CHECK(walker.busy() == 0);
    CHECK(value(stat.walks) == 2);
    CHECK(value(stat.walk_reads) == 3);
    CHECK(value(stat.walk_cache_hits) == 1);
}

TEST_CASE("Requests that wait for a page are woken in order; the page counts in its buffer",
          "[mmu]") {
    gpu::MissingStats stat;
    MissingPages missing;
    missing.init(changed<gpu::MissingParams>([](auto& p) {
        p.walk_buffer.parse("1");
        p.fault_buffer.parse("1");
        p.targets.parse("2");
    }));
    const std::uint32_t i = missing.add(42, {1, 0}, false, 0, stat);
    CHECK(*missing.find(42) == i);
    CHECK(missing.join(i, {2, 1}, true));
    CHECK_FALSE(missing.join(i, {3, 1}, false)); // two targets
    CHECK(missing[i].write);
    CHECK_FALSE(missing.may_walk());
    missing.walked(4, stat);
    CHECK(missing.may_walk());
    CHECK(missing.may_fault());
    missing.fault(i, MissingPages::Phase::faulting, 5, stat);
    CHECK_FALSE(missing.may_fault());
    CHECK(missing.faulting() == 1);
    CHECK(missing[i].since == 5);
    std::vector<std::uint32_t> answered;
    missing.complete(i, 6, stat, [&](const MissingPages::Waiter& w) { answered.push_back(w.tag); });
    CHECK(answered == std::vector<std::uint32_t> {1, 2});
    CHECK(missing.empty());
    CHECK(missing.waited_for() == 0);
    CHECK_FALSE(missing.find(42));
}

TEST_CASE("A page that is there already stays until its fault is answered", "[mmu]") {
    Owner owner;
    gpu::EvictionStats stat;
    const gpu::EvictionParams params;
    const auto p = changed<gpu::PlacementParams>([](auto& q) {
        q.placement.parse("faults");
        q.memory.parse("4KiB"); // one frame, number 100
        q.memory_base.parse("400KiB");
    });
    gpu::DevicePages pages;
    pages.init(*owner, params, p);
    protocol::PageOrderReply reply;
    CHECK(pages.claim(5, true, reply, stat));
    CHECK(reply.frame == 100);
    CHECK_FALSE(pages.find(5)); // on its way
    pages.arrive(100);
    CHECK(pages.find(5) == 100u);
    CHECK(pages.claim(5, false, reply, stat));
    CHECK(reply.present);
    CHECK(reply.frame == 100);
    reply = {};
    CHECK_FALSE(pages.claim(6, false, reply, stat));
    pages.arrive(100); // the fault is answered
    pages.use(100, true);
    CHECK(pages.dirty(100));
    CHECK(pages.claim(page_key(1, 6), false, reply, stat));
    CHECK(reply.evicted);
    CHECK(reply.dirty);
    CHECK(reply.page == 5);
    CHECK_FALSE(pages.find(5));
    CHECK(value(stat.dirty_evictions) == 1);
    CHECK(value(stat.unused_prefetches) == 0); // it was used
}

TEST_CASE("An order is complete when every TLB has confirmed it; an order without pages is "
          "complete at once",
          "[mmu]") {
    PageOrders orders;
    orders.resize(2, 3);
    unsigned allowed = 2;
    std::vector<std::uint32_t> done;
    const auto advance = [&] {
        orders.advance([&](std::uint32_t, const PageOrders::Order&,
                           std::uint32_t) { return allowed && allowed--; },
                       [&](const PageOrders::Order& o) { done.push_back(o.reply.tag); });
    };
    PageOrders::Order o;
    o.reply.tag = 10, o.pages = 4;
    orders.add(o);
    o.reply.tag = 11, o.pages = 0;
    orders.add(o);
    CHECK(orders.full());
    advance();
    CHECK(done == std::vector<std::uint32_t> {11});
    CHECK(allowed == 0); // the third TLB's port was not free
    orders.confirmed(0), orders.confirmed(0);
    allowed = 5;
    advance();
    CHECK(allowed == 4);
    CHECK(done.size() == 1);
    orders.confirmed(0);
    advance();
    CHECK(done == std::vector<std::uint32_t> {11, 10});
    CHECK(orders.live() == 0);
}

namespace {

/// The tables of an MMU on which orders work.
struct Tables {
    Owner owner;
    gpu::PlacementParams p;
    PageMap map;
    gpu::DevicePages resident;
    gpu::TlbArray translations;
    MissingPages missing;
    gpu::MissingStats missing_stat;
    gpu::EvictionStats evictions;
    std::vector<std::uint32_t> found;

    explicit Tables(const char* how, const char* memory = "64KiB") : p(placement(how)) {
        p.memory.parse(memory);
        map.init(*owner, p, 1);
        resident.init(*owner, {}, p);
        translations.resize(4, 4, "lru", "test", 1);
        missing.init({});
    }
    std::optional<PageOrders::Order> order(protocol::PageOrderKind kind, std::uint64_t page,
                                           std::uint64_t pages = 1, std::uint64_t frame = 0) {
        gpu::PageMoves moves({p, map, resident, translations, missing, evictions});
        protocol::PageOrder o;
        o.kind = kind, o.page = page, o.pages = pages, o.frame = frame;
        return moves.begin(o, [&](std::uint32_t i) { found.push_back(i); });
    }
};

} // namespace

TEST_CASE("Pages that an order removes leave the L2 TLB and are shot down", "[mmu]") {
    using Kind = protocol::PageOrderKind;
    Tables t("identity");
    for (std::uint64_t page = 0; page < 4; ++page) t.translations.insert(page, 100 + page, true);
    const auto out = t.order(Kind::unmap, 1, 2);
    REQUIRE(out);
    CHECK(out->key == 1);
    CHECK(out->pages == 2);
    CHECK(out->reply.frame == 101);
    CHECK(t.map.unmapped(2));
    CHECK_FALSE(t.translations.find(1));
    CHECK_FALSE(t.translations.find(2));
    CHECK(t.translations.find(3));
    const std::uint32_t waits = t.missing.add(2, {}, false, 0, t.missing_stat);
    REQUIRE(t.order(Kind::map, 1, 2, 110));
    CHECK(t.map.find(2) == 111u);
    CHECK(t.found == std::vector<std::uint32_t> {waits});
}

TEST_CASE("A hold removes the pages of an application, and the last resume maps them again",
          "[mmu]") {
    using Kind = protocol::PageOrderKind;
    Tables t("identity");
    t.translations.insert(3, 103, true);
    t.translations.insert(page_key(1, 3), 111, true);
    const auto held = t.order(Kind::hold, 0);
    REQUIRE(held);
    CHECK(held->pages == 8);
    CHECK_FALSE(t.translations.find(3));
    CHECK(t.translations.find(page_key(1, 3)));
    t.order(Kind::hold, 0);
    const std::uint32_t waits = t.missing.add(3, {}, false, 0, t.missing_stat);
    t.order(Kind::resume, 0);
    CHECK(t.found.empty());
    t.order(Kind::resume, 0);
    CHECK(std::count(t.found.begin(), t.found.end(), waits) == 1);
    CHECK_FALSE(t.map.held(0));
}

TEST_CASE("A claim shoots down the evicted page, and waits while all pages are in transfer",
          "[mmu]") {
    using Kind = protocol::PageOrderKind;
    Tables t("faults", "4KiB");
    const auto first = t.order(Kind::claim, 5);
    REQUIRE(first);
    CHECK(first->pages == 0);
    CHECK_FALSE(t.order(Kind::claim, 6));
    t.order(Kind::place, 5, 1, first->reply.frame);
    t.translations.insert(5, first->reply.frame, false);
    const auto second = t.order(Kind::claim, 6);
    REQUIRE(second);
    CHECK(second->key == 5);
    CHECK(second->pages == 1);
    CHECK_FALSE(t.translations.find(5));
}

} // namespace memsim::mmu_parts_test
