#include "ohm/planar_controller.hh"
#include "parts/named.hh"

/// The devices behind the controller and the channel that they share.
namespace memsim::ohm {

using protocol::Command;
using protocol::Stage;

void PlanarController::take_answers() {
    for (std::uint32_t m = 0; m < params.channel.modules(); ++m) {
        auto& commands = port.channel.commands[m];
        while (!commands.empty()) {
            const std::uint32_t id = commands.pop().id;
            if (params.swap_function() && id & migration_id) {
                swap_of(id).phase = Phase::ready;
            } else if (id & migration_id) {
                state.ready_migration.push({m, id});
            } else {
                state.ready_demand.push({m, id});
                sim().stamps().mark(parts::named(state.requests, id).r.stamps,
                                    static_cast<std::size_t>(Stage::xpoint), now());
            }
        }
        auto& transfers = port.channel.transfers[m];
        while (!transfers.empty()) {
            const protocol::DdrtData d = transfers.pop();
            if (d.id & migration_id)
                piece_from_xpoint(d.id, d.contents);
            else
                finish(d.id, d.contents);
        }
    }
}

/// Writes whose slot has ended are on their way to the module.
void PlanarController::send_left() {
    for (auto& leaving : state.channel.leaving) {
        if (leaving.empty() || leaving.front().at > now()) continue;
        const auto m = static_cast<std::uint32_t>(&leaving - state.channel.leaving.data());
        const protocol::DdrtCommand c = leaving.pop().command;
        port.channel.commands[m].send(c); // nobody else sends to this module meanwhile
        if (c.swap) {
            ordered(swap_of(c.id));
        } else if (c.migration) {
            Swap& s = swap_of(c.id);
            s.xpoint_written |= static_cast<Mask>(1u << (c.id & 15));
            end_if_done(s);
        } else {
            finish(c.id);
        }
    }
}

void PlanarController::take_dram_done() {
    while (channel_->dram().next_done() <= now()) {
        const mem::DramDone d = channel_->dram().pop_done();
        if (d.context & migration_id) {
            if (!d.write) piece_from_dram(d.context); // writes: nobody waits for them
        } else {
            Request& q = state.requests[d.context];
            if (--q.accesses || q.fed < q.r.bytes) continue;
            if (d.write)
                finish(d.context);
            else
                finish(d.context, read_at(state.dram, q, dram_address(q)));
        }
    }
}

// ---- to the devices --------------------------------------------------------------------------

/// The scheduler may issue a write before a read that came first; not if they are of one block.
bool PlanarController::read_of_block_waits(const Request& write) const {
    const std::uint64_t block = dram_block(write);
    bool waits = false;
    state.places.for_each_taken([&](std::uint32_t id) {
        const Request& q = state.requests[id];
        waits |= q.started && q.place == Place::dram && q.r.command == Command::read &&
                 dram_block(q) == block;
    });
    return waits;
}

bool PlanarController::feed_dram() {
    bool changed = false;
    for (std::uint32_t i = 0; i < state.dram_queue.size();) {
        const std::uint32_t id = state.dram_queue[i];
        Request& q = state.requests[id];
        if (state.held_banks && conflicts(q)) { // as do all of its block
            if (!q.conflict) ++stat.conflicts;
            q.conflict = true;
            ++i;
            continue;
        }
        const bool write = q.r.command != Command::read;
        if (!channel_->dram().can_accept(write) || (write && read_of_block_waits(q))) break;
        const protocol::Part part = protocol::next_part(q.r, q.fed, channel_->timing().burst);
        mem::DramAccess a = channel_->dram_access(dram_address(q) + part.offset, part.bytes);
        a.context = id;
        a.write = write;
        q.started = true;
        q.fed = part.offset + part.bytes;
        ++q.accesses;
        if (q.fed == q.r.bytes) {
            state.dram_queue.erase(i);
            sim().stamps().mark(q.r.stamps, static_cast<std::size_t>(Stage::queue), now());
        }
        if (q.fed == q.r.bytes && q.r.contents)
            state.dram.write(sim().contents(), dram_address(q) / SectorBytes::size,
                             std::exchange(q.r.contents, {}));
        channel_->enqueue(a, false, now());
        changed = true;
    }
    return changed;
}

/// Read commands; a write first needs its slot of the channel.
bool PlanarController::feed_modules() {
    bool changed = false;
    for (std::uint32_t m = 0; m < params.channel.modules(); ++m) {
        auto& queue = state.to_module[m];
        auto& leaving = state.channel.leaving[m];
        if (queue.empty()) continue;
        if (old_swap_writes(m)) continue; // needs a place there and the channel at one time
        while (!queue.empty() && leaving.empty()) {
            const std::uint32_t id = queue.front();
            Request& q = state.requests[id];
            if (q.r.command != Command::read || !port.channel.commands[m].can_send()) break;
            queue.pop();
            --state.commands;
            q.started = true;
            sim().stamps().mark(q.r.stamps, static_cast<std::size_t>(Stage::queue), now());
            port.channel.commands[m].send(
                {placement_.module_address(q.group, q.location) + q.offset,
                 q.r.bytes,
                 id,
                 {},
                 false,
                 false,
                 q.r.sectors});
            changed = true;
        }
    }
    return changed;
}

// ---- the channel -----------------------------------------------------------------------------

/// Grants the channel to the read that has been ready longest, if it is free at most `ahead` from
/// now.
bool PlanarController::grant_first(Fifo<Ready>& ready, Tick ahead) {
    if (ready.empty()) return false;
    const Ready r = ready.front();
    const bool migration = r.id & migration_id;
    const Tick free = migration ? beside_->free_at() : channel_->free_at();
    if (free > now() + ahead || !port.channel.transfers[r.module].can_send()) return false;
    ready.pop();
    const std::uint32_t bytes = migration ? piece_bytes : state.requests[r.id].r.payload();
    const Tick end = channel_->book(r.module, bytes, false, migration, now(),
                                    migration ? wires_ : mem::DramWires::data);
    port.channel.transfers[r.module].send({r.id, end});
    return true;
}

bool PlanarController::book_demand() {
    if (channel_->free_at() > now() + channel_->lead()) return false;
    bool changed = false;
    while (grant_first(state.ready_demand, channel_->lead())) changed = true;
    for (std::uint32_t m = 0; m < params.channel.modules(); ++m) {
        auto& queue = state.to_module[m];
        auto& leaving = state.channel.leaving[m];
        if (queue.empty() || !leaving.empty()) continue;
        const std::uint32_t id = queue.front();
        Request& q = state.requests[id];
        if (q.r.command == Command::read || channel_->free_at() > now() + channel_->lead() ||
            !port.channel.commands[m].can_send())
            continue;
        queue.pop();
        --state.commands;
        q.started = true;
        sim().stamps().mark(q.r.stamps, static_cast<std::size_t>(Stage::queue), now());
        const Tick end = channel_->book(m, q.r.payload(), true, false, now());
        leaving.push({end,
                      {placement_.module_address(q.group, q.location) + q.offset, q.r.bytes, id,
                       std::exchange(q.r.contents, {}), true, false, q.r.sectors, partial(q.r)}});
        changed = true;
    }
    return changed;
}

/// Reads and writes of XPoint for swaps: those of old swaps go before demand, the others where
/// the channel would idle.
bool PlanarController::book_migration(bool old_ones) {
    auto& ready = state.ready_migration;
    const std::uint64_t writers = swaps_.channel & (old_ones ? swaps_.old : ~std::uint64_t {0});
    const Tick ahead = old_ones ? channel_->lead() : params.channel.grant_latency->raw;
    bool changed = writers && params.auto_rw() && snarf(writers);
    if (beside_->free_at() > now() + ahead) return changed;
    while (!ready.empty() && (!old_ones || old(swap_of(ready.front().id))) &&
           grant_first(ready, ahead))
        changed = true;
    if (params.auto_rw()) return changed;
    for (std::uint64_t rest = writers; rest; rest &= rest - 1) {
        const auto i = static_cast<std::uint32_t>(std::countr_zero(rest));
        Swap& s = state.swaps[i];
        const unsigned pieces = s.live ? pieces_to_xpoint(s) : 0;
        const std::uint32_t m = s.module;
        auto& queue = state.to_module[m];
        auto& leaving = state.channel.leaving[m];
        if (pieces == 0 || !leaving.empty() || (!queue.empty() && !old_ones) ||
            beside_->free_at() > now() + (old_ones ? channel_->lead() : 0) ||
            !port.channel.commands[m].can_send())
            continue;
        const unsigned n = first_of(pieces);
        const Tick end = channel_->book(m, piece_bytes, true, true, now(), wires_);
        leaving.push({end, to_xpoint(s, n)});
        s.xpoint_write_asked |= static_cast<Mask>(1u << n);
        changed = true;
    }
    return changed;
}

/// The next time at which anything can change by itself. What waits for a port, an answer or a
/// command before it is woken by that.
void PlanarController::arm_next() {
    const mem::FrFcfs& dram = channel_->dram();
    Tick next = std::min(dram.next_action(), dram.next_done());
    const auto consider = [&](Tick t) {
        if (t > now() && t < next) next = t;
    };
    // From when on the channel can be booked: demand and old swaps may book it `lead` ahead.
    const Tick free = channel_->free_at();
    const bool function = route_.has_value();
    if (!state.ready_demand.empty()) consider(free - channel_->lead());
    if (!state.ready_migration.empty()) {
        const bool first = old(swap_of(state.ready_migration.front().id));
        consider(beside_->free_at() -
                 (first ? channel_->lead() : params.channel.grant_latency->raw));
    }
    const auto* queue = state.to_module.data();
    for (const auto& leaving : state.channel.leaving) {
        if (!leaving.empty())
            consider(leaving.front().at);
        else if (!queue->empty() && is_write(queue->front()))
            consider(free - channel_->lead());
        ++queue;
    }
    for (std::uint64_t rest = state.live_swaps; rest; rest &= rest - 1) {
        const auto i = static_cast<std::uint32_t>(std::countr_zero(rest));
        const Swap& s = state.swaps[i];
        consider(old_at(s)); // its transfers gain in rank
        if (function && s.phase == Phase::command) consider(free - channel_->lead());
        if (pieces_to_xpoint(s) && state.channel.leaving[s.module].empty())
            consider(beside_->free_at() - (old(s) ? channel_->lead() : 0));
    }
    if (function) consider(route_->next());
    if (channel_->coded()) consider(channel_->free_at(mem::DramWires::side));
    if (next == never)
        cancel(state.next);
    else
        arm(state.next, next);
}

} // namespace memsim::ohm
