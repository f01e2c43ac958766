#pragma once

#include "core/base/error.hh"
#include "gpu_program/warp_stream.hh"

#include <bit>
#include <cmath>
#include <utility>

/// A number of shortest paths in a word of 4 bytes, the size used by GraphBIG's betweenness.
/// GraphBIG uses an unsigned int, which wraps at 2^32; road networks exceed that by far. This word
/// has an exponent of 12 bits above a fraction of 20 bits and reaches 2^4096 [A]. Counts up to 2^21
/// are exact; sums are rounded to nearest.
namespace memsim::workload::path_count {

using gpu_program::u32;
using gpu_program::u64;

inline constexpr u32 fraction_bits = 20;
inline constexpr u32 one = 1u << fraction_bits; ///< 0 means no path
inline constexpr double rounding =
    1.0 / (u64 {2} << fraction_bits); ///< relative rounding error of a sum

inline u32 exponent(u32 count) { return count >> fraction_bits; }
/// The fraction with its leading 1: from 2^20 to 2^21.
inline u32 significand(u32 count) { return (count & (one - 1)) | one; }

inline u32 sum(u32 a, u32 b) {
    if (a < b) std::swap(a, b); // words compare like the numbers
    const u32 apart = exponent(a) - exponent(b);
    constexpr u32 guard =
        fraction_bits + 2; // bits below the last one, sufficient to round to nearest
    if (b == 0 || apart > guard) return a;
    u64 exact = (u64 {significand(a)} << guard) + (u64 {significand(b)} << (guard - apart));
    const u32 carry = static_cast<u32>(exact >> (fraction_bits + guard + 1));
    const u32 below = guard + carry;
    const u64 half = u64 {1} << (below - 1), odd = exact >> below & 1;
    exact = (exact + half - 1 + odd) >> below; // ties round to even
    // A fraction rounded up to 2 carries into the exponent.
    const u64 word = ((u64 {exponent(a)} + carry - 1) << fraction_bits) + exact;
    if (word >> 32 != 0)
        throw ConfigError("more than 2^4096 shortest paths lead to a vertex, the most that betw "
                          "counts: run it on a smaller graph");
    return static_cast<u32>(word);
}

/// a / b, where b includes the paths counted by a; 0 below 2^-126.
inline float ratio(u32 a, u32 b) {
    const u32 apart = exponent(b) - exponent(a);
    const float scale = apart > 126 ? 0.0f : std::bit_cast<float>((127 - apart) << 23);
    return static_cast<float>(significand(a)) / static_cast<float>(significand(b)) * scale;
}

/// The count as a number.
inline long double value(u32 count) {
    if (count == 0) return 0;
    const int shift = static_cast<int>(exponent(count)) - 1 - static_cast<int>(fraction_bits);
    return std::ldexp(static_cast<long double>(significand(count)), shift);
}

} // namespace memsim::workload::path_count
