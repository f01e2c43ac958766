#pragma once

#include "core/base/bits.hh"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace memsim::workload {

/// Cycles of shared memory for an access of a warp: 32 banks of 4 bytes, each of which supplies one
/// word per cycle to any number of lanes (CUDA C Programming Guide, compute capability 5.x and
/// later). Accesses of 8 or 16 bytes per lane are served in halves or quarters of the warp.
inline std::uint32_t bank_passes(std::uint32_t mask, unsigned width,
                                 const std::array<std::uint64_t, 32>& address) {
    const unsigned words = std::max(1u, width / 4);
    const unsigned lanes = 32 / words;
    std::uint32_t passes = 0;
    for (unsigned from = 0; from < 32; from += lanes) {
        std::array<std::array<std::uint64_t, 32>, 32> seen;
        std::array<std::uint8_t, 32> n {};
        std::uint8_t most = 0;
        const std::uint32_t group = mask & low_bits<std::uint32_t>(lanes) << from;
        for (std::uint32_t rest = group; rest; rest &= rest - 1)
            for (unsigned w = 0; w < words; ++w) {
                const std::uint64_t word =
                    (address[static_cast<unsigned>(std::countr_zero(rest))] >> 2) + w;
                auto& of_bank = seen[word & 31];
                std::uint8_t& count = n[word & 31];
                if (std::find(of_bank.begin(), of_bank.begin() + count, word) !=
                    of_bank.begin() + count)
                    continue;
                of_bank[count++] = word;
                most = std::max(most, count);
            }
        passes += most;
    }
    return std::max(passes, 1u);
}

} // namespace memsim::workload
