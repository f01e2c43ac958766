#pragma once

#include "core/base/bits.hh"
#include "core/base/units.hh"
#include "cxl/flit/message.hh"

/// Message headers as bits of a 68-byte flit's slots (CXL 3.1, tables 3-35 to 3-54 and 4.2.3). Bit
/// 0 of a header is its valid bit.
namespace memsim::cxl {

/// The bits of a slot, or of a header in it: bit 0 is bit 0 of the first byte.
using SlotBits = Uint128;

struct Field {
    std::uint32_t at, width;
    constexpr std::uint64_t get(SlotBits bits) const {
        return static_cast<std::uint64_t>(bits >> at) & low_bits(width);
    }
    constexpr SlotBits put(std::uint64_t value) const {
        return static_cast<SlotBits>(value & low_bits(width)) << at;
    }
};

inline constexpr Field valid_bit {0, 1};

/// M2S Req: 87 bits.
struct ReqFields {
    static constexpr std::uint32_t bits = 87;
    static constexpr Field opcode {1, 4}, snoop {5, 3}, meta_field {8, 2}, meta_value {10, 2},
        tag {12, 16}, address {28, 47}, traffic_class {75, 2}, ld_id {77, 4},
        half {81, 1}; ///< reserved in CXL; here: half a line is sufficient (assumption)
};
/// M2S RwD: 87 bits.
struct RwdFields {
    static constexpr std::uint32_t bits = 87;
    static constexpr Field opcode {1, 4}, snoop {5, 3}, meta_field {8, 2}, meta_value {10, 2},
        tag {12, 16}, address {28, 46}, poison {74, 1}, traffic_class {75, 2}, ld_id {77, 4},
        upper {81, 1}; ///< reserved in CXL; here: the upper half of the line (assumption)
};
/// S2M NDR: 30 bits.
struct NdrFields {
    static constexpr std::uint32_t bits = 30;
    static constexpr Field opcode {1, 3}, meta_field {4, 2}, meta_value {6, 2}, tag {8, 16},
        ld_id {24, 4}, load {28, 2};
};
/// S2M DRS: 40 bits.
struct DrsFields {
    static constexpr std::uint32_t bits = 40;
    static constexpr Field opcode {1, 3}, meta_field {4, 2}, meta_value {6, 2}, tag {8, 16},
        poison {24, 1}, ld_id {25, 4}, load {29, 2};
};

/// The bits of the header; its data follow in other slots.
SlotBits encode(const Message& m);
/// The message of a valid header, without its data. `half` and `enables` come from the flit's own
/// header: the Sz and BE bits.
Message decode(Channel channel, SlotBits bits, bool half, bool enables);

} // namespace memsim::cxl
