#pragma once

#include "core/declare/stats.hh"
#include "mem/dram/device/device.hh"
#include "mem/dram/plan.hh"
#include "mem/dram/refresh/policy.hh"

#include <vector>

namespace memsim::mem {

/// The values of a RefreshSchedule, for State.
struct RefreshState {
    std::vector<Tick> at;              ///< when each unit's next refresh is due
    std::vector<std::uint8_t> stopped; ///< due, not yet issued
    std::uint32_t stopped_units = 0;
    Tick next = never; ///< when the first unit of those that are not stopped is due
};

/// When ranks or banks (units) are refreshed, by a policy. A unit whose refresh is due is stopped:
/// it takes no other command until its rows are closed and it has been refreshed, which the
/// schedule's owner does by command(). With `opened_first` the requests go before that whose rows
/// were opened for them. Refreshes of units that nobody used are caught up with. Not
/// modelled: postponed refreshes.
class RefreshSchedule {
  public:
    /// Device and state outlive the schedule.
    RefreshSchedule(DramDevice& device, RefreshState& state, Counter& refreshes)
        : device_(device), state_(state), refreshes_(refreshes) {}
    void init(const RefreshPolicy& policy);

    /// When the next refresh is due of a unit that is not stopped.
    Tick next() const { return state_.next; }
    bool any_stopped() const { return state_.stopped_units != 0; }
    bool opened_first() const { return opened_first_; }
    bool stopped(std::uint32_t bank) const {
        return state_.stopped_units && state_.stopped[unit_of(bank)];
    }
    /// Nothing waited until now: what fell due meanwhile has been done.
    void catch_up(Tick now);
    /// Stops what is due, and calls f(bank) for each bank of it.
    template <class F>
    void stop_due(Tick now, F&& f);
    /// The next command of the units that are stopped. `opened(bank)`: a request is to be served
    /// before the bank's row is closed.
    template <class F>
    DramPlan command(const DramFloor& floor, F&& opened) const;
    /// Issues that command. After a refresh the unit goes on. Calls f(bank) for each bank of the
    /// unit.
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

    bool singly_ = false, opened_first_ = false, closes_singly_ = false; ///< of the policy
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
