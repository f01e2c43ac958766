#include "ohm/planar/page_demand.hh"

#include <algorithm>

namespace memsim::ohm {

using protocol::Command;
using protocol::Stage;

void PageDemand::dispatch(std::uint32_t id, std::uint32_t location) {
    PageRequest& q = state_.requests[id];
    q.location = static_cast<std::uint8_t>(location);
    if (q.location == 0) {
        ++(q.is_write() ? stats_.dram_writes : stats_.dram_reads);
        q.place = PageRequest::Place::dram;
        state_.dram_queue.push(id);
    } else {
        ++(q.is_write() ? stats_.xpoint_writes : stats_.xpoint_reads);
        q.place = PageRequest::Place::xpoint;
        state_.to_module[placement_.module_of(q.group, q.location)].push(id);
        ++state_.commands;
    }
}

/// The scheduler may issue a write before an older read, but not if both access the same block.
bool PageDemand::read_of_block_waits(const PageRequest& write) const {
    if (state_.dram_reads[bucket(write)] == 0) return false;
    bool waits = false;
    state_.slots.for_each_taken([&](std::uint32_t id) {
        const PageRequest& q = state_.requests[id];
        waits |= q.is_dram_read() && q.group == write.group &&
                 q.offset / block_bytes == write.offset / block_bytes;
    });
    return waits;
}

/// Passes part of a request to the scheduler. Returns whether it was the last part.
bool PageDemand::feed(std::uint32_t id, Tick now) {
    PageRequest& q = state_.requests[id];
    const protocol::Part part = protocol::next_part(q.r, q.fed, channel_.timing().burst);
    mem::DramAccess a = channel_.dram_access(dram_address(q) + part.offset, part.bytes);
    a.context = id;
    a.write = q.is_write();
    if (!std::exchange(q.started, true) && !a.write) ++state_.dram_reads[bucket(q)];
    q.fed = part.offset + part.bytes;
    ++q.accesses;
    const bool last = q.fed == q.r.bytes;
    if (last) {
        sim_.stamps().mark(q.r.stamps, Stage::queue, now);
        if (q.r.contents)
            dram_.write(sim_.contents(), dram_address(q) / SectorBytes::size,
                        std::exchange(q.r.contents, {}));
    }
    channel_.enqueue(a, false, now);
    return last;
}

/// The command for the first request of a module's queue.
protocol::DdrtCommand PageDemand::next_command(std::uint32_t module, Tick now) {
    const std::uint32_t id = state_.to_module[module].pop();
    --state_.commands;
    PageRequest& q = state_.requests[id];
    q.started = true;
    sim_.stamps().mark(q.r.stamps, Stage::queue, now);
    protocol::DdrtCommand c;
    c.address = placement_.module_address(q.group, q.location) + q.offset;
    c.bytes = q.r.bytes;
    c.id = id;
    c.contents = std::exchange(q.r.contents, {});
    c.write = q.is_write();
    c.sectors = q.r.sectors;
    c.partial = q.r.command == Command::atomic ? std::uint16_t {0xffff} : q.r.partial;
    return c;
}

bool PageDemand::book_waiting(Tick now, bool issue) {
    const auto busy = [&] { return channel_.free_at() > now + channel_.lead(); };
    bool changed = state_.ready.grant(
        modules_, [&](const ReadyRead&) { return !busy(); },
        [&](const ReadyRead& r) {
            modules_.grant(r.module, r.id, state_.requests[r.id].r.payload(), false, now);
        });
    for (std::uint32_t m = 0; issue && m < modules_.modules() && !busy(); ++m) {
        const auto& queue = state_.to_module[m];
        if (queue.empty() || !modules_.quiet(m) || !modules_.can_send(m)) continue;
        const PageRequest& q = state_.requests[queue.front()];
        if (!q.is_write()) continue;
        const std::uint32_t bytes = q.r.payload();
        modules_.book(m, bytes, next_command(m, now), false, now);
        changed = true;
    }
    return changed;
}

void PageDemand::end_hold() {
    state_.holds = false;
    ++state_.hold;
    std::ranges::fill(state_.kept_at, 0);
    while (!state_.kept.empty()) state_.ready.push(state_.kept.pop());
}

// ---- answers ---------------------------------------------------------------------------------

void PageDemand::ready(std::uint32_t module, std::uint32_t id, Tick now) {
    const bool kept = state_.holds && state_.requests[id].hold == state_.hold;
    (kept ? state_.kept : state_.ready).push({module, id, now});
    sim_.stamps().mark((*this)[id].r.stamps, Stage::xpoint, now);
}

void PageDemand::dram_done(const mem::DramDone& d) {
    PageRequest& q = state_.requests[d.context];
    if (--q.accesses || q.fed < q.r.bytes) return;
    if (!d.write) --state_.dram_reads[bucket(q)];
    done_(d.context, d.write ? Contents::Id {} : read_dram(q));
}

Contents::Id PageDemand::read_dram(const PageRequest& q) {
    if (!sim_.contents().enabled()) return {};
    protocol::MemRequest there = q.r;
    there.address = dram_address(q);
    return dram_.read(sim_.contents(), there);
}

void PageDemand::check_loaded(Loader& l, unsigned slots, std::size_t swaps) const {
    table_.check_all(l, "dram_queue", state_.dram_queue);
    std::uint32_t commands = 0;
    for (const auto& queue : state_.to_module) {
        commands += queue.size();
        table_.check_all(l, "to_module", queue);
    }
    l.within("commands", [&] {
        l.check(commands == state_.commands, "differs from the commands in the queues");
    });
    for (const auto& [name, reads] : {std::pair {"ready", &state_.ready}, {"kept", &state_.kept}})
        l.within(name, [&, reads = reads] {
            for (std::uint32_t i = 0; i < reads->size(); ++i) {
                l.index("module", (*reads)[i].module, modules_.modules());
                table_.check(l, "id", (*reads)[i].id);
            }
        });
    l.within("kept_at", [&] {
        for (const std::uint32_t n : state_.kept_at) l.check(n <= kept_, "exceeds the limit");
    });
    l.within("kept",
             [&] { l.check(state_.holds || state_.kept.empty(), "is not empty outside a hold"); });
    auto dram_reads = state_.dram_reads;
    state_.slots.for_each_taken([&](std::uint32_t id) {
        const PageRequest& q = state_.requests[id];
        dram_reads[bucket(q)] -= q.is_dram_read();
    });
    l.within("dram_reads", [&] {
        l.check(dram_reads == decltype(dram_reads) {}, "differs from the reads in the scheduler");
    });
    for (const PageRequest& q : state_.requests) {
        if (q.blocks_swap != Group::none) l.index("requests.blocks_swap", q.blocks_swap, swaps);
        l.index("requests.group", q.group, placement_.groups);
        l.index("requests.slot", q.slot, slots);
        l.index("requests.location", q.location, slots);
        l.index("requests.offset", q.offset, placement_.page_bytes);
    }
}

} // namespace memsim::ohm
