#include "gpu/mmu/striped_pages.hh"

#include <catch2/catch.hpp>

#include <set>

namespace memsim::gpu::striped_pages_test {

TEST_CASE("Without a stripe a page holds consecutive addresses", "[mmu]") {
    const StripedPages pages(12288, {1, 4096});
    CHECK(pages.number(12287) == 0);
    CHECK(pages.number(12288) == 1);
    CHECK(pages.physical(7, 12288 + 5) == 7 * 12288 + 5);
}

TEST_CASE("A stripe deals its addresses to its pages, unit by unit", "[mmu]") {
    const StripedPages pages(1024, {3, 256});
    CHECK(pages.number(255) == 0);
    CHECK(pages.number(256) == 1);
    CHECK(pages.number(2 * 256) == 2);
    CHECK(pages.number(3 * 256) == 0);
    CHECK(pages.number(3 * 1024) == 3); // the next stripe
    CHECK(pages.physical(5, 3 * 256 + 8) == 5 * 1024 + 256 + 8);
    std::set<std::uint64_t> places; // with frame = page, each address has a place of its own
    for (std::uint64_t a = 0; a < 6 * 1024; ++a) places.insert(pages.physical(pages.number(a), a));
    CHECK(places.size() == 6 * 1024);
    CHECK(*places.rbegin() == 6 * 1024 - 1);
}

} // namespace memsim::gpu::striped_pages_test
