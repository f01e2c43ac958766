#pragma once

#include <bit>
#include <cstdint>

/// Brain floating point of 16 bits: the upper half of a float.
namespace memsim::workload {

constexpr float from_bf16(std::uint16_t bits) {
    return std::bit_cast<float>(std::uint32_t {bits} << 16);
}

/// Value `i` of four values packed into a word, lowest bits first.
constexpr float packed_bf16(std::uint64_t word, unsigned i) {
    return from_bf16(static_cast<std::uint16_t>(word >> 16 * i));
}

/// Rounds to nearest, ties to even. Requires a finite number.
constexpr std::uint16_t to_bf16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

} // namespace memsim::workload
