#include "mem/fr_fcfs.hh"

#include <bit>

/// The orders in which other simulators issue commands, so that theirs and ours can be compared
/// with nothing but the order in between (docs/models/dram.md says what each stands for).
namespace memsim::mem {

/// What a bank needs for the request that is next there and, where a row may be closed although
/// hits wait, for the request that is older than they.
void FrFcfs::choose_pair(std::uint32_t b) {
    const Bank& bank = state_.banks[b];
    auto& next = state_.candidates[b];
    auto& second = state_.second[b];
    next = second = {};
    if (state_.units_refreshing && state_.refreshing[unit_of(b)]) return;

    const std::uint32_t row = device_.row(b);
    const std::uint32_t most = figures_.bank_queue ? figures_.bank_queue : none;
    const std::uint16_t opener = unserved_opener(b);
    std::uint16_t oldest = opener, hit = opener;
    std::uint16_t e = opener == none ? bank.waiting[state_.draining].head : none;
    for (std::uint32_t seen = 0; e != none && seen < most; ++seen, e = state_.entries[e].next) {
        if (state_.entries[e].held) continue;
        if (oldest == none) oldest = e;
        if (state_.entries[e].access.row != row) continue;
        hit = e;
        break;
    }
    if (oldest == none) return;
    const auto candidate = [&](std::uint16_t number, Action action) {
        const Entry& entry = state_.entries[number];
        const DramCommand command = action == Action::activate    ? DramCommand::activate
                                    : action == Action::precharge ? DramCommand::precharge
                                    : entry.access.write          ? DramCommand::write
                                                                  : DramCommand::read;
        const bool first = action == Action::column && entry.opened;
        return FrFcfsState::Candidate {device_.bank_ready(command, b),
                                       std::uint64_t {!first} << 63 | entry.age << 8 | b,
                                       action,
                                       action == Action::column,
                                       number,
                                       action == Action::column
                                           ? column_limit(DramWires::data, opener != none)
                                           : static_cast<std::uint16_t>(action)};
    };
    if (row == DramBank::closed)
        next = candidate(oldest, Action::activate);
    else if (hit == none)
        next = candidate(oldest, Action::precharge);
    else
        next = candidate(hit, Action::column);
    if (hit == none || oldest == hit) return;
    // Never before the row has served the request that it was opened for.
    const bool may_close = figures_.order == DramOrder::oldest_ready
                               ? !bank.first_access
                               : figures_.row_limit && bank.accesses >= figures_.row_limit;
    if (may_close) second = candidate(oldest, Action::precharge);
}

/// oldest_ready and bank_rotation: of what can go first, the oldest's or the next bank's in turn.
FrFcfs::Command FrFcfs::next_in_order(const Floor& floor) const {
    const bool rotation = figures_.order == DramOrder::bank_rotation;
    const std::uint32_t banks = device_.banks();
    Command best;
    for_each_used_bank(0, floor, [&](std::uint32_t b, const Limits& limit) {
        for (const auto* c : {&state_.second[b], &state_.candidates[b]}) {
            const Tick at = std::max(c->at, limit[c->limit]);
            if (at == never || at > best.at) continue;
            const std::uint64_t order =
                rotation ? 1 + (b + banks - 1 - state_.last_bank) % banks : c->order;
            if (at < best.at || order < best.order) best = {at, order, b, c->action, c->entry};
        }
    });
    return best;
}

// ---- bursts whose order is fixed ahead
// -----------------------------------------------------------

/// The next burst is chosen so early that a precharge and an activate for it delay nothing.
FrFcfs::Command FrFcfs::next_commit(Tick now) const {
    const auto& words = state_.used_banks[state_.draining];
    bool any = false;
    for (std::uint32_t w = 0; w < words.size(); ++w)
        for (std::uint64_t bits = words[w]; bits && !any; bits &= bits - 1) {
            const std::uint32_t b = w * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
            any = !state_.refreshing[unit_of(b)];
        }
    if (!any) return {};
    const DramTiming& t = device_.timing();
    const Tick ahead = t.tRP.raw + std::max(t.tRCDRD, t.tRCDWR).raw;
    return {std::max(now, state_.next_burst - ahead), 1, 0, Action::commit, none};
}

/// When a column command to the open row may go, as far as the DRAM and the bus's users have a say.
Tick FrFcfs::column_allowed(std::uint32_t b) const {
    const bool write = state_.draining;
    const DramCommand command = write ? DramCommand::write : DramCommand::read;
    return std::max({device_.bank_ready(command, b),
                     device_.group_ready(command, device_.group_of(b)),
                     bus_.earliest(user(device_.rank_of(b)), write) - device_.latency(write)});
}

/// The oldest hit that leaves no gap on the bus; without one the oldest request whose row can be
/// opened behind other data; without one the oldest hit; else one whose row can be opened first.
std::uint16_t FrFcfs::choose_burst(Tick now) const {
    const DramTiming& t = device_.timing();
    const Tick to_column = (state_.draining ? t.tRCDWR : t.tRCDRD).raw;
    const Tick gapless = std::max(state_.next_burst, now);
    const auto opened = [&](std::uint32_t b) { // when the bank can have another row
        return device_.row(b) == DramBank::closed
                   ? std::max({device_.bank_ready(DramCommand::activate, b),
                               device_.group_ready(DramCommand::activate, device_.group_of(b)),
                               now})
                   : std::max(device_.bank_ready(DramCommand::precharge, b), now) + t.tRP.raw;
    };
    const auto& words = state_.used_banks[state_.draining];
    const auto each_bank = [&](auto&& f) {
        for (std::uint32_t w = 0; w < words.size(); ++w)
            for (std::uint64_t bits = words[w]; bits; bits &= bits - 1) {
                const std::uint32_t b = w * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
                if (!state_.refreshing[unit_of(b)]) f(b);
            }
    };
    Tick first = never; // that a row can be opened; before `in_time` it costs no gap
    bool gapless_row = false;
    each_bank([&](std::uint32_t b) {
        const Tick at = opened(b);
        gapless_row |= std::max(column_allowed(b), at + to_column) <= gapless;
        first = std::min(first, at);
    });
    const bool hidden = gapless_row || first <= std::max(gapless - to_column, now);

    std::uint16_t gapless_hit = none, hit = none, other = none;
    const auto older = [&](std::uint16_t& best, std::uint16_t e) {
        if (best == none || state_.entries[e].age < state_.entries[best].age) best = e;
    };
    each_bank([&](std::uint32_t b) {
        const Tick at = opened(b), column = column_allowed(b);
        const bool soon = gapless_row ? std::max(column, at + to_column) <= gapless : at == first;
        bool hit_seen = false, other_seen = false;
        for (std::uint16_t e = state_.banks[b].waiting[state_.draining].head;
             e != none && !(hit_seen && other_seen); e = state_.entries[e].next) {
            if (state_.entries[e].access.row == device_.row(b)) {
                if (!hit_seen) older(column <= gapless ? gapless_hit : hit, e);
                hit_seen = true;
            } else {
                if (!other_seen && soon) older(other, e);
                other_seen = true;
            }
        }
    });
    if (gapless_hit != none) return gapless_hit;
    return other != none && (hidden || hit == none) ? other : hit;
}

/// Chooses a burst and fixes all its commands.
void FrFcfs::commit(Tick now) {
    const std::uint16_t number = choose_burst(now);
    const DramAccess& access = state_.entries[number].access;
    const std::uint32_t b = access.bank, group = device_.group_of(b);
    const auto allowed = [&](DramCommand c) {
        return std::max({now, device_.bank_ready(c, b), device_.group_ready(c, group)});
    };
    const std::uint32_t row = device_.row(b);
    if (row != DramBank::closed && row != access.row)
        row_command(b, number, false, allowed(DramCommand::precharge));
    if (device_.row(b) == DramBank::closed)
        row_command(b, number, true, allowed(DramCommand::activate));
    const Tick at = std::max({now, state_.next_burst, column_allowed(b)});
    state_.next_burst = at + bus_.transfer_time(device_.timing().burst).raw;
    column(b, number, at);
}

} // namespace memsim::mem
