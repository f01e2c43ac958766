#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>

namespace memsim {

/// The number of bits that are set. std::popcount compiles to a table look-up on baseline x86-64,
/// and this function is on the path of every message.
constexpr std::uint32_t bits_set(std::uint32_t x) {
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f;
    return x * 0x01010101 >> 24;
}

/// A mask of the n lowest bits. Requires: n is at most the number of bits of T.
template <std::unsigned_integral T = std::uint64_t>
constexpr T low_bits(std::uint64_t n) {
    constexpr std::uint64_t all = std::numeric_limits<T>::digits;
    return n == all ? std::numeric_limits<T>::max() : static_cast<T>((T {1} << n) - 1);
}

/// Calls f for every set bit, lowest first.
template <class F>
void for_each_bit(std::uint64_t set, F&& f) {
    for (; set; set &= set - 1) f(static_cast<std::uint32_t>(std::countr_zero(set)));
}

} // namespace memsim
