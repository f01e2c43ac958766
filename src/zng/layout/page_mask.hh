#pragma once

#include "core/base/bits.hh"

#include <array>
#include <cstdint>

namespace memsim::zng {

inline constexpr std::uint32_t page_bytes = 4096, line_bytes = 128, sector_bytes = 32;
inline constexpr std::uint32_t page_lines = page_bytes / line_bytes; ///< 32

/// The bytes of a page that a register holds: sectors written as a whole, and lines with at least
/// one sector written in part. The register has byte enables, but a reader needs the remaining
/// bytes from elsewhere. A plain value for State.
struct PageMask {
    std::array<std::uint64_t, 2> whole {}; ///< one bit per sector of 32 bytes
    std::uint32_t touched = 0;             ///< one bit per line of 128 bytes
    std::uint32_t partial = 0;             ///< lines with partly written sectors

    bool full() const { return partial == 0 && (whole[0] & whole[1]) == ~std::uint64_t {0}; }
    bool touches(unsigned line) const { return touched >> line & 1; }
    /// Records a write of `sectors`, of which `in_part` were not written whole. A line with a
    /// partly written sector counts as partial until the whole line has been written.
    void add(unsigned line, unsigned sectors, unsigned in_part) {
        in_part &= ~of(line); // the remaining bytes of these sectors are already held
        whole[line / 16] |= std::uint64_t {sectors & ~in_part} << line % 16 * 4;
        touched |= 1u << line;
        if (in_part)
            partial |= 1u << line;
        else if (of(line) == 15)
            partial &= ~(1u << line);
    }
    /// The part of `sectors` that a reader still needs from an older version of the page.
    unsigned missing(unsigned line, unsigned sectors) const {
        return partial >> line & 1 ? sectors : sectors & ~of(line);
    }
    void fill() { *this = {{~std::uint64_t {0}, ~std::uint64_t {0}}, ~0u, 0}; }

  private:
    unsigned of(unsigned line) const {
        return static_cast<unsigned>(whole[line / 16] >> line % 16 * 4) & 15;
    }
};

} // namespace memsim::zng
