#pragma once

#include "core/kernel/port.hh"

namespace memsim::protocol {

/// A read, write or atomic that has passed a place in a machine; reported to models outside the
/// machine.
struct Observed {
    std::uint64_t address = 0;
    bool write = false; ///< or an atomic

    static constexpr std::uint32_t largest_wire_bytes = 9;
    std::uint32_t wire_bytes() const { return largest_wire_bytes; }
};

} // namespace memsim::protocol
