#pragma once

#include "core/declare/stats.hh"
#include "mem/dram/device/device.hh"
#include "mem/dram/plan.hh"
#include "mem/dram/refresh/policy.hh"

#include <vector>

namespace memsim::mem {

/// The values of a RefreshSchedule, for State.
struct RefreshState {
    std::vector<Tick> at;              ///< when the next refresh of each unit is due
    std::vector<std::uint8_t> stopped; ///< due, not yet issued
    std::uint32_t stopped_units = 0;
    Tick next = never; ///< when the first unit that is not stopped is due
};

/// Schedules the refreshes of ranks or banks (units) by a policy. A unit whose refresh is due is
/// stopped: it accepts no other command until its rows are closed and it has been refreshed. The
/// owner issues these commands through command(). With `opened_first`, requests whose rows were
/// opened for them go before the refresh. Refreshes of unused units are added when they are used
/// again. Not modelled: postponed refreshes.
class RefreshSchedule {
  public:
    /// Device and state outlive the schedule.
    RefreshSchedule(DramDevice& device, RefreshState& state, Counter& refreshes)
        : device_(device), state_(state), refreshes_(refreshes) {}
    void init(const RefreshPolicy& policy);

    /// When the next refresh of a unit that is not stopped is due.
    Tick next() const { return state_.next; }
    bool any_stopped() const { return state_.stopped_units != 0; }
    bool opened_first() const { return opened_first_; }
    bool stopped(std::uint32_t bank) const {
        return state_.stopped_units && state_.stopped[unit_of(bank)];
    }
    /// No request waited until now: adds the refreshes that fell due meanwhile.
    void catch_up(Tick now);
    /// Stops the units that are due, and calls f(bank) for each of their banks.
    template <class F>
    void stop_due(Tick now, F&& f);
    /// The next command of the stopped units. `opened(bank)`: a request must be served before the
    /// bank's row is closed.
    template <class F>
    DramPlan command(const DramFloor& floor, F&& opened) const;
    /// Issues that command. A refresh releases the unit. Calls f(bank) for each bank of the unit.
    template <class F>
    void issue(const DramPlan& command, Tick now, F&& f);

  private:
    bool singly() const { return singly_; }
    std::uint32_t unit_of(std::uint32_t bank) const {
        return singly() ? bank : device_.rank_of(bank);
    }
    std::uint32_t first_bank(std::uint32_t unit) const {
        return singly() ? unit : unit * device_.timing().banks();
    }
    std::uint32_t end_bank(std::uint32_t unit) const {
        return first_bank(unit) + (singly() ? 1 : device_.timing().banks());
    }
    template <class F>
    void for_each_bank_of(std::uint32_t unit, F&& f) const {
        for (std::uint32_t b = first_bank(unit); b < end_bank(unit); ++b) f(b);
    }
    DramPlan command_of(std::uint32_t unit, const DramFloor& floor) const;

    bool singly_ = false, opened_first_ = false, closes_singly_ = false; ///< from the policy
    DramDevice& device_;
    RefreshState& state_;
    Counter& refreshes_;
};

template <class F>
void RefreshSchedule::stop_due(Tick now, F&& f) {
    state_.next = never;
    for (std::uint32_t u = 0; u < state_.at.size(); ++u) {
        if (!state_.stopped[u] && state_.at[u] <= now) {
            state_.stopped[u] = 1;
            ++state_.stopped_units;
            for_each_bank_of(u, f);
        }
        if (!state_.stopped[u]) state_.next = std::min(state_.next, state_.at[u]);
    }
}

template <class F>
DramPlan RefreshSchedule::command(const DramFloor& floor, F&& opened) const {
    DramPlan best;
    for (std::uint32_t u = 0; u < state_.stopped.size(); ++u) {
        if (!state_.stopped[u]) continue;
        bool waits = false;
        if (opened_first_) for_each_bank_of(u, [&](std::uint32_t b) { waits |= opened(b); });
        if (waits) continue;
        if (const DramPlan c = command_of(u, floor); c.before(best)) best = c;
    }
    return best;
}

template <class F>
void RefreshSchedule::issue(const DramPlan& c, Tick now, F&& f) {
    const std::uint32_t unit = unit_of(c.bank);
    if (c.action == DramAction::precharge_all) {
        const bool one = singly() || closes_singly_;
        device_.issue(one ? DramCommand::precharge : DramCommand::precharge_all, c.bank, 0, now);
        if (one) return f(c.bank);
    } else {
        device_.issue(singly() ? DramCommand::refresh_bank : DramCommand::refresh, c.bank, 0, now);
        ++refreshes_;
        state_.stopped[unit] = 0;
        --state_.stopped_units;
        state_.at[unit] += device_.timing().tREFI.raw;
        state_.next = std::min(state_.next, state_.at[unit]);
    }
    for_each_bank_of(unit, f);
}

} // namespace memsim::mem
