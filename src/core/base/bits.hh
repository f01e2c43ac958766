#pragma once

#include <cstdint>

namespace memsim {

/// The number of bits that are set. std::popcount compiles to a table look-up on baseline x86-64,
/// and this function is on the path of every message.
constexpr std::uint32_t bits_set(std::uint32_t x) {
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f;
    return x * 0x01010101 >> 24;
}

} // namespace memsim
