#pragma once

#include <array>
#include <cstdint>

namespace memsim::workload {

/// AES-128 of one block, by the letter of FIPS 197: what the workload's tables are compared with,
/// and nothing that they are made of. Bytes are in the order of the standard.
std::array<std::uint8_t, 16> aes128(const std::array<std::uint8_t, 16>& key,
                                    const std::array<std::uint8_t, 16>& plain);

} // namespace memsim::workload
