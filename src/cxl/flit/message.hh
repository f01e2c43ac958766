#pragma once

#include "core/kernel/contents.hh"
#include "core/kernel/stamps.hh"
#include "cxl/flit/wire_flit.hh"
#include "protocol/device_load.hh"

#include <array>
#include <cstdint>

/// The messages of CXL.mem's transaction layer that a host and a non-coherent memory expander need:
/// M2S Req (MemRd, MemSpecRd), M2S RwD (MemWr, MemWrPtl), S2M NDR (Cmp) and S2M DRS (MemData).
namespace memsim::cxl {

using protocol::DevLoad;

/// M2S: from the host (master) to the device (subordinate); S2M: the reverse.
enum class Channel : std::uint8_t { req, rwd, ndr, drs };

/// The classes of credits. A message with data needs one credit of class `data` for header and
/// data.
enum class CreditClass : std::uint8_t { req, rsp, data };
inline constexpr std::uint32_t credit_classes = 3;

/// CXL.mem has no atomics. An atomic is sent as a write with byte enables under a reserved opcode
/// and performed by the device, which returns the old data in a DRS (assumption).
enum class Opcode : std::uint8_t { mem_rd, mem_spec_rd, mem_wr, mem_wr_ptl, atomic, cmp, mem_data };

constexpr Channel channel_of(Opcode op) {
    switch (op) {
    case Opcode::mem_rd:
    case Opcode::mem_spec_rd:
        return Channel::req;
    case Opcode::mem_wr:
    case Opcode::mem_wr_ptl:
    case Opcode::atomic:
        return Channel::rwd;
    case Opcode::cmp:
        return Channel::ndr;
    case Opcode::mem_data:
        break;
    }
    return Channel::drs;
}
constexpr CreditClass credit_class_of(Opcode op) {
    const Channel c = channel_of(op);
    return c == Channel::req   ? CreditClass::req
           : c == Channel::ndr ? CreditClass::rsp
                               : CreditClass::data;
}

inline constexpr std::uint32_t line_bytes = 64;
inline constexpr std::uint32_t half_bytes = 32;
inline constexpr std::uint32_t chunk_bytes = 16; ///< of data, one slot
inline constexpr std::uint32_t spec_unit = 256;  ///< unit of a MemSpecRd, which covers 1 to 4 units
inline constexpr std::uint32_t most_spec_units = 4;

struct Message {
    Opcode opcode = Opcode::mem_rd;
    DevLoad load = DevLoad::light; ///< of NDR and DRS
    bool half = false;             ///< 32 bytes are accessed, not 64
    std::uint8_t units = 0;        ///< of MemSpecRd, 256 bytes each; 0: one line, as in CXL
    std::uint16_t tag = 0;         ///< assigned by the host, returned by the device
    std::uint64_t address = 0;     ///< aligned to its size; to 256 for units
    std::uint64_t enables = 0;     ///< byte mask of a partial write
    std::array<std::uint64_t, line_bytes / 8> data {};
    Aside aside;

    Channel channel() const { return channel_of(opcode); }
    bool has_data() const { return channel() == Channel::rwd || channel() == Channel::drs; }
    bool has_enables() const { return opcode == Opcode::mem_wr_ptl || opcode == Opcode::atomic; }
    std::uint32_t bytes() const { return half ? half_bytes : line_bytes; }
    /// The bytes that a MemSpecRd announces.
    std::uint32_t announced() const { return units ? units * spec_unit : line_bytes; }
    /// Slots of data and byte enables that follow the header in 68-byte flits.
    std::uint32_t chunks() const { return has_data() ? bytes() / chunk_bytes + has_enables() : 0; }
};

} // namespace memsim::cxl
