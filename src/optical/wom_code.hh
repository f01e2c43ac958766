#pragma once

#include <array>
#include <cstdint>

/// Write-once-memory coding on light: two bits in three pulses, written twice. Rivest and Shamir's
/// code (1982), used by Ohm-GPU V-B to let a second sender write on light that already carries
/// data. An absorbed pulse cannot be restored, so the polarity is the inverse of the paper's table:
/// a first write leaves at least two of three pulses lit, and a second write only extinguishes
/// pulses.
namespace memsim::optical {

using WomData = std::uint8_t; ///< 0 to 3
using WomCode = std::uint8_t; ///< bit i: pulse i is lit

inline constexpr unsigned wom_data_bits = 2;
inline constexpr unsigned wom_pulses = 3;

namespace detail {
inline constexpr std::array<WomCode, 4> first_codes {0b111, 0b110, 0b101, 0b011};
constexpr WomCode inverted(WomCode code) { return static_cast<WomCode>(~code & 0b111); }
} // namespace detail

constexpr WomCode wom_first(WomData data) { return detail::first_codes[data & 3]; }

/// True for a code that only a second write produces: at most one pulse lit.
constexpr bool wom_written_twice(WomCode code) {
    return (code & 1) + (code >> 1 & 1) + (code >> 2 & 1) <= 1;
}

constexpr WomData wom_decode(WomCode code) {
    const WomCode first = wom_written_twice(code) ? detail::inverted(code) : code;
    for (WomData data = 0; data < 4; ++data)
        if (detail::first_codes[data] == first) return data;
    return 0; // not reached: every code is the first one of some data, or its inverse
}

/// `code` after a second sender has written `data` on it. Equal data leave it unchanged.
constexpr WomCode wom_second(WomCode code, WomData data) {
    return wom_decode(code) == data ? code : detail::inverted(wom_first(data));
}

} // namespace memsim::optical
