#pragma once

#include "device_parts/interleave.hh"
#include "mem/cache/lines/set_hash.hh"

#include <array>
#include <bit>

namespace memsim::mem {

/// Pseudo-random placement by polynomials over GF(2) (Rau, "Pseudo-randomly interleaved memory",
/// ISCA 1991; GPGPU-Sim's IPOLY), for any number of sets:
///
///     set = (line mod sets + remainder(line / sets)) mod sets
///
/// `remainder` is that of the quotient's polynomial times x^d by an irreducible polynomial of
/// degree d, where 2^d is the least power of two not below the number of sets. Strides of powers of
/// two use all sets about equally. Not modelled: the polynomials of real GPUs, which are not
/// published.
class PolynomialSets final : public PolicyModel<PolynomialSets, SetHash> {
  public:
    struct Params {};
    struct State {};
    /// The remainder of each byte, in the highest bits, for a table-driven division.
    using Table = std::array<std::uint32_t, 256>;

    explicit PolynomialSets(const Params& p) : params(p) {}
    void resize(std::uint64_t sets) override;
    std::uint64_t set(std::uint64_t line) const override {
        const std::uint64_t above = sets_.quotient(line);
        std::uint32_t rest = 0;
        for (int shift = (std::bit_width(above) + 7) / 8 * 8 - 8; shift >= 0; shift -= 8)
            rest = rest << 8 ^ (*table_)[(rest >> 24 ^ above >> shift) & 0xff];
        std::uint64_t at = sets_.remainder(line) + (rest >> (32 - degree_));
        while (at >= sets_.value()) at -= sets_.value(); // at most twice
        return at;
    }
    const Params params;
    State state;

  private:
    device_parts::Divider sets_;
    int degree_ = 1;
    const Table* table_ = nullptr;
};

} // namespace memsim::mem
