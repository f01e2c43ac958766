#include "mem/page_cache.hh"

#include "core/registry.hh"
#include "parts/record_part.hh"

#include <bit>

namespace memsim::mem {

static const Registration<PageCache> registered {
    "A DRAM that is the cache of a drive, for requests below physical memory."};

using protocol::BlockOp;
using protocol::Command;
using protocol::MemRequest;

void PageCache::init() {
    unit_ = static_cast<std::uint64_t>(params.unit->raw);
    line_ = static_cast<std::uint32_t>(params.line->raw);
    if (!std::has_single_bit(unit_)) refuse("unit", "must be a power of two");
    if (!std::has_single_bit(line_)) refuse("line", "must be a power of two");
    const auto capacity = static_cast<std::uint64_t>(params.capacity->raw);
    if (capacity < unit_ || capacity % unit_)
        refuse("capacity",
               params.capacity.text() + " is not a whole number of units of " + params.unit.text());
    if (params.drive_base->raw % protocol::block_sector_bytes)
        refuse("drive_base", "must be a multiple of a drive's sector of 512B");
    if (params.batch() * unit_ >
        protocol::BlockRequest::most_sectors * protocol::block_sector_bytes)
        refuse("batch", params.batch.text() + " units of " + params.unit.text() +
                            " are more than the 512KiB that a drive reads at once");
    state.replacement.make(params.replacement, *this, "replacement");
    state.resident.resize(capacity / unit_, *state.replacement);
    state.requests.resize(params.requests());
    for (std::uint32_t i = params.requests(); i-- > 0;) state.free.push_back(i);
    state.at_drive.resize(params.drive_queue());
    for (std::uint32_t i = params.drive_queue(); i-- > 0;) state.free_tags.push_back(i);
}

void PageCache::wake() {
    while (!port.drive_side.empty()) drive_answered(port.drive_side.pop());
    while (!port.dram_side.empty()) dram_answered(port.dram_side.pop());
    bool more = true;
    while (more) {
        more = accept();
        take_hints();
        more |= send();
    }
}

// ---- requests and hints ----------------------------------------------------------------------

bool PageCache::accept() {
    bool any = false;
    for (; !port.cpu_side.empty() && take(port.cpu_side.front()); any = true) {
        port.cpu_side.pop();
        state.stalled = false;
    }
    return any;
}

/// False if it has to wait, having changed nothing that it would not do again.
bool PageCache::take(const MemRequest& r) {
    const std::uint64_t unit = r.address / unit_;
    if (r.bytes == 0 || (r.address + r.bytes - 1) / unit_ != unit)
        refuse("unit", "a request of " + std::to_string(r.bytes) + "B at address " +
                           std::to_string(r.address) + " does not lie within one unit of " +
                           params.unit.text());
    if (protocol::for_a_cache(r.command))
        refuse("cpu_side", "takes reads, writes and atomics, no commands for a cache");
    const auto stall = [this](Counter& cause) {
        if (!std::exchange(state.stalled, true)) ++cause;
        return false;
    };
    if (state.free.empty()) return stall(stat.stalled_by_requests);
    std::uint32_t f = state.resident.find(unit);
    const bool missed = f == none;
    if (missed && (f = send_for(unit, parts::AskedBy::demand)) == none)
        return stall(stat.stalled_by_frames);

    ++(r.command == Command::read ? stat.reads : stat.writes);
    stat.bytes += r.payload();
    const std::uint32_t slot = state.free.back();
    state.free.pop_back();
    state.requests[slot] = {r, now(), f, none};
    if (state.resident[f].here) {
        ++stat.hits;
        serve(slot);
        return true;
    }
    ++(missed ? stat.misses : stat.merged);
    Frame& frame = *state.arriving.find(f);
    if (!missed && frame.head == none) ++stat.late_prefetches;
    (frame.head == none ? frame.head : state.requests[frame.tail].next) = slot;
    frame.tail = slot;
    if (missed && port.misses.size() &&
        !port.misses[0].offer({unit * unit_, static_cast<std::uint32_t>(unit_), r.application}))
        ++stat.lost_misses;
    return true;
}

void PageCache::take_hints() {
    for (unsigned p = 0; p < port.hints.size(); ++p)
        while (!port.hints[p].empty()) {
            const MemRequest h = port.hints[p].pop();
            if (!h.is_hint())
                refuse("prefetchers", "sends hints alone; requests come in by cpu_side");
            const std::uint64_t end = (h.address + h.bytes + unit_ - 1) / unit_;
            for (std::uint64_t unit = h.address / unit_; unit < end; ++unit) {
                if (state.resident.find(unit) != none) continue;
                const bool sent = send_for(unit, parts::AskedBy::prefetch) != none;
                ++(sent ? stat.prefetches : stat.dropped_prefetches);
            }
        }
}

/// The frame that a unit will be in; none if those of all others are in use.
std::uint32_t PageCache::send_for(std::uint64_t unit, parts::AskedBy asked) {
    const auto c = state.resident.claim(unit, asked);
    if (c.frame == none) return none;
    stat.ghost_hits += c.ghost;
    Frame& frame = state.arriving[c.frame];
    frame.since = now();
    if (c.evicts) {
        ++stat.evictions;
        stat.unused_prefetches += c.victim.asked == parts::AskedBy::prefetch && !c.victim.used;
    }
    if (c.evicts && c.victim.dirty) {
        frame.victim = c.victim.key;
        frame.left = static_cast<std::uint32_t>(unit_ / line_);
        if (sim().contents().enabled()) frame.out = sim().contents().create();
        state.leaving[c.victim.key] = false;
        state.copies.push({c.frame, 0, false});
    }
    if (bool* again = state.leaving.find(unit))
        *again = true;
    else
        read_from_drive(unit, asked == parts::AskedBy::demand);
    return c.frame;
}

void PageCache::read_from_drive(std::uint64_t unit, bool urgent) {
    if (!state.to_drive.empty()) {
        Io& last = state.to_drive.back();
        if (!last.write && last.urgent == urgent && last.unit + last.units == unit &&
            last.units < params.batch()) {
            ++last.units;
            return;
        }
    }
    state.to_drive.push({unit, 1, false, urgent, {}});
}

/// Its unit is here: it waits for the DRAM.
void PageCache::serve(std::uint32_t slot) {
    const Request& q = state.requests[slot];
    state.resident.use(q.frame, q.request.command != Command::read);
    state.resident.pin(q.frame);
    state.demand.push(slot);
}

// ---- what leaves -----------------------------------------------------------------------------

bool PageCache::send() {
    bool any = false;
    for (; !state.to_drive.empty() && port.drive_side.can_send(); any = true) send_to_drive();
    while (port.dram_side.can_send() && !(state.demand.empty() && state.copies.empty())) {
        if (state.copies.empty() || (!state.demand.empty() && !state.copy_next))
            send_demand();
        else
            send_copy();
        state.copy_next = !state.copy_next;
        any = true;
    }
    return any;
}

void PageCache::send_to_drive() {
    Io io = state.to_drive.pop();
    const std::uint32_t tag = state.free_tags.back(); // the port lets no more than these out
    state.free_tags.pop_back();
    protocol::BlockRequest r;
    r.contents = std::exchange(io.contents, {});
    state.at_drive[tag] = io;
    r.sector = (static_cast<std::uint64_t>(params.drive_base->raw) + io.unit * unit_) /
               protocol::block_sector_bytes;
    r.sectors = io.units * unit_ / protocol::block_sector_bytes;
    r.op = io.write ? BlockOp::write : BlockOp::read;
    r.tag = tag;
    r.urgent = io.urgent;
    port.drive_side.send(r);
    stat.drive_reads += !io.write;
}

std::uint64_t PageCache::dram_address(std::uint32_t frame, std::uint64_t offset) const {
    return static_cast<std::uint64_t>(params.dram_base->raw) + frame * unit_ + offset;
}

void PageCache::send_demand() {
    const std::uint32_t slot = state.demand.pop();
    const Request& q = state.requests[slot];
    MemRequest r = q.request;
    r.address = dram_address(q.frame, r.address % unit_);
    r.tag = slot;
    r.source = 0;
    sim().stamps().mark(r.stamps, static_cast<std::size_t>(protocol::Stage::queue), now());
    port.dram_side.send(r);
    stat.dram_bytes += r.payload();
    if (!r.posted) return;
    state.resident.unpin(q.frame);
    state.free.push_back(slot);
}

void PageCache::send_copy() {
    Copy& c = state.copies.front();
    MemRequest r;
    r.address = dram_address(c.frame, std::uint64_t {c.line} * line_);
    r.bytes = line_;
    r.command = c.in ? Command::write : Command::read;
    r.posted = c.in;
    r.tag = params.requests() + c.frame;
    if (c.in && sim().contents().enabled()) {
        const std::uint32_t sectors = line_ / SectorBytes::size;
        r.contents = parts::part_of(sim().contents(), state.arriving.find(c.frame)->in,
                                    c.line * sectors, sectors);
        sim().contents()[r.contents].moves = true; // the frame was another unit's
    }
    port.dram_side.send(r);
    stat.dram_bytes += line_;
    if (++c.line * std::uint64_t {line_} < unit_) return;
    const Copy done = state.copies.pop();
    if (done.in) copied_in(done.frame);
}

// ---- what comes back -------------------------------------------------------------------------

void PageCache::dram_answered(const protocol::MemResponse& r) {
    if (r.tag >= params.requests()) {
        const std::uint32_t f = r.tag - params.requests();
        Frame* frame = state.arriving.find(f);
        MEMSIM_ASSERT(frame && frame->left, "the DRAM answers what was not asked");
        parts::add_part(
            sim().contents(), frame->out,
            static_cast<std::uint32_t>((r.address - dram_address(f, 0)) / SectorBytes::size),
            r.contents);
        if (--frame->left == 0) copied_out(f);
        return;
    }
    const Request& q = parts::named(state.requests, r.tag);
    state.resident.unpin(q.frame);
    stat.latency.sample(Time {now() - q.since});
    protocol::MemResponse answer = protocol::answer(q.request);
    answer.contents = r.contents;
    port.cpu_side.send(answer);
    state.free.push_back(r.tag);
}

/// The unit that made room is on its way to the drive; the new one may be written to its frame.
void PageCache::copied_out(std::uint32_t f) {
    Frame& frame = *state.arriving.find(f);
    if (frame.out) parts::sort_parts(sim().contents(), frame.out);
    state.to_drive.push({frame.victim, 1, true, false, std::exchange(frame.out, {})});
    if (frame.read) state.copies.push({f, 0, true});
}

/// All who waited for the unit are served.
void PageCache::copied_in(std::uint32_t f) {
    const Frame frame = *state.arriving.find(f);
    state.arriving.erase(f);
    sim().contents().release(frame.in);
    stat.fetch_time.sample(Time {now() - frame.since});
    state.resident.arrive(f);
    for (std::uint32_t slot = frame.head; slot != none;) {
        const std::uint32_t next = state.requests[slot].next;
        serve(slot);
        slot = next;
    }
}

void PageCache::drive_answered(const protocol::BlockResponse& r) {
    const Io io = parts::named(state.at_drive, r.tag);
    state.free_tags.push_back(r.tag);
    if (io.write) {
        ++stat.units_out;
        const bool again = *state.leaving.find(io.unit);
        state.leaving.erase(io.unit);
        if (again) read_from_drive(io.unit, true);
        return;
    }
    for (std::uint64_t unit = io.unit; unit < io.unit + io.units; ++unit) {
        const std::uint32_t f = state.resident.find(unit);
        Frame* const frame = state.arriving.find(f);
        MEMSIM_ASSERT(frame, "a unit comes that nobody sent for");
        ++stat.units_in;
        frame->read = true;
        if (r.contents) {
            const auto sectors = static_cast<std::uint32_t>(unit_ / SectorBytes::size);
            frame->in =
                parts::part_of(sim().contents(), r.contents,
                               static_cast<std::uint32_t>(unit - io.unit) * sectors, sectors);
        }
        if (frame->left == 0) state.copies.push({f, 0, true});
    }
    sim().contents().release(r.contents);
}

/// What is in the DRAM; the rest is on the drive, which is also told what is written: a clean unit
/// goes without being written back.
void PageCache::functional(const PortBase&, FunctionalAccess& access) {
    const std::uint64_t address = access.address;
    const std::uint32_t f = state.resident.find(address / unit_);
    if (f != none && state.resident[f].here) {
        access.address = dram_address(f, address % unit_);
        look_through(port.dram_side, access);
    }
    access.address = address + static_cast<std::uint64_t>(params.drive_base->raw);
    if (!access.complete()) look_through(port.drive_side, access);
    access.address = address;
}

// ---- reports ---------------------------------------------------------------------------------

void PageCache::check_loaded(Loader& l) const {
    const auto one_of = [&](std::string_view field, std::uint32_t number, std::size_t size) {
        if (number != none) l.index(field, number, size);
    };
    const std::size_t requests = state.requests.size();
    const std::uint64_t frames = state.resident.used();
    for (const Request& r : state.requests) {
        one_of("requests.frame", r.frame, frames);
        one_of("requests.next", r.next, requests);
    }
    l.indices("demand", state.demand, requests);
    for (std::uint32_t i = 0; i < state.demand.size(); ++i)
        l.index("demand.frame", state.requests[state.demand[i]].frame, frames);
    l.within("arriving", [&] {
        l.check(state.arriving.all([&](std::uint64_t f, const Frame& frame) {
            return f < frames && (frame.head == none) == (frame.tail == none) &&
                   (frame.head == none || (frame.head < requests && frame.tail < requests));
        }),
                "has a frame that does not exist, or half a list");
    });
    for (std::uint32_t i = 0; i < state.copies.size(); ++i)
        l.within("copies", [&] {
            l.check(state.arriving.find(state.copies[i].frame), "copies what does not come");
        });
}

void PageCache::waits_on(WaitReport& report) const {
    if (const std::size_t under_way = state.requests.size() - state.free.size())
        report.add(path() + ": " + std::to_string(under_way) + " requests are under way, " +
                   std::to_string(state.demand.size()) + " wait for " +
                   port.dram_side.peer()->owner().path());
    if (const std::size_t units = state.arriving.size())
        report.add(path() + ": " + std::to_string(units) + " units are on their way from " +
                   port.drive_side.peer()->owner().path());
}

std::optional<std::string> PageCache::imbalance() const {
    if (pending()) return "requests were not answered";
    if (state.arriving.size()) return "units are still on their way from the drive";
    if (state.leaving.size()) return "units are still on their way to the drive";
    return {};
}

} // namespace memsim::mem
