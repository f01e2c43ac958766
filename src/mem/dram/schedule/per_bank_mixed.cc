#include "mem/dram/schedule/per_bank_mixed.hh"

#include <utility>

namespace memsim::mem {

static const PolicyRegistration<PerBankMixed> per_bank_mixed {
    "per_bank_mixed", "Reads and writes of a bank share one queue, and banks take turns (as "
                      "DRAMsim3); bank_queue is the length of a queue"};

void PerBankMixed::init(std::uint32_t banks) {
    state = {};
    state.candidates.assign(banks, {});
    state.entered.assign(banks, 0);
}

void PerBankMixed::check_loaded(Loader& l, const DramParts& parts) const {
    l.index("last_bank", state.last_bank, state.candidates.size());
    for (std::uint32_t b = 0; b < state.candidates.size(); ++b) {
        for (const DramCandidate& c : state.candidates[b]) parts.check_candidate(l, b, c);
        for (const bool write : {false, true})
            for (std::uint16_t e = parts.queue.oldest(b, write); e != DramQueue::none;
                 e = parts.queue[e].next)
                l.index("turns", e, state.turns.size());
    }
    for (const auto& list : state.outside)
        for (std::uint32_t i = 0; i < list.size(); ++i)
            l.index("outside", list[i], state.turns.size());
}

void PerBankMixed::arrived(std::uint16_t entry, bool write, Tick now) {
    if (state.turns.size() <= entry) state.turns.resize(entry + 1);
    state.turns[entry] = 0;
    state.outside[write].push(entry);
    state.newest = now;
}

/// The first request with space in its bank's queue enters. Returns its bank.
std::uint32_t PerBankMixed::enter(const DramParts& parts, std::uint32_t high, std::uint32_t low,
                                  Tick now) {
    if (now < state.next_entry) return no_bank;
    const std::uint32_t writes = outside(true);
    const bool idle = now >= state.newest + params.idle->raw;
    if (state.drain == 0 && (writes >= high || (state.inside == 0 && (writes > low || idle))))
        state.drain = writes;
    const bool write = state.drain != 0;
    auto& from = state.outside[write];
    for (std::uint32_t i = 0; i < from.size(); ++i) {
        const std::uint16_t e = from[i];
        const std::uint32_t b = parts.queue[e].access.bank;
        if (state.entered[b] >= parts.queue.looked_at()) continue;
        from.erase(i);
        state.turns[e] = ++state.turn;
        state.drain -= write;
        state.next_entry = now + parts.device.timing().tCK.raw;
        return b;
    }
    return no_bank;
}

DramCandidate PerBankMixed::choose(const DramParts& parts, std::uint32_t b) {
    const DramQueue& queue = parts.queue;
    const std::uint32_t row = parts.device.row(b);
    // Requests that have entered precede those that have not, in the lists of both directions.
    std::uint32_t count = 0;
    std::uint16_t first = DramQueue::none;
    std::array<std::uint16_t, 2> hit {DramQueue::none, DramQueue::none};
    std::uint64_t least = never;
    for (const bool write : {false, true})
        for (std::uint16_t e = queue.oldest(b, write); e != DramQueue::none && state.turns[e];
             e = queue[e].next) {
            ++count;
            if (state.turns[e] < least) least = state.turns[e], first = e;
            if (hit[write] == DramQueue::none && queue[e].access.row == row) hit[write] = e;
        }
    state.inside += count - state.entered[b];
    state.entered[b] = count;

    auto& [read, write, other] = state.candidates[b] = {};
    if (parts.refresh.stopped(b)) return other = parts.before_refresh(b);
    if (first == DramQueue::none) return {};
    const auto candidate = [&](std::uint16_t e, DramCommand command, DramAction action) {
        const bool column = action == DramAction::column;
        return DramCandidate {
            parts.device.bank_ready(command, b),
            state.turns[e],
            action,
            column,
            e,
            DramParts::limit_of(action, DramWires::data, command == DramCommand::write)};
    };
    if (row == DramBank::closed)
        return other = candidate(first, DramCommand::activate, DramAction::activate);
    if (hit[0] != DramQueue::none) read = candidate(hit[0], DramCommand::read, DramAction::column);
    if (hit[1] != DramQueue::none)
        write = candidate(hit[1], DramCommand::write, DramAction::column);
    const bool none = hit[0] == DramQueue::none && hit[1] == DramQueue::none;
    const bool enough = params.row_limit && parts.rows().accesses(b) >= params.row_limit;
    if (queue[first].access.row != row && (none || enough))
        other = candidate(first, DramCommand::precharge, DramAction::precharge);
    return none ? other : read.order < write.order ? read : write;
}

DramOrder::Choice PerBankMixed::next(const DramParts& parts, Tick now) {
    const std::uint32_t banks = parts.device.banks();
    DramPlan best;
    parts.for_each_used_bank<true>(parts.floor_of(now), [&](std::uint32_t b,
                                                            const DramParts::Limits& limit) {
        const std::uint64_t turn = 1 + (b + banks - 1 - state.last_bank) % banks;
        for (const DramCandidate& c : std::as_const(state.candidates[b])) {
            if (c.at == never) continue;
            // By turn, and within the bank by entry. Candidates of other banks do not matter.
            const DramPlan plan {std::max(c.at, limit[c.limit]),
                                 turn << 48 | (c.order & 0xffff'ffff'ffff), b, c.action, c.entry};
            if (plan.before(best)) best = plan;
        }
    });
    // A request may enter later without a command before.
    Tick entry = never;
    if (outside(false) + outside(true) && now < state.next_entry) entry = state.next_entry;
    if (state.inside == 0 && outside(true) && !outside(false))
        entry = std::min(entry, std::max(state.next_entry, state.newest + params.idle->raw));
    if (entry < best.at) best = {.at = entry};
    return {best};
}

} // namespace memsim::mem
