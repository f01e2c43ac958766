#pragma once

#include "workload/llm/bf16.hh"

/// Weights as signed integers with a scale for each group of columns, and floats of 8 bits for the
/// cache of keys and values.
namespace memsim::workload {

inline constexpr unsigned columns_in_group = 128; ///< that share a scale, as in AWQ and GPTQ

/// Integer `i` of `bits` bits each that are packed into a word, the lowest bits first.
constexpr float packed_integer(std::uint64_t word, unsigned i, unsigned bits) {
    const auto top = static_cast<std::int64_t>(word << (64 - bits * (i + 1)));
    return static_cast<float>(top >> (64 - bits));
}

/// A float of 8 bits: 4 of exponent with bias 7, 3 of mantissa (E4M3 of the OCP's 8-bit floats);
/// the greatest is 448. Not used: not a number.
constexpr float from_e4m3(std::uint8_t code) {
    const int exponent = code >> 3 & 15, mantissa = code & 7;
    float value = static_cast<float>(exponent ? 8 + mantissa : mantissa);
    for (int e = exponent ? exponent : 1; e < 10; ++e) value *= 0.5f; // x 2^(e - 10)
    for (int e = exponent; e > 10; --e) value *= 2.0f;
    return code & 0x80 ? -value : value;
}

/// Rounds to the nearest value, to the even one of two; beyond 448 to 448.
constexpr std::uint8_t to_e4m3(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint8_t>(bits >> 24 & 0x80);
    const float size = sign ? -value : value;
    std::uint32_t code = 0x7e;
    if (size < 0x1p-6f) { // steps of 2^-9; the sum rounds to whole ones
        const float whole = (size * 0x1p9f + 0x1p23f) - 0x1p23f;
        code = static_cast<std::uint32_t>(whole);
    } else if (size < 464.0f) { // halfway between 448 and 480
        const std::uint32_t magnitude = bits & 0x7fffffff;
        const std::uint32_t rounded = magnitude + 0x7ffff + (magnitude >> 20 & 1);
        code = (rounded >> 20) - ((127 - 7) << 3);
        if (code > 0x7e) code = 0x7e;
    }
    return static_cast<std::uint8_t>(sign | code);
}

/// Value `i` of four of the cache that are packed into a word.
constexpr float packed_value(std::uint64_t word, unsigned i) { return packed_bf16(word, i); }
constexpr float packed_value(std::uint32_t word, unsigned i) {
    return from_e4m3(static_cast<std::uint8_t>(word >> 8 * i));
}
/// The word of four values.
template <class Word, class Value>
constexpr Word pack_values(Value value) {
    Word word = 0;
    for (unsigned j = 0; j < 4; ++j)
        if constexpr (sizeof(Word) == 8)
            word |= Word {to_bf16(value(j))} << 16 * j;
        else
            word |= Word {to_e4m3(value(j))} << 8 * j;
    return word;
}

} // namespace memsim::workload
