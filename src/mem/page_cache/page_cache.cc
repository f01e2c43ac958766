#include "mem/page_cache/page_cache.hh"

#include "core/kernel/registry.hh"
#include "parts/record_part.hh"
#include "protocol/block_size.hh"
#include "protocol/traffic.hh"

#include <algorithm>
#include <bit>

namespace memsim::mem {

static const Registration<PageCache> page_cache {
    "A DRAM that caches a drive, for requests below physical memory."};

using protocol::Command;
using protocol::MemRequest;

void PageCache::init() {
    unit_ = static_cast<std::uint64_t>(params.unit->raw);
    const auto line = static_cast<std::uint32_t>(params.line->raw);
    if (!std::has_single_bit(unit_)) refuse("unit", "must be a power of two");
    if (!std::has_single_bit(line)) refuse("line", "must be a power of two");
    const auto capacity = static_cast<std::uint64_t>(params.capacity->raw);
    if (capacity < unit_ || capacity % unit_)
        refuse("capacity",
               params.capacity.text() + " is not a whole number of units of " + params.unit.text());
    const std::uint32_t drive_block = protocol::block_bytes_behind(port.drive_side);
    const std::string block = Text<Bytes>::show({drive_block});
    if (unit_ % drive_block)
        refuse("unit", params.unit.text() + " is less than a block of " +
                           port.drive_side.neighbour_path() + ", " + block +
                           ": take larger units, or a flash.SectorMerger before the drive");
    if (params.drive_base->raw % drive_block)
        refuse("drive_base", "must be a multiple of a drive's sector of " + block);
    const std::int64_t most = std::int64_t {protocol::BlockRequest::most_sectors} * drive_block;
    if (params.batch() * unit_ > static_cast<std::uint64_t>(most))
        refuse("batch", params.batch.text() + " units of " + params.unit.text() +
                            " are more than the " + Text<Bytes>::show({most}) +
                            " that a drive reads in one request");
    protocol::check_chunk(port.cpu_side, unit_, "unit");
    group_units_ =
        std::max(std::uint64_t {1}, static_cast<std::uint64_t>(params.write_group->raw) / unit_);
    if (group_units_ > 64 || group_units_ * unit_ > static_cast<std::uint64_t>(most))
        refuse("write_group", params.write_group.text() + " is more than 64 units of " +
                                  params.unit.text() + ", or than the " +
                                  Text<Bytes>::show({most}) +
                                  " that a drive writes in one request");
    stat.drive_writes.gather([this] { return state.written.drive_writes; });
    stat.units_cleaned.gather([this] { return state.written.units_cleaned; });
    stat.early_answers.gather([this] { return state.written.early_answers; });
    state.replacement.make(params.replacement, *this, "replacement");
    state.resident.resize(capacity / unit_, *state.replacement);
    state.ahead.init(*this, params.ahead, unit_);
    PagedDram::Owner& owner = *this;
    dram_.emplace(PagedDram::Config {static_cast<std::uint64_t>(params.dram_base->raw),
                                     static_cast<std::uint32_t>(unit_), line, params.requests()},
                  sim_ref(), state.dram, owner);
    drive_.emplace(DriveUnits::Config {static_cast<std::uint64_t>(params.drive_base->raw), unit_,
                                       drive_block, params.batch(), params.drive_queue()},
                   state.drive);
}

void PageCache::wake() {
    while (!port.drive_side.empty()) drive_answered(port.drive_side.pop());
    while (!port.dram_side.empty())
        if (const auto answer = dram_->answered(port.dram_side.pop(), stat.latency)) {
            sim().stamps().mark(answer->stamps, PagedDram::page_comes, now() + params.latency->raw);
            port.cpu_side.send(*answer);
        }
    bool more = true;
    while (more) {
        more = accept();
        take_hints();
        more |= send();
    }
    if (port.drive_load)
        while (!port.drive_load->empty()) state.drive_load = port.drive_load->pop().load;
    if (port.load) report_load();
}

void PageCache::report_load() {
    const auto load =
        std::max(state.drive_load, protocol::load_of(state.arriving.size(), params.full_load()));
    if (load == state.reported || !port.load->can_send()) return;
    port.load->send({load});
    state.reported = load;
}

// ---- requests and hints ----------------------------------------------------------------------

bool PageCache::accept() {
    bool any = false;
    for (; !port.cpu_side.empty() && take(port.cpu_side.front()); any = true) port.cpu_side.pop();
    return any;
}

/// Returns false if the request must wait; it is then offered again.
bool PageCache::take(const MemRequest& r) {
    if (r.is_hint()) {
        bring(r);
        return true;
    }
    const std::uint64_t unit = r.address / unit_;
    if (!dram_->takes(r)) refuse("unit", PagedDram::refusal(r, "unit of " + params.unit.text()));
    if (dram_->full()) return dram_->stall(stat.stalled_by_requests);
    std::uint32_t f = state.resident.find(unit);
    const bool missed = f == none;
    if (missed && (f = send_for(unit, parts::AskedBy::demand)) == none)
        return dram_->stall(stat.stalled_by_frames);

    ++(r.command == Command::read ? stat.reads : stat.writes);
    stat.bytes += r.payload();
    MemRequest taken = r;
    if (params.early_writes() && r.command == Command::write && !r.posted &&
        !state.resident[f].here) {
        port.cpu_side.send(protocol::answer(r));
        ++state.written.early_answers;
        taken.posted = true;
        taken.stamps = {}; // the response carried them away
    }
    const std::uint32_t slot = dram_->take(taken, f);
    if (state.resident[f].here) {
        ++stat.hits;
        serve(slot);
        return true;
    }
    ++(missed ? stat.misses : stat.merged);
    PagedDram::Transfer& t = transfer(f);
    if (!missed && t.head == none) ++stat.ahead.late_prefetches;
    dram_->wait(t, slot);
    if (!missed) return true;
    state.ahead.each_with(unit, [this](std::uint64_t near) { bring(near); });
    if (port.misses.size() &&
        !port.misses[0].offer({unit * unit_, static_cast<std::uint32_t>(unit_), r.application}))
        ++stat.lost_misses;
    return true;
}

void PageCache::take_hints() {
    for (unsigned p = 0; p < port.hints.size(); ++p)
        while (!port.hints[p].empty()) {
            const MemRequest h = port.hints[p].pop();
            if (!h.is_hint())
                refuse("prefetchers", "must send only hints; send requests to cpu_side");
            bring(h);
        }
}

void PageCache::bring(const MemRequest& hint) {
    const std::uint64_t end = (hint.address + hint.bytes + unit_ - 1) / unit_;
    for (std::uint64_t unit = hint.address / unit_; unit < end; ++unit) bring(unit);
}

/// Reads a unit ahead of an access, unless it is present or being read.
void PageCache::bring(std::uint64_t unit) {
    if (state.resident.find(unit) != none) return;
    const bool sent = send_for(unit, parts::AskedBy::prefetch) != none;
    ++(sent ? stat.ahead.prefetches : stat.ahead.dropped_prefetches);
}

/// Allocates a frame and starts the read of a unit. Returns none if all frames are in use.
std::uint32_t PageCache::send_for(std::uint64_t unit, parts::AskedBy asked) {
    const auto c = state.resident.claim(unit, asked);
    if (c.frame == none) return none;
    stat.ghost_hits += c.ghost;
    Frame& frame = state.arriving[c.frame];
    frame.since = now();
    state.ahead.claimed(unit);
    if (c.evicts) {
        state.ahead.evicted(c.victim.key);
        ++stat.evictions;
        stat.ahead.unused_prefetches +=
            c.victim.asked == parts::AskedBy::prefetch && !c.victim.used;
    }
    if (c.evicts && c.victim.dirty) {
        frame.victim = c.victim.key;
        frame.group = begin_group(c.victim.key);
        dram_->copy_out(c.frame);
    }
    drive_->read(unit, asked == parts::AskedBy::demand);
    return c.frame;
}

/// Starts to write the dirty units of the victim's group to the drive. Returns the number of the
/// group. The caller reads out the victim.
std::uint64_t PageCache::begin_group(std::uint64_t victim) {
    const std::uint64_t number = ++state.last_group, first = victim - victim % group_units_;
    WriteGroup g;
    g.first = first;
    for (std::uint64_t unit = first; unit < first + group_units_; ++unit) {
        const std::uint32_t f = unit == victim ? none : state.resident.find(unit);
        if (unit != victim) {
            if (f == none) continue;
            parts::ResidentPage& page = state.resident[f];
            if (!page.here || !page.dirty || page.pins) continue;
            page.dirty = false;
            state.resident.pin(f); // until the drive has it
            state.cleaning[f] = {{}, number};
            dram_->copy_out(f);
            ++state.written.units_cleaned;
        }
        drive_->leave(unit);
        g.units |= std::uint64_t {1} << (unit - first);
        ++g.left;
    }
    state.groups[number] = g;
    return number;
}

/// The unit is present: queues its request for the DRAM.
void PageCache::serve(std::uint32_t slot) {
    const PagedDram::Request& q = (*dram_)[slot];
    state.resident.use(q.frame, q.request.command != Command::read);
    state.resident.pin(q.frame);
    dram_->serve(slot);
}

// ---- outgoing requests ------------------------------------------------------------------------

bool PageCache::send() {
    bool any = false;
    for (; drive_->any() && port.drive_side.can_send(); any = true) {
        const std::uint64_t unit = drive_->next_unit();
        protocol::BlockRequest r = drive_->next();
        if (r.op == protocol::BlockOp::read) {
            r.stamps = stamps_of(unit);
            sim().stamps().mark(r.stamps, PagedDram::page_comes, now() + params.drive_latency->raw);
        }
        port.drive_side.send(r);
        const bool read = r.op == protocol::BlockOp::read;
        stat.drive_reads += read;
        state.written.drive_writes += !read;
    }
    for (; dram_->any() && port.dram_side.can_send(); any = true) {
        const MemRequest r = dram_->next();
        port.dram_side.send(r);
        stat.dram_bytes += r.payload();
    }
    return any;
}

/// Stamps of a request that waits for a unit being read.
Stamps::Id PageCache::stamps_of(std::uint64_t unit) {
    if (!sim().stamps().enabled()) return {}; // saves two lookups for each page read
    const Frame* const frame = state.arriving.find(state.resident.find(unit));
    return frame ? dram_->stamps_of(frame->transfer) : Stamps::Id {};
}

// ---- responses --------------------------------------------------------------------------------

PagedDram::Transfer& PageCache::transfer(std::uint32_t f) {
    if (Cleaning* const c = state.cleaning.find(f)) return c->transfer;
    Frame* const frame = state.arriving.find(f);
    MEMSIM_ASSERT(frame, "a frame whose unit is present has no transfer");
    return frame->transfer;
}

/// A unit has been read out. If it is evicted, the new unit may now be written to its frame.
void PageCache::copied_out(std::uint32_t f) {
    if (const Cleaning* const c = state.cleaning.find(f)) {
        const Cleaning done = *c;
        state.cleaning.erase(f);
        return read_out(done.group, state.resident[f].key, done.transfer.out);
    }
    Frame& frame = *state.arriving.find(f);
    read_out(std::exchange(frame.group, 0), frame.victim, std::exchange(frame.transfer.out, {}));
    if (frame.read) dram_->copy_in(f);
}

/// A unit of a group has been read out. After the last one the group is written to the drive.
void PageCache::read_out(std::uint64_t number, std::uint64_t unit, Contents::Id data) {
    Contents& contents = sim().contents();
    const auto sectors = static_cast<std::uint32_t>(unit_ / SectorBytes::size);
    WriteGroup& group = *state.groups.find(number);
    if (data) {
        if (!group.contents) group.contents = contents.create();
        parts::add_part(contents, group.contents,
                        static_cast<std::uint32_t>(unit - group.first) * sectors, data);
    }
    if (--group.left) return;
    const WriteGroup g = group;
    state.groups.erase(number);
    if (g.contents) parts::sort_parts(contents, g.contents);
    for (std::uint64_t rest = g.units; rest;) {
        const auto first = static_cast<std::uint32_t>(std::countr_zero(rest));
        const auto n = static_cast<std::uint32_t>(std::countr_one(rest >> first));
        drive_->write(g.first + first, n,
                      g.contents
                          ? parts::part_of(contents, g.contents, first * sectors, n * sectors)
                          : Contents::Id {});
        rest &= n == 64 ? 0 : ~((((std::uint64_t {1} << n) - 1)) << first);
    }
    contents.release(g.contents);
}

/// Serves all requests that waited for the unit.
void PageCache::copied_in(std::uint32_t f) {
    const Frame frame = *state.arriving.find(f);
    state.arriving.erase(f);
    stat.fetch_time.sample(Time {now() - frame.since});
    state.resident.arrive(f);
    dram_->each_waiting(frame.transfer, [this](std::uint32_t slot) { serve(slot); });
}

void PageCache::drive_answered(const protocol::BlockResponse& r) {
    const auto sectors = static_cast<std::uint32_t>(unit_ / SectorBytes::size);
    drive_->answered(
        r,
        [&](std::uint64_t unit, std::uint32_t n) {
            unit_came(unit, r.contents
                                ? parts::part_of(sim().contents(), r.contents, n * sectors, sectors)
                                : Contents::Id {});
        },
        [&](std::uint64_t unit) { unit_gone(unit); });
    sim().contents().release(r.contents);
}

/// The drive has read a unit, with these contents.
void PageCache::unit_came(std::uint64_t unit, Contents::Id page) {
    const std::uint32_t f = state.resident.find(unit);
    Frame* const frame = state.arriving.find(f);
    MEMSIM_ASSERT(frame, "a unit arrives that was not requested");
    ++stat.units_in;
    frame->read = true;
    frame->transfer.in = page;
    write_deferred(unit, page);
    if (frame->transfer.left == 0) dram_->copy_in(f);
}

/// The drive has written a unit. If the unit stayed in the DRAM, it may be evicted from now on.
void PageCache::unit_gone(std::uint64_t unit) {
    ++stat.units_out;
    if (const std::uint32_t f = state.resident.find(unit); f != none && state.resident[f].here)
        state.resident.unpin(f);
    state.deferred.arrive(unit, [this](FunctionalAccess& access) {
        access.address += static_cast<std::uint64_t>(params.drive_base->raw);
        look_through(port.drive_side, access);
    });
}

/// Applies the functional writes to a unit made while the drive was reading it.
void PageCache::write_deferred(std::uint64_t unit, Contents::Id page) {
    if (!page) return;
    state.deferred.arrive(unit, [&](const FunctionalAccess& access) {
        const auto sector = static_cast<std::uint32_t>(access.address % unit_ / SectorBytes::size);
        parts::write_sector(sim().contents(), page, sector, access.data);
    });
}

/// Accesses the DRAM if the unit is present, else the drive. The drive also receives writes,
/// because a clean unit is evicted without a write-back. A write to a unit being read is repeated
/// when the unit has arrived.
void PageCache::functional(const PortBase&, FunctionalAccess& access) {
    const std::uint64_t address = access.address, unit = address / unit_;
    const std::uint32_t f = state.resident.find(unit);
    const Frame* const frame = state.arriving.find(f);
    SectorBytes waiting;
    const auto look_at_dram = [&] {
        access.address = dram_->address(f, address % unit_);
        look_through(port.dram_side, access);
        access.address = address;
    };
    const auto sector = address / SectorBytes::size;
    if (params.early_writes()) // waiting writes are newer than the DRAM
        dram_->each_waiting_write(sector, frame ? &frame->transfer : nullptr,
                                  [&](SectorBytes& data, bool moves) {
                                      if (access.write)
                                          data.take(access.data, data.known & access.data.known);
                                      else
                                          waiting.merge(data, moves);
                                  });
    if (!access.write) access.data.fill(waiting);
    if (f != none && !frame) {
        look_at_dram();
        if (access.write && drive_->leaves(unit)) state.deferred.add(unit, access);
    } else if (access.write && (frame || drive_->leaves(unit))) {
        state.deferred.add(unit, access);
        if (frame && frame->read) { // some of its lines may already be in the DRAM
            write_deferred(unit, frame->transfer.in);
            if (frame->transfer.left == 0) look_at_dram();
        }
    } else if (!state.deferred.empty())
        state.deferred.look(unit, access);
    access.address = address + static_cast<std::uint64_t>(params.drive_base->raw);
    if (!access.complete()) look_through(port.drive_side, access);
    access.address = address;
}

// ---- reports ---------------------------------------------------------------------------------

void PageCache::check_loaded(Loader& l) const {
    const std::uint64_t frames = state.resident.used();
    dram_->check_loaded(l, frames);
    std::size_t coming = 0, left = 0;
    HashMap<std::uint32_t> reading; // units being read out, by group
    state.arriving.all([&](std::uint64_t, const Frame& frame) {
        if (frame.group) ++reading[frame.group], ++left;
        return true;
    });
    state.cleaning.all([&](std::uint64_t f, const Cleaning& c) {
        l.index("cleaning", f, frames);
        return ++reading[c.group], ++left, true;
    });
    l.within("groups", [&] {
        l.check(state.groups.all([&](std::uint64_t number, const WriteGroup& group) {
            const std::uint32_t* const units = reading.find(number);
            left -= units ? *units : 0;
            return units && group.left == *units && number <= state.last_group &&
                   (group_units_ == 64 || group.units >> group_units_ == 0);
        }) && left == 0,
                "differ from the groups whose units are being read out");
    });
    for (std::uint32_t f = 0; f < frames; ++f) coming += !state.resident[f].here;
    l.within("arriving", [&] {
        l.check(state.arriving.all([&](std::uint64_t f, const Frame& frame) {
            dram_->check_loaded(l, "head", frame.transfer);
            return f < frames && !state.resident[static_cast<std::uint32_t>(f)].here;
        }) && coming == state.arriving.size(),
                "differ from the frames whose units are being read");
    });
    for (std::uint32_t i = 0; i < state.dram.copies.size(); ++i)
        l.within("dram.copies", [&] {
            const std::uint32_t f = state.dram.copies[i].frame;
            l.check(state.arriving.find(f) || state.cleaning.find(f),
                    "copy a frame that is neither filled nor read out");
        });
}

void PageCache::waits_on(WaitReport& report) const {
    dram_->waits_on(report, path(), port.dram_side.neighbour_path());
    if (const std::size_t units = state.arriving.size())
        report.add(path() + ": " + std::to_string(units) + " units are being read from " +
                   port.drive_side.neighbour_path());
}

std::optional<std::string> PageCache::imbalance() const {
    if (pending()) return "requests were not answered";
    if (state.arriving.size()) return "units are still being read from the drive";
    if (!drive_->all_there()) return "units are still being written to the drive";
    return {};
}

} // namespace memsim::mem
