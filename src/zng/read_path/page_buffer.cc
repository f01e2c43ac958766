#include "zng/read_path/page_buffer.hh"

#include "core/kernel/registry.hh"
#include "parts/named.hh"
#include "parts/record_part.hh"
#include "protocol/block_size.hh"
#include "protocol/traffic.hh"

#include <bit>

namespace memsim::zng {

static const Registration<PageBuffer> page_buffer {
    "HybridGPU's request dispatcher and DRAM page buffer of the SSD controller."};

using protocol::BlockOp;
using protocol::Command;
using protocol::MemRequest;

void PageBuffer::init() {
    page_ = static_cast<std::uint32_t>(params.page->raw);
    const auto line = static_cast<std::uint32_t>(params.line->raw);
    if (!std::has_single_bit(page_)) refuse("page", "must be a power of two");
    if (!std::has_single_bit(line)) refuse("line", "must be a power of two");
    const std::uint64_t set = std::uint64_t {page_} * params.ways();
    const auto capacity = static_cast<std::uint64_t>(params.capacity->raw);
    if (capacity < set || capacity % set)
        refuse("capacity", params.capacity.text() + " is not a whole number of sets of " +
                               params.ways.text() + " pages of " + params.page.text() +
                               ": give a multiple of " + std::to_string(set) + "B");
    sets_ = static_cast<std::uint32_t>(capacity / set);
    block_sectors_ = page_ / protocol::block_sector_bytes;
    protocol::check_chunk(port.cpu_side, page_, "page");
    protocol::check_block_sectors(port.drive_side);
    state.frames.resize(capacity / page_);
    if (params.dirty_pages() > state.frames.size())
        refuse("dirty_pages", params.dirty_pages.text() + " exceeds the " +
                                  std::to_string(state.frames.size()) + " pages of the capacity");
    state.replacement.make(params.replacement, *this, "replacement");
    state.replacement->resize(sets_, params.ways());
    state.ahead.init(*this, params.ahead, page_);
    state.notes.assign(state.frames.size(), 0);
    status_.assign(state.frames.size(), 0);
    mem::PagedDram::Owner& owner = *this;
    dram_.emplace(mem::PagedDram::Config {0, page_, line, params.requests()}, sim_ref(), state.dram,
                  owner);
}

void PageBuffer::wake() {
    while (!port.drive_side.empty()) drive_answered(port.drive_side.pop());
    while (!port.dram_side.empty())
        if (const auto answer = dram_->answered(port.dram_side.pop(), stat.latency)) {
            sim().stamps().mark(answer->stamps, mem::PagedDram::page_comes,
                                now() + params.latency->raw);
            port.cpu_side.send(*answer);
        }
    bool more = true;
    while (more) {
        more = accept();
        clean_excess();
        more |= send();
    }
}

// ---- the dispatcher --------------------------------------------------------------------------

bool PageBuffer::accept() {
    bool any = false;
    while (!port.cpu_side.empty()) {
        if (state.dispatcher_free > now()) {
            arm(state.next, state.dispatcher_free);
            break;
        }
        if (!take(port.cpu_side.front())) break;
        port.cpu_side.pop();
        state.dispatcher_free = now() + params.dispatch->raw;
        any = true;
    }
    return any;
}

/// Returns false if the request must wait. Repeating such a call is safe.
bool PageBuffer::take(const MemRequest& r) {
    const std::uint64_t page = r.address / page_;
    if (!dram_->takes(r))
        refuse("page", mem::PagedDram::refusal(r, "page of " + params.page.text()));
    if (dram_->full()) return dram_->stall(stat.stalled_by_requests);
    std::uint32_t f = find(page);
    const bool missed = f == none;
    if (missed && (f = make_room(page, false)) == none) return dram_->stall(stat.stalled_by_set);

    ++(r.command == Command::read ? stat.reads : stat.writes);
    stat.bytes += r.payload();
    const std::uint32_t slot = dram_->take(r, f);
    Frame& frame = state.frames[f];
    const bool ahead = !missed && std::exchange(frame.ahead, false);
    if (missed) {
        fetch(f, page, false);
        ++stat.misses;
    } else if (frame.mode == Mode::idle || frame.mode == Mode::leaving) {
        ++stat.hits;
        serve(slot);
        return true;
    } else {
        ++stat.merged;
        stat.ahead.late_prefetches += ahead;
    }
    dram_->wait(frame.transfer, slot);
    if (missed) state.ahead.each_with(page, [this](std::uint64_t near) { bring(near); });
    return true;
}

/// Fetches a page into a frame. Requires that its present page, if any, can be dropped.
void PageBuffer::fetch(std::uint32_t f, std::uint64_t page, bool ahead) {
    Frame& frame = state.frames[f];
    const bool evicts = frame.mode != Mode::empty;
    state.replacement->insert(words(), f, evicts);
    state.ahead.claimed(page);
    if (evicts) state.ahead.evicted(frame.page);
    stat.ahead.unused_prefetches += frame.ahead;
    frame = {};
    frame.page = page;
    frame.mode = Mode::fetching;
    frame.since = now();
    frame.ahead = ahead;
    state.to_drive.push(f);
}

/// Prefetches a page unless it is held or being fetched.
void PageBuffer::bring(std::uint64_t page) {
    if (find(page) != none) return;
    const std::uint32_t f = make_room(page, true);
    ++(f == none ? stat.ahead.dropped_prefetches : stat.ahead.prefetches);
    if (f != none) fetch(f, page, true);
}

std::uint32_t PageBuffer::find(std::uint64_t page) const {
    const std::uint32_t first = first_of(page);
    for (std::uint32_t f = first; f < first + params.ways(); ++f)
        if (state.frames[f].mode != Mode::empty && state.frames[f].page == page) return f;
    return none;
}

/// Returns a frame for the page, or none. In that case a dirty page may be written back to free
/// one, unless the page is a prefetch.
std::uint32_t PageBuffer::make_room(std::uint64_t page, bool ahead) {
    const std::uint32_t first = first_of(page), end = first + params.ways();
    constexpr std::uint32_t busy = 1, dirty = 2;
    bool leaving = false;
    for (std::uint32_t f = first; f < end; ++f) {
        const Frame& frame = state.frames[f];
        if (frame.mode == Mode::empty) return f;
        leaving |= frame.mode == Mode::leaving;
        status_[f] =
            (frame.mode != Mode::idle || frame.queued ? busy : 0) | (frame.dirty ? dirty : 0);
    }
    const auto victim = [&](std::uint32_t without) {
        return state.replacement->victim(words(), {first, end, status_.data(), without});
    };
    const std::uint32_t clean = victim(busy | dirty);
    if (clean != none || leaving || ahead) return clean;
    if (const std::uint32_t f = victim(busy); f != none) write_out(f);
    return none;
}

/// Queues a request whose page is held for the DRAM.
void PageBuffer::serve(std::uint32_t slot) {
    const mem::PagedDram::Request& q = (*dram_)[slot];
    state.replacement->touch(words(), q.frame);
    ++state.frames[q.frame].queued;
    if (q.request.command != Command::read) make_newest(q.frame);
    dram_->serve(slot);
}

// ---- pages -----------------------------------------------------------------------------------

/// Records a write to the frame.
void PageBuffer::make_newest(std::uint32_t f) {
    Frame& frame = state.frames[f];
    if (frame.dirty)
        parts::unlink(state.frames, state.written, f);
    else
        stat.dirty.set(now(), ++state.dirty);
    frame.dirty = true;
    parts::link_newest(state.frames, state.written, f);
}

void PageBuffer::clean_excess() {
    while (state.dirty > params.dirty_pages()) {
        const Frame& frame = state.frames[state.written.oldest];
        if (frame.mode != Mode::idle || frame.queued) return; // it becomes idle later
        write_out(state.written.oldest);
    }
}

void PageBuffer::write_out(std::uint32_t f) {
    Frame& frame = state.frames[f];
    frame.mode = Mode::leaving;
    parts::unlink(state.frames, state.written, f);
    frame.dirty = false;
    stat.dirty.set(now(), --state.dirty);
    dram_->copy_out(f);
}

mem::PagedDram::Transfer& PageBuffer::transfer(std::uint32_t f) {
    return parts::named(state.frames, f).transfer;
}

void PageBuffer::copied_in(std::uint32_t f) {
    Frame& frame = state.frames[f];
    frame.mode = Mode::idle;
    stat.fetch_time.sample(Time {now() - frame.since});
    dram_->each_waiting(std::exchange(frame.transfer, {}),
                        [this](std::uint32_t slot) { serve(slot); });
}

// ---- outputs and answers ---------------------------------------------------------------------

bool PageBuffer::send() {
    bool any = false;
    while (!state.to_drive.empty() && port.drive_side.can_send()) {
        const std::uint32_t f = state.to_drive.pop();
        Frame& frame = state.frames[f];
        protocol::BlockRequest r;
        r.sector = frame.page * block_sectors_;
        r.sectors = block_sectors_;
        r.tag = f;
        if (frame.mode == Mode::leaving) {
            r.op = BlockOp::write;
            r.contents = std::exchange(frame.transfer.out, {});
        } else if (sim().stamps().enabled()) {
            r.stamps = dram_->stamps_of(frame.transfer);
        }
        port.drive_side.send(r);
        any = true;
    }
    for (; dram_->any() && port.dram_side.can_send(); any = true) {
        const MemRequest r = dram_->next();
        port.dram_side.send(r);
        stat.dram_bytes += r.payload();
    }
    return any;
}

void PageBuffer::drive_answered(const protocol::BlockResponse& r) {
    Frame& frame = parts::named(state.frames, r.tag);
    if (r.op == BlockOp::write) {
        frame.mode = Mode::idle;
        ++stat.pages_out;
        return state.deferred.arrive(frame.page, [this](FunctionalAccess& access) {
            look_through(port.drive_side, access);
        });
    }
    stat.drive_time.sample(Time {now() - frame.since});
    ++stat.pages_in;
    frame.mode = Mode::filling;
    frame.transfer.in = r.contents;
    write_deferred(frame);
    while (params.passing()) {
        const auto answer = dram_->answer_passing(frame.transfer, stat.latency);
        if (!answer) break;
        ++stat.passing_reads;
        state.replacement->touch(words(), r.tag);
        sim().stamps().mark(answer->stamps, mem::PagedDram::page_comes,
                            now() + params.latency->raw);
        port.cpu_side.send(*answer);
    }
    dram_->copy_in(r.tag);
}

// ---- contents --------------------------------------------------------------------------------

/// Accesses the DRAM for held pages, and the drive for the rest. Writes also update the drive,
/// because a clean page is not written back. Writes to a page in transfer are repeated when it has
/// arrived, in the DRAM or at the drive.
void PageBuffer::functional(const PortBase&, FunctionalAccess& access) {
    const std::uint64_t address = access.address;
    const std::uint32_t f = find(address / page_);
    const Mode mode = f == none ? Mode::empty : state.frames[f].mode;
    const bool comes = mode == Mode::fetching || mode == Mode::filling;
    if (access.write && (comes || mode == Mode::leaving))
        state.deferred.add(address / page_, access);
    else if (comes)
        state.deferred.look(address / page_, access);
    if (mode == Mode::filling)
        write_deferred(state.frames[f]); // some lines may already be in the DRAM
    if (f != none && (!comes || (access.write && mode == Mode::filling))) {
        access.address = dram_->address(f, address % page_);
        look_through(port.dram_side, access);
        access.address = address;
    }
    if (access.write || comes || f == none) look_through(port.drive_side, access);
}

/// Applies host writes to a page that the drive was reading.
void PageBuffer::write_deferred(const Frame& frame) {
    if (!frame.transfer.in) return;
    state.deferred.arrive(frame.page, [&](const FunctionalAccess& access) {
        const auto sector = static_cast<std::uint32_t>(access.address % page_ / SectorBytes::size);
        parts::write_sector(sim().contents(), frame.transfer.in, sector, access.data);
    });
}

// ---- reports ---------------------------------------------------------------------------------

void PageBuffer::check_loaded(Loader& l) const {
    const std::size_t frames = state.frames.size();
    dram_->check_loaded(l, frames);
    std::uint32_t dirty = 0, written = 0;
    for (const Frame& f : state.frames) {
        dram_->check_loaded(l, "frames.head", f.transfer);
        for (const std::uint32_t other : {f.older, f.newer})
            if (other != none) l.index("frames.newer", other, frames);
        dirty += f.dirty;
    }
    l.indices("to_drive", state.to_drive, frames);
    parts::check_list(l, "written", state.frames, state.written);
    for (std::uint32_t f = state.written.oldest; f != none; f = state.frames[f].newer)
        written += state.frames[f].dirty ? 1u : 0u;
    l.within("dirty", [&] {
        l.check(dirty == state.dirty && written == dirty, "differs from the number of dirty pages");
    });
}

void PageBuffer::waits_on(WaitReport& report) const {
    dram_->waits_on(report, path(), port.dram_side.neighbour_path());
    if (!state.to_drive.empty())
        report.add(path() + ": " + std::to_string(state.to_drive.size()) + " pages wait for " +
                   port.drive_side.neighbour_path());
}

std::optional<std::string> PageBuffer::imbalance() const {
    if (pending()) return "requests were not answered";
    for (const Frame& f : state.frames)
        if (f.mode != Mode::empty && f.mode != Mode::idle)
            return "page " + std::to_string(f.page) + " is still being transferred";
    return {};
}

} // namespace memsim::zng
