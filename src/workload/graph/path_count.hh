#pragma once

#include "core/base/error.hh"
#include "program/warp_stream.hh"

#include <bit>
#include <cmath>
#include <utility>

/// A number of shortest paths in one word of 4 bytes, which is what GraphBIG's betweenness has for
/// it. GraphBIG's is an unsigned int and wraps at 2^32, which a road network exceeds by far. This
/// word holds an exponent of 12 bits above a fraction of 20, so that it reaches 2^4096 [A]. Counts
/// up to 2^21 are exact, and a sum is rounded to the nearest.
namespace memsim::workload::path_count {

using program::u32;
using program::u64;

inline constexpr u32 fraction_bits = 20;
inline constexpr u32 one = 1u << fraction_bits;                      ///< 0 is no path
inline constexpr double rounding = 1.0 / (u64 {2} << fraction_bits); ///< of a sum, relative to it

inline u32 exponent(u32 count) { return count >> fraction_bits; }
/// The fraction with its leading 1: from 2^20 to 2^21.
inline u32 significand(u32 count) { return (count & (one - 1)) | one; }

inline u32 sum(u32 a, u32 b) {
    if (a < b) std::swap(a, b); // as numbers, too
    const u32 apart = exponent(a) - exponent(b);
    constexpr u32 guard = fraction_bits + 2; // bits below the last one, enough to round to nearest
    if (b == 0 || apart > guard) return a;
    u64 exact = (u64 {significand(a)} << guard) + (u64 {significand(b)} << (guard - apart));
    const u32 carry = static_cast<u32>(exact >> (fraction_bits + guard + 1));
    const u32 below = guard + carry;
    const u64 half = u64 {1} << (below - 1), odd = exact >> below & 1;
    exact = (exact + half - 1 + odd) >> below; // half of the last bit goes to the even one
    // A fraction that was rounded up to 2 carries into the exponent by itself.
    const u64 word = ((u64 {exponent(a)} + carry - 1) << fraction_bits) + exact;
    if (word >> 32 != 0)
        throw ConfigError("more than 2^4096 shortest paths lead to a vertex, the most that betw "
                          "counts: run it on a smaller graph");
    return static_cast<u32>(word);
}

/// a / b, where b counts the paths of a among others; 0 below 2^-126.
inline float ratio(u32 a, u32 b) {
    const u32 apart = exponent(b) - exponent(a);
    const float scale = apart > 126 ? 0.0f : std::bit_cast<float>((127 - apart) << 23);
    return static_cast<float>(significand(a)) / static_cast<float>(significand(b)) * scale;
}

/// The number itself.
inline long double value(u32 count) {
    if (count == 0) return 0;
    const int shift = static_cast<int>(exponent(count)) - 1 - static_cast<int>(fraction_bits);
    return std::ldexp(static_cast<long double>(significand(count)), shift);
}

} // namespace memsim::workload::path_count
