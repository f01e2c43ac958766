#pragma once

#include "core/base/bits.hh"
#include "cxl/flit/galois.hh"

#include <span>

/// The check bytes of a 256-byte flit, as far as PCIe 6.0 is published: a CRC that is the remainder
/// of a Reed-Solomon code, and a forward error correction (FEC) of one byte in each of three
/// interleaved ways. Assumed: the order of bytes, and the numbering of a way's bytes.
namespace memsim::cxl {

/// `n` check bytes: the remainder by the polynomial with the roots alpha to alpha^n over GF(2^8)
/// with x^8 + x^5 + x^3 + x + 1. The first byte has the highest power. Blocks of up to 255 bytes,
/// including check bytes, differ in at least n + 1 bytes, so any n wrong bytes are detected.
template <unsigned n>
class ByteCrc {
  public:
    static std::uint64_t of(std::span<const std::uint8_t> bytes) {
        std::uint64_t remainder = 0; // the highest byte has the highest power
        for (const std::uint8_t b : bytes) {
            const auto out = static_cast<std::uint8_t>(remainder >> 8 * (n - 1) ^ b);
            remainder = (remainder << 8 & mask) ^ table[out];
        }
        return remainder;
    }
    /// Written after the bytes that it covers.
    static void write(std::span<const std::uint8_t> bytes, std::uint8_t* to) {
        const std::uint64_t crc = of(bytes);
        for (unsigned i = 0; i < n; ++i) to[i] = static_cast<std::uint8_t>(crc >> 8 * (n - 1 - i));
    }
    static bool passes(std::span<const std::uint8_t> bytes, const std::uint8_t* check) {
        std::uint64_t crc = of(bytes);
        for (unsigned i = n; i-- > 0; crc >>= 8)
            if (static_cast<std::uint8_t>(crc) != check[i]) return false;
        return true;
    }

  private:
    using Field = Galois<0x12b>;
    static constexpr std::uint64_t mask = low_bits(8 * n);
    /// For a byte b: b x^n, reduced.
    static constexpr std::array<std::uint64_t, 256> table = [] {
        std::array<std::uint8_t, n + 1> generator {1}; // [i]: coefficient of x^i
        for (unsigned root = 1; root <= n; ++root) {
            const std::uint8_t r = Field::power(root);
            for (unsigned i = root; i > 0; --i)
                generator[i] = generator[i - 1] ^ Field::times(generator[i], r);
            generator[0] = Field::times(generator[0], r);
        }
        std::array<std::uint64_t, 256> t {};
        for (unsigned b = 0; b < 256; ++b)
            for (unsigned i = 0; i < n; ++i)
                t[b] |= std::uint64_t {Field::times(static_cast<std::uint8_t>(b), generator[i])}
                        << 8 * i;
        return t;
    }();
};

/// Byte i of the flit belongs to way i % 3. For each way, the sum of its bytes is 0, and so is
/// their sum weighted by powers of alpha, over GF(2^8) with x^8 + x^4 + x^3 + x^2 + 1. One wrong
/// byte per way is detected and corrected; so is a burst of three bytes.
class Fec {
  public:
    static constexpr std::uint32_t ways = 3, bytes = 6, flit = 256;

    /// Fills the six bytes from `at` on.
    static void write(std::uint8_t* all, std::uint32_t at) {
        for (std::uint32_t i = 0; i < bytes; ++i) all[at + i] = 0;
        for (std::uint32_t i = 0; i < ways; ++i) {
            // c + d = sum and c a + d b = weighted, at the positions of the powers a and b
            const Sums s = sums(all, (at + i) % ways);
            const std::uint8_t a = power_of(at + i), b = power_of(at + i + ways);
            const std::uint8_t c = Field::over(s.weighted ^ Field::times(b, s.plain), a ^ b);
            all[at + i] = c;
            all[at + i + ways] = s.plain ^ c;
        }
    }
    enum class Found : std::uint8_t { nothing, corrected, too_much };
    static Found correct(std::uint8_t* all) {
        Found found = Found::nothing;
        for (std::uint32_t way = 0; way < ways; ++way) {
            const Sums s = sums(all, way);
            if (!s.plain && !s.weighted) continue;
            if (!s.plain || !s.weighted) return Found::too_much;
            const std::uint32_t place = Field::log(Field::over(s.weighted, s.plain));
            if (way + ways * place >= flit) return Found::too_much;
            all[way + ways * place] ^= s.plain;
            found = Found::corrected;
        }
        return found;
    }

  private:
    using Field = Galois<0x11d>;
    struct Sums {
        std::uint8_t plain = 0, weighted = 0;
    };
    static std::uint8_t power_of(std::uint32_t i) { return Field::power(i / ways); }
    static Sums sums(const std::uint8_t* all, std::uint32_t way) {
        Sums s;
        for (std::uint32_t i = way; i < flit; i += ways) {
            s.plain ^= all[i];
            s.weighted ^= Field::times(all[i], power_of(i));
        }
        return s;
    }
};

} // namespace memsim::cxl
