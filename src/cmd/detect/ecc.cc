#include "cmd/detect/ecc.hh"

#include <bit>

namespace memsim::cmd {

/// The bits of a word that each check bit covers. The columns (a word's bit across all check bits)
/// have odd weight: the 56 of weight 3, and 8 of the 56 of weight 5, the rotations of 00011111.
/// Single errors thus have distinct odd syndromes, double errors even ones. Each check bit covers
/// 26 bits, the minimum.
static constexpr std::array<std::uint64_t, 8> parities = [] {
    std::array<std::uint64_t, 8> rows {};
    std::uint32_t bit = 0;
    const auto add_column = [&](std::uint32_t column) {
        for (std::uint32_t row = 0; row < 8; ++row)
            rows[row] |= std::uint64_t {column >> row & 1} << bit;
        ++bit;
    };
    for (std::uint32_t column = 0; column < 256; ++column)
        if (std::popcount(column) == 3) add_column(column);
    for (int turn = 0; turn < 8; ++turn) add_column(std::rotl(std::uint8_t {0b00011111}, turn));
    return rows;
}();

std::uint8_t check_bits(std::uint64_t word) {
    std::uint32_t bits = 0;
    for (std::uint32_t row = 0; row < 8; ++row)
        bits |= static_cast<std::uint32_t>(__builtin_parityll(word & parities[row])) << row;
    return static_cast<std::uint8_t>(bits);
}

std::array<std::uint8_t, ecc_words> ecc_of(Block block, std::uint32_t mask) {
    std::array<std::uint8_t, ecc_words> ecc {};
    for (std::uint32_t w = 0; w < ecc_words; ++w)
        if (mask >> w * 8 / sector_bytes & 1) ecc[w] = check_bits(element<std::uint64_t>(block, w));
    return ecc;
}

} // namespace memsim::cmd
