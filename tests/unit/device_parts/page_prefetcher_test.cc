#include "device_parts/page_prefetcher.hh"

#include <catch2/catch.hpp>

namespace memsim::page_prefetcher_test {

/// Which pages come with a missing one.

using device_parts::PageName;

namespace {

using List = std::vector<PageName>;

List with(const std::string& name, const List& misses, std::uint64_t pages = 1000) {
    Policy<device_parts::PagePrefetcher> policy;
    policy.make(name, "test", 1);
    policy->resize(4096, pages);
    List all;
    policy->bring(misses, all);
    return all;
}
List pages(const std::vector<std::uint64_t>& numbers, std::uint16_t application = 0) {
    List all;
    for (const std::uint64_t n : numbers) all.push_back({n, application});
    return all;
}

} // namespace

TEST_CASE(
    "Page-on-page prefetch requests the aligned group of a missing page, or the pages behind it",
    "[page_prefetcher]") {
    CHECK(with("page-on-page(pages=4)", pages({6})) == pages({4, 5, 7}));
    CHECK(with("page-on-page(pages=4)", pages({4})) == pages({5, 6, 7}));
    CHECK(with("page-on-page(pages=4)", pages({7})) == pages({4, 5, 6}));
    CHECK(with("page-on-page(pages=4,where=behind)", pages({6})) == pages({7, 8, 9}));
    CHECK(with("page-on-page", pages({9})) == pages({8, 10, 11, 12, 13, 14, 15}));
    // An address space ends within a group.
    CHECK(with("page-on-page(pages=4)", pages({4}), 6) == pages({5}));
    CHECK(with("page-on-page(pages=4,where=behind)", pages({8}), 10) == pages({9}));
}

TEST_CASE("Overlapping groups of a batch are requested once, without the missing pages themselves",
          "[page_prefetcher]") {
    CHECK(with("page-on-page(pages=4)", pages({6, 9, 4, 5})) == pages({7, 8, 10, 11}));
    CHECK(with("page-on-page(pages=4,where=behind)", pages({20, 12, 10, 11})) ==
          pages({13, 14, 15, 21, 22, 23}));
    // Each application has pages of its own.
    const List two {{6, 1}, {5, 0}};
    const List near {{4, 0}, {6, 0}, {7, 0}, {4, 1}, {5, 1}, {7, 1}};
    CHECK(with("page-on-page(pages=4)", two) == near);
}

} // namespace memsim::page_prefetcher_test
