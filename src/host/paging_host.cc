#include "host/paging_host.hh"

#include "core/registry.hh"
#include "parts/named.hh"
#include "parts/record_part.hh"

#include <bit>

namespace memsim::host {

using protocol::Command;

static const Registration<PagingHost> registered {
    "The host of a GPU: page-fault driver, copy engine, DRAM."};
static const DebugFlag flag {"PagingHost", "Batches of page faults and the pages that they move"};

namespace {
constexpr std::uint32_t copied_out = 1u << 31; ///< of a tag: a read of the copy engine
}

void PagingHost::init() {
    const auto page = static_cast<std::uint64_t>(params.page->raw);
    const auto chunk = static_cast<std::uint64_t>(params.chunk->raw);
    const Component& mmu = port.pages.peer()->owner();
    const auto* pages = dynamic_cast<const protocol::HasPages*>(&mmu);
    MEMSIM_ASSERT(pages, "who takes page orders must know of pages");
    if (pages->page_bytes() != page)
        refuse("page", "must be that of " + mmu.path() + ", " +
                           Text<Bytes>::show({static_cast<std::int64_t>(pages->page_bytes())}));
    chunks_ = static_cast<std::uint32_t>(page / chunk);
    sectors_ = page / protocol::block_sector_bytes;
    if ((params.source() == PageSource::host_memory) != (params.drives() == 0))
        refuse("drives", "pages come from " + Text<PageSource>::show(params.source()) +
                             ": a drive is bound for drive and drive_direct, and only then");
    dram_ = WireTime(params.dram_bandwidth());
    state.pages.resize(params.transfers());
    if (params.prefetch() != Prefetch::none) init_prefetch(*pages);
    for (auto i = static_cast<std::uint32_t>(state.pages.size()); i-- > 0;) state.free.push_back(i);
}

void PagingHost::init_prefetch(const protocol::HasPages& mmu) {
    const auto page = static_cast<std::uint64_t>(params.page->raw);
    const auto block = static_cast<std::uint64_t>(params.prefetch_block->raw);
    const auto region = static_cast<std::uint64_t>(params.prefetch_region->raw);
    if (!std::has_single_bit(block)) refuse("prefetch_block", "must be a power of two");
    if (!std::has_single_bit(region) || region < block)
        refuse("prefetch_region", "must be a power of two, and hold a prefetch_block of " +
                                      params.prefetch_block.text());
    state.trees.resize(std::max(block / page, std::uint64_t {1}),
                       std::max(region / page, std::uint64_t {1}), mmu.pages(),
                       params.prefetch_share());
    // Pages that are placed are told behind claims: none of these may wait for one of those.
    state.pages.resize(std::min<std::uint64_t>(params.transfers(), mmu.frames()));
}

void PagingHost::wake() {
    while (!port.pages.empty()) framed(port.pages.pop());
    while (!port.device_side.empty()) copied(port.device_side.pop());
    for (unsigned d = 0; d < port.drive_side.size(); ++d)
        while (!port.drive_side[d].empty()) from_drive(port.drive_side[d].pop());
    work();
    copy();
    while (!state.placing.empty() && port.pages.can_send()) {
        const std::uint32_t i = state.placing.pop();
        const Page& p = state.pages[i];
        port.pages.send({protocol::PageOrderKind::place, p.fault.application, i, p.fault.page, 1,
                         p.frame, true});
    }
    while (!state.to_drive.empty() && port.drive_side[0].can_send())
        port.drive_side[0].send(state.to_drive.pop());
}

/// What the driver does now: it is interrupted, takes a batch, goes from page to page.
void PagingHost::work() {
    if (state.phase == Phase::working && state.batch.empty() && quiet()) {
        stat.batch_time.sample(Time {now() - state.interrupt});
        state.phase = Phase::idle;
    }
    if (state.phase == Phase::idle && !port.faults.empty() && quiet()) {
        const protocol::PageFault& fault = port.faults.front();
        if (params.prefetch() != Prefetch::none &&
            state.trees.holds(fault.application, fault.page)) {
            if (port.pages.can_send()) begin({port.faults.pop(), false});
            return;
        }
        state.phase = Phase::interrupted;
        state.interrupt = now();
        state.cpu_free = now() + params.fault_latency->raw;
        stat.cpu_time += params.fault_latency();
        ++stat.batches;
    }
    if (state.phase == Phase::interrupted && state.cpu_free <= now()) take_batch();
    if (state.phase == Phase::working)
        while (!state.batch.empty() && state.cpu_free <= now() && !state.free.empty() &&
               port.pages.can_send()) {
            const Wanted wanted = state.batch.pop();
            stat.cpu_time += cost(wanted);
            state.cpu_free = now() + (state.batch.empty() ? 0 : cost(state.batch.front()).raw);
            begin(wanted);
        }
    if (state.phase != Phase::idle && state.cpu_free > now()) arm(state.next, state.cpu_free);
}

void PagingHost::take_batch() {
    while (!port.faults.empty() && state.batch.size() < params.batch())
        state.batch.push({port.faults.pop(), false});
    debug(flag, "serves a batch of ", state.batch.size(), " faults");
    state.phase = Phase::working;
    state.cpu_free += params.page_cost->raw;
    if (params.prefetch() == Prefetch::none) return;
    for (std::uint32_t i = 0; i < state.batch.size(); ++i)
        state.trees.fault(state.batch[i].fault.application, state.batch[i].fault.page);
    state.trees.expand([this](std::uint16_t application, std::uint64_t page) {
        state.batch.push({{page, application, false, 0}, true});
    });
}

/// The driver has dealt with a page: its frame is asked for and its data are read.
void PagingHost::begin(const Wanted& wanted) {
    const std::uint32_t i = state.free.back();
    state.free.pop_back();
    Page& p = state.pages[i];
    p = {};
    p.fault = wanted.fault;
    p.prefetch = wanted.prefetch;
    p.live = true;
    port.pages.send(
        {protocol::PageOrderKind::claim, p.fault.application, i, p.fault.page, 1, 0, p.prefetch});
    if (params.prefetch() != Prefetch::none) {
        p.late = state.trees.holds(p.fault.application, p.fault.page);
        state.trees.claimed(p.fault.application, p.fault.page);
    }
    if (!p.late) fetch(i);
}

void PagingHost::fetch(std::uint32_t i) {
    if (params.source() == PageSource::host_memory)
        return after<&PagingHost::read>(Time {use_dram(1) - now()}, {i});
    const protocol::PageFault& fault = state.pages[i].fault;
    ask_drive(place(fault.application, fault.page), protocol::BlockOp::read, i);
}

/// The sector at which a page begins.
std::uint64_t PagingHost::place(std::uint16_t application, std::uint64_t page) const {
    const auto space = static_cast<std::uint64_t>(params.drive_space->raw);
    return application * (space / protocol::block_sector_bytes) + page * sectors_;
}

void PagingHost::ask_drive(std::uint64_t sector, protocol::BlockOp op, std::uint32_t tag,
                           Contents::Id contents) {
    protocol::BlockRequest r;
    r.sector = sector;
    r.sectors = sectors_;
    r.op = op;
    r.tag = tag;
    r.contents = contents;
    state.to_drive.push(r);
}

/// What came from the drive is in host DRAM, copied and read again, or was sent to the device.
void PagingHost::from_drive(const protocol::BlockResponse& r) {
    if (r.op == protocol::BlockOp::write) {
        ++stat.drive_writes;
        --state.writing;
        return;
    }
    ++stat.drive_reads;
    parts::named(state.pages, r.tag).in = r.contents;
    if (params.source() == PageSource::drive)
        after<&PagingHost::read>(Time {use_dram(2 + 2 * params.host_copies()) - now()}, {r.tag});
    else
        read({r.tag});
}

/// When a page has passed DRAM so many times; to the first byte of the last pass it takes the
/// latency.
Tick PagingHost::use_dram(unsigned passes) {
    if (state.dram_free < now()) state.dram_free = now(), state.dram_remainder = 0;
    const std::uint64_t bytes = passes * static_cast<std::uint64_t>(params.page->raw);
    state.dram_free += dram_.take(static_cast<std::uint32_t>(bytes), state.dram_remainder);
    stat.dram_bytes += bytes;
    return state.dram_free + params.dram_latency->raw;
}

void PagingHost::read(const Arrived& a) {
    parts::named(state.pages, a.page).here = true;
    copy_in(a.page);
}

void PagingHost::framed(const protocol::PageOrderReply& reply) {
    Page& p = parts::named(state.pages, reply.tag);
    if (p.placed) return finish(reply.tag);
    p.frame = reply.frame;
    if (reply.present) {
        ++stat.late_faults;
        state.trees.evicted(p.fault.application, p.fault.page); // it was claimed before
        return answer(reply.tag);
    }
    if (p.late) fetch(reply.tag); // it has gone again
    if (reply.evicted && params.prefetch() != Prefetch::none)
        state.trees.evicted(reply.owner, reply.page);
    p.victim = place(reply.owner, reply.page);
    p.victim_page = reply.page;
    p.victim_application = reply.owner;
    if (reply.evicted && reply.dirty) return state.out.push(reply.tag);
    p.framed = true;
    copy_in(reply.tag);
}

void PagingHost::copy_in(std::uint32_t i) {
    if (state.pages[i].framed && state.pages[i].here) state.in.push(i);
}

/// The two directions of the copy engine take turns at the port.
void PagingHost::copy() {
    while (!(state.in.empty() && state.out.empty()) && port.device_side.can_send()) {
        const bool write = state.out.empty() || (state.in_next && !state.in.empty());
        auto& queue = write ? state.in : state.out;
        const std::uint32_t i = queue.front();
        Page& p = state.pages[i];
        protocol::MemRequest r;
        r.bytes = static_cast<std::uint32_t>(params.chunk->raw);
        r.address = p.frame * static_cast<std::uint64_t>(params.page->raw) +
                    std::uint64_t {p.sent} * r.bytes;
        r.command = write ? Command::write : Command::read;
        r.tag = write ? i : i | copied_out;
        r.application = p.fault.application;
        if (write && sim().contents().enabled()) r.contents = chunk_of(p);
        port.device_side.send(r);
        if (++p.sent == chunks_) queue.pop();
        state.in_next = !write;
    }
}

void PagingHost::copied(const protocol::MemResponse& r) {
    const std::uint32_t i = r.tag & ~copied_out;
    Page& p = parts::named(state.pages, i);
    (r.tag & copied_out ? stat.bytes_out : stat.bytes_in) += r.bytes;
    if (r.contents) keep_chunk(p, r);
    if (++p.answered < chunks_) return;
    p.sent = p.answered = 0;
    if (r.tag & copied_out) {
        ++stat.pages_out;
        if (params.source() != PageSource::drive_direct) use_dram(1);
        if (params.source() != PageSource::host_memory) {
            ++state.writing;
            if (p.out) parts::sort_parts(sim().contents(), p.out);
            ask_drive(p.victim, protocol::BlockOp::write, i | copied_out, std::exchange(p.out, {}));
        }
        p.framed = true;
        return copy_in(i);
    }
    if (!p.prefetch) return answer(i);
    ++stat.prefetches;
    p.placed = true;
    state.placing.push(i);
}

void PagingHost::answer(std::uint32_t i) {
    const Page& p = state.pages[i];
    port.faults.send({p.frame, p.fault.tag});
    ++stat.faults;
    stat.fault_time.sample(Time {now() - state.interrupt});
    finish(i);
}

void PagingHost::finish(std::uint32_t i) {
    sim().contents().release(std::exchange(state.pages[i].in, {}));
    state.pages[i].live = false;
    state.free.push_back(i);
}

/// The chunk of a page that is copied in next, from host memory or from what the drive brought.
Contents::Id PagingHost::chunk_of(Page& p) {
    Contents& contents = sim().contents();
    const auto bytes = static_cast<std::uint32_t>(params.chunk->raw);
    Contents::Id id;
    if (params.source() == PageSource::host_memory) {
        protocol::MemRequest here;
        here.bytes = bytes;
        here.address = p.fault.page * static_cast<std::uint64_t>(params.page->raw) +
                       std::uint64_t {p.sent} * bytes;
        id = contents_of(p.fault.application).read(contents, here);
    } else {
        const std::uint32_t sectors = bytes / SectorBytes::size;
        id = parts::part_of(contents, p.in, p.sent * sectors, sectors);
    }
    contents[id].moves = true;
    return id;
}

/// A chunk that was copied out goes into host memory, or into what is written to the drive.
void PagingHost::keep_chunk(Page& p, const protocol::MemResponse& r) {
    Contents& contents = sim().contents();
    const auto page = static_cast<std::uint64_t>(params.page->raw);
    const std::uint64_t sector = (r.address - p.frame * page) / SectorBytes::size;
    if (params.source() == PageSource::host_memory) {
        // As stores: what the program's host has written here meanwhile is younger.
        return contents_of(p.victim_application)
            .write(contents, p.victim_page * page / SectorBytes::size + sector, r.contents);
    }
    if (!p.out) p.out = contents.create();
    parts::add_part(contents, p.out, static_cast<std::uint32_t>(sector), r.contents);
}

/// What a page holds while it is not on the device, by its application's addresses.
parts::SectorStore& PagingHost::contents_of(std::uint16_t application) {
    if (state.contents.size() <= application) state.contents.resize(application + 1u);
    return state.contents[application];
}

void PagingHost::functional(const PortBase&, FunctionalAccess& access) {
    if (params.source() == PageSource::host_memory)
        return contents_of(access.application).functional(access);
    const std::uint64_t address = access.address;
    const auto page = static_cast<std::uint64_t>(params.page->raw);
    access.address =
        place(access.application, address / page) * protocol::block_sector_bytes + address % page;
    look_through(port.drive_side[0], access);
    access.address = address;
}

void PagingHost::check_loaded(Loader& l) const {
    l.indices("out", state.out, state.pages.size());
    l.indices("in", state.in, state.pages.size());
    l.indices("placing", state.placing, state.pages.size());
    l.index("dram_remainder", static_cast<std::uint64_t>(state.dram_remainder),
            static_cast<std::uint64_t>(dram_.rate()));
}

void PagingHost::waits_on(WaitReport& report) const {
    std::uint32_t frames = 0, data = 0, copies = 0;
    for (const Page& p : state.pages)
        if (p.live) ++(!p.here ? data : !p.framed ? frames : copies);
    if (frames + data + copies + state.writing + state.batch.size())
        report.add(path() + " brings pages: " + std::to_string(frames) + " wait for a frame, " +
                   std::to_string(data) + " for their data, " + std::to_string(copies) +
                   " are copied, " + std::to_string(state.batch.size()) + " are not begun, " +
                   std::to_string(state.writing) + " are written to the drive");
}

std::optional<std::string> PagingHost::imbalance() const {
    if (state.free.size() != state.pages.size() || !state.batch.empty())
        return "page faults were not answered";
    if (!state.in.empty() || !state.out.empty() || state.writing) return "pages are half copied";
    return {};
}

} // namespace memsim::host
