#pragma once

#include "core/kernel/policy.hh"
#include "mem/dram/plan.hh"

namespace memsim::mem {

/// What happens to a row after an access, as far as no other command asks for its bank.
class RowPolicy : public PolicyBase {
  public:
    static constexpr std::string_view family = "DRAM row policy";

    /// What it decides; the rest is not asked.
    struct Traits {
        bool after_access = true; ///< whether a column command closes its row: closes()
        bool when_unused = false; ///< when an unused row is closed: accessed(), closed_at()
    };
    virtual Traits traits() const { return {}; }
    virtual void init(std::uint32_t /*banks*/) {}
    /// Whether a column command closes its row. `next` is what the request that is next in the bank
    /// needs, of the direction that is served; `nothing` if there is none.
    virtual bool closes(DramAction /*next*/) const { return false; }
    /// A column command went to the bank and left its row open.
    virtual void accessed(std::uint32_t /*bank*/, Tick /*now*/) {}
    /// When the row of a bank was closed for which nothing has waited since its last access.
    virtual Tick closed_at(std::uint32_t /*bank*/) const { return never; }
};

} // namespace memsim::mem
