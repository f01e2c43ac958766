#pragma once

#include "cxl/flit/encoding.hh"

#include <algorithm>
#include <cstring>

/// A 68-byte flit: 2 bytes of protocol ID, four slots of 16 bytes, 2 bytes of CRC over the slots.
/// The first 4 bytes of slot 0 are the flit's own header, except in an all-data flit, which has
/// none.
namespace memsim::cxl {

inline constexpr std::uint32_t slots = 4;
inline constexpr std::uint32_t flit_bytes = 68;
inline constexpr std::uint32_t flit_bits = 8 * flit_bytes;
inline constexpr std::uint16_t protocol_id = 0x5555; ///< CXL.cachemem (CXL 3.1, table 6-2)

/// The contents of the slots as 8 words; word 0 has the lowest bits.
struct Flit {
    std::array<std::uint64_t, 2 * slots> words {};

    SlotBits slot(std::uint32_t i) const {
        return static_cast<SlotBits>(words[2 * i + 1]) << 64 | words[2 * i];
    }
    void set_slot(std::uint32_t i, SlotBits bits) {
        words[2 * i] = static_cast<std::uint64_t>(bits);
        words[2 * i + 1] = static_cast<std::uint64_t>(bits >> 64);
    }
    std::uint32_t header() const { return static_cast<std::uint32_t>(words[0]); }
    bool operator==(const Flit&) const = default;
};

/// All bytes of the flit on the wires.
inline void write_bytes(const Flit& flit, std::uint16_t crc, std::uint8_t* bytes) {
    std::memcpy(bytes, &protocol_id, 2);
    std::memcpy(bytes + 2, flit.words.data(), 64);
    std::memcpy(bytes + 66, &crc, 2);
}
struct ReadFlit {
    Flit flit;
    std::uint16_t id = 0, crc = 0;
};
inline ReadFlit read_bytes(const std::uint8_t* bytes) {
    ReadFlit r;
    std::memcpy(&r.id, bytes, 2);
    std::memcpy(r.flit.words.data(), bytes + 2, 64);
    std::memcpy(&r.crc, bytes + 66, 2);
    return r;
}

/// The header of a flit: 32 bits (CXL 3.1, table 4-1).
struct FlitFields {
    static constexpr Field control {0, 1}, ak {2, 1}, enables {3, 1}, whole {4, 1};
    static constexpr std::array<Field, slots> format {{{5, 3}, {8, 3}, {11, 3}, {14, 3}}};
    /// By CreditClass. The top bit marks credits of CXL.mem.
    static constexpr std::array<Field, credit_classes> credits {{{24, 4}, {20, 4}, {28, 4}}};
};

/// Formats of slots (CXL 3.1, tables 4-4 to 4-7): of slot 0 (H) and of the others (G).
struct Format {
    static constexpr std::uint32_t data = 0b000; ///< G0; also an empty slot
    static constexpr std::uint32_t h_rwd = 0b100, h_req = 0b101;
    static constexpr std::uint32_t g_req = 0b100, g_rwd = 0b101;
    static constexpr std::uint32_t h_drs_ndr = 0b011, h_2ndr = 0b100, h_2drs = 0b101;
    static constexpr std::uint32_t g_drs_2ndr = 0b100, g_2ndr = 0b101, g_3drs = 0b110;
};
inline constexpr std::uint32_t h_slot_begins = 32; ///< after the flit's header

/// Control flits (CXL 3.1, table 4-10); all fields are in slot 0.
enum class Control : std::uint8_t { credits, idle, request, ack, frame, init };
struct ControlFields {
    static constexpr Field kind {32, 4}, sub_type {36, 4};
    // of LLCRD: acknowledgements, in addition to the Ak bit of the flit's header
    static constexpr Field ack_low {64, 3}, ack_high {68, 4};
    // of RETRY.Req
    static constexpr Field request_sequence {64, 8}, request_number {80, 5};
    // of RETRY.Ack
    static constexpr Field ack_empty {64, 1}, ack_number {67, 5}, ack_sequence {80, 8};
    // of INIT.Param
    static constexpr Field version {64, 4}, wrap {88, 8};
};

inline SlotBits control_bits(Control c) {
    struct Code {
        std::uint64_t kind, sub_type;
    };
    static constexpr std::array<Code, 6> codes {{{0b0000, 0b0001},
                                                 {0b0001, 0b0000},
                                                 {0b0001, 0b0001},
                                                 {0b0001, 0b0010},
                                                 {0b0001, 0b0011},
                                                 {0b1100, 0b1000}}};
    const Code& code = codes[static_cast<std::size_t>(c)];
    return FlitFields::control.put(1) | ControlFields::kind.put(code.kind) |
           ControlFields::sub_type.put(code.sub_type);
}
inline bool is_control(const Flit& flit) { return flit.header() & 1; }
inline bool is(const Flit& flit, Control c) {
    constexpr std::uint64_t fixed = 0xff'0000'0001;
    return ((flit.words[0] ^ static_cast<std::uint64_t>(control_bits(c))) & fixed) == 0;
}
/// RETRY flits are not stored in the retry buffer; all others are.
inline bool is_retry(const Flit& flit) {
    return is_control(flit) && ControlFields::kind.get(flit.slot(0)) == 0b0001;
}

} // namespace memsim::cxl
