#include "mem/cache/set_hashes/polynomial.hh"

namespace memsim::mem {

static const PolicyRegistration<PolynomialSets> polynomial {
    "polynomial", "The set is rotated by the remainder of the line's higher digits by a polynomial "
                  "over GF(2), so that strides of powers of two use all sets (Rau, ISCA 1991)."};

namespace {

/// The greatest primitive polynomial of each degree from 1 on, without its highest term.
constexpr std::array<std::uint32_t, 25> primitive {
    0x1,     0x3,     0x5,      0x9,      0x1d,     0x33,     0x7d,     0xf5,    0x1fb,
    0x3f9,   0x7e9,   0xfc9,    0x1ffd,   0x3fe7,   0x7ffd,   0xffed,   0x1ffef, 0x3ffe7,
    0x7ffd3, 0xffff9, 0x1fffb3, 0x3fffed, 0x7ffffd, 0xffffaf, 0x1fffff1};

using Tables = std::array<PolynomialSets::Table, primitive.size()>;

Tables make_tables() {
    Tables all {};
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::uint32_t divisor = primitive[i] << (31 - i); // aligned to the highest bits
        for (std::uint32_t byte = 0; byte < 256; ++byte) {
            std::uint32_t rest = byte << 24;
            for (int bit = 0; bit < 8; ++bit) rest = rest << 1 ^ (rest >> 31 ? divisor : 0);
            all[i][byte] = rest;
        }
    }
    return all;
}

} // namespace

void PolynomialSets::resize(std::uint64_t sets) {
    static const Tables tables = make_tables(); // shared by all caches
    degree_ = std::max(1, static_cast<int>(std::bit_width(sets - 1)));
    MEMSIM_ASSERT(degree_ <= static_cast<int>(tables.size()), "no cache has more than 2^25 sets");
    table_ = &tables[static_cast<std::size_t>(degree_ - 1)];
    sets_ = device_parts::Divider(sets);
}

} // namespace memsim::mem
