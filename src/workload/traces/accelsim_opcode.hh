#pragma once

#include <cstdint>
#include <string_view>

namespace memsim::workload {

/// What an opcode of a SASS trace does to memory; `other` covers all that touches none.
enum class SassKind : std::uint8_t {
    other,
    load,
    store,
    atomic,
    reduce,      ///< an atomic without a result (RED)
    copy,        ///< LDGSTS: a load from global memory whose result goes to shared memory
    wait_copies, ///< DEPBAR and LDGDEPBAR: until the copies before it have arrived
    barrier,
    exit,
    refused, ///< touches memory in a way that the trace does not tell (tensor copies)
};
enum class SassSpace : std::uint8_t { none, global, shared, local, generic };

struct SassOpcode {
    SassKind kind = SassKind::other;
    SassSpace space = SassSpace::none;
    std::uint8_t width = 4; ///< bytes that a lane accesses
};

/// 'LDG.E.U8', 'IMAD.MOV.U32', ... Width 0: the number in it is none of 8 to 128 bits.
SassOpcode sass_opcode(std::string_view text);

} // namespace memsim::workload
