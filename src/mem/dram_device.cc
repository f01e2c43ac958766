#include "mem/dram_device.hh"

#include <algorithm>

namespace memsim::mem {

namespace {
void push_back_to(Tick& at, Tick least) { at = std::max(at, least); }
constexpr Tick long_ago = -1'000'000'000'000'000; // before any window can reach
} // namespace

DramDevice::DramDevice(const DramTiming& timing, Time transfer, DramDeviceState& state,
                       bool command_bus)
    : timing_(timing), transfer_(transfer.raw), state_(state), command_bus_(command_bus) {
    for (std::uint32_t b = 0; b < banks(); ++b)
        place_.push_back({static_cast<std::uint16_t>(b / timing.banks()),
                          static_cast<std::uint16_t>(b / timing.banks_per_group)});
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

/// Also of rows that a column command will close.
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
        if (!any_open(rank_of(bank))) t = all_activatable(rank_of(bank));
        break;
    case DramCommand::refresh_bank:
        if (!open) t = std::max(bank_ready(command, bank), group_ready(command, group_of(bank)));
        break;
    }
    return std::max(t, state_.next_command);
}

void DramDevice::issue(DramCommand command, std::uint32_t bank, std::uint32_t row, Tick now,
                       bool close) {
    MEMSIM_ASSERT(now >= earliest(command, bank), "a DRAM command comes too early");
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
        push_back_to(b.next_activate, now + timing_.tRP.raw);
        precharged(rank, now);
        break;
    case DramCommand::precharge_all:
        for (std::uint32_t i = rank * timing_.banks(); i < (rank + 1) * timing_.banks(); ++i) {
            if (state_.banks[i].row == DramBank::closed) continue;
            state_.banks[i].row = DramBank::closed;
            push_back_to(state_.banks[i].next_activate, now + timing_.tRP.raw);
        }
        precharged(rank, now);
        break;
    case DramCommand::refresh:
        for (std::uint32_t i = rank * timing_.banks(); i < (rank + 1) * timing_.banks(); ++i)
            push_back_to(state_.banks[i].next_activate, now + timing_.tRFC.raw);
        break;
    case DramCommand::refresh_bank:
        push_back_to(b.next_activate, now + timing_.tRFCpb.raw);
        for (std::uint32_t g = rank * timing_.groups; g < (rank + 1) * timing_.groups; ++g)
            push_back_to(state_.groups[g].next_activate, now + timing_.tRREFD.raw);
        break;
    }
    if (command_bus_) state_.next_command = now + timing_.tCK.raw;
    if (log_) log_->push_back({now, command, bank, row, close, false});
}

void DramDevice::activate(std::uint32_t bank, std::uint32_t row, Tick now) {
    DramBank& b = state_.banks[bank];
    b.row = row;
    b.next_read = now + timing_.tRCDRD.raw;
    b.next_write = now + timing_.tRCDWR.raw;
    b.next_precharge = now + timing_.tRAS.raw;
    b.next_activate = now + timing_.tRC.raw;

    const std::uint32_t rank = rank_of(bank), group = group_of(bank);
    DramRank& r = state_.ranks[rank];
    // Without the longer window four are enough: a ring of one line of the host's cache.
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

/// A precharge keeps the next one of its rank tPPD away.
void DramDevice::precharged(std::uint32_t rank, Tick now) {
    if (timing_.tPPD.raw == 0) return;
    for (std::uint32_t g = rank * timing_.groups; g < (rank + 1) * timing_.groups; ++g)
        push_back_to(state_.groups[g].next_precharge, now + timing_.tPPD.raw);
}

void DramDevice::column(bool write, std::uint32_t bank, Tick now, bool close) {
    DramBank& b = state_.banks[bank];
    const std::uint32_t rank = rank_of(bank), group = group_of(bank);
    const Tick data_end = now + timing_.tCWL.raw + transfer_; // of a write
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
    push_back_to(b.next_precharge, write ? data_end + timing_.tWR.raw : now + timing_.tRTP.raw);
    if (close) {
        b.row = DramBank::closed;
        push_back_to(b.next_activate, b.next_precharge + timing_.tRP.raw);
    }
}

void DramDevice::refresh_unused(std::uint32_t bank, bool single, Tick due, std::int64_t n) {
    const std::uint32_t rank = rank_of(bank);
    Tick start = due + (n - 1) * timing_.tREFI.raw;
    // What was still going on can delay the first refresh, not one that is tREFI later.
    if (n == 1 && single) {
        const DramBank& b = state_.banks[bank];
        push_back_to(start, b.row == DramBank::closed
                                ? b.next_activate
                                : std::max(due, b.next_precharge) + timing_.tRP.raw);
        push_back_to(start, group_ready(DramCommand::refresh_bank, group_of(bank)));
    } else if (n == 1) {
        push_back_to(start, any_open(rank) ? std::max(due, all_precharged(rank)) + timing_.tRP.raw
                                           : all_activatable(rank));
    }
    if (log_) {
        const DramCommand command = single ? DramCommand::refresh_bank : DramCommand::refresh;
        for (std::int64_t i = 0; i < n; ++i)
            log_->push_back(
                {start - (n - 1 - i) * timing_.tREFI.raw, command, bank, 0, false, true});
    }
    if (single)
        for (std::uint32_t g = rank * timing_.groups; g < (rank + 1) * timing_.groups; ++g)
            push_back_to(state_.groups[g].next_activate, start + timing_.tRREFD.raw);
    const std::uint32_t first = single ? bank : rank * timing_.banks();
    const std::uint32_t last = single ? bank + 1 : first + timing_.banks();
    for (std::uint32_t i = first; i < last; ++i) {
        state_.banks[i].row = DramBank::closed;
        push_back_to(state_.banks[i].next_activate,
                     start + (single ? timing_.tRFCpb : timing_.tRFC).raw);
    }
}

} // namespace memsim::mem
