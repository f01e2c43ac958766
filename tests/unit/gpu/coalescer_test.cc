#include "gpu/sm/coalescer.hh"

#include <catch2/catch.hpp>

namespace memsim::coalescer_test {

using namespace memsim::gpu;
using gpu_program::WarpOp;

namespace {

WarpOp load(std::uint32_t mask, std::uint64_t (*address)(unsigned lane)) {
    WarpOp op;
    op.kind = gpu_program::WarpOpKind::load;
    op.mask = mask;
    op.width = 4;
    op.instructions = 1;
    for (unsigned i = 0; i < 32; ++i) op.address[i] = address(i);
    return op;
}

} // namespace

TEST_CASE("32 neighbouring words are one line", "[coalescer]") {
    Coalescer c(128, 32);
    c.run(load(~0u, [](unsigned i) { return std::uint64_t {0x1000} + 4 * i; }));
    REQUIRE(c.size() == 1);
    CHECK(c[0].address == 0x1000);
    CHECK(c[0].bytes == 128);
}

TEST_CASE("Words a line apart are an access each, of one sector", "[coalescer]") {
    Coalescer c(128, 32);
    c.run(load(~0u, [](unsigned i) { return std::uint64_t {128} * i + 40; }));
    REQUIRE(c.size() == 32);
    for (unsigned i = 0; i < 32; ++i) {
        CHECK(c[i].address == 128 * i + 32);
        CHECK(c[i].bytes == 32);
    }
}

TEST_CASE("A misaligned row of words is two accesses", "[coalescer]") {
    Coalescer c(128, 32);
    c.run(load(~0u, [](unsigned i) { return std::uint64_t {0x1060} + 4 * i; }));
    REQUIRE(c.size() == 2);
    CHECK(c[0].address == 0x1060);
    CHECK(c[0].bytes == 32);
    CHECK(c[1].address == 0x1080);
    CHECK(c[1].bytes == 96);
}

TEST_CASE("A word across the end of a sector touches two, also of two lines", "[coalescer]") {
    Coalescer c(128, 32);
    c.run(load(1, [](unsigned) { return std::uint64_t {0x101e}; }));
    REQUIRE(c.size() == 1);
    CHECK(c[0].address == 0x1000);
    CHECK(c[0].bytes == 64);
    CHECK(c[0].partial == 3);
    c.run(load(1, [](unsigned) { return std::uint64_t {0x107f}; }));
    REQUIRE(c.size() == 2);
    CHECK(c[0].address == 0x1060);
    CHECK(c[1].address == 0x1080);
    CHECK(c[1].bytes == 32);
    c.run(load(~0u, [](unsigned i) { return std::uint64_t {128} * i + 126; }));
    CHECK(c.size() == 33); // each line ends one word and begins the one before
}

TEST_CASE("Lanes that change one word are apart: its first lanes share accesses, then its second",
          "[coalescer]") {
    Coalescer c(128, 32);
    WarpOp op = load(0xf, [](unsigned i) { return std::uint64_t {0x1000} + 4 * (i % 2); });
    c.run_apart(op);
    REQUIRE(c.size() == 2);
    CHECK(c[0].address == 0x1000);
    CHECK(c[1].address == 0x1000);
    CHECK(op.mask == 0xf);
    op = load(~0u, [](unsigned) { return std::uint64_t {0x1000}; });
    c.run_apart(op);
    CHECK(c.size() == 32);
    op = load(~0u, [](unsigned i) { return std::uint64_t {0x1000} + 4 * i; });
    c.run_apart(op);
    CHECK(c.size() == 1);
    c.run(load(~0u, [](unsigned) { return std::uint64_t {0x1000}; })); // not those of a load
    CHECK(c.size() == 1);
}

TEST_CASE("Equal addresses are one access; inactive lanes none", "[coalescer]") {
    Coalescer c(128, 32);
    c.run(load(0x80000001u,
               [](unsigned i) { return std::uint64_t {i == 0 || i == 31 ? 0u : 4096u}; }));
    REQUIRE(c.size() == 1);
    CHECK(c[0].bytes == 32);
}

TEST_CASE("One access a line, of exactly the sectors touched", "[coalescer]") {
    Coalescer c(128, 32);
    // Sectors 3 and 0 of line 0; 2, 1 and again 2 of line 1: neighbours need no mask.
    static constexpr std::uint64_t at[] {96, 0, 192, 160, 220};
    c.run(load(31, [](unsigned i) { return i < 5 ? at[i] : 0; }));
    REQUIRE(c.size() == 2);
    CHECK(c[0].address == 0);
    CHECK(c[0].bytes == 128);
    CHECK(c[0].sectors == 0b1001);
    CHECK(c[1].address == 160);
    CHECK(c[1].bytes == 64);
    CHECK(c[1].sectors == 0);
}

TEST_CASE("A larger sector is two of the mask's", "[coalescer]") {
    Coalescer c(256, 64);
    c.run(load(3, [](unsigned i) { return std::uint64_t {200} * i + 4; }));
    REQUIRE(c.size() == 1);
    CHECK(c[0].address == 0);
    CHECK(c[0].bytes == 256);
    CHECK(c[0].sectors == 0b11000011);
}

} // namespace memsim::coalescer_test
