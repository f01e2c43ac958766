#pragma once

#include "core/kernel/port.hh"

/// Register accesses of firmware to a CXL device or host bridge: configuration space, and the
/// component registers behind its BAR.
namespace memsim::cxl {

/// Registers, with their names in CXL 3.1; two halves of 32 bits form one register here. From
/// `decoder_base` on they belong to a decoder of the HDM Decoder Capability (8.2.4.20).
enum class CxlRegister : std::uint8_t {
    id,             ///< vendor ID, and device ID from bit 16
    dvsec,          ///< vendor ID of the DVSEC header; 0: no CXL DVSEC
    memory_size,    ///< Range 1 Size: bytes, bit 0 Memory_Info_Valid, bit 1 Memory_Active
    decoder_count,  ///< number of HDM decoders, and from bit 8 the targets of each
    decoder_enable, ///< Global Control: bit 1 enables requests
    decoder_base,
    decoder_size,
    decoder_skip,    ///< of a device: device address of the start of its share
    decoder_targets, ///< of a bridge: port numbers of 8 bits, for 8 ways
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

inline constexpr std::uint16_t cxl_vendor_id = 0x1e98; ///< of DVSECs defined by CXL
inline constexpr std::uint64_t memory_info_valid = 1, memory_active = 2;
inline constexpr std::uint64_t decoders_on = 2;

struct CxlConfigRequest {
    static constexpr std::uint32_t largest_wire_bytes = 24;

    std::uint64_t value = 0; ///< of a write
    std::uint32_t tag = 0;   ///< chosen by the sender, returned in the response
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

} // namespace memsim::cxl
