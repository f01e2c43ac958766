#include "host/paging_host.hh"

#include "core/kernel/registry.hh"
#include "device_parts/named.hh"
#include "protocol/block_size.hh"

namespace memsim::host {

using protocol::Command;

static const Registration<PagingHost> paging_host {
    "The host of a GPU: page-fault driver, copy engine, DRAM."};
static const DebugFlag flag {"PagingHost",
                             "Batches of page faults and the pages that they transfer"};

// Latency stages of a request that waits for a page: until the driver processes it, until its data
// are read (in addition to the drive's own stages), until they are in device memory.
static const Stage driving {"fault_driver"}, reading {"page_read"}, copying {"page_copy"};

namespace {
constexpr std::uint32_t copied_out = 1u << 31; ///< in a tag: a read of the copy engine

PageName name_of(const protocol::PageFault& f) { return {f.page, f.application}; }

/// Each application has a range of the drive for its address space.
void check_drive(const PagingHost& host, std::uint64_t page, std::uint64_t address_space) {
    protocol::check_block_sectors(*host.port.drive_side);
    protocol::check_block_request(host, "page", page);
    if (static_cast<std::uint64_t>(host.params.drive_space->raw) < address_space)
        throw ConfigError(host.path() + ".drive_space: " + host.params.drive_space.text() +
                          " is less than the address space of " + host.port.pages.neighbour_path() +
                          ": set it to at least " + bytes_text(address_space));
}
} // namespace

void PagingHost::init() {
    const auto page = static_cast<std::uint64_t>(params.page->raw);
    const auto chunk = static_cast<std::uint64_t>(params.chunk->raw);
    const auto& pages = port.pages.interface<const protocol::HasPages>();
    if (pages.page_bytes() != page)
        refuse("page", "must equal that of " + port.pages.neighbour_path() + ", " +
                           bytes_text(pages.page_bytes()));
    chunks_ = static_cast<std::uint32_t>(page / chunk);
    sectors_ = page / protocol::block_sector_bytes;
    if ((params.source() == PageSource::host_memory) == bool {port.drive_side})
        refuse(
            "drive_side",
            "pages come from " + Text<PageSource>::show(params.source()) +
                ": a drive is required for drive and drive_direct, and must be absent otherwise");
    if (port.drive_side) check_drive(*this, page, page * pages.pages());
    state.backing.init(page, static_cast<std::uint32_t>(chunk),
                       static_cast<std::uint64_t>(params.drive_space->raw),
                       params.source() != PageSource::host_memory);
    dram_ = WireTime(params.dram_bandwidth());
    state.prefetch.make(params.prefetch, *this, "prefetch");
    state.prefetch->resize(page, pages.pages());
    prefetches_ = state.prefetch->prefetches() || port.hints;
    pages_ = pages.pages();
    // Place orders follow claims in the same queue, so no claim may wait for a place order.
    state.pages.resize(prefetches_ ? std::min<std::uint64_t>(params.transfers(), pages.frames())
                                   : params.transfers());
    for (auto i = static_cast<std::uint32_t>(state.pages.size()); i-- > 0;) state.free.push_back(i);
}

void PagingHost::wake() {
    while (!port.pages.empty()) order_answered(port.pages.pop());
    while (!port.device_side.empty()) chunk_answered(port.device_side.pop());
    while (port.drive_side && !port.drive_side->empty()) from_drive(port.drive_side->pop());
    while (port.hints && !port.hints->empty())
        state.hinted.add(port.hints->pop(), static_cast<std::uint64_t>(params.page->raw), pages_,
                         params.hinted());
    advance_driver();
    send_chunks();
    while (!state.placing.empty() && port.pages.can_send()) {
        const std::uint32_t i = state.placing.pop();
        const Page& p = state.pages[i];
        port.pages.send({protocol::PageOrderKind::place, p.fault.application, i, p.fault.page, 1,
                         p.frame, true});
    }
    while (!state.to_drive.empty() && port.drive_side->can_send())
        port.drive_side->send(state.to_drive.pop());
}

/// Advances the driver: interrupt, batch, page by page.
void PagingHost::advance_driver() {
    FaultDriver& driver = state.driver;
    if (driver.begun() && quiet()) {
        stat.batch_time.sample(Time {now() - driver.interrupt});
        driver.phase = FaultDriver::Phase::idle;
    }
    if (driver.idle() && !port.faults.empty() && quiet()) {
        if (prefetches_ && state.held.holds(name_of(port.faults.front()))) {
            if (port.pages.can_send()) claim_frame({port.faults.pop(), false}, now());
            return;
        }
        driver.interrupted(now(), params.fault_latency());
        stat.cpu_time.add(now(), now(), driver.free_at);
        ++stat.batches;
    }
    if (driver.takes_batch(now())) take_batch();
    while (driver.has_page(now()) && !state.free.empty() && port.pages.can_send()) {
        const WantedPage wanted =
            driver.next_page(now(), [this](const WantedPage& next) { return cost(next); });
        if (!driver.batch.empty()) stat.cpu_time.add(now(), now(), driver.free_at);
        stat.batched_faults += !wanted.prefetch;
        claim_frame(wanted, driver.interrupt);
    }
    if (driver.busy(now())) arm(state.next, driver.free_at);
}

void PagingHost::take_batch() {
    auto& batch = state.driver.batch;
    while (!port.faults.empty() && batch.size() < params.batch())
        batch.push({port.faults.pop(), false});
    debug(flag, "serves a batch of ", batch.size(), " faults");
    state.driver.begin(params.page_cost());
    stat.cpu_time.add(now(), state.driver.free_at - params.page_cost->raw, state.driver.free_at);
    if (!prefetches_) return;
    faults_.clear();
    with_them_.clear();
    for (std::uint32_t i = 0; i < batch.size(); ++i) faults_.push_back(name_of(batch[i].fault));
    state.prefetch->bring(faults_, with_them_);
    state.hinted.join(faults_, with_them_);
    for (const PageName& p : with_them_)
        if (!state.held.holds(p)) batch.push({{p.page, p.application, false, 0}, true});
}

/// The driver has processed a page: claims its frame and reads its data.
void PagingHost::claim_frame(const WantedPage& wanted, Tick since) {
    const std::uint32_t i = state.free.back();
    state.free.pop_back();
    Page& p = state.pages[i];
    p = {};
    p.fault = wanted.fault;
    p.since = since;
    p.prefetch = wanted.prefetch;
    p.live = true;
    sim().stamps().mark(p.fault.stamps, driving, now());
    port.pages.send(
        {protocol::PageOrderKind::claim, p.fault.application, i, p.fault.page, 1, 0, p.prefetch});
    if (prefetches_) {
        p.late = state.held.holds(name_of(p.fault));
        MEMSIM_ASSERT(!(p.late && p.prefetch), "a page is prefetched that is already present");
        state.held.claimed(name_of(p.fault));
        state.prefetch->claimed(name_of(p.fault));
    }
    if (!p.late) read_page(i);
}

/// A page was evicted from the device, or was claimed while it was present.
void PagingHost::record_eviction(const PageName& page) {
    state.held.evicted(page);
    state.prefetch->evicted(page);
}

void PagingHost::read_page(std::uint32_t i) {
    if (params.source() == PageSource::host_memory)
        return after<&PagingHost::read>(Time {use_dram(1) - now()}, {i});
    ask_drive(state.backing.sector(name_of(state.pages[i].fault)), protocol::BlockOp::read, i);
}

void PagingHost::ask_drive(std::uint64_t sector, protocol::BlockOp op, std::uint32_t tag,
                           Contents::Id contents) {
    protocol::BlockRequest r;
    r.sector = sector;
    r.sectors = sectors_;
    r.op = op;
    r.tag = tag;
    r.contents = contents;
    if (op == protocol::BlockOp::read) r.stamps = state.pages[tag].fault.stamps;
    state.to_drive.push(r);
}

/// Data from the drive are in host DRAM, copied and read again, or were sent to the device.
void PagingHost::from_drive(const protocol::BlockResponse& r) {
    if (r.op == protocol::BlockOp::write) {
        ++stat.drive_writes;
        --state.writing;
        return;
    }
    ++stat.drive_reads;
    device_parts::named(state.pages, r.tag).in = r.contents;
    if (params.source() == PageSource::drive)
        after<&PagingHost::read>(Time {use_dram(2 + 2 * params.host_copies()) - now()}, {r.tag});
    else
        read({r.tag});
}

/// When a page has passed DRAM `passes` times, including the latency of the last pass's first byte.
Tick PagingHost::use_dram(unsigned passes) {
    const auto page = static_cast<std::uint32_t>(params.page->raw);
    for (unsigned i = 0; i < passes; ++i) state.dram.transfer(dram_, page, now());
    stat.dram_bytes += std::uint64_t {passes} * page;
    return state.dram.free_at + params.dram_latency->raw;
}

void PagingHost::read(const Arrived& a) {
    Page& p = device_parts::named(state.pages, a.page);
    p.here = true;
    sim().stamps().mark(p.fault.stamps, reading, now());
    queue_copy_in(a.page);
}

void PagingHost::order_answered(const protocol::PageOrderReply& reply) {
    Page& p = device_parts::named(state.pages, reply.tag);
    if (p.placed) return release_page(reply.tag);
    p.frame = reply.frame;
    if (reply.present) {
        ++stat.late_faults;
        record_eviction(name_of(p.fault)); // it was claimed before
        return answer_fault(reply.tag);
    }
    if (p.late) read_page(reply.tag); // it was evicted again
    if (reply.evicted && prefetches_) record_eviction({reply.page, reply.owner});
    p.victim = {reply.page, reply.owner};
    if (reply.evicted && reply.dirty) return state.copies.out.push(reply.tag);
    p.framed = true;
    queue_copy_in(reply.tag);
}

void PagingHost::queue_copy_in(std::uint32_t i) {
    if (state.pages[i].framed && state.pages[i].here) state.copies.in.push(i);
}

/// The two directions of the copy engine alternate at the port.
void PagingHost::send_chunks() {
    while (!state.copies.idle() && port.device_side.can_send()) {
        const CopyEngine::Chunk chunk = state.copies.next();
        const std::uint32_t i = chunk.page;
        Page& p = state.pages[i];
        protocol::MemRequest r;
        r.bytes = static_cast<std::uint32_t>(params.chunk->raw);
        r.address = p.frame * static_cast<std::uint64_t>(params.page->raw) +
                    std::uint64_t {p.sent} * r.bytes;
        r.command = chunk.in ? Command::write : Command::read;
        r.tag = chunk.in ? i : i | copied_out;
        r.application = p.fault.application;
        if (chunk.in && sim().contents().enabled())
            r.contents = state.backing.chunk(sim().contents(), name_of(p.fault), p.in, p.sent);
        port.device_side.send(r);
        state.copies.sent(chunk, ++p.sent == chunks_);
    }
}

void PagingHost::chunk_answered(const protocol::MemResponse& r) {
    const std::uint32_t i = r.tag & ~copied_out;
    Page& p = device_parts::named(state.pages, i);
    (r.tag & copied_out ? stat.bytes_out : stat.bytes_in) += r.bytes;
    if (r.contents) {
        const std::uint64_t first = p.frame * static_cast<std::uint64_t>(params.page->raw);
        state.backing.keep(sim().contents(), p.victim, p.out,
                           (r.address - first) / SectorBytes::size, r.contents);
    }
    if (++p.answered < chunks_) return;
    p.sent = p.answered = 0;
    if (r.tag & copied_out) {
        ++stat.pages_out;
        if (params.source() != PageSource::drive_direct) use_dram(1);
        if (params.source() != PageSource::host_memory) {
            ++state.writing;
            if (p.out) device_parts::sort_parts(sim().contents(), p.out);
            ask_drive(state.backing.sector(p.victim), protocol::BlockOp::write, i | copied_out,
                      std::exchange(p.out, {}));
        }
        p.framed = true;
        return queue_copy_in(i);
    }
    if (!p.prefetch) return answer_fault(i);
    ++stat.prefetches;
    p.placed = true;
    state.placing.push(i);
}

void PagingHost::answer_fault(std::uint32_t i) {
    const Page& p = state.pages[i];
    sim().stamps().mark(p.fault.stamps, copying, now());
    port.faults.send({p.frame, p.fault.tag});
    ++stat.faults;
    stat.fault_time.sample(Time {now() - p.since});
    release_page(i);
}

void PagingHost::release_page(std::uint32_t i) {
    sim().contents().release(std::exchange(state.pages[i].in, {}));
    state.pages[i].live = false;
    state.free.push_back(i);
}

void PagingHost::functional(const PortBase&, FunctionalAccess& access) {
    state.backing.functional(access, port.drive_side ? &*port.drive_side : nullptr);
}

void PagingHost::check_loaded(Loader& l) const {
    l.check(state.hinted.keys.sound(), "has hints whose list and index differ");
    l.indices("copies.out", state.copies.out, state.pages.size());
    l.indices("copies.in", state.copies.in, state.pages.size());
    l.indices("placing", state.placing, state.pages.size());
    l.check(state.dram.remainder >= 0, "has a negative dram.remainder");
}

void PagingHost::waits_on(WaitReport& report) const {
    std::uint32_t frames = 0, data = 0, copies = 0;
    for (const Page& p : state.pages)
        if (p.live) ++(!p.here ? data : !p.framed ? frames : copies);
    if (frames + data + copies + state.writing + state.driver.batch.size())
        report.add(path() + " transfers pages: " + std::to_string(frames) + " wait for a frame, " +
                   std::to_string(data) + " for their data, " + std::to_string(copies) +
                   " are copied, " + std::to_string(state.driver.batch.size()) +
                   " are not started, " + std::to_string(state.writing) +
                   " are written to the drive");
}

std::optional<std::string> PagingHost::imbalance() const {
    if (state.free.size() != state.pages.size() || !state.driver.batch.empty())
        return "page faults were not answered";
    if (!state.copies.idle() || state.writing) return "pages were not completely copied";
    return {};
}

} // namespace memsim::host
