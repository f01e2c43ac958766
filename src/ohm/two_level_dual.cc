#include "ohm/two_level_controller.hh"

/// Dual routes in two-level mode: a transfer of the channel that two devices receive.
namespace memsim::ohm {

// ---- auto-read/write -------------------------------------------------------------------------

/// A line of DRAM has crossed the channel: its module has seen it, with the tag bits.
void TwoLevelController::seen_passing(std::uint32_t id, std::uint64_t local, bool dirty,
                                      Contents::Id contents) {
    const Request& q = state.requests[id];
    protocol::DdrtCommand c;
    c.snarf = true;
    c.address = map_.module_address(q.local);
    c.other = map_.module_address(local); // of the same set, so of the same module
    c.dirty = dirty;
    c.bytes = static_cast<std::uint32_t>(map_.line_bytes);
    c.id = id;
    c.contents = contents;
    state.modules[q.module].snarfs.push(c);
}

/// In the order in which they passed, and before commands that follow from them.
bool TwoLevelController::send_snarfs(std::uint32_t m) {
    auto& snarfs = state.modules[m].snarfs;
    auto& commands = port.channel.commands[m];
    bool changed = false;
    while (!snarfs.empty() && commands.can_send()) {
        const protocol::DdrtCommand c = snarfs.pop();
        commands.send(c);
        changed = true;
        if (!c.evicts()) continue;
        ++stat.snarfed;
        --state.requests[c.id].victims;
        end_if_done(c.id);
    }
    return changed;
}

// ---- reverse-write ---------------------------------------------------------------------------

/// Whether the next ready line may be confirmed now: within a hold up to its batch; else a hold
/// begins where it costs the DRAM nothing, or when enough lines wait or one for long enough.
bool TwoLevelController::may_confirm() const {
    if (state.registered == registers_ || channel_->free_at() > now() + channel_->lead())
        return false;
    if (!params.reverse_hold()) return true;
    if (held()) return state.confirmed < params.reverse_batch();
    return state.ready.size() >= params.reverse_batch() ||
           now() >= state.ready.front().since + params.reverse_patience->raw ||
           channel_->dram().next_action() > now() + hold_;
}

/// Lets XPoint send what is ready to the DRAM, with the DDR monitor on.
bool TwoLevelController::confirm() {
    bool changed = false;
    while (!state.ready.empty() && may_confirm()) {
        const Ready r = state.ready.front();
        if (!port.channel.transfers[r.module].can_send()) break;
        state.ready.pop();
        if (state.reversing == 0) {
            ++stat.holds;
            state.held_since = now();
            state.confirmed = 0;
            if (params.reverse_hold()) channel_->dram().lend_bus(true, now());
        }
        ++state.reversing;
        ++state.confirmed;
        stat.in_register.set(now(), ++state.registered);
        const Tick end = channel_->book(r.module, static_cast<std::uint32_t>(map_.line_bytes),
                                        false, false, now());
        port.channel.transfers[r.module].send({r.id, end, true});
        changed = true;
    }
    return changed;
}

/// XPoint's completion signal has come.
void TwoLevelController::complete() {
    ++stat.reverse_writes;
    if (--state.reversing > 0) return;
    stat.hold_time += Time {now() - state.held_since};
    if (params.reverse_hold()) channel_->dram().lend_bus(false, now());
}

} // namespace memsim::ohm
