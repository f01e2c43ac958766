#include "mem/dram_device.hh"

#include <algorithm>

namespace memsim::mem {

namespace {
void push_back_to(Tick& at, Tick least) { at = std::max(at, least); }
constexpr Tick long_ago = -1'000'000'000'000'000; // before any window can reach
} // namespace

DramDevice::DramDevice(const DramTiming& timing, Time transfer, DramDeviceState& state)
    : timing_(timing), transfer_(transfer.raw), state_(state) {
    for (std::uint32_t b = 0; b < banks(); ++b)
        place_.push_back({b / timing.banks(), b / timing.banks_per_group});
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

Tick DramDevice::all_precharged(std::uint32_t rank) const {
    Tick t = 0;
    for (std::uint32_t b = rank * timing_.banks(); b < (rank + 1) * timing_.banks(); ++b)
        if (state_.banks[b].row != DramBank::closed)
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
        t = all_precharged(rank_of(bank));
        break;
    case DramCommand::refresh:
        if (!any_open(rank_of(bank))) t = all_activatable(rank_of(bank));
        break;
    }
    return std::max(t, state_.next_command);
}

void DramDevice::issue(DramCommand command, std::uint32_t bank, std::uint32_t row, Tick now,
                       bool close) {
    MEMSIM_ASSERT(now >= earliest(command, bank), "a DRAM command comes too early");
    DramBank& b = state_.banks[bank];
    const std::uint32_t rank = rank_of(bank), group = group_of(bank);
    switch (command) {
    case DramCommand::activate: {
        b.row = row;
        b.next_read = now + timing_.tRCDRD.raw;
        b.next_write = now + timing_.tRCDWR.raw;
        b.next_precharge = now + timing_.tRAS.raw;
        b.next_activate = now + timing_.tRC.raw;
        DramRank& r = state_.ranks[rank];
        r.activates[r.oldest] = now;
        r.oldest = (r.oldest + 1) % r.activates.size();
        const Tick four_ago = r.activates[r.oldest] + timing_.tFAW.raw;
        for (std::uint32_t g = rank * timing_.groups; g < (rank + 1) * timing_.groups; ++g)
            push_back_to(
                state_.groups[g].next_activate,
                std::max(four_ago, now + (g == group ? timing_.tRRD_L.raw : timing_.tRRD_S.raw)));
        break;
    }
    case DramCommand::read:
        column(false, bank, now, close);
        break;
    case DramCommand::write:
        column(true, bank, now, close);
        break;
    case DramCommand::precharge:
        b.row = DramBank::closed;
        push_back_to(b.next_activate, now + timing_.tRP.raw);
        break;
    case DramCommand::precharge_all:
        for (std::uint32_t i = rank * timing_.banks(); i < (rank + 1) * timing_.banks(); ++i) {
            if (state_.banks[i].row == DramBank::closed) continue;
            state_.banks[i].row = DramBank::closed;
            push_back_to(state_.banks[i].next_activate, now + timing_.tRP.raw);
        }
        break;
    case DramCommand::refresh:
        for (std::uint32_t i = rank * timing_.banks(); i < (rank + 1) * timing_.banks(); ++i)
            push_back_to(state_.banks[i].next_activate, now + timing_.tRFC.raw);
        break;
    }
    state_.next_command = now + timing_.tCK.raw;
}

void DramDevice::column(bool write, std::uint32_t bank, Tick now, bool close) {
    DramBank& b = state_.banks[bank];
    const std::uint32_t rank = rank_of(bank), group = group_of(bank);
    const Tick data_end = now + timing_.tCWL.raw + transfer_; // of a write
    for (std::uint32_t g = rank * timing_.groups; g < (rank + 1) * timing_.groups; ++g) {
        DramGroup& of = state_.groups[g];
        const bool own = g == group;
        const Tick ccd = now + (own ? timing_.tCCD_L.raw : timing_.tCCD_S.raw);
        push_back_to(of.next_write, ccd);
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

void DramDevice::refresh_unused(std::uint32_t rank, Tick due, std::int64_t n) {
    Tick start = due + (n - 1) * timing_.tREFI.raw;
    // What was still going on can delay the first refresh, not one that is tREFI later.
    if (n == 1)
        push_back_to(start, any_open(rank) ? std::max(due, all_precharged(rank)) + timing_.tRP.raw
                                           : all_activatable(rank));
    for (std::uint32_t i = rank * timing_.banks(); i < (rank + 1) * timing_.banks(); ++i) {
        state_.banks[i].row = DramBank::closed;
        push_back_to(state_.banks[i].next_activate, start + timing_.tRFC.raw);
    }
}

} // namespace memsim::mem
