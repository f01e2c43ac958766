#include "ohm/channel/lent_banks.hh"

namespace memsim::ohm {

using mem::DramBank, mem::DramCommand, mem::DramPlan;

void LentBanks::hold(std::uint32_t bank, std::uint32_t row, Tick now) {
    MEMSIM_ASSERT(!held(bank), "a bank is lent twice");
    state_.rows[bank] = row;
    dram_.reserve(bank, now);
}

void LentBanks::release(std::uint32_t bank, Tick now) {
    state_.rows[bank] = DramBank::closed;
    dram_.give_back(bank, now);
}

DramPlan LentBanks::next(const mem::DramFloor& floor) const {
    DramPlan best;
    for (std::uint32_t b = 0; b < state_.rows.size(); ++b) {
        const std::uint32_t row = device_.row(b);
        if (!held(b) || row == state_.rows[b] || !dram_.granted(b)) continue;
        const bool closed = row == DramBank::closed;
        const DramCommand command = closed ? DramCommand::activate : DramCommand::precharge;
        const DramPlan c {std::max({device_.bank_ready(command, b),
                                    device_.group_ready(command, device_.group_of(b)),
                                    closed ? floor.activate : floor.row}),
                          mem::order_by_age(false, false, 0, b), b, mem::DramAction::reserved};
        if (c.before(best)) best = c;
    }
    return best;
}

void LentBanks::issue(std::uint32_t bank, Tick now) {
    const bool closed = device_.row(bank) == DramBank::closed;
    dram_.user_command(bank, state_.rows[bank], closed, now);
}

void LentBanks::check_loaded(Loader& l) const {
    for (std::uint32_t b = 0; b < state_.rows.size(); ++b)
        l.within("lent.rows", [&] {
            l.check(held(b) == dram_.reserved(b),
                    "differ from the banks that the DRAM has reserved");
        });
}

} // namespace memsim::ohm
