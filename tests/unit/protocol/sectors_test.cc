#include "protocol/mem.hh"

#include "core/base/rng.hh"

#include <catch2/catch.hpp>

namespace memsim::sectors_test {

using namespace memsim::protocol;

namespace {

/// Whether byte `i` of the request's span is needed, computed byte by byte.
bool needed(const MemRequest& r, std::uint32_t i) {
    return r.sectors == 0 || (r.sectors >> ((r.address % 32 + i) / 32) & 1);
}

MemRequest random_request(Rng& random) {
    MemRequest r;
    r.address = random.below(4096);
    r.bytes = static_cast<std::uint32_t>(1 + random.below(512 - r.address % 32));
    const auto last = static_cast<unsigned>((r.address % 32 + r.bytes - 1) / 32);
    if (random.below(4)) {
        const auto any = static_cast<std::uint32_t>(random.below(1u << (last + 1)));
        r.sectors = static_cast<std::uint16_t>(any | 1 | 1u << last);
    }
    return r;
}

} // namespace

TEST_CASE("the pieces of a message need exactly the bytes that the message needs", "[sectors]") {
    Rng random(2, "pieces");
    for (int n = 0; n < 20'000; ++n) {
        const MemRequest r = random_request(random);
        REQUIRE(fits(r.sectors, r.address, r.bytes));
        const auto bytes = static_cast<std::uint32_t>(1 + random.below(r.bytes));
        const Piece first = first_piece(r, bytes);
        MemRequest piece = r;
        piece.address = first.address, piece.bytes = first.bytes, piece.sectors = first.sectors;
        for (std::uint32_t i = 0; i < bytes; ++i) {
            const std::uint64_t at = r.address + i;
            const bool held = at >= piece.address && at < piece.address + piece.bytes &&
                              needed(piece, static_cast<std::uint32_t>(at - piece.address));
            REQUIRE(held == needed(r, i));
        }
        if (r.sectors == 0 || first.bytes == 0) continue;
        const std::uint64_t end = piece.address + piece.bytes;
        REQUIRE((end <= r.address + bytes && piece.sectors & 1));
        REQUIRE(piece.sectors >> ((end - 1) / 32 - piece.address / 32) == 1);
    }
}

TEST_CASE("a mask that is not of its span does not fit it", "[sectors]") {
    CHECK(fits(0b101, 0, 96));
    CHECK_FALSE(fits(0b100, 0, 96));  // the first sector is not needed
    CHECK_FALSE(fits(0b001, 0, 96));  // the last does not
    CHECK_FALSE(fits(0b1001, 0, 96)); // one behind the span
    CHECK(fits(0b1001, 16, 96));      // it begins within a sector
    CHECK(fits(0x8001, 0, 512));
    CHECK_FALSE(fits(0x8001, 0, 544));
}

TEST_CASE("a message's payload is the bytes of its sectors", "[sectors]") {
    Rng random(1, "payload");
    for (int n = 0; n < 20'000; ++n) {
        MemRequest r = random_request(random);
        std::uint32_t expected = 0;
        for (std::uint32_t i = 0; i < r.bytes; ++i) expected += needed(r, i);
        REQUIRE(r.payload() == expected);
        r.command = Command::write;
        REQUIRE(r.wire_bytes() == MemRequest::header_bytes + expected);
        r.command = Command::read;
        REQUIRE(r.wire_bytes() == MemRequest::header_bytes);
        REQUIRE(answer(r).wire_bytes() == MemResponse::header_bytes + expected);
    }
    MemRequest r;
    r.address = 96, r.bytes = 64;
    CHECK(sectors_of(r) == 2);
    r.address = 100;
    CHECK(sectors_of(r) == 3);
    r.bytes = 92, r.sectors = 0b101;
    CHECK(sectors_of(r) == 2);
}

TEST_CASE("the parts of a message contain each needed byte once and no unneeded block",
          "[sectors]") {
    const std::uint32_t grain = GENERATE(32u, 64u, 128u, 24u);
    Rng random(2, "parts");
    for (int n = 0; n < 10'000; ++n) {
        const MemRequest r = random_request(random);
        std::vector<int> in(r.bytes);
        std::uint64_t block_before = ~0ull;
        for (std::uint32_t from = 0; from < r.bytes;) {
            const Part p = next_part(r, from, grain);
            REQUIRE(p.offset >= from);
            REQUIRE(p.bytes > 0);
            REQUIRE(p.offset + p.bytes <= r.bytes);
            for (std::uint32_t i = 0; i < p.bytes; ++i) ++in[p.offset + i];
            // Of every block that it touches it needs a byte, and no block is in two parts.
            const std::uint64_t first = (r.address + p.offset) / grain;
            const std::uint64_t last = (r.address + p.offset + p.bytes - 1) / grain;
            REQUIRE(first != block_before);
            block_before = last;
            for (std::uint64_t b = first; b <= last; ++b) {
                bool any = false;
                for (std::uint32_t i = p.offset; i < p.offset + p.bytes; ++i)
                    any |= (r.address + i) / grain == b && needed(r, i);
                REQUIRE(any);
            }
            from = p.offset + p.bytes;
        }
        for (std::uint32_t i = 0; i < r.bytes; ++i) REQUIRE(in[i] >= int {needed(r, i)});
    }
}

} // namespace memsim::sectors_test
