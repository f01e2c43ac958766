#pragma once

#include <array>
#include <cstdint>

namespace memsim::workload {

/// AES-128 of one block, written directly from FIPS 197 as the reference for the workload's tables,
/// which share no code with it. Bytes are in the order of the standard.
std::array<std::uint8_t, 16> aes128(const std::array<std::uint8_t, 16>& key,
                                    const std::array<std::uint8_t, 16>& plain);

} // namespace memsim::workload
