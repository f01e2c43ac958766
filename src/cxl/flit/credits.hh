#pragma once

#include "cxl/flit/flit.hh"

#include <bit>

namespace memsim::cxl {

/// The credits of one end: messages that it may send, and buffer places to return to the other end.
/// A header returns 0, 1, 2, 4 to 64 credits of each class.
struct Credits {
    std::array<std::uint32_t, credit_classes> left {}; ///< messages that may be sent
    std::array<std::uint32_t, credit_classes>
        owed {}; ///< free places not yet returned to the other end

    bool has(CreditClass c, std::uint32_t n = 1) const { return left[index(c)] >= n; }
    void use(CreditClass c) { --left[index(c)]; }
    void owe(CreditClass c, std::uint32_t n = 1) { owed[index(c)] += n; }
    std::uint32_t most_owed() const { return std::max({owed[0], owed[1], owed[2]}); }

    /// Bits of a flit's header that return owed credits, up to the maximum of its encoding.
    SlotBits give_back() {
        SlotBits bits = 0;
        for (std::size_t c = 0; c < credit_classes; ++c) {
            const std::uint32_t n = std::min<std::uint32_t>(std::bit_floor(owed[c]), 64);
            const auto code = static_cast<std::uint64_t>(std::bit_width(n));
            bits |= FlitFields::credits[c].put(n ? mem | code : 0);
            owed[c] -= n;
        }
        return bits;
    }
    void take_back(SlotBits header) {
        for (std::size_t c = 0; c < credit_classes; ++c) {
            const std::uint64_t code = FlitFields::credits[c].get(header);
            if (code & mem && code & 7) left[c] += 1u << ((code & 7) - 1);
        }
    }

  private:
    static constexpr std::uint64_t mem = 8;
    static std::size_t index(CreditClass c) { return static_cast<std::size_t>(c); }
};

} // namespace memsim::cxl
