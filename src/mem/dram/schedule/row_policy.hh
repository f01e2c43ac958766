#pragma once

#include "core/kernel/policy.hh"
#include "mem/dram/plan.hh"

namespace memsim::mem {

/// Decides when a row is closed after an access, if no other command requires its bank.
class RowPolicy : public PolicyBase {
  public:
    static constexpr std::string_view family = "DRAM row policy";

    /// The decisions that the policy makes; the scheduler asks only for these.
    struct Traits {
        bool after_access = true; ///< whether a column command closes its row: closes()
        bool when_unused = false; ///< when an unused row is closed: accessed(), closed_at()
    };
    virtual Traits traits() const { return {}; }
    virtual void init(std::uint32_t /*banks*/) {}
    /// Whether a column command closes its row. `next`: what the next request of the bank in the
    /// active direction needs; `nothing` if there is none.
    virtual bool closes(DramAction /*next*/) const { return false; }
    /// A column command was issued to the bank and left its row open.
    virtual void accessed(std::uint32_t /*bank*/, Tick /*now*/) {}
    /// When the row of a bank is closed, if no request has waited for the bank since its last
    /// access.
    virtual Tick closed_at(std::uint32_t /*bank*/) const { return never; }
};

} // namespace memsim::mem
