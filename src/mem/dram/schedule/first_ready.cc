#include "mem/dram/schedule/first_ready.hh"

namespace memsim::mem {

static const PolicyRegistration<FirstReady> first_ready {
    "first_ready",
    "A column command that can issue now goes first, then the command of the oldest request"};

namespace {

/// The last time until which no command of another bank can displace a burst whose request has the
/// data bus. Commands of younger requests over the same bus never displace it, nor do those of
/// another rank, which need a gap on the bus. Commands over another pseudo-channel's bus do not
/// wait for it.
Tick lets_pass(const DramParts& parts, const DramCandidate& burst, std::uint32_t bank,
               const DramPlan& planned) {
    const std::uint32_t rank = parts.device.rank_of(bank);
    const std::uint32_t other = parts.device.rank_of(planned.bank);
    const DataBus& bus = parts.path.bus(rank);
    if (&bus != &parts.path.bus(other)) return burst.at - 1;
    const bool older = burst.order < planned.order, near = rank == other || !bus.gap();
    return older && near ? burst.at - 1 : never;
}

constexpr std::uint32_t bank_of(std::uint64_t order) { return order & 0xff; }

} // namespace

DramCandidate FirstReady::choose(const DramParts& parts, std::uint32_t b) {
    if (parts.refresh.stopped(b)) return parts.before_refresh(b);
    const DramQueue& queue = parts.queue;
    const std::uint32_t row = parts.device.row(b);
    const std::uint16_t opener = parts.unserved_opener(b);
    std::uint16_t oldest = opener, hit = opener;
    std::uint16_t e =
        opener == DramQueue::none ? queue.oldest(b, parts.draining()) : DramQueue::none;
    for (; e != DramQueue::none; e = queue[e].next) {
        const DramQueue::Entry& entry = queue[e];
        const bool demand = queue.urgent(entry);
        if (oldest == DramQueue::none || (demand && !queue.urgent(queue[oldest]))) oldest = e;
        if (entry.access.row == row && (hit == DramQueue::none || demand)) {
            hit = e;
            if (demand) break;
        }
        if (row == DramBank::closed && demand) break;
    }
    if (oldest == DramQueue::none) return {};
    DramCandidate next;
    next.entry = hit != DramQueue::none ? hit : oldest;
    const DramQueue::Entry& chosen = queue[next.entry];
    DramCommand command = chosen.access.write ? DramCommand::write : DramCommand::read;
    next.action = DramAction::column;
    if (row == DramBank::closed)
        command = DramCommand::activate, next.action = DramAction::activate;
    else if (hit == DramQueue::none)
        command = DramCommand::precharge, next.action = DramAction::precharge;
    const bool column = next.action == DramAction::column;
    next.limit = DramParts::limit_of(next.action, chosen.access.wires, opener != DramQueue::none);
    next.data = column && chosen.access.wires == DramWires::data;
    next.at = parts.device.bank_ready(command, b);
    next.order = order_by_age(column, queue.urgent(chosen), chosen.age, b);
    return next;
}

DramOrder::Choice FirstReady::next(const DramParts& parts, Tick now) {
    // Time and order form one number, so that the minimum is found without a branch, which would be
    // mispredicted half of the time.
    Uint128 least = static_cast<Uint128>(never) << 64;
    Tick others_at = never; // no other command before, except bursts over the data bus
    parts.for_each_used_bank(parts.floor_of(now),
                             [&](std::uint32_t b, const DramParts::Limits& limit) {
                                 const auto& c = parts.candidate(b);
                                 const Tick at = std::max(c.at, limit[c.limit]);
                                 least = std::min(least, static_cast<Uint128>(at) << 64 | c.order);
                                 others_at = std::min(others_at, at | (-Tick {c.data} & never));
                             });
    DramPlan best;
    best.at = static_cast<Tick>(least >> 64);
    if (best.at != never) {
        best.order = static_cast<std::uint64_t>(least);
        best.bank = bank_of(best.order);
        best.action = parts.candidate(best.bank).action;
        best.entry = parts.candidate(best.bank).entry;
    }
    return {best, first_until(parts, best, others_at)};
}

/// Until when the request of the planned burst precedes all waiting requests, if it has more bursts
/// and they follow without a gap.
Tick FirstReady::first_until(const DramParts& parts, const DramPlan& planned, Tick others_at) {
    if (planned.action != DramAction::column || parts.queue[planned.entry].left < 2 ||
        parts.state.others)
        return 0;
    Tick until = others_at - 1;
    const auto& used = parts.queue.used(parts.draining());
    for (std::uint32_t w = 0; w < used.size(); ++w)
        for (std::uint64_t bits = used[w] & parts.state.data_banks[w]; bits; bits &= bits - 1) {
            const std::uint32_t b = w * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
            until = std::min(until, lets_pass(parts, parts.candidate(b), b, planned));
        }
    return until;
}

DramOrder::Effect FirstReady::accepted(const DramParts& parts, std::uint32_t bank,
                                       const DramCandidate& before, Choice& choice, Tick now) {
    const DramCandidate& c = parts.candidate(bank);
    if (c.entry == before.entry && c.action == before.action && c.entry != DramQueue::none) {
        if (c.order != before.order) choice.first_until = 0; // it became urgent
        return Effect::none;                                 // it waits behind older requests
    }
    const DramParts::Limits limit = parts.limits_of(bank, parts.floor_of(now));
    const DramPlan command {std::max(c.at, limit[c.limit]), c.order, bank, c.action, c.entry};
    const bool voids = choice.plan.bank == bank; // the plan for this bank is invalid
    if (command.before(choice.plan))
        choice = {command, 0};
    else if (voids)
        return Effect::unknown;
    else
        choice.first_until = std::min(
            choice.first_until, c.data ? lets_pass(parts, c, bank, choice.plan) : command.at - 1);
    return Effect::changed;
}

} // namespace memsim::mem
