#include "mem/fr_fcfs.hh"

/// Banks that are given to somebody else for a while, devices that move data by themselves; and the
/// bus while it is lent.
namespace memsim::mem {

void FrFcfs::lend_bus(bool lent, Tick now) {
    state_.bus_lent = lent;
    plan(now);
}

void FrFcfs::hold(std::uint32_t b, std::uint32_t row, Tick now) {
    MEMSIM_ASSERT(figures_.order == DramOrder::first_ready, "this order knows no held banks");
    MEMSIM_ASSERT(!held(b), "a bank is given away twice");
    if (!busy()) catch_up(now);
    Bank& bank = state_.banks[b];
    bank.held_row = row;
    ++state_.holds;
    state_.held_banks[b / 64] |= std::uint64_t {1} << b % 64;
    for (const auto& list : bank.waiting)
        for (std::uint16_t e = list.head; e != none; e = state_.entries[e].next) {
            Entry& entry = state_.entries[e];
            if (entry.started) continue;
            entry.held = true;
            --state_.eligible[entry.access.write];
        }
    set_direction();
    choose_all();
    choose(b); // it may be that nothing waits there
    plan(now);
}

void FrFcfs::release(std::uint32_t b, Tick now) {
    Bank& bank = state_.banks[b];
    bank.held_row = DramBank::closed;
    --state_.holds;
    state_.held_banks[b / 64] &= ~(std::uint64_t {1} << b % 64);
    for (const auto& list : bank.waiting)
        for (std::uint16_t e = list.head; e != none; e = state_.entries[e].next) {
            Entry& entry = state_.entries[e];
            if (!entry.held) continue;
            entry.held = false;
            ++state_.eligible[entry.access.write];
        }
    set_direction();
    choose_all();
    choose(b);
    plan(now);
}

/// Whether the bank has commands to issue for what is not held back.
bool FrFcfs::in_progress(std::uint32_t b) const {
    for (const auto& list : state_.banks[b].waiting)
        for (std::uint16_t e = list.head; e != none; e = state_.entries[e].next)
            if (!state_.entries[e].held) return true;
    return false;
}

/// What a bank of which nothing can be served needs: the row of a held one is to be open.
FrFcfsState::Candidate FrFcfs::opening(std::uint32_t b) const {
    FrFcfsState::Candidate next;
    const std::uint32_t row = device_.row(b);
    if (!held(b) || row == state_.banks[b].held_row || in_progress(b)) return next;
    const bool closed = row == DramBank::closed;
    next.action = closed ? Action::activate : Action::precharge;
    next.at = device_.bank_ready(closed ? DramCommand::activate : DramCommand::precharge, b);
    next.limit = static_cast<std::uint16_t>(next.action);
    next.order = order_of(false, false, 0, b);
    return next;
}

} // namespace memsim::mem
