#include "mem/dram/refresh/refresh.hh"

namespace memsim::mem {

void RefreshSchedule::init(const RefreshPolicy& policy) {
    const DramTiming& t = device_.timing();
    singly_ = policy.single_banks();
    opened_first_ = policy.opened_first();
    closes_singly_ = policy.closes_singly();
    const std::uint32_t units = singly() ? device_.banks() : t.ranks;
    state_.at.clear();
    for (std::uint32_t u = 0; u < units; ++u)
        state_.at.push_back(t.tREFI.raw == 0 ? never : policy.first(u, units, t.tREFI.raw));
    state_.stopped.assign(units, 0);
    state_.next = *std::min_element(state_.at.begin(), state_.at.end());
}

void RefreshSchedule::catch_up(Tick now) {
    if (now < state_.next) return;
    const Tick interval = device_.timing().tREFI.raw;
    state_.next = never;
    for (std::uint32_t u = 0; u < state_.at.size(); ++u) {
        Tick& due = state_.at[u];
        if (due <= now && !state_.stopped[u]) {
            const std::int64_t n = (now - due) / interval + 1;
            device_.refresh_unused(first_bank(u), singly(), due, n);
            refreshes_ += static_cast<std::uint64_t>(n);
            due += n * interval;
        }
        if (!state_.stopped[u]) state_.next = std::min(state_.next, due);
    }
}

DramPlan RefreshSchedule::command_of(std::uint32_t unit, const DramFloor& floor) const {
    const std::uint32_t bank = first_bank(unit);
    const auto plan = [&](DramCommand command, std::uint32_t b, DramAction action) {
        return DramPlan {std::max(device_.earliest(command, b), floor.row), 0, b, action};
    };
    if (closes_singly_ && !singly()) {
        DramPlan best;
        for_each_bank_of(unit, [&](std::uint32_t b) {
            if (device_.row(b) == DramBank::closed) return;
            const DramPlan c = plan(DramCommand::precharge, b, DramAction::precharge_all);
            if (c.before(best)) best = c;
        });
        if (best.at != never) return best;
    }
    const bool open = singly() ? device_.row(bank) != DramBank::closed : device_.any_open(unit);
    const DramCommand close = singly() ? DramCommand::precharge : DramCommand::precharge_all;
    const DramCommand refresh = singly() ? DramCommand::refresh_bank : DramCommand::refresh;
    return open ? plan(close, bank, DramAction::precharge_all)
                : plan(refresh, bank, DramAction::refresh);
}

} // namespace memsim::mem
