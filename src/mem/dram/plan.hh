#pragma once

#include "mem/dram/access.hh"

namespace memsim::mem {

/// The next action of a scheduler.
enum class DramAction : std::uint8_t {
    nothing,
    column,
    activate,
    precharge,
    precharge_all,
    refresh,
    refresh_due,
    commit, ///< all commands of a burst, each at its time
    activate_2,
    reserved, ///< a command of the user of a reserved bank
    drain     ///< writes have waited long enough without a read
};

/// A command that may be issued at `at`. The earlier of two commands goes first; at equal times the
/// one with the smaller `order`.
struct DramPlan {
    Tick at = never;
    std::uint64_t order = 0;
    std::uint32_t bank = 0;
    DramAction action = DramAction::nothing;
    std::uint16_t entry = 0xffff; ///< index in DramQueue of the request it serves

    bool before(const DramPlan& other) const {
        return at != other.at ? at < other.at : order < other.order;
    }
};

/// The order by class and age: column commands before row commands, demand before migration, old
/// before young. The bank in the low bits is only carried along; it does not affect the order.
constexpr std::uint64_t order_by_age(bool column, bool urgent, std::uint64_t age,
                                     std::uint32_t bank) {
    return std::uint64_t {!column} << 63 | std::uint64_t {!urgent} << 62 | age << 8 | bank;
}

/// When the command buses are free.
struct DramFloor {
    Tick column, row, activate;
};

/// The user of banks that the scheduler has reserved. It issues column commands directly to the
/// device. The scheduler asks it for the row commands of these banks, to interleave them with its
/// own. Requests that have started in a bank when it is reserved complete first.
class DramBankUser {
  public:
    virtual ~DramBankUser() = default;
    /// The next row command of the reserved banks, without its action; `at` is `never` if there is
    /// none.
    virtual DramPlan next(const DramFloor& floor) const = 0;
    /// Issues that command to the device.
    virtual void issue(std::uint32_t bank, Tick now) = 0;
};

} // namespace memsim::mem
