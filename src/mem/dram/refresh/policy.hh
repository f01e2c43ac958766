#pragma once

#include "core/base/units.hh"
#include "core/kernel/policy.hh"

namespace memsim::mem {

/// Which banks are refreshed together, each every tREFI, and when first.
class RefreshPolicy : public PolicyBase {
  public:
    static constexpr std::string_view family = "DRAM refresh";
    /// Bank by bank, which the part must allow; else all banks of a rank together.
    virtual bool single_banks() const { return false; }
    /// A request whose row was opened for it when a refresh falls due is served before.
    virtual bool opened_first() const { return false; }
    /// The open rows of a rank are closed by a command each; else by one for all.
    virtual bool closes_singly() const { return false; }
    /// When the first refresh of unit 0, 1, ... of `units` (ranks or banks) is due; `never`: it has
    /// none.
    virtual Tick first(std::uint32_t unit, std::uint32_t units, Tick interval) const = 0;
};

} // namespace memsim::mem
