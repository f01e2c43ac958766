#include "zng/address.hh"

#include <catch2/catch.hpp>

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
        REQUIRE(f.in_plane(f.plane_of(n), f.block_in_plane(n)) == n);
        REQUIRE(f.block_in_plane(n) == f.place(n).block);
    }
}

TEST_CASE("Data blocks of one plane share a log block of that plane", "[zng]") {
    const Flash f {2, 2, 2, 16, 4, 4096};
    LogBlocks logs(f, 10, 4);
    CHECK(logs.logs_of_plane() == 3);
    for (std::uint32_t n = 0; n < f.in_plane(0, 10); ++n) {
        const std::uint32_t log = logs.log_of(n);
        REQUIRE(f.plane_of(log) == f.plane_of(n));
        REQUIRE(f.block_in_plane(log) == 10 + f.block_in_plane(n) / 4);
    }
    const std::uint32_t data = f.in_plane(3, 5), other = f.in_plane(3, 6);
    logs.change(data, f.in_plane(3, 15));
    CHECK(f.block_in_plane(logs.log_of(data)) == 15);
    CHECK(f.block_in_plane(logs.log_of(other)) == 11);
    CHECK_THROWS(logs.change(data, f.in_plane(2, 15)));
}

} // namespace memsim::address_test
