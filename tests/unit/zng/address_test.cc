#include "zng/layout/address.hh"

#include <catch2/catch.hpp>

#include <set>
#include <tuple>

namespace memsim::address_test {

using namespace memsim::zng;

TEST_CASE("A flash address is block, page and offset in mixed radix", "[zng]") {
    const Flash f;
    CHECK(f.block_bytes() == 384 * 4096);
    CHECK(f.all_blocks() == 16u * 8 * 8 * 1024);
    CHECK(f.capacity() == 1'649'267'441'664u); // 1.65 TB raw, as Table I's geometry gives
    const std::uint64_t a = f.address(1000, 383, 4095);
    CHECK(a == 1001ull * 384 * 4096 - 1);
    CHECK(f.block_of(a) == 1000);
    CHECK(f.page_of(a) == 383);
    CHECK(f.offset_in_page(a) == 4095);
    CHECK(f.block_of(a + 1) == 1001);
    CHECK(f.page_of(a + 1) == 0);
}

TEST_CASE("Neighbouring blocks lie in different packages, then dies, then planes", "[zng]") {
    const Flash f {6, 8, 3, 10, 384, 4096};
    CHECK(f.place(0) == BlockPlace {0, 0, 0, 0});
    CHECK(f.place(5) == BlockPlace {5, 0, 0, 0});
    CHECK(f.place(6) == BlockPlace {0, 0, 1, 0});
    CHECK(f.place(6 * 8) == BlockPlace {0, 0, 0, 1});
    CHECK(f.place(6 * 8 * 3) == BlockPlace {0, 1, 0, 0});
    for (std::uint32_t n = 0; n < f.all_blocks(); ++n) {
        REQUIRE(f.number(f.place(n)) == n);
        REQUIRE(f.in_group(f.group_of(n), f.block_in_plane(n)) == n);
        REQUIRE(f.block_in_plane(n) == f.place(n).block);
    }
}

/// 6 packages of 4 x 2 planes, as mapped blocks over 4 planes of a package, and over 12 of all.
TEST_CASE("Consecutive pages of a mapped block lie in consecutive planes", "[zng]") {
    for (const bool across : {false, true}) {
        INFO("across: " << across);
        Flash f {6, 4, 2, 10, 384, 4096, 384};
        f.span = across ? 12 : 4;
        f.across = across;
        CHECK(f.groups() == 48 / f.span);
        CHECK(f.all_blocks() == 480u / f.span);
        CHECK(f.block_bytes() == std::uint64_t {384} * 4096 * f.span);
        CHECK(f.capacity() == 480ull * 384 * 4096); // the same flash as without
        std::set<std::tuple<unsigned, unsigned, unsigned, unsigned>> seen;
        for (std::uint32_t n = 0; n < f.all_blocks(); ++n)
            for (std::uint32_t page = 0; page < f.span; ++page) {
                const BlockPlace p = f.place(n, page);
                REQUIRE(f.number(p) == n);
                REQUIRE(p.package == f.package_of(n, page));
                REQUIRE(p.package == (across ? page % 6 : n % 6));
                REQUIRE(f.place(n, page + f.span) == p); // the next page of the same flash block
                seen.insert({p.package, p.die, p.plane, p.block});
            }
        CHECK(seen.size() == 480); // each flash block belongs to one mapped block
        CHECK(f.page_in_plane(f.span - 1) == 0);
        CHECK(f.page_in_plane(f.span) == 1);
        // Addresses are contiguous over planes, and over mapped blocks.
        const std::uint64_t last = f.address(1, f.mapped_pages() - 1, 4095);
        CHECK(last + 1 == f.address(2));
        CHECK(f.address(1, 1) == f.address(1) + 4096);
        // Data reach groups whose pages lie in the same packages.
        for (std::uint32_t from = 0; from < f.groups(); ++from)
            for (std::uint32_t i = 0; i < f.reachable_groups(); ++i) {
                const std::uint32_t to = f.reachable_group(from, i);
                REQUIRE(f.reaches(from, to));
                for (std::uint32_t page = 0; page < f.span; ++page)
                    REQUIRE(f.package_of(from, page) == f.package_of(to, page));
            }
    }
}

TEST_CASE("A mapped block of all planes of a package takes 80 KiB of entries for 1 TiB", "[zng]") {
    Flash f;
    f.span = f.package_planes();
    CHECK(f.groups() == 16);
    CHECK(f.block_bytes() == 96u << 20);
    const std::uint64_t entries =
        ((std::uint64_t {1} << 40) + f.block_bytes() - 1) / f.block_bytes();
    CHECK(entries == 10'923);
    CHECK(entries * 60 / 8 == 80 * 1024 + 2); // four block numbers of 15 bits each
}

TEST_CASE("Data blocks of one plane share a log block of that plane", "[zng]") {
    const Flash f {2, 2, 2, 16, 4, 4096};
    LogBlocks logs(f, 10, 4);
    CHECK(logs.logs_of_group() == 3);
    for (std::uint32_t n = 0; n < f.in_group(0, 10); ++n) {
        const std::uint32_t log = logs.log_of(n);
        REQUIRE(f.group_of(log) == f.group_of(n));
        REQUIRE(f.block_in_plane(log) == 10 + f.block_in_plane(n) / 4);
    }
    const std::uint32_t data = f.in_group(3, 5), other = f.in_group(3, 6);
    logs.change(data, f.in_group(3, 15));
    CHECK(f.block_in_plane(logs.log_of(data)) == 15);
    CHECK(f.block_in_plane(logs.log_of(other)) == 11);
    CHECK_THROWS(logs.change(data, f.in_group(2, 15)));
}

} // namespace memsim::address_test
