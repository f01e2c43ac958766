#include "mem/dram/schedule/row_orders.hh"

#include <utility>

namespace memsim::mem {

static const PolicyRegistration<OldestReady> oldest_ready {
    "oldest_ready", "The oldest request's command goes first of those that can issue earliest; a "
                    "row is closed for a "
                    "request older than the row's hits (as Ramulator 2.1's FRFCFS-RowHit)"};
static const PolicyRegistration<BankRotation> bank_rotation {
    "bank_rotation", "The command of the next bank in turn goes first of those that can issue "
                     "earliest (as DRAMsim3)"};

template <class Self>
DramCandidate RowOrder<Self>::choose(const DramParts& parts, std::uint32_t b) {
    const DramQueue& queue = parts.queue;
    state.second[b] = {};
    if (parts.refresh.stopped(b)) return parts.before_refresh(b);
    const std::uint32_t row = parts.device.row(b);
    const std::uint16_t opener = parts.unserved_opener(b);
    std::uint16_t oldest = opener, hit = opener;
    std::uint16_t e =
        opener == DramQueue::none ? queue.oldest(b, parts.draining()) : DramQueue::none;
    for (std::uint32_t seen = 0; e != DramQueue::none && seen < parts.queue.looked_at();
         ++seen, e = queue[e].next) {
        if (oldest == DramQueue::none) oldest = e;
        if (queue[e].access.row != row) continue;
        hit = e;
        break;
    }
    if (oldest == DramQueue::none) return {};
    const auto candidate = [&](std::uint16_t number, DramAction action) {
        const DramQueue::Entry& entry = queue[number];
        const DramCommand command = action == DramAction::activate    ? DramCommand::activate
                                    : action == DramAction::precharge ? DramCommand::precharge
                                    : entry.access.write              ? DramCommand::write
                                                                      : DramCommand::read;
        const bool column = action == DramAction::column;
        return DramCandidate {
            parts.device.bank_ready(command, b),
            order_by_age(column && entry.opened, true, entry.age, b),
            action,
            column,
            number,
            DramParts::limit_of(action, DramWires::data, opener != DramQueue::none)};
    };
    if (row == DramBank::closed) return candidate(oldest, DramAction::activate);
    if (hit == DramQueue::none) return candidate(oldest, DramAction::precharge);
    if (oldest != hit && self().may_close(parts, b))
        state.second[b] = candidate(oldest, DramAction::precharge);
    return candidate(hit, DramAction::column);
}

template <class Self>
DramOrder::Choice RowOrder<Self>::next(const DramParts& parts, Tick now) {
    DramPlan best;
    parts.for_each_used_bank(
        parts.floor_of(now), [&](std::uint32_t b, const DramParts::Limits& limit) {
            for (const auto* c : {&std::as_const(state.second[b]), &parts.candidate(b)}) {
                const Tick at = std::max(c->at, limit[c->limit]);
                if (at == never || at > best.at) continue;
                const std::uint64_t order = self().turn(parts, *c, b);
                if (at < best.at || order < best.order) best = {at, order, b, c->action, c->entry};
            }
        });
    return {best};
}

} // namespace memsim::mem
