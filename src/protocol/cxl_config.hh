#pragma once

#include "core/kernel/port.hh"

/// Accesses of firmware to the registers of a CXL device or host bridge: configuration space, and
/// the component registers behind its BAR.
namespace memsim::protocol {

/// Registers by their names in CXL 3.1; two halves of 32 bits are one register here.
/// From `decoder_base` on they belong to a decoder of the HDM Decoder Capability (8.2.4.20).
enum class CxlRegister : std::uint8_t {
    id,             ///< vendor ID, and the device ID from bit 16 on
    dvsec,          ///< vendor ID of the DVSEC header; 0: the device has none of CXL
    memory_size,    ///< Range 1 Size: bytes, bit 0 Memory_Info_Valid, bit 1 Memory_Active
    decoder_count,  ///< HDM decoders, and from bit 8 on the targets of each
    decoder_enable, ///< Global Control: bit 1 lets requests in
    decoder_base,
    decoder_size,
    decoder_skip,    ///< of a device: the device address at which its share of the range begins
    decoder_targets, ///< of a bridge: a port's number in 8 bits, for 8 ways
    decoder_targets_high,
    decoder_control
};
constexpr std::array<std::string_view, 11> names_of(CxlRegister) {
    return {"id",
            "dvsec",
            "memory_size",
            "decoder_count",
            "decoder_enable",
            "decoder_base",
            "decoder_size",
            "decoder_skip",
            "decoder_targets",
            "decoder_targets_high",
            "decoder_control"};
}

inline constexpr std::uint16_t cxl_vendor_id = 0x1e98; ///< of the DVSECs that CXL defines
inline constexpr std::uint64_t memory_info_valid = 1, memory_active = 2;
inline constexpr std::uint64_t decoders_on = 2;

struct CxlConfigRequest {
    static constexpr std::uint32_t largest_wire_bytes = 24;

    std::uint64_t value = 0; ///< of a write
    std::uint32_t tag = 0;   ///< the sender's own; comes back
    std::uint16_t decoder = 0;
    CxlRegister reg = CxlRegister::id;
    bool write = false;
};
struct CxlConfigResponse {
    static constexpr std::uint32_t largest_wire_bytes = 24;

    std::uint64_t value = 0; ///< of a read
    std::uint32_t tag = 0;
};
struct CxlConfig : MessageFamily<CxlConfigRequest, CxlConfigResponse> {};

} // namespace memsim::protocol
