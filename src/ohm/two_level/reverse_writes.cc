#include "ohm/two_level/reverse_writes.hh"

namespace memsim::ohm {

bool ReverseWrites::may_confirm(std::uint32_t ready, Tick since, Tick now) const {
    if (state_.registered == registers_ || channel_.free_at() > now + channel_.lead()) return false;
    if (params_.reverse_hold() == ReverseHold::nothing) return true;
    if (holds_requests()) return state_.confirmed < params_.reverse_batch();
    if (params_.reverse_hold() == ReverseHold::requests) return true;
    return ready >= params_.reverse_batch() || now >= since + params_.reverse_patience->raw ||
           channel_.dram().next_action() > now + shortest_;
}

bool ReverseWrites::confirm(ReadyReads& ready, Tick now) {
    return ready.grant(
        modules_, [&](const ReadyRead& r) { return may_confirm(ready.size(), r.since, now); },
        [&](const ReadyRead& r) {
            confirmed(now);
            modules_.grant(r.module, r.id, line_bytes_, false, now, mem::DramWires::data, true);
        });
}

void ReverseWrites::confirmed(Tick now) {
    if (state_.under_way == 0) {
        ++stats_.holds;
        state_.held_since = now;
        stats_.hold_time.begin(now);
        state_.confirmed = 0;
        if (params_.reverse_hold() == ReverseHold::channel) channel_.dram().lend_bus(true, now);
    }
    ++state_.under_way;
    ++state_.confirmed;
    stats_.in_register.set(now, ++state_.registered);
}

void ReverseWrites::complete(Tick now) {
    ++stats_.reverse_writes;
    if (--state_.under_way > 0) return;
    stats_.hold_time.end(state_.held_since, now);
    if (params_.reverse_hold() == ReverseHold::channel) channel_.dram().lend_bus(false, now);
}

} // namespace memsim::ohm
