#include "mem/page_cache/page_cache.hh"

#include "core/kernel/registry.hh"
#include "device_parts/record_part.hh"
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
    const std::uint32_t drive_block = protocol::block_bytes_behind(port.drive_side);
    if (const auto fault = fault_of(params, port.drive_side.neighbour_path(), drive_block))
        refuse(fault->parameter, fault->why);
    unit_ = params.unit_bytes();
    protocol::check_chunk(port.cpu_side, unit_, "unit");
    stat.drive_writes.gather([this] { return state.written.drive_writes; });
    stat.units_cleaned.gather([this] { return state.groups.units_cleaned; });
    stat.early_answers.gather([this] { return state.written.early_answers; });
    state.replacement.make(params.replacement, *this, "replacement");
    state.resident.resize(static_cast<std::uint64_t>(params.capacity->raw) / unit_,
                          *state.replacement);
    state.ahead.init(*this, params.ahead, unit_);
    front_.emplace(*this,
                   PagedDram::Config {static_cast<std::uint64_t>(params.dram_base->raw),
                                      static_cast<std::uint32_t>(unit_),
                                      static_cast<std::uint32_t>(params.line->raw),
                                      params.requests()},
                   "unit");
    drive_.emplace(DriveUnits::Config {static_cast<std::uint64_t>(params.drive_base->raw), unit_,
                                       drive_block, params.batch(), params.drive_queue()},
                   state.drive);
    groups_.emplace(WriteGroups::Config {params.group_units(),
                                         static_cast<std::uint32_t>(unit_ / SectorBytes::size)},
                    WriteGroups::Path {sim().contents(), state.resident, *front_, *drive_},
                    state.groups);
}

void PageCache::wake() {
    while (!port.drive_side.empty()) drive_answered(port.drive_side.pop());
    front_->handle_responses();
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
    for (; !port.cpu_side.empty(); any = true) {
        const MemRequest& r = port.cpu_side.front();
        if (r.is_hint())
            bring(r);
        else if (!front_->accept(r))
            break;
        port.cpu_side.pop();
    }
    return any;
}

/// Answers a write early, and reports a miss to an external prefetcher.
void PageCache::waits(std::uint32_t slot, bool missed) {
    const MemRequest r = (*front_)[slot].request;
    if (params.early_writes() && r.command == Command::write && !r.posted) {
        port.cpu_side.send(front_->answer_early(slot));
        ++state.written.early_answers;
    }
    if (missed && port.misses &&
        !port.misses->offer(
            {r.address & ~(unit_ - 1), static_cast<std::uint32_t>(unit_), r.application}))
        ++stat.lost_misses;
}

void PageCache::take_hints() {
    while (port.hints && !port.hints->empty()) {
        const MemRequest h = port.hints->pop();
        if (!h.is_hint()) refuse("hints", "accepts only hints; send requests to cpu_side");
        bring(h);
    }
}

void PageCache::bring(const MemRequest& hint) {
    const std::uint64_t end = (hint.address + hint.bytes + unit_ - 1) / unit_;
    for (std::uint64_t unit = hint.address / unit_; unit < end; ++unit) front_->prefetch(unit);
}

/// Allocates a frame and starts the read of a unit. Returns none if all frames are in use.
std::uint32_t PageCache::fetch(std::uint64_t unit, device_parts::AskedBy asked) {
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
            c.victim.asked == device_parts::AskedBy::prefetch && !c.victim.used;
    }
    if (c.evicts && c.victim.dirty) {
        frame.victim = c.victim.key;
        frame.group = groups_->begin(c.victim.key);
        front_->copy_out(c.frame);
    }
    drive_->read(unit, asked == device_parts::AskedBy::demand);
    return c.frame;
}

/// The unit is present: queues its request for the DRAM.
void PageCache::serve(std::uint32_t slot) {
    const PagedDram::Request& q = (*front_)[slot];
    state.resident.use(q.frame, q.request.command != Command::read);
    state.resident.pin(q.frame);
    front_->serve(slot);
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
    return front_->send() || any;
}

/// Stamps of a request that waits for a unit being read.
Stamps::Id PageCache::stamps_of(std::uint64_t unit) {
    if (!sim().stamps().enabled()) return {}; // saves two lookups for each page read
    const Frame* const frame = state.arriving.find(state.resident.find(unit));
    return frame ? front_->stamps_of(frame->transfer) : Stamps::Id {};
}

// ---- responses --------------------------------------------------------------------------------

PagedDram::Transfer& PageCache::transfer(std::uint32_t f) {
    if (PagedDram::Transfer* const t = groups_->transfer(f)) return *t;
    Frame* const frame = state.arriving.find(f);
    MEMSIM_ASSERT(frame, "a frame whose unit is present has no transfer");
    return frame->transfer;
}

/// A unit has been read out. If it is evicted, the new unit may now be written to its frame.
void PageCache::copied_out(std::uint32_t f) {
    if (groups_->copied_out(f)) return;
    Frame& frame = *state.arriving.find(f);
    groups_->read_out(std::exchange(frame.group, 0), frame.victim,
                      std::exchange(frame.transfer.out, {}));
    if (frame.read) front_->copy_in(f);
}

/// Serves all requests that waited for the unit.
void PageCache::copied_in(std::uint32_t f) {
    const Frame frame = *state.arriving.find(f);
    state.arriving.erase(f);
    stat.fetch_time.sample(Time {now() - frame.since});
    state.resident.arrive(f);
    front_->each_waiting(frame.transfer, [this](std::uint32_t slot) { serve(slot); });
}

void PageCache::drive_answered(const protocol::BlockResponse& r) {
    const auto sectors = static_cast<std::uint32_t>(unit_ / SectorBytes::size);
    drive_->answered(
        r,
        [&](std::uint64_t unit, std::uint32_t n) {
            unit_came(unit, r.contents ? device_parts::part_of(sim().contents(), r.contents,
                                                               n * sectors, sectors)
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
    front_->write_deferred(unit, page);
    if (frame->transfer.left == 0) front_->copy_in(f);
}

/// The drive has written a unit. If the unit stayed in the DRAM, it may be evicted from now on.
void PageCache::unit_gone(std::uint64_t unit) {
    ++stat.units_out;
    if (const std::uint32_t f = state.resident.find(unit); f != none && state.resident[f].here)
        state.resident.unpin(f);
    state.deferred.replay(unit, [this](FunctionalAccess& access) {
        access.address += static_cast<std::uint64_t>(params.drive_base->raw);
        look_through(port.drive_side, access);
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
        access.address = front_->address(f, address % unit_);
        look_through(port.dram_side, access);
        access.address = address;
    };
    const auto sector = address / SectorBytes::size;
    if (params.early_writes()) // waiting writes are newer than the DRAM
        front_->each_waiting_write(sector, frame ? &frame->transfer : nullptr,
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
            front_->write_deferred(unit, frame->transfer.in);
            if (frame->transfer.left == 0) look_at_dram();
        }
    } else if (!state.deferred.empty())
        state.deferred.apply_to(unit, access);
    access.address = address + static_cast<std::uint64_t>(params.drive_base->raw);
    if (!access.complete()) look_through(port.drive_side, access);
    access.address = address;
}

// ---- reports ---------------------------------------------------------------------------------

void PageCache::check_loaded(Loader& l) const {
    const std::uint64_t frames = state.resident.used();
    front_->check_loaded(l, frames);
    std::size_t coming = 0;
    HashMap<std::uint32_t> evicted; // units being read out, by group
    state.arriving.all([&](std::uint64_t, const Frame& frame) {
        if (frame.group) ++evicted[frame.group];
        return true;
    });
    groups_->check_loaded(l, frames, evicted);
    for (std::uint32_t f = 0; f < frames; ++f) coming += !state.resident[f].here;
    l.within("arriving", [&] {
        l.check(state.arriving.all([&](std::uint64_t f, const Frame& frame) {
            front_->check_loaded(l, "head", frame.transfer);
            return f < frames && !state.resident[static_cast<std::uint32_t>(f)].here;
        }) && coming == state.arriving.size(),
                "differ from the frames whose units are being read");
    });
    for (std::uint32_t i = 0; i < state.dram.copies.size(); ++i)
        l.within("dram.copies", [&] {
            const std::uint32_t f = state.dram.copies[i].frame;
            l.check(state.arriving.find(f) || groups_->cleans(f),
                    "copy a frame that is neither filled nor read out");
        });
}

void PageCache::waits_on(WaitReport& report) const {
    front_->waits_on(report, path(), port.dram_side.neighbour_path());
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
