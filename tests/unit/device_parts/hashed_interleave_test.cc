#include "device_parts/hashed_interleave/hashed_interleave.hh"

#include <catch2/catch.hpp>

#include <algorithm>

namespace memsim::device_parts {

namespace {

constexpr std::uint64_t chunk = 256;
constexpr std::uint32_t rounds = 256;

/// The chunks of each way among `n` from chunk `first` on.
std::vector<std::uint64_t> loads(const HashedInterleave& interleave, std::uint64_t first,
                                 std::uint64_t n, std::uint64_t stride = 1) {
    std::vector<std::uint64_t> found(interleave.ways(), 0);
    for (std::uint64_t i = 0; i < n; ++i) ++found[interleave.way((first + i * stride) * chunk)];
    return found;
}

} // namespace

TEST_CASE("a hash maps addresses one to one", "[interleave]") {
    for (const std::uint32_t ways : {1u, 3u, 80u}) {
        const HashedInterleave interleave(chunk, ways, rounds);
        std::vector<std::uint64_t> next(ways, 0); // position that follows in each way
        for (std::uint64_t i = 0; i < 3 * rounds * ways; ++i) {
            const std::uint64_t address = i * chunk + i % chunk;
            const std::uint32_t way = interleave.way(address);
            const std::uint64_t within = interleave.within(address);
            REQUIRE(within == next[way]++ * chunk + i % chunk);
            REQUIRE(interleave.address(way, within) == address);
        }
        for (std::uint64_t n : next) CHECK(n == 3 * rounds);
    }
}

TEST_CASE("with a hash loads differ over a short range and agree over a long one", "[interleave]") {
    const std::uint32_t ways = 80;
    const std::uint64_t range = rounds * ways;
    const HashedInterleave hashed(chunk, ways, rounds), in_turn(chunk, ways, 0);
    for (const std::uint64_t n : loads(in_turn, 7, 16 * ways)) CHECK(n == 16);
    for (const std::uint64_t n : loads(hashed, 0, 4 * range)) CHECK(n == 4 * rounds);
    // Sixteen draws of each way on average: a variance of 16 x (1 - 16 / 256), if independent.
    double squares = 0;
    for (std::uint64_t part = 0; part < 8; ++part)
        for (const std::uint64_t n : loads(hashed, part * 16 * ways, 16 * ways))
            squares += (static_cast<double>(n) - 16) * (static_cast<double>(n) - 16);
    const double variance = squares / (8 * ways);
    CHECK(variance > 12);
    CHECK(variance < 16);
}

TEST_CASE("with a hash strides use all ways", "[interleave]") {
    const std::uint32_t ways = 64;
    const HashedInterleave hashed(chunk, ways, rounds);
    for (const std::uint64_t stride : {2ul, 64ul, 4096ul, std::uint64_t {rounds} * ways}) {
        const std::vector<std::uint64_t> found = loads(hashed, 0, 64 * ways, stride);
        CHECK(std::ranges::min(found) > 16);
        CHECK(std::ranges::max(found) < 160);
    }
}

} // namespace memsim::device_parts
