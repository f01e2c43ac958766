#include "ohm/planar_controller.hh"

/// The devices behind the controller and the channel that they share.
namespace memsim::ohm {

using protocol::Command;
using protocol::Stage;

void PlanarController::take_answers() {
    for (std::uint32_t m = 0; m < params.modules(); ++m) {
        auto& commands = port.commands[m];
        while (!commands.empty()) {
            const std::uint32_t id = commands.pop().id;
            if (id & migration_id) {
                state.ready_migration.push({m, id});
            } else {
                state.ready_demand.push({m, id});
                sim().stamps().mark(state.requests[id].r.stamps,
                                    static_cast<std::size_t>(Stage::xpoint), now());
            }
        }
        auto& transfers = port.transfers[m];
        while (!transfers.empty()) {
            const protocol::DdrtData d = transfers.pop();
            if (d.id & migration_id)
                piece_from_xpoint(d.id, d.versions);
            else
                finish_read(d.id, d.versions[state.requests[d.id].offset / block_bytes % 2]);
        }
    }
}

/// Writes whose slot has ended are on their way to the module.
void PlanarController::send_left() {
    for (std::uint32_t m = 0; m < params.modules(); ++m) {
        auto& leaving = state.modules[m].leaving;
        if (leaving.empty() || leaving.front().at > now()) continue;
        const protocol::DdrtCommand c = leaving.pop().command;
        port.commands[m].send(c); // nobody else sends to this module meanwhile
        if (c.migration) {
            Swap& s = swap_of(c.id);
            s.xpoint_written |= static_cast<Mask>(1u << (c.id & 15));
            end_if_done(s);
        } else {
            finish(c.id);
        }
    }
}

void PlanarController::take_dram_done() {
    while (dram_->next_done() <= now()) {
        const mem::DramDone d = dram_->pop_done();
        if (d.context & migration_id) {
            if (!d.write) piece_from_dram(d.context); // writes: nobody waits for them
        } else {
            Request& q = state.requests[d.context];
            if (--q.accesses || q.fed < q.r.bytes) continue;
            if (d.write)
                finish(d.context);
            else
                finish_read(d.context, state.dram_content.read(dram_block(q)));
        }
    }
}

// ---- to the devices --------------------------------------------------------------------------

mem::DramAccess PlanarController::dram_access(std::uint64_t address, std::uint32_t bytes) const {
    const std::uint64_t row = row_.quotient(address), offset = row_.remainder(address);
    const std::uint64_t first = burst_.quotient(offset);
    const std::uint64_t last = burst_.quotient(offset + bytes - 1);
    mem::DramAccess a;
    a.bank = static_cast<std::uint32_t>(banks_.remainder(row));
    a.row = static_cast<std::uint32_t>(banks_.quotient(row));
    a.column = static_cast<std::uint32_t>(first);
    a.bursts = static_cast<std::uint16_t>(last - first + 1);
    return a;
}

/// The scheduler may issue a write before a read that came first; not if they are of one block.
bool PlanarController::read_of_block_waits(const Request& write) const {
    const std::uint64_t block = dram_block(write);
    for (const Request& q : state.requests)
        if (q.live && q.started && q.place == Place::dram && q.r.command == Command::read &&
            dram_block(q) == block)
            return true;
    return false;
}

bool PlanarController::feed_dram() {
    bool changed = false;
    while (!state.dram_queue.empty()) {
        const std::uint32_t id = state.dram_queue.front();
        Request& q = state.requests[id];
        const bool write = q.r.command != Command::read;
        if (!dram_->can_accept(write) || (write && read_of_block_waits(q))) break;
        const protocol::Part part = protocol::next_part(q.r, q.fed, timing_.burst);
        mem::DramAccess a =
            dram_access(placement_.dram_address(q.group) + q.offset + part.offset, part.bytes);
        a.context = id;
        a.write = write;
        q.started = true;
        q.fed = part.offset + part.bytes;
        ++q.accesses;
        if (q.fed == q.r.bytes) {
            state.dram_queue.pop();
            sim().stamps().mark(q.r.stamps, static_cast<std::size_t>(Stage::queue), now());
        }
        if (write && params.check_contents()) state.dram_content.write(dram_block(q), q.version);
        const Uint128 forwarded = stat.forwarded.value();
        dram_->enqueue(a, now());
        if (stat.forwarded.value() == forwarded) count_transfer(a.bursts * timing_.burst, false);
        changed = true;
    }
    return changed;
}

/// Read commands; a write first needs its slot of the channel.
bool PlanarController::feed_modules() {
    bool changed = false;
    for (std::uint32_t m = 0; m < params.modules(); ++m) {
        ModuleQueue& queue = state.modules[m];
        if (queue.commands.empty()) continue;
        if (old_swap_writes(m)) continue; // needs a place there and the channel at one time
        while (!queue.commands.empty() && queue.leaving.empty()) {
            const std::uint32_t id = queue.commands.front();
            Request& q = state.requests[id];
            if (q.r.command != Command::read || !port.commands[m].can_send()) break;
            queue.commands.pop();
            --state.commands;
            q.started = true;
            sim().stamps().mark(q.r.stamps, static_cast<std::size_t>(Stage::queue), now());
            port.commands[m].send({placement_.module_address(q.group, q.location) + q.offset,
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

/// Takes the next slot, from when the sender can use it; returns its end.
Tick PlanarController::book(std::uint32_t module, std::uint32_t bytes, bool towards_module,
                            bool migration) {
    const Tick lead = towards_module ? 0 : params.grant_latency->raw;
    const auto user = static_cast<std::uint16_t>(timing_.ranks + module);
    const Tick start = std::max(bus_->earliest(user, towards_module), now() + lead);
    count_transfer(bytes, migration);
    const Tick end = bus_->reserve(start, bytes, static_cast<std::uint16_t>(timing_.ranks + module),
                                   towards_module);
    stat.channel_time += Time {end - start};
    return end;
}

/// Grants the channel to the read that has been ready longest, if it is free at most `ahead` from
/// now.
bool PlanarController::grant_first(Fifo<Ready>& ready, Tick ahead) {
    if (ready.empty()) return false;
    const Ready r = ready.front();
    if (bus_->free_at() > now() + ahead || !port.transfers[r.module].can_send()) return false;
    ready.pop();
    const bool migration = r.id & migration_id;
    const std::uint32_t bytes = migration ? piece_bytes : state.requests[r.id].r.payload();
    const Tick end = book(r.module, bytes, false, migration);
    port.transfers[r.module].send({r.id, end});
    return true;
}

bool PlanarController::book_demand() {
    if (bus_->free_at() > now() + lead_) return false;
    bool changed = false;
    while (grant_first(state.ready_demand, lead_)) changed = true;
    for (std::uint32_t m = 0; m < params.modules(); ++m) {
        ModuleQueue& queue = state.modules[m];
        if (queue.commands.empty() || !queue.leaving.empty()) continue;
        const std::uint32_t id = queue.commands.front();
        Request& q = state.requests[id];
        if (q.r.command == Command::read || bus_->free_at() > now() + lead_ ||
            !port.commands[m].can_send())
            continue;
        queue.commands.pop();
        --state.commands;
        q.started = true;
        sim().stamps().mark(q.r.stamps, static_cast<std::size_t>(Stage::queue), now());
        const Tick end = book(m, q.r.payload(), true, false);
        queue.leaving.push({end,
                            {placement_.module_address(q.group, q.location) + q.offset,
                             q.r.bytes,
                             id,
                             {q.version, q.version},
                             true,
                             false,
                             q.r.sectors}});
        changed = true;
    }
    return changed;
}

/// Reads and writes of XPoint for swaps: those of old swaps go before demand, the others where
/// the channel would idle.
bool PlanarController::book_migration(bool old_ones) {
    auto& ready = state.ready_migration;
    const std::uint64_t writers = swaps_.channel & (old_ones ? swaps_.old : ~std::uint64_t {0});
    const Tick ahead = old_ones ? lead_ : params.grant_latency->raw;
    if (bus_->free_at() > now() + ahead) return false;
    bool changed = false;
    while (!ready.empty() && (!old_ones || old(swap_of(ready.front().id))) &&
           grant_first(ready, ahead))
        changed = true;
    for (std::uint64_t rest = writers; rest; rest &= rest - 1) {
        const auto i = static_cast<std::uint32_t>(std::countr_zero(rest));
        Swap& s = state.swaps[i];
        const unsigned pieces = s.live ? pieces_to_xpoint(s) : 0;
        const std::uint32_t m = s.module;
        ModuleQueue& queue = state.modules[m];
        if (pieces == 0 || !queue.leaving.empty() || (!queue.commands.empty() && !old_ones) ||
            bus_->free_at() > now() + (old_ones ? lead_ : 0) || !port.commands[m].can_send())
            continue;
        const unsigned n = first_of(pieces);
        const Tick end = book(m, piece_bytes, true, true);
        queue.leaving.push({end,
                            {placement_.module_address(s.group, s.location) + n * piece_bytes,
                             piece_bytes, migration_id | i << 4 | n, s.from_dram[n], true, true}});
        s.xpoint_write_asked |= static_cast<Mask>(1u << n);
        changed = true;
    }
    return changed;
}

void PlanarController::count_transfer(std::uint32_t bytes, bool migration) {
    auto& remainder = migration ? state.migration_remainder : state.demand_remainder;
    (migration ? stat.migration_time : stat.demand_time) +=
        static_cast<std::uint64_t>(wire_[migration].take(bytes, remainder));
    (migration ? stat.migration_bytes : stat.demand_bytes) += bytes;
    (migration ? state.migration_bytes : state.demand_bytes) += bytes;
    state.transfers += burst_.quotient(bytes + timing_.burst - 1);
}

/// The next time at which anything can change by itself. What waits for a port, an answer or a
/// command before it is woken by that.
void PlanarController::arm_next() {
    Tick next = std::min(dram_->next_action(), dram_->next_done());
    const auto consider = [&](Tick t) {
        if (t > now() && t < next) next = t;
    };
    // From when on the channel can be booked: demand and old swaps may book it `lead` ahead.
    const Tick free = bus_->free_at();
    if (!state.ready_demand.empty()) consider(free - lead_);
    if (!state.ready_migration.empty()) {
        const bool first = old(swap_of(state.ready_migration.front().id));
        consider(free - (first ? lead_ : params.grant_latency->raw));
    }
    for (const ModuleQueue& queue : state.modules) {
        if (!queue.leaving.empty())
            consider(queue.leaving.front().at);
        else if (!queue.commands.empty() && is_write(queue.commands.front()))
            consider(free - lead_);
    }
    for (std::uint64_t rest = state.live_swaps; rest; rest &= rest - 1) {
        const auto i = static_cast<std::uint32_t>(std::countr_zero(rest));
        const Swap& s = state.swaps[i];
        consider(old_at(s)); // its transfers gain in rank
        if (pieces_to_xpoint(s) && state.modules[s.module].leaving.empty())
            consider(old(s) ? free - lead_ : free);
    }
    if (next == never)
        cancel(state.next);
    else
        arm(state.next, next);
}

} // namespace memsim::ohm
