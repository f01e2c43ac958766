#pragma once

#include "core/kernel/policy.hh"

#include <bit>

namespace memsim::mem {

/// Which bank of a rank an address goes to, after the address map has named one: rows that would
/// lie in one bank are spread over all.
class BankHash : public PolicyBase {
  public:
    static constexpr std::string_view family = "DRAM bank hash";
    /// Of so many banks of a rank.
    virtual bool fits(std::uint32_t /*banks*/) const { return true; }
    /// A permutation of the banks for each row.
    virtual std::uint32_t bank(std::uint32_t bank, std::uint32_t row,
                               std::uint32_t banks) const = 0;
};

} // namespace memsim::mem
