#include "zng/page_buffer.hh"

#include "core/registry.hh"
#include "parts/named.hh"
#include "parts/record_part.hh"

#include <bit>

namespace memsim::zng {

static const Registration<PageBuffer> registered {
    "HybridGPU's dispatcher and the pages that its SSD controller keeps in DRAM."};

using protocol::BlockOp;
using protocol::Command;
using protocol::MemRequest;

void PageBuffer::init() {
    page_ = static_cast<std::uint32_t>(params.page->raw);
    line_ = static_cast<std::uint32_t>(params.line->raw);
    if (!std::has_single_bit(page_)) refuse("page", "must be a power of two");
    if (!std::has_single_bit(line_)) refuse("line", "must be a power of two");
    const std::uint64_t set = std::uint64_t {page_} * params.ways();
    const auto capacity = static_cast<std::uint64_t>(params.capacity->raw);
    if (capacity < set || capacity % set)
        refuse("capacity", params.capacity.text() + " is not a whole number of sets of " +
                               params.ways.text() + " pages of " + params.page.text() +
                               ": give a multiple of " + std::to_string(set) + "B");
    lines_ = page_ / line_;
    sets_ = static_cast<std::uint32_t>(capacity / set);
    block_sectors_ = page_ / protocol::block_sector_bytes;
    state.frames.resize(capacity / page_);
    if (params.dirty_pages() > state.frames.size())
        refuse("dirty_pages", params.dirty_pages.text() + " are more than the " +
                                  std::to_string(state.frames.size()) + " pages of the capacity");
    state.requests.resize(params.requests());
    for (std::uint32_t i = params.requests(); i-- > 0;) state.free.push_back(i);
}

void PageBuffer::wake() {
    while (!port.drive_side.empty()) drive_answered(port.drive_side.pop());
    while (!port.dram_side.empty()) dram_answered(port.dram_side.pop());
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
        state.stalled = false;
        any = true;
    }
    return any;
}

/// False if it has to wait, having changed nothing that it would not do again.
bool PageBuffer::take(const MemRequest& r) {
    const std::uint64_t page = r.address / page_;
    if (r.bytes == 0 || (r.address + r.bytes - 1) / page_ != page)
        refuse("page", "a request of " + std::to_string(r.bytes) + "B at address " +
                           std::to_string(r.address) + " does not lie within one page of " +
                           params.page.text());
    if (protocol::for_a_cache(r.command))
        refuse("cpu_side", "takes reads, writes and atomics, no commands for a cache");
    const auto stall = [this](Counter& cause) {
        if (!std::exchange(state.stalled, true)) ++cause;
        return false;
    };
    if (state.free.empty()) return stall(stat.stalled_by_requests);
    std::uint32_t f = find(page);
    const bool missed = f == none;
    if (missed && (f = make_room(page)) == none) return stall(stat.stalled_by_set);

    ++(r.command == Command::read ? stat.reads : stat.writes);
    stat.bytes += r.payload();
    const std::uint32_t slot = state.free.back();
    state.free.pop_back();
    state.requests[slot] = {r, now(), f, none};
    Frame& frame = state.frames[f];
    if (missed) {
        frame = {};
        frame.page = page;
        frame.mode = Mode::fetching;
        frame.since = now();
        state.to_drive.push(f);
        ++stat.misses;
    } else if (frame.mode == Mode::idle || frame.mode == Mode::leaving) {
        ++stat.hits;
        serve(slot);
        return true;
    } else
        ++stat.merged;
    (frame.head == none ? frame.head : state.requests[frame.tail].next) = slot;
    frame.tail = slot;
    return true;
}

std::uint32_t PageBuffer::find(std::uint64_t page) const {
    const auto first = static_cast<std::uint32_t>(page % sets_) * params.ways();
    for (std::uint32_t f = first; f < first + params.ways(); ++f)
        if (state.frames[f].mode != Mode::empty && state.frames[f].page == page) return f;
    return none;
}

/// A frame for the page, or none; then, perhaps, one is being written out for it.
std::uint32_t PageBuffer::make_room(std::uint64_t page) {
    const auto first = static_cast<std::uint32_t>(page % sets_) * params.ways();
    std::uint32_t clean = none, dirty = none;
    bool leaving = false;
    for (std::uint32_t f = first; f < first + params.ways(); ++f) {
        const Frame& frame = state.frames[f];
        if (frame.mode == Mode::empty) return f;
        leaving |= frame.mode == Mode::leaving;
        if (frame.mode != Mode::idle || frame.queued) continue;
        std::uint32_t& oldest = frame.dirty ? dirty : clean;
        if (oldest == none || frame.used < state.frames[oldest].used) oldest = f;
    }
    if (clean == none && dirty != none && !leaving) write_out(dirty);
    return clean;
}

/// Its page is here: it waits for the DRAM.
void PageBuffer::serve(std::uint32_t slot) {
    const Request& q = state.requests[slot];
    Frame& frame = state.frames[q.frame];
    frame.used = ++state.uses;
    ++frame.queued;
    if (q.request.command != Command::read) make_newest(q.frame);
    state.demand.push(slot);
}

// ---- pages -----------------------------------------------------------------------------------

/// It is written.
void PageBuffer::make_newest(std::uint32_t f) {
    Frame& frame = state.frames[f];
    if (state.newest == f) return;
    if (frame.dirty)
        unlink(f);
    else
        stat.dirty.set(now(), ++state.dirty);
    frame.dirty = true;
    frame.older = state.newest, frame.newer = none;
    (state.newest == none ? state.oldest : state.frames[state.newest].newer) = f;
    state.newest = f;
}

void PageBuffer::unlink(std::uint32_t f) {
    const Frame& frame = state.frames[f];
    (frame.older == none ? state.oldest : state.frames[frame.older].newer) = frame.newer;
    (frame.newer == none ? state.newest : state.frames[frame.newer].older) = frame.older;
}

void PageBuffer::clean_excess() {
    while (state.dirty > params.dirty_pages()) {
        const Frame& frame = state.frames[state.oldest];
        if (frame.mode != Mode::idle || frame.queued) return; // soon it is not
        write_out(state.oldest);
    }
}

void PageBuffer::write_out(std::uint32_t f) {
    Frame& frame = state.frames[f];
    frame.mode = Mode::leaving;
    unlink(f);
    frame.dirty = false;
    frame.left = lines_;
    stat.dirty.set(now(), --state.dirty);
    if (sim().contents().enabled()) frame.contents = sim().contents().create();
    state.bulk.push({f, 0});
}

void PageBuffer::filled(std::uint32_t f) {
    Frame& frame = state.frames[f];
    frame.mode = Mode::idle;
    sim().contents().release(std::exchange(frame.contents, {}));
    stat.fetch_time.sample(Time {now() - frame.since});
    std::uint32_t slot = frame.head;
    frame.head = frame.tail = none;
    while (slot != none) {
        const std::uint32_t next = state.requests[slot].next;
        serve(slot);
        slot = next;
    }
}

// ---- what leaves and what comes back ---------------------------------------------------------

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
            if (frame.contents) parts::sort_parts(sim().contents(), frame.contents);
            r.contents = std::exchange(frame.contents, {});
        }
        port.drive_side.send(r);
        any = true;
    }
    while (port.dram_side.can_send() && !(state.demand.empty() && state.bulk.empty())) {
        if (state.bulk.empty() || (!state.demand.empty() && !state.bulk_next))
            send_demand();
        else
            send_bulk();
        state.bulk_next = !state.bulk_next;
        any = true;
    }
    return any;
}

void PageBuffer::send_demand() {
    const std::uint32_t slot = state.demand.pop();
    const Request& q = state.requests[slot];
    MemRequest r = q.request;
    r.address = std::uint64_t {q.frame} * page_ + r.address % page_;
    r.tag = slot;
    r.source = 0;
    sim().stamps().mark(r.stamps, static_cast<std::size_t>(protocol::Stage::queue), now());
    port.dram_side.send(r);
    stat.dram_bytes += r.payload();
    --state.frames[q.frame].queued;
    if (r.posted) state.free.push_back(slot);
}

void PageBuffer::send_bulk() {
    Bulk& b = state.bulk.front();
    const std::uint32_t f = b.frame;
    const bool in = state.frames[f].mode == Mode::filling;
    MemRequest r;
    r.address = std::uint64_t {f} * page_ + std::uint64_t {b.line} * line_;
    r.bytes = line_;
    r.command = in ? Command::write : Command::read;
    r.posted = in;
    r.tag = params.requests() + f;
    if (in && sim().contents().enabled()) {
        const std::uint32_t sectors = line_ / SectorBytes::size;
        r.contents =
            parts::part_of(sim().contents(), state.frames[f].contents, b.line * sectors, sectors);
        sim().contents()[r.contents].moves = true; // the frame was another page's
    }
    port.dram_side.send(r);
    stat.dram_bytes += line_;
    if (++b.line < lines_) return;
    state.bulk.pop();
    if (in) filled(f);
}

void PageBuffer::dram_answered(const protocol::MemResponse& r) {
    if (r.tag >= params.requests()) {
        const std::uint32_t f = r.tag - params.requests();
        Frame& frame = parts::named(state.frames, f);
        parts::add_part(sim().contents(), frame.contents,
                        static_cast<std::uint32_t>(r.address % page_) / SectorBytes::size,
                        r.contents);
        if (--frame.left == 0) state.to_drive.push(f);
        return;
    }
    const Request& q = parts::named(state.requests, r.tag);
    stat.latency.sample(Time {now() - q.since});
    protocol::MemResponse answer = protocol::answer(q.request);
    answer.contents = r.contents;
    port.cpu_side.send(answer);
    state.free.push_back(r.tag);
}

void PageBuffer::drive_answered(const protocol::BlockResponse& r) {
    Frame& frame = parts::named(state.frames, r.tag);
    if (r.op == BlockOp::write) {
        frame.mode = Mode::idle;
        ++stat.pages_out;
        return;
    }
    stat.drive_time.sample(Time {now() - frame.since});
    ++stat.pages_in;
    frame.mode = Mode::filling;
    frame.contents = r.contents;
    state.bulk.push({r.tag, 0});
}

// ---- contents --------------------------------------------------------------------------------

void PageBuffer::functional(const PortBase&, FunctionalAccess& access) {
    const std::uint64_t address = access.address;
    const std::uint32_t f = find(address / page_);
    if (f == none || state.frames[f].mode == Mode::fetching ||
        state.frames[f].mode == Mode::filling)
        return look_through(port.drive_side, access); // both count bytes from the drive's first
    access.address = std::uint64_t {f} * page_ + address % page_;
    look_through(port.dram_side, access);
    access.address = address;
    if (access.write) look_through(port.drive_side, access); // a clean page is not written back
}

// ---- reports ---------------------------------------------------------------------------------

void PageBuffer::check_loaded(Loader& l) const {
    const auto one_of = [&](std::string_view field, std::uint32_t number, std::size_t size) {
        if (number != none) l.index(field, number, size);
    };
    const std::size_t frames = state.frames.size(), requests = state.requests.size();
    for (const Frame& f : state.frames) {
        one_of("frames.head", f.head, requests), one_of("frames.tail", f.tail, requests);
        one_of("frames.older", f.older, frames), one_of("frames.newer", f.newer, frames);
        l.within("frames.head", [&] {
            std::size_t left = requests;
            for (std::uint32_t r = f.head; r != none && left; r = state.requests[r].next, --left)
                one_of("next", state.requests[r].next, requests);
            l.check(left && (f.head == none) == (f.tail == none), "is a list without an end");
        });
    }
    for (const Request& r : state.requests) one_of("requests.frame", r.frame, frames);
    l.indices("demand", state.demand, requests);
    for (std::uint32_t i = 0; i < state.demand.size(); ++i)
        l.index("demand.frame", state.requests[state.demand[i]].frame, frames);
    for (std::uint32_t i = 0; i < state.bulk.size(); ++i)
        l.index("bulk.frame", state.bulk[i].frame, frames);
    l.indices("to_drive", state.to_drive, frames);
    one_of("oldest", state.oldest, frames), one_of("newest", state.newest, frames);
    l.within("oldest", [&] {
        l.check((state.oldest == none) == (state.dirty == 0), "does not fit the number of dirty");
    });
}

void PageBuffer::waits_on(WaitReport& report) const {
    if (const std::size_t under_way = state.requests.size() - state.free.size())
        report.add(path() + ": " + std::to_string(under_way) + " requests are under way, " +
                   std::to_string(state.demand.size()) + " wait for " +
                   port.dram_side.peer()->owner().path());
    if (!state.to_drive.empty())
        report.add(path() + ": " + std::to_string(state.to_drive.size()) + " pages wait for " +
                   port.drive_side.peer()->owner().path());
}

std::optional<std::string> PageBuffer::imbalance() const {
    if (pending()) return "requests were not answered";
    for (const Frame& f : state.frames)
        if (f.mode != Mode::empty && f.mode != Mode::idle)
            return "page " + std::to_string(f.page) + " is still on its way";
    return {};
}

} // namespace memsim::zng
