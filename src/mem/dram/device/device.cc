#include "mem/dram/device/device.hh"

#include <algorithm>

namespace memsim::mem {

namespace {
void push_back_to(Tick& at, Tick least) { at = std::max(at, least); }
constexpr Tick long_ago = -1'000'000'000'000'000; // before the reach of any window
} // namespace

DramDevice::DramDevice(const DramTiming& timing, Time transfer, DramDeviceState& state)
    : timing_(timing), gap_(timing), transfer_(transfer.raw), state_(state) {
    count_from_the_begin();
    for (std::uint32_t b = 0; b < banks(); ++b)
        place_.push_back({static_cast<std::uint16_t>(b / timing.banks()),
                          static_cast<std::uint16_t>(b / timing.banks_per_group)});
}

/// The table counts from the end of one command to the end of the other. The times kept here count
/// from start to start, which differs if one command occupies the bus longer.
void DramDevice::count_from_the_begin() {
    const auto taken = [&](Time t) { return t.raw ? t : timing_.tCK; };
    const Time col = taken(timing_.tCA_COL), act = taken(timing_.tCA_ACT),
               other = taken(timing_.tCA_ROW);
    taken_ = {other.raw, col.raw, act.raw};
    for (Time* t : {&gap_.tRCDRD, &gap_.tRCDWR}) *t = *t + act - col;
    for (Time* t : {&gap_.tRTP, &gap_.tWR}) *t = *t + col - other;
    if (gap_.tRPW.raw == 0) gap_.tRPW = gap_.tRP;
    for (Time* t : {&gap_.tRP, &gap_.tRPW, &gap_.tRFC, &gap_.tRFCpb, &gap_.tRREFD})
        *t = *t + other - act;
    gap_.tRAS = gap_.tRAS + act - other;
    refresh_after_activate_ = (act - other).raw;
    read_latency_ = (timing_.tCL + col - timing_.tCK).raw;
    write_latency_ = (timing_.tCWL + col - timing_.tCK).raw;
}

void DramDevice::init() {
    state_.banks.assign(banks(), {});
    state_.groups.assign(timing_.ranks * timing_.groups, {});
    state_.ranks.assign(timing_.ranks, {});
    for (DramRank& r : state_.ranks) r.activates.fill(long_ago);
}

bool DramDevice::any_open(std::uint32_t rank) const {
    const auto first = state_.banks.begin() + rank * timing_.banks();
    return std::any_of(first, first + timing_.banks(),
                       [](const DramBank& b) { return b.row != DramBank::closed; });
}

/// Includes rows that a column command will close.
Tick DramDevice::all_precharged(std::uint32_t rank) const {
    Tick t = 0;
    for (std::uint32_t b = rank * timing_.banks(); b < (rank + 1) * timing_.banks(); ++b)
        push_back_to(t, state_.banks[b].next_precharge);
    return t;
}

Tick DramDevice::all_activatable(std::uint32_t rank) const {
    Tick t = 0;
    for (std::uint32_t b = rank * timing_.banks(); b < (rank + 1) * timing_.banks(); ++b)
        push_back_to(t, state_.banks[b].next_activate);
    return t;
}

Tick DramDevice::earliest(DramCommand command, std::uint32_t bank) const {
    const bool open = state_.banks[bank].row != DramBank::closed;
    Tick t = never;
    switch (command) {
    case DramCommand::activate:
    case DramCommand::read:
    case DramCommand::write:
    case DramCommand::precharge:
        if (open != (command == DramCommand::activate))
            t = std::max(bank_ready(command, bank), group_ready(command, group_of(bank)));
        break;
    case DramCommand::precharge_all:
        t = std::max(all_precharged(rank_of(bank)), group_ready(command, group_of(bank)));
        break;
    case DramCommand::refresh:
        if (!any_open(rank_of(bank))) t = all_activatable(rank_of(bank)) + refresh_after_activate_;
        break;
    case DramCommand::refresh_bank:
        if (!open)
            t = std::max(bank_ready(command, bank), group_ready(command, group_of(bank))) +
                refresh_after_activate_;
        break;
    case DramCommand::activate_2:
        if (bank == state_.half_activated) t = 0;
        break;
    }
    if (command == DramCommand::activate && half_activated()) return never;
    return std::max(t, state_.next_command[kind(command) == column_command]);
}

void DramDevice::issue(DramCommand command, std::uint32_t bank, std::uint32_t row, Tick now,
                       bool close) {
    MEMSIM_ASSERT(now >= earliest(command, bank), "a DRAM command is too early");
    DramBank& b = state_.banks[bank];
    const std::uint32_t rank = rank_of(bank);
    switch (command) {
    case DramCommand::activate:
        activate(bank, row, now);
        break;
    case DramCommand::read:
        column(false, bank, now, close);
        break;
    case DramCommand::write:
        column(true, bank, now, close);
        break;
    case DramCommand::precharge:
        b.row = DramBank::closed;
        push_back_to(b.next_activate, now + closing_time(b));
        precharged(rank, now);
        break;
    case DramCommand::precharge_all:
        for (std::uint32_t i = rank * timing_.banks(); i < (rank + 1) * timing_.banks(); ++i) {
            if (state_.banks[i].row == DramBank::closed) continue;
            state_.banks[i].row = DramBank::closed;
            push_back_to(state_.banks[i].next_activate, now + closing_time(state_.banks[i]));
        }
        precharged(rank, now);
        break;
    case DramCommand::refresh:
        for (std::uint32_t i = rank * timing_.banks(); i < (rank + 1) * timing_.banks(); ++i)
            push_back_to(state_.banks[i].next_activate, now + gap_.tRFC.raw);
        break;
    case DramCommand::refresh_bank:
        push_back_to(b.next_activate, now + gap_.tRFCpb.raw);
        for (std::uint32_t g = rank * timing_.groups; g < (rank + 1) * timing_.groups; ++g)
            push_back_to(state_.groups[g].next_activate, now + gap_.tRREFD.raw);
        break;
    case DramCommand::activate_2:
        MEMSIM_ASSERT(now <= state_.second_by, "an ACT-2 is too late");
        state_.half_activated = no_bank;
        break;
    }
    if (command_bus_) {
        const Kind k = kind(command);
        const Tick free = now + taken_[k];
        if (timing_.command_buses == 1)
            state_.next_command = {free, free};
        else
            state_.next_command[k == column_command] = free;
    }
    if (log_) log_->push_back({now, command, bank, row, close, false});
}

void DramDevice::activate(std::uint32_t bank, std::uint32_t row, Tick now) {
    DramBank& b = state_.banks[bank];
    b.row = row;
    b.written = false;
    b.next_read = now + gap_.tRCDRD.raw;
    b.next_write = now + gap_.tRCDWR.raw;
    b.next_precharge = now + gap_.tRAS.raw;
    b.next_activate = now + timing_.tRC.raw;

    if (timing_.tAAD.raw && command_bus_) {
        state_.half_activated = bank;
        state_.second_by = now + timing_.tAAD.raw;
    }

    const std::uint32_t rank = rank_of(bank), group = group_of(bank);
    DramRank& r = state_.ranks[rank];
    // Without the longer window four entries are enough: the ring then fits one cache line of the
    // host.
    const std::uint32_t n = timing_.t32AW.raw ? std::tuple_size_v<decltype(r.activates)> : 4;
    r.activates[r.next] = now;
    r.next = (r.next + 1) & (n - 1);
    const auto ago = [&](std::uint32_t i) { return r.activates[(r.next + n - i) & (n - 1)]; };
    const Tick window = std::max(timing_.tFAW.raw ? ago(4) + timing_.tFAW.raw : 0,
                                 timing_.t32AW.raw ? ago(32) + timing_.t32AW.raw : 0);
    for (std::uint32_t g = rank * timing_.groups; g < (rank + 1) * timing_.groups; ++g)
        push_back_to(state_.groups[g].next_activate,
                     std::max(window, now + (g == group ? timing_.tRRD_L : timing_.tRRD_S).raw));
}

/// A precharge delays the next precharge of its rank by tPPD.
void DramDevice::precharged(std::uint32_t rank, Tick now) {
    if (timing_.tPPD.raw == 0) return;
    for (std::uint32_t g = rank * timing_.groups; g < (rank + 1) * timing_.groups; ++g)
        push_back_to(state_.groups[g].next_precharge, now + timing_.tPPD.raw);
}

void DramDevice::column(bool write, std::uint32_t bank, Tick now, bool close) {
    DramBank& b = state_.banks[bank];
    const std::uint32_t rank = rank_of(bank), group = group_of(bank);
    const Tick data_end = now + timing_.tCWL.raw + transfer_; // end of a write's data
    for (std::uint32_t g = rank * timing_.groups; g < (rank + 1) * timing_.groups; ++g) {
        DramGroup& of = state_.groups[g];
        const bool own = g == group;
        const Tick ccd = now + (own ? timing_.tCCD_L.raw : timing_.tCCD_S.raw);
        push_back_to(of.next_write,
                     own && write ? std::max(ccd, now + timing_.tCCD_L_WR.raw) : ccd);
        push_back_to(of.next_read,
                     write ? std::max(ccd, data_end + (own ? timing_.tWTR_L : timing_.tWTR_S).raw)
                           : ccd);
    }
    b.written |= write;
    push_back_to(b.next_precharge, write ? data_end + gap_.tWR.raw : now + gap_.tRTP.raw);
    if (close) {
        b.row = DramBank::closed;
        push_back_to(b.next_activate, b.next_precharge + closing_time(b));
    }
}

void DramDevice::precharge_unused(std::uint32_t bank, Tick at) {
    DramBank& b = state_.banks[bank];
    push_back_to(at, b.next_precharge);
    b.row = DramBank::closed;
    push_back_to(b.next_activate, at + closing_time(b));
    if (log_) log_->push_back({at, DramCommand::precharge, bank, 0, false, true});
}

void DramDevice::refresh_unused(std::uint32_t bank, bool single, Tick due, std::int64_t n) {
    const std::uint32_t rank = rank_of(bank);
    Tick start = due + (n - 1) * timing_.tREFI.raw;
    // Activity before `due` can delay the first refresh, but not one that is tREFI later.
    if (n == 1 && single) {
        const DramBank& b = state_.banks[bank];
        const Tick closed = b.row == DramBank::closed
                                ? b.next_activate
                                : std::max(due, b.next_precharge) + gap_.tRP.raw;
        const Tick group = group_ready(DramCommand::refresh_bank, group_of(bank));
        push_back_to(start, std::max(closed, group) + refresh_after_activate_);
    } else if (n == 1) {
        const Tick closed = any_open(rank) ? std::max(due, all_precharged(rank)) + gap_.tRP.raw
                                           : all_activatable(rank);
        push_back_to(start, closed + refresh_after_activate_);
    }
    if (log_) {
        const DramCommand command = single ? DramCommand::refresh_bank : DramCommand::refresh;
        for (std::int64_t i = 0; i < n; ++i)
            log_->push_back(
                {start - (n - 1 - i) * timing_.tREFI.raw, command, bank, 0, false, true});
    }
    if (single)
        for (std::uint32_t g = rank * timing_.groups; g < (rank + 1) * timing_.groups; ++g)
            push_back_to(state_.groups[g].next_activate, start + gap_.tRREFD.raw);
    const std::uint32_t first = single ? bank : rank * timing_.banks();
    const std::uint32_t last = single ? bank + 1 : first + timing_.banks();
    for (std::uint32_t i = first; i < last; ++i) {
        state_.banks[i].row = DramBank::closed;
        push_back_to(state_.banks[i].next_activate, start + (single ? gap_.tRFCpb : gap_.tRFC).raw);
    }
}

} // namespace memsim::mem
