#pragma once

#include "mem/dram/access.hh"

namespace memsim::mem {

/// What a scheduler does next.
enum class DramAction : std::uint8_t {
    nothing,
    column,
    activate,
    precharge,
    precharge_all,
    refresh,
    refresh_due,
    commit, ///< all commands of a burst, at their times
    activate_2,
    reserved ///< a command of the user of a reserved bank
};

/// A command that may be issued at `at`. Of two the earlier one goes first, at one time the one
/// with the smaller `order`.
struct DramPlan {
    Tick at = never;
    std::uint64_t order = 0;
    std::uint32_t bank = 0;
    DramAction action = DramAction::nothing;
    std::uint16_t entry = 0xffff; ///< of DramQueue: for whom

    bool before(const DramPlan& other) const {
        return at != other.at ? at < other.at : order < other.order;
    }
};

/// An order by class and age: row commands after column commands, migration after demand, young
/// after old. The bank, in the last bits, decides nothing.
constexpr std::uint64_t order_by_age(bool column, bool urgent, std::uint64_t age,
                                     std::uint32_t bank) {
    return std::uint64_t {!column} << 63 | std::uint64_t {!urgent} << 62 | age << 8 | bank;
}

/// When the command buses are free.
struct DramFloor {
    Tick column, row, activate;
};

/// Somebody who uses banks that the scheduler has reserved for him: he issues column commands by
/// himself, at the device. The scheduler asks him for the row commands that they need, so that they
/// take turns with its own. What has started in a bank when it is reserved goes first.
class DramBankUser {
  public:
    virtual ~DramBankUser() = default;
    /// The next row command of his banks, without its action; `at` is `never` if there is none.
    virtual DramPlan next(const DramFloor& floor) const = 0;
    /// Issues it at the device.
    virtual void issue(std::uint32_t bank, Tick now) = 0;
};

} // namespace memsim::mem
