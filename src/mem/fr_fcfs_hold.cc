#include "mem/fr_fcfs.hh"

/// Rows that are kept back while a swap moves them, and the bus while it is lent.
namespace memsim::mem {

void FrFcfs::lend_bus(bool lent, Tick now) {
    state_.bus_lent = lent;
    plan(now);
}

void FrFcfs::hold(std::uint32_t b, std::uint32_t row, Tick now) {
    Bank& bank = state_.banks[b];
    MEMSIM_ASSERT(bank.held_row == DramBank::closed, "a bank holds back one row at a time");
    bank.held_row = row;
    for (const auto& list : bank.waiting)
        for (std::uint16_t e = list.head; e != none; e = state_.entries[e].next) {
            Entry& entry = state_.entries[e];
            if (entry.access.row != row || entry.started ||
                entry.access.priority != DramPriority::demand)
                continue;
            entry.held = true;
            --state_.eligible[entry.access.write];
        }
    set_direction();
    choose_all();
    plan(now);
}

void FrFcfs::release(std::uint32_t b, Tick now) {
    Bank& bank = state_.banks[b];
    bank.held_row = DramBank::closed;
    for (const auto& list : bank.waiting)
        for (std::uint16_t e = list.head; e != none; e = state_.entries[e].next) {
            Entry& entry = state_.entries[e];
            if (!entry.held) continue;
            entry.held = false;
            ++state_.eligible[entry.access.write];
        }
    set_direction();
    choose_all();
    plan(now);
}

bool FrFcfs::in_progress(std::uint32_t b, std::uint32_t row) const {
    for (const auto& list : state_.banks[b].waiting)
        for (std::uint16_t e = list.head; e != none; e = state_.entries[e].next) {
            const Entry& entry = state_.entries[e];
            if (entry.access.row == row && !entry.held &&
                entry.access.priority == DramPriority::demand)
                return true;
        }
    return false;
}

} // namespace memsim::mem
