#pragma once

#include "gpu_program/warp_stream.hh"

#include <cstdint>
#include <optional>
#include <string_view>

namespace memsim::workload {

/// The memory effect of an opcode of a SASS trace; `other`: none.
enum class SassKind : std::uint8_t {
    other,
    load,
    store,
    atomic,
    reduce,      ///< an atomic without a result (RED)
    copy,        ///< LDGSTS: a load from global memory whose result is written to shared memory
    wait_copies, ///< DEPBAR: wait for the preceding copies
    matrix,      ///< multiplies tiles on a tensor core
    barrier,
    exit,
    refused, ///< accesses memory without addresses in the trace (tensor copies)
};
enum class SassSpace : std::uint8_t { none, global, shared, local, generic };

struct SassOpcode {
    SassKind kind = SassKind::other;
    SassSpace space = SassSpace::none;
    std::uint8_t width = 4;     ///< bytes accessed per lane; of `matrix`, of its sum per lane
    std::uint32_t products = 0; ///< of `matrix`: multiply-accumulates of 16-bit values of a warp
    std::optional<gpu_program::ArithmeticUnit> unit {}; ///< of `other` instructions that have one
    bool wide_sources = false, wide_result = false;     ///< of these: pairs of registers
};

/// Decodes opcodes such as 'LDG.E.U8' and 'IMAD.MOV.U32'. Width 0: its number is not a width of 8
/// to 128 bits.
SassOpcode sass_opcode(std::string_view text);

} // namespace memsim::workload
