#include "mem/dram/schedule/committed.hh"

namespace memsim::mem {

static const PolicyRegistration<Committed> committed {
    "committed", "Bursts are issued in an order fixed tRP + tRCD ahead (as gem5)"};

namespace {

/// Calls f(bank) for each bank with a request that may be served.
template <class F>
void for_each_ready_bank(const DramParts& parts, F&& f) {
    for_each_bank(parts.queue.used(parts.draining()), [&](std::uint32_t b) {
        if (!parts.refresh.stopped(b)) f(b);
    });
}

/// When a column command to the open row may be issued, by the constraints of the DRAM and of the
/// bus users.
Tick column_allowed(const DramParts& parts, std::uint32_t b) {
    const bool write = parts.draining();
    const DramDevice& device = parts.device;
    const DramCommand command = write ? DramCommand::write : DramCommand::read;
    return std::max({device.bank_ready(command, b), device.group_ready(command, device.group_of(b)),
                     parts.path.bus_ready(device.rank_of(b), write, device.latency(write))});
}

} // namespace

DramCandidate Committed::choose(const DramParts& parts, std::uint32_t b) {
    if (parts.refresh.stopped(b)) return {};
    const DramQueue& queue = parts.queue;
    const std::uint32_t row = parts.device.row(b);
    DramCandidate next;
    next.entry = parts.unserved_opener(b);
    if (next.entry == DramQueue::none) next.entry = queue.oldest(b, parts.draining());
    if (next.entry == DramQueue::none) return {};
    next.action = row == DramBank::closed ? DramAction::activate : DramAction::precharge;
    for (std::uint16_t e = next.entry; e != DramQueue::none; e = queue[e].next)
        if (queue[e].access.row == row) {
            next.entry = e;
            next.action = DramAction::column;
            break;
        }
    return next;
}

DramOrder::Choice Committed::next(const DramParts& parts, Tick now) {
    bool any = false;
    for_each_ready_bank(parts, [&](std::uint32_t) { any = true; });
    if (!any) return {};
    const DramTiming& t = parts.device.timing();
    const Tick ahead = t.tRP.raw + std::max(t.tRCDRD, t.tRCDWR).raw;
    return {{std::max(now, state.next_burst - ahead), 1, 0, DramAction::commit}};
}

Tick Committed::column_at(const DramParts& parts, std::uint32_t bank, Tick now) {
    const Tick at = std::max({now, state.next_burst, column_allowed(parts, bank)});
    state.next_burst = at + parts.path.burst_time();
    return at;
}

std::uint16_t Committed::burst(const DramParts& parts, Tick now) {
    const DramDevice& device = parts.device;
    const DramQueue& queue = parts.queue;
    const DramTiming& t = device.timing();
    const Tick to_column = (parts.draining() ? t.tRCDWR : t.tRCDRD).raw;
    const Tick gapless = std::max(state.next_burst, now);
    const auto opened = [&](std::uint32_t b) { // when the bank can open another row
        return device.row(b) == DramBank::closed
                   ? std::max({device.bank_ready(DramCommand::activate, b),
                               device.group_ready(DramCommand::activate, device.group_of(b)), now})
                   : std::max(device.bank_ready(DramCommand::precharge, b), now) + t.tRP.raw;
    };
    Tick first = never; // the first time at which a row can be opened
    bool gapless_row = false;
    for_each_ready_bank(parts, [&](std::uint32_t b) {
        const Tick at = opened(b);
        gapless_row |= std::max(column_allowed(parts, b), at + to_column) <= gapless;
        first = std::min(first, at);
    });
    const bool hidden = gapless_row || first <= std::max(gapless - to_column, now);

    std::uint16_t gapless_hit = DramQueue::none, hit = DramQueue::none, other = DramQueue::none;
    const auto older = [&](std::uint16_t& best, std::uint16_t e) {
        if (best == DramQueue::none || queue[e].age < queue[best].age) best = e;
    };
    for_each_ready_bank(parts, [&](std::uint32_t b) {
        const Tick at = opened(b), column = column_allowed(parts, b);
        const bool soon = gapless_row ? std::max(column, at + to_column) <= gapless : at == first;
        bool hit_seen = false, other_seen = false;
        for (std::uint16_t e = queue.oldest(b, parts.draining());
             e != DramQueue::none && !(hit_seen && other_seen); e = queue[e].next) {
            if (queue[e].access.row == device.row(b)) {
                if (!hit_seen) older(column <= gapless ? gapless_hit : hit, e);
                hit_seen = true;
            } else {
                if (!other_seen && soon) older(other, e);
                other_seen = true;
            }
        }
    });
    if (gapless_hit != DramQueue::none) return gapless_hit;
    return other != DramQueue::none && (hidden || hit == DramQueue::none) ? other : hit;
}

} // namespace memsim::mem
