#include "ohm/planar/postponed_requests.hh"

namespace memsim::ohm {

void PostponedRequests::take(std::uint32_t id, Swap& s) {
    const PageRequest& q = demand_[id];
    if (served(s, q.slot, q.offset, q.r.command)) return read_buffer(id, s);
    ++stats_.requests_postponed;
    ++s.postponed;
    if (q.is_write()) ++s.postponed_writes;
    waiting_.push(id);
}

void PostponedRequests::make_still(Swap& s) {
    s.phase = Swap::Phase::quiet;
    demand_.requests().for_each([&](PageRequest& q) {
        if (q.group != s.group || (q.slot != s.slot_in && q.slot != s.slot_out)) return;
        q.blocks_swap = swaps_.number(s);
        ++s.waits_for;
    });
}

void PostponedRequests::read_buffer(std::uint32_t id, const Swap& s) {
    PageRequest& q = demand_[id];
    ++stats_.buffer_reads;
    q.place = PageRequest::Place::buffer;
    done_(id, swaps_.read(s, q.slot, q.offset, q.r));
}

void PostponedRequests::serve(Swap& s) {
    if (s.postponed == 0 || !params_.buffer_reads()) return;
    for (std::uint32_t i = 0; i < waiting_.size();) {
        const std::uint32_t id = waiting_[i];
        const PageRequest& q = demand_[id];
        const bool of_this = q.group == s.group; // requests here concern pages being swapped
        if (of_this && q.is_write()) return;
        if (!of_this || !s.has(q.slot, q.offset)) {
            ++i;
            continue;
        }
        waiting_.erase(i);
        --s.postponed;
        read_buffer(id, s);
    }
}

void PostponedRequests::release(Swap& s) {
    for (std::uint32_t i = 0; s.postponed && i < waiting_.size();) {
        const std::uint32_t id = waiting_[i];
        const PageRequest& q = demand_[id];
        if (q.group != s.group) {
            ++i;
            continue;
        }
        waiting_.erase(i);
        --s.postponed;
        demand_.dispatch(id, swaps_.groups().location(s.group, q.slot));
    }
}

} // namespace memsim::ohm
