#pragma once

#include "core/base/units.hh"
#include "core/kernel/policy.hh"

namespace memsim::mem {

/// Selects which banks are refreshed together, each every tREFI, and when the first refresh is due.
class RefreshPolicy : public PolicyBase {
  public:
    static constexpr std::string_view family = "DRAM refresh";
    /// Refresh bank by bank, which the part must support; else all banks of a rank together.
    virtual bool single_banks() const { return false; }
    /// When a refresh falls due, a request whose row was opened for it is served first.
    virtual bool opened_first() const { return false; }
    /// Close the open rows of a rank by one command each; else by one command for all.
    virtual bool closes_singly() const { return false; }
    /// When the first refresh of unit 0, 1, ... of `units` (ranks or banks) is due; `never` if it
    /// has none.
    virtual Tick first(std::uint32_t unit, std::uint32_t units, Tick interval) const = 0;
};

} // namespace memsim::mem
