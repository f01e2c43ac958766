#include "ohm/channel/memory_route.hh"

namespace memsim::ohm {

Tick MemoryRoute::command_at() const {
    const auto& a = state_.access;
    const mem::DramAccess d = channel_.dram_access(a.address, a.bytes);
    return channel_.side_command_at(state_.module, d.bank, d.row, a.write);
}

bool MemoryRoute::start_access(Tick now) {
    for (unsigned n = 0; n < ports_.size(); ++n) {
        const std::uint32_t m = (state_.turn + n) % ports_.size();
        if (ports_[m].empty()) continue;
        state_.access = ports_[m].pop();
        state_.module = m;
        MEMSIM_ASSERT(state_.access.bytes <= most_bytes, "an access is longer than a line");
        state_.turn = (m + 1) % ports_.size();
        state_.bursts = channel_.dram_access(state_.access.address, state_.access.bytes).bursts;
        state_.since = now;
        return true;
    }
    return false;
}

bool MemoryRoute::issue_commands(Tick now) {
    bool changed = false;
    while (!state_.leaving.empty() && state_.leaving.front().at <= now) {
        const MemoryRouteState::Leaving l = state_.leaving.pop();
        ports_[l.module].send(l.done);
    }
    while (state_.bursts || start_access(now)) {
        if (command_at() > now) break;
        const auto& a = state_.access;
        const mem::DramAccess d = channel_.dram_access(a.address, a.bytes);
        const Tick end = channel_.side_command(state_.module, d.bank, d.row, a.write, now);
        if (--state_.bursts == 0) end_access(end);
        changed = true;
    }
    return changed;
}

/// Completes the current access, whose last burst ends at `end`.
void MemoryRoute::end_access(Tick end) {
    const auto& a = state_.access;
    SequenceDone done {a.id, {}};
    const std::uint64_t sector = a.address / SectorBytes::size;
    if (a.write)
        dram_.replace(contents_, sector, a.contents);
    else if (contents_.enabled())
        done.contents = dram_.take_out(contents_, sector, a.bytes / SectorBytes::size);
    state_.leaving.push({end, state_.module, done});
}

Tick MemoryRoute::next() const {
    const Tick sent = state_.leaving.empty() ? never : state_.leaving.front().at;
    return state_.bursts ? std::min(sent, command_at()) : sent;
}

} // namespace memsim::ohm
