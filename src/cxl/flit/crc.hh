#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// The CRC of a 68-byte flit (CXL 3.1, 4.2.8.7): 16 bits over the 512 bits of the four slots. Bit k
/// of the flit is the coefficient of x^k; the CRC is the remainder of x^16 b(x) by the polynomial
/// 1F053h. The initial value is 0; bits are neither reflected nor inverted.
namespace memsim::cxl {

inline constexpr std::uint32_t crc_polynomial = 0x1f053;

namespace detail {
/// For byte value b at byte j of a word: b x^(8 j + 16), reduced.
using CrcTables = std::array<std::array<std::uint16_t, 256>, 8>;
constexpr CrcTables make_crc_tables() {
    CrcTables tables {};
    std::uint32_t power = crc_polynomial & 0xffff; // x^16
    for (std::size_t j = 0; j < 8; ++j)
        for (std::size_t bit = 0; bit < 8; ++bit) {
            for (std::size_t b = 0; b < 256; ++b)
                if (b >> bit & 1) tables[j][b] ^= static_cast<std::uint16_t>(power);
            power <<= 1;
            if (power >> 16) power ^= crc_polynomial;
        }
    return tables;
}
inline constexpr CrcTables crc_tables = make_crc_tables();
} // namespace detail

/// Processes eight bytes at a time, with a table for each. Leading zeros leave the remainder at 0;
/// they are most of a flit if the machine carries no contents.
constexpr std::uint16_t crc(const std::array<std::uint64_t, 8>& words) {
    std::uint64_t remainder = 0;
    for (std::size_t w = words.size(); w-- > 0;) {
        const std::uint64_t x = words[w] ^ remainder << 48;
        remainder = 0;
        if (x == 0) continue;
        for (std::size_t j = 0; j < 8; ++j) remainder ^= detail::crc_tables[j][x >> 8 * j & 0xff];
    }
    return static_cast<std::uint16_t>(remainder);
}

} // namespace memsim::cxl
