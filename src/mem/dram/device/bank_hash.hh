#pragma once

#include "core/kernel/policy.hh"

#include <bit>

namespace memsim::mem {

/// Permutes the banks of a rank, after the address map has selected one, so that rows of one bank
/// are spread over all banks.
class BankHash : public PolicyBase {
  public:
    static constexpr std::string_view family = "DRAM bank hash";
    /// Whether the hash supports this number of banks in a rank.
    virtual bool fits(std::uint32_t /*banks*/) const { return true; }
    /// Returns the bank; a permutation of the banks for each row.
    virtual std::uint32_t bank(std::uint32_t bank, std::uint32_t row,
                               std::uint32_t banks) const = 0;
};

} // namespace memsim::mem
