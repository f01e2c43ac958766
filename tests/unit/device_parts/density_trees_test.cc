#include "device_parts/page_prefetchers/density_trees.hh"

#include <catch2/catch.hpp>

namespace memsim::density_trees_test {

/// Which pages come along with those that are faulted on, held against cases worked out by hand.

using memsim::device_parts::DensityTrees;

namespace {

using List = std::vector<std::uint64_t>;

constexpr List::value_type block = 16; // pages of 4 KiB in 64 KiB,

/// Trees as NVIDIA's driver has them: 32 blocks, 512 pages.
struct Trees : DensityTrees {
    explicit Trees(std::uint64_t pages = 1 << 20, unsigned share = 50) {
        resize(block, 512, pages, share);
    }
    void hold(std::uint64_t first, std::uint64_t end) {
        for (std::uint64_t p = first; p < end; ++p) claimed(0, p);
    }
    List beside(const List& faults, std::uint16_t application = 0) {
        for (const std::uint64_t page : faults) fault(application, page);
        List all;
        expand([&](std::uint16_t a, std::uint64_t page) {
            CHECK(a == application);
            all.push_back(page);
        });
        return all;
    }
};

List range(std::uint64_t first, std::uint64_t end, const List& without = {}) {
    List all;
    for (std::uint64_t p = first; p < end; ++p)
        if (std::find(without.begin(), without.end(), p) == without.end()) all.push_back(p);
    return all;
}

} // namespace

TEST_CASE("A fault brings its block", "[prefetch]") {
    CHECK(Trees().beside({0}) == range(1, 16));
    CHECK(Trees().beside({21}) == range(16, 32, {21}));
    CHECK(Trees().beside({21, 18}) == range(16, 32, {21, 18}));
    CHECK(Trees().beside({}) == List {});
    // Present pages are not requested again.
    Trees half;
    half.hold(0, 8);
    CHECK(half.beside({9}) == range(8, 16, {9}));
}

TEST_CASE("A fault brings the largest subtree with more than half of its pages present or wanted",
          "[prefetch]") {
    // Block 0 there, block 1 wanted: all of 2 blocks, half of 4. One page more, and the 4 come.
    Trees two;
    two.hold(0, 16);
    CHECK(two.beside({16}) == range(17, 32));
    two.hold(40, 41);
    CHECK(two.beside({17}) == range(16, 64, {17, 40}));

    // A subtree further up may pass where one below does not: blocks 4 to 7 are there, of blocks 0
    // and 1 only the one that is faulted on. 2 blocks: 16 of 32; 4: 16 of 64; 8: 80 of 128.
    Trees above;
    above.hold(64, 128);
    CHECK(above.beside({3}) == range(0, 64, {3}));

    // Of all 32 blocks 16 are half; with the faulting one, 17 blocks, all come.
    Trees whole;
    whole.hold(256, 512);
    CHECK(whole.beside({}) == List {});
    CHECK(whole.beside({0}) == range(0, 256, {0}));
    // The next region is another tree.
    CHECK(whole.beside({512}) == range(513, 528));
}

TEST_CASE("The faults of a batch count together, in any order", "[prefetch]") {
    // Blocks 0, 1 and 2: 3 of 4, not more than half of 8.
    for (const List& faults : {List {0, 16, 32}, List {32, 0, 16}}) {
        List all = Trees().beside(faults);
        std::sort(all.begin(), all.end());
        CHECK(all == range(0, 64, faults));
    }
    // They are forgotten after it: block 1 alone is 1 of 2.
    Trees later;
    later.beside({0});
    CHECK(later.beside({16}) == range(17, 32));
}

TEST_CASE("A removed page is not counted, one claimed again before removal is", "[prefetch]") {
    Trees t;
    t.hold(0, 16);
    t.hold(40, 41);
    t.evicted(0, 40);
    CHECK_FALSE(t.holds(0, 40));
    CHECK(t.beside({16}) == range(17, 32));
    t.claimed(0, 3); // its eviction is not known yet
    t.evicted(0, 3);
    CHECK(t.holds(0, 3));
}

TEST_CASE("An address space ends within a tree, and each application has its own", "[prefetch]") {
    // 40 pages: blocks 0, 1 and half of 2. Block 1 and 2 are 24 of 40.
    Trees t(40);
    CHECK(t.beside({16}) == range(17, 32));
    t.hold(32, 40);
    CHECK(t.beside({16}) == range(0, 32, {16}));
    CHECK(t.beside({35}, 1) == List {32, 33, 34, 36, 37, 38, 39});
    CHECK_FALSE(t.holds(1, 32));
}

TEST_CASE("The share of a subtree that must be exceeded", "[prefetch]") {
    CHECK(Trees(1 << 20, 0).beside({0}) == range(1, 512));
    Trees never(1 << 20, 100);
    never.hold(16, 512);
    CHECK(never.beside({0}) == range(1, 16));
}

} // namespace memsim::density_trees_test
