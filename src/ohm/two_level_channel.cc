#include "ohm/two_level_controller.hh"
#include "parts/named.hh"

/// The devices behind the controller and the channel that they share.
namespace memsim::ohm {

using protocol::Stage;

void TwoLevelController::take_answers() {
    for (std::uint32_t m = 0; m < modules_->modules(); ++m) {
        auto& commands = port.channel.commands[m];
        while (!commands.empty()) {
            const protocol::DdrtReady answer = commands.pop();
            if (answer.taken) { // the victim's place is free again
                evictions_->give_place_back();
                continue;
            }
            const std::uint32_t id = answer.id;
            state.ready.push({m, id, now()});
            sim().stamps().mark(parts::named(state.requests, id).r.stamps,
                                static_cast<std::size_t>(Stage::xpoint), now());
        }
        auto& transfers = port.channel.transfers[m];
        while (!transfers.empty()) {
            const protocol::DdrtData d = transfers.pop();
            if (reverse_) reverse_->complete(now());
            line_came(d.id, d.contents);
        }
    }
}

/// Evictions whose slot has ended are on their way to the module.
void TwoLevelController::send_left() {
    modules_->send_left(now(), [this](const protocol::DdrtCommand& c) { evictions_->sent(c.id); });
}

void TwoLevelController::take_dram_done() {
    mem::DramScheduler& dram = channel_->dram();
    while (dram.next_done() <= now()) {
        const mem::DramDone d = dram.pop_done();
        if (d.context & fill_mark) {
            if (reverse_) reverse_->written(now());
            continue;
        }
        if (d.context & write_mark) {
            finish(id_of(d.context));
            end_if_done(id_of(d.context));
        } else
            line_read(d.context);
    }
}

/// Reads of lines and tags, each with a place for its victim kept, and writes of lines.
bool TwoLevelController::feed_dram() {
    mem::DramScheduler& dram = channel_->dram();
    bool changed = false;
    while (!state.tag_reads.empty() && evictions_->has_place() && dram.can_accept(false)) {
        const std::uint32_t id = state.tag_reads.pop();
        evictions_->keep_place();
        Request& q = state.requests[id];
        sim().stamps().mark(q.r.stamps, static_cast<std::size_t>(Stage::queue), now());
        mem::DramAccess a =
            channel_->dram_access(set_address(q.set), static_cast<std::uint32_t>(map_.line_bytes));
        a.context = id;
        channel_->enqueue(a, false, now());
        changed = true;
    }
    while (!state.writes.empty() && dram.can_accept(true)) {
        const std::uint32_t id = state.writes.front();
        Request& q = state.requests[id];
        // A line that came by a reverse-write goes first to its place, then what is written into
        // it.
        const bool reverse = reverse_ && q.fetched && !q.filled;
        const bool write = is_write(q) && !reverse;
        // A line that is there already gets only what the request writes.
        const bool part = write && (!q.fetched || q.filled) && !whole_line(q.r);
        const std::uint64_t at = set_address(q.set) + (part ? q.r.address % map_.line_bytes : 0);
        mem::DramAccess a = channel_->dram_access(
            at, part ? q.r.bytes : static_cast<std::uint32_t>(map_.line_bytes));
        a.context = id | (write ? write_mark : fill_mark);
        a.write = true;
        if (!write)
            a.priority = mem::DramPriority::migration, a.wires = params.channel.migration_wires();
        if (reverse) a.wires = mem::DramWires::none;
        write_dram(q, write);
        channel_->enqueue(a, !write, now());
        changed = true;
        q.filled = true;
        if (reverse && is_write(q)) continue;
        state.writes.pop();
        q.settled = true;
        end_if_done(id);
    }
    return changed;
}

/// Read commands take no channel time.
bool TwoLevelController::feed_modules() {
    bool changed = false;
    for (std::uint32_t m = 0; m < modules_->modules(); ++m) {
        if (params.eviction.auto_rw()) changed |= evictions_->send_snarfs(m);
        auto& reads = state.reads[m];
        while (!reads.empty() && modules_->quiet(m) && modules_->can_send(m)) {
            const std::uint32_t id = reads.pop();
            ++stat.xpoint_reads;
            protocol::DdrtCommand c;
            c.address = map_.module_address(state.requests[id].local);
            c.bytes = static_cast<std::uint32_t>(map_.line_bytes);
            c.id = id;
            modules_->send(m, c);
            changed = true;
        }
    }
    return changed;
}

/// Grants the channel to the reads of XPoint that are ready, the oldest first.
bool TwoLevelController::grant_ready() {
    bool changed = false;
    while (!state.ready.empty()) {
        const Ready r = state.ready.front();
        if (channel_->free_at() > now() + channel_->lead() || !modules_->can_grant(r.module)) break;
        state.ready.pop();
        modules_->grant(r.module, r.id, static_cast<std::uint32_t>(map_.line_bytes), false, now());
        changed = true;
    }
    return changed;
}

/// Lets XPoint send what is ready to the DRAM, with the DDR monitor on.
bool TwoLevelController::confirm() {
    bool changed = false;
    while (!state.ready.empty() &&
           reverse_->may_confirm(state.ready.size(), state.ready.front().since, now())) {
        const Ready r = state.ready.front();
        if (!modules_->can_grant(r.module)) break;
        state.ready.pop();
        reverse_->confirmed(now());
        modules_->grant(r.module, r.id, static_cast<std::uint32_t>(map_.line_bytes), false, now(),
                        mem::DramWires::data, true);
        changed = true;
    }
    return changed;
}

/// Victims to XPoint, unless the XPoint controller takes them over.
bool TwoLevelController::evict(bool old_ones) {
    if (params.eviction.auto_rw() || (reverse_ && reverse_->held())) return false;
    if (!evictions_->book(old_ones, now())) return false;
    send_left();
    return true;
}

/// The next time at which anything can change by itself. What waits for a port or an answer is
/// woken by it.
void TwoLevelController::arm_next() {
    const mem::DramScheduler& dram = channel_->dram();
    Tick next = std::min(dram.next_action(), dram.next_done());
    const auto consider = [&](Tick t) {
        if (t > now() && t < next) next = t;
    };
    const Tick free = channel_->free_at();
    if (!state.ready.empty()) {
        consider(free - channel_->lead());
        if (reverse_) consider(state.ready.front().since + params.reverse.reverse_patience->raw);
    }
    for (std::uint32_t m = 0; m < modules_->modules(); ++m) consider(modules_->leaves(m));
    evictions_->consider(consider);
    if (next == never)
        cancel(state.next);
    else
        arm(state.next, next);
}

} // namespace memsim::ohm
