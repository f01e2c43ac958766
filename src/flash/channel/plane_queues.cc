#include "flash/channel/plane_queues.hh"

namespace memsim::flash {

void PlaneQueues::check_loaded(Loader& l) const {
    const std::size_t slots = state_.next.size();
    for (const std::uint32_t slot : state_.next)
        if (slot != none) l.index("queues.next", slot, slots);
    for (std::uint32_t p = 0; p < state_.queues.size(); ++p)
        for (unsigned kind = 0; kind < kinds; ++kind) {
            const auto& q = state_.queues[p][kind];
            for (const std::uint32_t end : {q.head, q.tail})
                if (end != none) l.index("queues.queues", end, slots);
            l.within("queues.waiting", [&] {
                const bool waits = state_.waiting[p / planes_][kind] >> p % planes_ & 1;
                std::size_t left = slots;
                std::uint32_t at = q.head, last = none;
                for (; at != none && left; last = at, at = state_.next[at]) --left;
                l.check(waits == (q.head != none) && at == none && (!waits || last == q.tail),
                        "does not match its queue");
            });
        }
    for (const auto& package : state_.waiting)
        for (const std::uint64_t set : package) l.bits("queues.waiting", set, planes_);
}

} // namespace memsim::flash
