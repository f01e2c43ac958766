#include "zng/read_path/page_buffer.hh"

#include "core/kernel/registry.hh"
#include "device_parts/named.hh"
#include "device_parts/record_part.hh"
#include "protocol/block_size.hh"
#include "protocol/traffic.hh"

#include <bit>

namespace memsim::zng {

static const Registration<PageBuffer> page_buffer {
    "HybridGPU's request dispatcher and DRAM page buffer of the SSD controller."};

using protocol::BlockOp;
using protocol::Command;

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
    front_.emplace(*this, mem::PagedDram::Config {0, page_, line, params.requests()}, "page");
}

void PageBuffer::wake() {
    while (!port.drive_side.empty()) drive_answered(port.drive_side.pop());
    front_->handle_responses();
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
        if (!front_->accept(port.cpu_side.front())) break;
        port.cpu_side.pop();
        state.dispatcher_free = now() + params.dispatch->raw;
        any = true;
    }
    return any;
}

/// Fetches a page into a frame whose present page, if any, can be dropped.
std::uint32_t PageBuffer::fetch(std::uint64_t page, device_parts::AskedBy asked) {
    const bool ahead = asked == device_parts::AskedBy::prefetch;
    const std::uint32_t f = make_room(page, ahead);
    if (f == none) return none;
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
    return f;
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
    const mem::PagedDram::Request& q = (*front_)[slot];
    state.replacement->touch(words(), q.frame);
    Frame& frame = state.frames[q.frame];
    ++frame.queued;
    frame.ahead = false;
    if (q.request.command != Command::read) make_newest(q.frame);
    front_->serve(slot);
}

// ---- pages -----------------------------------------------------------------------------------

/// Records a write to the frame.
void PageBuffer::make_newest(std::uint32_t f) {
    Frame& frame = state.frames[f];
    if (frame.dirty)
        device_parts::unlink(state.frames, state.written, f);
    else
        stat.dirty.set(now(), ++state.dirty);
    frame.dirty = true;
    device_parts::link_newest(state.frames, state.written, f);
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
    device_parts::unlink(state.frames, state.written, f);
    frame.dirty = false;
    stat.dirty.set(now(), --state.dirty);
    front_->copy_out(f);
}

mem::PagedDram::Transfer& PageBuffer::transfer(std::uint32_t f) {
    return device_parts::named(state.frames, f).transfer;
}

void PageBuffer::copied_in(std::uint32_t f) {
    Frame& frame = state.frames[f];
    frame.mode = Mode::idle;
    stat.fetch_time.sample(Time {now() - frame.since});
    front_->each_waiting(std::exchange(frame.transfer, {}),
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
            r.stamps = front_->stamps_of(frame.transfer);
        }
        port.drive_side.send(r);
        any = true;
    }
    return front_->send() || any;
}

void PageBuffer::drive_answered(const protocol::BlockResponse& r) {
    Frame& frame = device_parts::named(state.frames, r.tag);
    if (r.op == BlockOp::write) {
        frame.mode = Mode::idle;
        ++stat.pages_out;
        return state.deferred.replay(frame.page, [this](FunctionalAccess& access) {
            look_through(port.drive_side, access);
        });
    }
    stat.drive_time.sample(Time {now() - frame.since});
    ++stat.pages_in;
    frame.mode = Mode::filling;
    frame.transfer.in = r.contents;
    front_->write_deferred(frame.page, frame.transfer.in);
    while (params.passing()) {
        const auto answer = front_->answer_passing(frame.transfer, stat.latency);
        if (!answer) break;
        ++stat.passing_reads;
        state.replacement->touch(words(), r.tag);
        front_->respond(*answer);
    }
    front_->copy_in(r.tag);
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
        state.deferred.apply_to(address / page_, access);
    if (mode == Mode::filling)
        front_->write_deferred(
            state.frames[f].page,
            state.frames[f].transfer.in); // some lines may already be in the DRAM
    if (f != none && (!comes || (access.write && mode == Mode::filling))) {
        access.address = front_->address(f, address % page_);
        look_through(port.dram_side, access);
        access.address = address;
    }
    if (access.write || comes || f == none) look_through(port.drive_side, access);
}

// ---- reports ---------------------------------------------------------------------------------

void PageBuffer::check_loaded(Loader& l) const {
    const std::size_t frames = state.frames.size();
    front_->check_loaded(l, frames);
    std::uint32_t dirty = 0, written = 0;
    for (const Frame& f : state.frames) {
        front_->check_loaded(l, "frames.head", f.transfer);
        for (const std::uint32_t other : {f.older, f.newer})
            if (other != none) l.index("frames.newer", other, frames);
        dirty += f.dirty;
    }
    l.indices("to_drive", state.to_drive, frames);
    device_parts::check_list(l, "written", state.frames, state.written);
    for (std::uint32_t f = state.written.oldest; f != none; f = state.frames[f].newer)
        written += state.frames[f].dirty ? 1u : 0u;
    l.within("dirty", [&] {
        l.check(dirty == state.dirty && written == dirty, "differs from the number of dirty pages");
    });
}

void PageBuffer::waits_on(WaitReport& report) const {
    front_->waits_on(report, path(), port.dram_side.neighbour_path());
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
