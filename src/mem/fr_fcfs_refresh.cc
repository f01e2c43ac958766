#include "mem/fr_fcfs.hh"

/// When ranks and banks are refreshed, and what that takes.
namespace memsim::mem {

/// Nothing waited: the refreshes that fell due meanwhile have been made.
void FrFcfs::catch_up(Tick now) {
    if (now < state_.next_refresh) return;
    const Tick interval = device_.timing().tREFI.raw;
    state_.next_refresh = never;
    for (std::uint32_t u = 0; u < state_.refresh_at.size(); ++u) {
        Tick& due = state_.refresh_at[u];
        if (due <= now && !state_.refreshing[u]) {
            const std::int64_t n = (now - due) / interval + 1;
            device_.refresh_unused(first_bank(u), singly(), due, n);
            count_.refreshes += static_cast<std::uint64_t>(n);
            due += n * interval;
        }
        if (!state_.refreshing[u]) state_.next_refresh = std::min(state_.next_refresh, due);
    }
}

FrFcfs::Command FrFcfs::refresh_of(std::uint32_t unit, const Floor& floor) const {
    const std::uint32_t bank = first_bank(unit);
    const bool open = singly() ? device_.row(bank) != DramBank::closed : device_.any_open(unit);
    const DramCommand close = singly() ? DramCommand::precharge : DramCommand::precharge_all;
    const DramCommand refresh = singly() ? DramCommand::refresh_bank : DramCommand::refresh;
    const Tick at = device_.earliest(open ? close : refresh, bank);
    return {std::max(at, floor.row), 0, bank, open ? Action::precharge_all : Action::refresh, none};
}

void FrFcfs::refresh_due(Tick now) {
    state_.next_refresh = never;
    for (std::uint32_t u = 0; u < state_.refresh_at.size(); ++u) {
        if (!state_.refreshing[u] && state_.refresh_at[u] <= now) {
            state_.refreshing[u] = 1;
            ++state_.units_refreshing;
            choose_unit(u);
        }
        if (!state_.refreshing[u])
            state_.next_refresh = std::min(state_.next_refresh, state_.refresh_at[u]);
    }
}

void FrFcfs::refresh_done(std::uint32_t unit) {
    ++count_.refreshes;
    state_.refreshing[unit] = 0;
    --state_.units_refreshing;
    state_.refresh_at[unit] += device_.timing().tREFI.raw;
    state_.next_refresh = std::min(state_.next_refresh, state_.refresh_at[unit]);
    choose_unit(unit);
}

} // namespace memsim::mem
