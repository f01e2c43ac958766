#include "zng/ftl/free_blocks.hh"

#include <catch2/catch.hpp>

namespace memsim::free_blocks_test {

using zng::Flash;
using zng::FreeBlocks;

TEST_CASE("The block with the fewest erases is selected; of equal blocks, the first", "[zng]") {
    const Flash flash {2, 1, 2, 5, 4, 4096}; // 4 planes of 5 blocks
    FreeBlocks free(flash, 3);
    CHECK(free.left(1) == 2);
    CHECK(free.best(1).number == 3);
    const std::uint32_t a = free.take(1), b = free.take(1);
    CHECK(a == flash.in_group(1, 3));
    CHECK(b == flash.in_group(1, 4));
    CHECK(free.left(1) == 0);
    CHECK(free.left(0) == 2);
    free.put(b), free.put(a); // once each
    CHECK(free.best(1).erases == 1);
    CHECK(free.take(1) == a);
    free.put(a); // twice
    CHECK(free.take(1) == b);
    CHECK(free.take(1) == a);
    free.put(a), free.put(flash.in_group(1, 0));
    CHECK(free.take(1) == flash.in_group(1, 0)); // a data block, erased once
    CHECK(free.most() == 3);
    CHECK(free.erased() == 3);
}

TEST_CASE("A block that was never used is taken before one that was erased", "[zng]") {
    const Flash flash {1, 1, 1, 4, 4, 4096};
    FreeBlocks free(flash, 2);
    free.put(free.take(0));
    CHECK(free.best(0).number == 3);
    CHECK(free.take(0) == 3);
    CHECK(free.take(0) == 2);
}

} // namespace memsim::free_blocks_test
