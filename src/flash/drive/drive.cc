#include "flash/drive/drive.hh"

#include "core/kernel/registry.hh"
#include "device_parts/record_part.hh"
#include "flash/drive/page_spans.hh"

namespace memsim::flash {

static const Registration<Drive> drive {"A solid-state drive: NVMe queues, cores, DRAM cache and a "
                                        "page-mapped FTL, connected to flash channels."};

using protocol::block_sector_bytes;
using protocol::BlockOp;

// Latency stages of a read before those of flash/channel/channel.cc, and after them.
static const Stage waiting {"drive_queue"}, firmware {"firmware"}, mapping {"map"},
    working {"drive"};

void Drive::init() {
    if (params.shape.page->raw % block_sector_bytes != 0)
        refuse("page", params.shape.page.text() + " is not a multiple of a sector of 512 bytes");
    page_sectors_ = static_cast<std::uint32_t>(params.shape.page->raw / block_sector_bytes);
    contents_.emplace(sim().contents(), page_sectors_, state.contents);
    state.flash.victim.make(params.ftl.victim, *this, "victim");
    back_end_.emplace(
        params.shape, params.ftl, stat.ftl, state.flash, *contents_, sim().contents(),
        static_cast<DriveBackEnd::Front&>(*this),
        [this](const char* parameter, const std::string& sentence) { refuse(parameter, sentence); },
        Rng(sim().seed(), path() + ".overwritten"));
    const FlashShape& s = params.shape;
    for (unsigned i = 0; i < port.channel.size(); ++i) {
        protocol::check_flash_geometry(
            port.channel[i], {s.packages(), s.dies(), s.planes(), s.blocks(), s.pages(), 0, {}});
        if (params.ftl.gc_holds_writes()) check_places_to_wait(port.channel[i]);
    }
    state.flash.map.replacement.make(params.ftl.map_replacement, *this, "map_replacement");
    state.flash.map.replacement->resize(back_end_->map_entries());
    state.cache.replacement.make(params.caching.cache_replacement, *this, "cache_replacement");
    sectors_ = back_end_->host_pages() * page_sectors_;
    const Bytes page = params.shape.page();
    const DriveCacheParams& cache = params.caching;
    if (cache.cache() < page)
        refuse("cache",
               cache.cache.text() + " is smaller than a page of " + params.shape.page.text());
    if (cache.write_buffer() > cache.cache())
        refuse("write_buffer", "is larger than the cache of " + cache.cache.text());
    const auto cached = static_cast<std::uint32_t>(cache.cache() / page);
    cache_.emplace(cached, cache.keep_rewritten(), state.cache);
    state.cache.replacement->resize(cached);
    dram_.emplace(cache.dram_latency(), cache.dram_rate(), state.dram);
    commands_.emplace(state.commands);
    commands_->reset(params.commands(), params.queues());
    state.cores.resize(params.cores());
    cores_.emplace(params.firmware(), state.cores, state.commands.for_cores);
    announcements_.emplace(
        params.announcements.announce(),
        share_of(back_end_->geometry().all_planes(), params.announcements.announce_from()),
        state.load);
    const DriveWrites::Config writes {
        page_sectors_, static_cast<std::uint64_t>(cache.write_buffer->raw) / block_sector_bytes,
        cache.dirty_pages()};
    writes_.emplace(writes,
                    DriveWrites::Parts {state.commands.waiting_writes, *commands_, *cache_,
                                        *contents_, *dram_, *back_end_, sim().contents(),
                                        stat.buffer_waits},
                    [this](std::uint32_t command) { done(command, 1); });
    times_ = port.channel[0].find_interface<const protocol::HasFlashTimes>();
    if (port.tasks.size() && !times_)
        refuse("observers",
               port.channel[0].neighbour_path() +
                   " does not report the times of its flash, so the duration of tasks is unknown");
}

void Drive::wake() {
    for (unsigned i = 0; i < port.channel.size(); ++i)
        while (!port.channel[i].empty()) back_end_->answered(port.channel[i].pop(), now());
    contents_->write_deferred(
        [this](std::uint32_t lpn, FunctionalAccess& access) { look_at_page(lpn, access); },
        [this](std::uint32_t lpn) { return back_end_->works_on(lpn); });
    dram_->finish(now(), [this](const DramTransfer& t) {
        if (t.command != none) done(t.command, t.sectors);
    });
    run_cores();
    if (port.load && announcements_->due_may_begin(back_end_->tasks(), now()))
        back_end_->begin_due();
    do {
        fetch();
        writes_->accept_waiting(now());
        writes_->destage();
        back_end_->send_waiting();
    } while (answer());
    if (dram_->next()) arm(state.dram_done, dram_->next());
    if (port.load) report_load();
}

void Drive::report_load() {
    announcements_->report(*port.load, back_end_->tasks(), stat.announcements);
    if (back_end_->task_due()) arm(state.load.due, announcements_->begin_at());
}

// ---- commands ----------------------------------------------------------------------------------

void Drive::fetch() {
    const unsigned n = port.host.size();
    for (unsigned dry = 0; dry < n && !commands_->full();) {
        auto& queue = port.host[state.next_queue];
        if (queue.empty()) {
            ++dry;
        } else {
            dry = 0;
            const std::uint32_t c = commands_->create(queue.pop(), state.next_queue, now());
            const protocol::BlockRequest& r = (*commands_)[c].request;
            if (r.sector + r.sectors > sectors_ || r.sector + r.sectors < r.sector)
                throw ConfigError(path() + ": sectors from " + std::to_string(r.sector) + " to " +
                                  std::to_string(r.sector + r.sectors) +
                                  " are beyond the drive's " + std::to_string(sectors_) +
                                  ": reduce the sender's range");
            MEMSIM_ASSERT(r.op == BlockOp::trim || r.op == BlockOp::flush ||
                              (r.sectors > 0 && r.sectors <= protocol::BlockRequest::most_sectors),
                          "a read or a write has 1 to 1024 sectors");
            sim().stamps().mark(r.stamps, waiting, now());
            stat.under_way.set(now(), commands_->under_way());
            if (cores_->takes_time())
                cores_->add(c);
            else
                begin(c);
        }
        state.next_queue = (state.next_queue + 1) % n;
    }
    run_cores();
}

void Drive::run_cores() {
    cores_->start_commands([this](std::uint32_t command) { begin(command); },
                           [this](Timer& timer, Time time) { arm(timer, time); });
}

void Drive::begin(std::uint32_t c) {
    const BlockOp op = (*commands_)[c].request.op;
    if (op == BlockOp::read) return begin_read(c);
    if (op == BlockOp::trim) return trim(c);
    writes_->add(c); // a write or a flush
}

void Drive::begin_read(std::uint32_t c) {
    const protocol::BlockRequest r = (*commands_)[c].request;
    (*commands_)[c].left = r.sectors + 1;
    sim().stamps().mark(r.stamps, firmware, now());
    if (contents_->carries()) (*commands_)[c].contents = sim().contents().create();
    std::uint32_t from_cache = 0;
    for_each_span(r.sector, r.sectors, page_sectors_, [&](PageSpan span) {
        const std::uint32_t cached = cache_->find(span.lpn);
        if (cached != no_link) {
            const PageSpan here {span.lpn, span.sectors & (*cache_)[cached].valid};
            cache_->touch(cached);
            contents_->answer_cached((*commands_)[c].contents, cached, span.lpn, here.sectors, r);
            from_cache += here.count();
            span.sectors &= ~here.sectors;
        }
        if (span.sectors) back_end_->read(c, span.lpn, span.sectors, r);
    });
    stat.cache_sectors += from_cache;
    if (from_cache) use_dram(c, from_cache);
    done(c, 1);
}

void Drive::trim(std::uint32_t c) {
    const protocol::BlockRequest r = (*commands_)[c].request;
    for_each_span(r.sector, r.sectors, page_sectors_, [&](const PageSpan& span) {
        const std::uint32_t cached = cache_->find(span.lpn);
        if (cached != no_link) cache_->trim(cached, span.sectors);
        back_end_->trim(span.lpn, span.sectors);
    });
    (*commands_)[c].left = 1;
    done(c, 1);
}

/// Starts a DRAM access of a command; its sectors complete when it ends.
void Drive::use_dram(std::uint32_t c, std::uint32_t sectors) {
    dram_->use(c, sectors, sectors * block_sector_bytes, now());
}

void Drive::done(std::uint32_t c, std::uint64_t sectors) {
    if (commands_->done(c, sectors)) stat.commands.count((*commands_)[c], now());
}

/// Returns true if that has freed space for waiting commands.
bool Drive::answer() {
    const bool full = commands_->full();
    bool waits = false;
    for (unsigned i = 0; i < port.host.size(); ++i) {
        while (commands_->has_answer(i) && port.host[i].can_send()) {
            const DriveCommand& command = commands_->take_answer(i);
            const protocol::BlockRequest& r = command.request;
            sim().stamps().mark(r.stamps, working, now() + params.completion->raw);
            if (command.contents) device_parts::sort_parts(sim().contents(), command.contents);
            port.host[i].send({r.sectors, command.contents, r.tag, r.op});
            stat.under_way.set(now(), commands_->under_way());
        }
        waits |= !port.host[i].empty();
    }
    return full && waits && !commands_->full();
}

// ---- interface of the back end ----------------------------------------------------------------

void Drive::page_read(std::uint32_t c, std::uint32_t lpn, std::uint32_t sectors, std::uint32_t held,
                      Contents::Id sensed, bool current) {
    const DriveCommand& command = (*commands_)[c];
    contents_->answer_sensed(command.contents, sensed, lpn, sectors & held, command.request);
    contents_->answer_unplaced(command.contents, lpn, sectors & ~held, command.request);
    // Keeps only sectors that are still current, if the cache has space for the page.
    const std::uint32_t cached =
        params.caching.cache_reads() && current ? cache_->place(lpn) : no_link;
    if (cached != no_link) {
        const std::uint32_t missing =
            sectors & ~(*cache_)[cached].valid & back_end_->ftl().lookup(lpn).sectors;
        contents_->keep(cached, sensed, missing);
        cache_->fill(cached, missing);
        if (missing) use_dram(none, static_cast<unsigned>(std::popcount(missing)));
    }
    sim().contents().release(sensed);
    done(c, static_cast<unsigned>(std::popcount(sectors)));
}

Contents::Id Drive::page_image(std::uint32_t cached, Contents::Id sensed) {
    const CachedPage& p = (*cache_)[cached];
    return contents_->merged(sensed, cached, p.flying, p.void_);
}

std::uint32_t Drive::sent_sectors(std::uint32_t cached) const {
    const CachedPage& p = state.cache.pages[cached];
    return p.flying & ~p.void_;
}

void Drive::page_written(std::uint32_t cached) {
    cache_->land(cached, params.caching.cache_reads());
}

void Drive::send(unsigned channel, const protocol::FlashRequest& r) {
    sim().stamps().mark(r.stamps, mapping, now());
    port.channel[channel].send(r);
}

void Drive::look_at_flash(std::uint32_t page, FunctionalAccess& access) {
    const Geometry& g = back_end_->geometry();
    protocol::FlashAccess a {access, g.place(page)};
    look_through(port.channel[g.channel_of(page)], a);
    access = a;
}

void Drive::collects(std::uint32_t plane, const FtlBlock& block, bool cold) {
    if (port.tasks.size())
        TaskAnnouncements::begins(port.tasks, times_->flash_times(), plane, block, cold);
}

// ---- reports -----------------------------------------------------------------------------------

bool Drive::pending() const { return commands_->under_way() + back_end_->under_way() > 0; }

void Drive::check_loaded(Loader& l) const {
    const auto command = [&](std::string_view field, std::uint32_t number) {
        if (number != none) l.index(field, number, state.commands.commands.size());
    };
    commands_->check_loaded(l, sectors_);
    for (const DriveCore& core : state.cores) command("cores.command", core.command);
    l.index("next_queue", state.next_queue, port.host.size());
    for (std::uint32_t i = 0; i < state.dram.transfers.size(); ++i)
        command("dram.command", state.dram.transfers[i].command);
    back_end_->check_loaded(l, state.commands.commands.size(), state.cache.pages.size());
    cache_->check_loaded(l);
}

void Drive::functional(const PortBase&, FunctionalAccess& access) {
    const std::uint64_t address = access.address;
    const auto page_bytes = static_cast<std::uint64_t>(params.shape.page->raw);
    if (address / block_sector_bytes >= sectors_)
        throw ConfigError(path() + ": address " + std::to_string(address) +
                          " is beyond the drive's " + std::to_string(sectors_) +
                          " sectors of 512 bytes: use a larger drive");
    const auto lpn = static_cast<std::uint32_t>(address / page_bytes);
    if (!access.write)
        contents_->look_deferred(lpn, access);
    else if (back_end_->works_on(lpn))
        contents_->defer(lpn, access);
    look_at_page(lpn, access);
}

/// Reads the newest copy of a sector: in the cache, in the flash, or in neither. Writes update all
/// copies.
void Drive::look_at_page(std::uint32_t lpn, FunctionalAccess& access) {
    const std::uint64_t address = access.address;
    access.address %= static_cast<std::uint64_t>(params.shape.page->raw);
    const std::uint32_t sector = 1u << access.address / block_sector_bytes;
    const std::uint32_t cached = cache_->find(lpn);
    const bool here = cached != no_link && (*cache_)[cached].valid & sector;
    if (here) contents_->functional_cached(cached, access);
    if (const MapEntry e = back_end_->ftl().lookup(lpn); here && !access.write)
        ; // the flash has no newer copy
    else if (e.page != no_page && e.sectors & sector)
        look_at_flash(e.page, access);
    else
        contents_->functional_unplaced(lpn, access);
    access.address = address;
}

void Drive::waits_on(WaitReport& report) const {
    if (const std::uint32_t writes = writes_->count())
        report.add(path() + ": " + std::to_string(writes) +
                   " writes and flushes wait for space in the write buffer");
    if (const std::size_t waiting_for_block = back_end_->waiting_for_block())
        report.add(path() + ": " + std::to_string(waiting_for_block) +
                   " pages wait for a free page");
    if (const std::size_t jobs = back_end_->under_way())
        report.add(path() + ": " + std::to_string(jobs) + " pages are in progress");
}

std::optional<std::string> Drive::imbalance() const {
    if (pending()) return "commands or pages were not completed";
    if (state.cache.flying_pages != 0)
        return std::to_string(state.cache.flying_pages) + " pages were not written to the flash";
    return {};
}

} // namespace memsim::flash
