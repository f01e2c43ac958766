#pragma once

#include <array>
#include <cstdint>

namespace memsim::cxl {

/// GF(2^8): bytes as polynomials over bits, modulo a primitive polynomial, whose root alpha (the
/// byte 2) generates all bytes except 0.
template <unsigned polynomial>
class Galois {
  public:
    /// alpha^e, for e below 510.
    static constexpr std::uint8_t power(std::uint32_t e) { return tables.power[e]; }
    /// The logarithm of a byte other than 0: 0 to 254.
    static constexpr std::uint32_t log(std::uint8_t a) { return tables.log[a]; }
    static constexpr std::uint8_t times(std::uint8_t a, std::uint8_t b) {
        return a && b ? power(log(a) + log(b)) : std::uint8_t {0};
    }
    static constexpr std::uint8_t over(std::uint8_t a, std::uint8_t b) {
        return a ? power(log(a) + 255 - log(b)) : std::uint8_t {0};
    }

  private:
    struct Tables {
        std::array<std::uint8_t, 510> power {};
        std::array<std::uint8_t, 256> log {};
    };
    static constexpr Tables tables = [] {
        Tables t;
        std::uint32_t x = 1;
        for (std::uint32_t e = 0; e < 255; ++e) {
            t.power[e] = t.power[e + 255] = static_cast<std::uint8_t>(x);
            t.log[x] = static_cast<std::uint8_t>(e);
            x <<= 1;
            if (x >> 8) x ^= polynomial;
        }
        return t;
    }();
};

} // namespace memsim::cxl
