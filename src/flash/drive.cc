#include "flash/drive.hh"

#include "core/registry.hh"
#include "parts/record_part.hh"

#include <bit>

namespace memsim::flash {

static const Registration<Drive> registered {"A solid-state drive: NVMe queues, cores, DRAM cache "
                                             "and a page-mapped FTL, before its channels."};

using protocol::block_sector_bytes;
using protocol::BlockOp;

void Drive::init() {
    if (params.shape.page->raw % block_sector_bytes != 0)
        refuse("page", params.shape.page.text() + " is not a multiple of a sector of 512 bytes");
    page_sectors_ = static_cast<std::uint32_t>(params.shape.page->raw / block_sector_bytes);
    contents_.emplace(sim().contents(), page_sectors_, state.contents);
    back_end_.emplace(params.shape, params.ftl, stat.ftl, state.flash, *contents_, sim().contents(),
                      static_cast<DriveBackEnd::Front&>(*this),
                      [this](const char* parameter, const std::string& sentence) {
                          refuse(parameter, sentence);
                      });
    state.flash.victim.make(params.ftl.victim, *this, "victim");
    state.flash.map.replacement.make(params.ftl.map_replacement, *this, "map_replacement");
    state.cache.replacement.make(params.cache_replacement, *this, "cache_replacement");
    sectors_ = back_end_->host_pages() * page_sectors_;
    const Bytes page = params.shape.page();
    if (params.cache() < page)
        refuse("cache", params.cache.text() + " holds no page of " + params.shape.page.text());
    if (params.write_buffer() > params.cache())
        refuse("write_buffer", "is larger than the cache of " + params.cache.text());
    const auto cached = static_cast<std::uint32_t>(params.cache() / page);
    cache_.emplace(cached, params.keep_rewritten(), state.cache);
    state.cache.replacement->resize(cached);
    dram_.emplace(params.dram_latency(), params.dram_rate(), state.dram);
    commands_.emplace(state.commands);
    commands_->reset(params.commands(), params.queues());
    state.cores.resize(params.cores());
    times_ = dynamic_cast<const protocol::HasFlashTimes*>(&port.channel[0].peer()->owner());
    if (params.observers() && !times_)
        refuse("observers",
               port.channel[0].peer()->owner().path() +
                   " does not say how long its flash takes, so no task's duration is known");
}

void Drive::wake() {
    for (unsigned i = 0; i < port.channel.size(); ++i)
        while (!port.channel[i].empty()) back_end_->answered(port.channel[i].pop(), now());
    dram_->finish(now(), [this](const DramTransfer& t) {
        if (t.command != none) done(t.command, t.sectors);
    });
    run_cores();
    do {
        fetch();
        take_writes();
        destage();
        back_end_->send_waiting();
    } while (answer());
    if (dram_->next()) arm(state.dram_done, dram_->next());
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
                                  " lie beyond the drive's " + std::to_string(sectors_) +
                                  ": give the sender a range that the drive has");
            MEMSIM_ASSERT(r.op == BlockOp::trim ||
                              r.sectors <= protocol::BlockRequest::most_sectors,
                          "a read or a write has at most 1024 sectors");
            stat.under_way.set(now(), commands_->under_way());
            if (params.firmware().raw)
                state.commands.for_cores.push(c);
            else
                begin(c);
        }
        state.next_queue = (state.next_queue + 1) % n;
    }
    if (!state.commands.for_cores.empty()) run_cores();
}

void Drive::run_cores() {
    if (params.firmware().raw == 0) return;
    for (Core& core : state.cores) {
        if (core.command != none && !core.done.armed()) begin(std::exchange(core.command, none));
        if (core.command == none && !state.commands.for_cores.empty()) {
            core.command = state.commands.for_cores.pop();
            arm(core.done, params.firmware());
        }
    }
}

void Drive::begin(std::uint32_t c) {
    switch ((*commands_)[c].request.op) {
    case BlockOp::read:
        begin_read(c);
        break;
    case BlockOp::trim:
        trim(c);
        break;
    case BlockOp::write:
        (*commands_)[c].left = (*commands_)[c].request.sectors;
        [[fallthrough]];
    case BlockOp::flush:
        state.commands.waiting_writes.push(c);
        break;
    }
}

/// The sectors of the page of `sector` that [sector, sector + sectors) takes, a bit each.
std::uint32_t Drive::sector_mask(std::uint64_t sector, std::uint64_t sectors,
                                 std::uint32_t& lpn) const {
    lpn = static_cast<std::uint32_t>(sector / page_sectors_);
    const auto first = static_cast<std::uint32_t>(sector % page_sectors_);
    const auto n =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(sectors, page_sectors_ - first));
    return (n == 32 ? ~0u : (1u << n) - 1) << first;
}

void Drive::begin_read(std::uint32_t c) {
    const protocol::BlockRequest r = (*commands_)[c].request;
    (*commands_)[c].left = r.sectors + 1;
    if (contents_->carries()) (*commands_)[c].contents = sim().contents().create();
    std::uint32_t from_cache = 0;
    for (std::uint64_t at = 0; at < r.sectors;) {
        std::uint32_t lpn;
        std::uint32_t mask = sector_mask(r.sector + at, r.sectors - at, lpn);
        at += static_cast<unsigned>(std::popcount(mask));
        const std::uint32_t cached = cache_->find(lpn);
        if (cached != no_link) {
            CachedPage& p = (*cache_)[cached];
            const std::uint32_t here = mask & p.valid;
            cache_->touch(cached);
            contents_->answer_cached((*commands_)[c].contents, cached, lpn, here, r);
            from_cache += static_cast<unsigned>(std::popcount(here));
            mask &= ~here;
        }
        if (!mask) continue;
        back_end_->read(c, lpn, mask, r.urgent);
    }
    stat.cache_sectors += from_cache;
    if (from_cache) use_dram(c, from_cache);
    done(c, 1);
}

void Drive::trim(std::uint32_t c) {
    const protocol::BlockRequest r = (*commands_)[c].request;
    for (std::uint64_t at = 0; at < r.sectors;) {
        std::uint32_t lpn;
        const std::uint32_t mask = sector_mask(r.sector + at, r.sectors - at, lpn);
        at += static_cast<unsigned>(std::popcount(mask));
        const std::uint32_t cached = cache_->find(lpn);
        if (cached != no_link) cache_->trim(cached, mask);
        back_end_->trim(lpn, mask);
    }
    (*commands_)[c].left = 1;
    done(c, 1);
}

void Drive::take_writes() {
    while (!state.commands.waiting_writes.empty()) {
        const std::uint32_t c = state.commands.waiting_writes.front();
        if ((*commands_)[c].request.op == BlockOp::flush) {
            if (!cache_->all_written()) return;
            (*commands_)[c].left = 1;
            done(c, 1);
        } else if (!take_write(c))
            return;
        state.commands.waiting_writes.pop();
    }
}

/// Takes as much of a write as there is room for; true if it is all in the cache.
bool Drive::take_write(std::uint32_t c) {
    DriveCommand& command = (*commands_)[c];
    const protocol::BlockRequest& r = command.request;
    const auto limit = static_cast<std::uint64_t>(params.write_buffer->raw) / block_sector_bytes;
    std::uint32_t taken = 0;
    bool room = true;
    while (command.accepted < r.sectors) {
        std::uint32_t lpn;
        const std::uint32_t mask =
            sector_mask(r.sector + command.accepted, r.sectors - command.accepted, lpn);
        const std::uint32_t cached = cache_->buffered() < limit ? cache_->place(lpn) : no_link;
        if (cached == no_link) {
            room = false;
            break;
        }
        cache_->write(cached, mask);
        contents_->write(cached, lpn, mask, r);
        const auto n = static_cast<unsigned>(std::popcount(mask));
        command.accepted += n;
        taken += n;
    }
    if (taken) use_dram(c, taken);
    if (room) sim().contents().release(std::exchange(command.request.contents, {}));
    if (!room && !std::exchange(command.waited, true)) ++stat.buffer_waits;
    return room;
}

/// Sends dirty pages on their way, first written first; hot ones when their place is needed, or a
/// flush waits.
void Drive::destage() {
    const Fifo<std::uint32_t>& writes = state.commands.waiting_writes;
    for (;;) {
        const bool waits = !writes.empty();
        std::uint32_t i = no_link;
        if (cache_->dirty_pages() > params.dirty_pages() || waits) i = cache_->oldest_dirty();
        if (i == no_link && waits &&
            (cache_->full() || (*commands_)[writes.front()].request.op == BlockOp::flush))
            i = cache_->oldest_hot();
        if (i == no_link) return;
        cache_->take_off(i);
        back_end_->write(i, (*cache_)[i].lpn, (*cache_)[i].flying);
    }
}

/// An access of a command to the DRAM; its sectors are done when it ends.
void Drive::use_dram(std::uint32_t c, std::uint32_t sectors) {
    dram_->use(c, sectors, sectors * block_sector_bytes, now());
}

void Drive::done(std::uint32_t c, std::uint64_t sectors) {
    if (!commands_->done(c, sectors)) return;
    const DriveCommand& command = (*commands_)[c];
    const std::uint64_t bytes = command.request.sectors * block_sector_bytes;
    const Time taken {now() - command.arrived};
    switch (command.request.op) {
    case BlockOp::read:
        ++stat.reads, stat.read_bytes += bytes;
        stat.read_latency.sample(taken);
        break;
    case BlockOp::write:
        ++stat.writes, stat.write_bytes += bytes;
        stat.write_latency.sample(taken);
        break;
    case BlockOp::trim:
        ++stat.trims;
        break;
    case BlockOp::flush:
        ++stat.flushes;
        break;
    }
}

/// True if that has made room for commands that wait.
bool Drive::answer() {
    const bool full = commands_->full();
    bool waits = false;
    for (unsigned i = 0; i < port.host.size(); ++i) {
        while (commands_->has_answer(i) && port.host[i].can_send()) {
            const DriveCommand& command = commands_->take_answer(i);
            const protocol::BlockRequest& r = command.request;
            if (command.contents) parts::sort_parts(sim().contents(), command.contents);
            port.host[i].send({r.sectors, command.contents, r.tag, r.op});
            stat.under_way.set(now(), commands_->under_way());
        }
        waits |= !port.host[i].empty();
    }
    return full && waits && !commands_->full();
}

// ---- what the back end asks --------------------------------------------------------------------

void Drive::page_read(std::uint32_t c, std::uint32_t lpn, std::uint32_t sectors, std::uint32_t held,
                      Contents::Id sensed, bool current) {
    const DriveCommand& command = (*commands_)[c];
    contents_->answer_sensed(command.contents, sensed, lpn, sectors & held, command.request);
    contents_->answer_unplaced(command.contents, lpn, sectors & ~held, command.request);
    // Only what is still the page's content is kept, if it has a place.
    const std::uint32_t cached = params.cache_reads() && current ? cache_->place(lpn) : no_link;
    if (cached != no_link) {
        const std::uint32_t missing =
            sectors & ~(*cache_)[cached].valid & back_end_->ftl().lookup(lpn).sectors;
        contents_->keep(cached, sensed, missing);
        cache_->fill(cached, missing);
        use_dram(none, static_cast<unsigned>(std::popcount(missing)));
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

void Drive::page_written(std::uint32_t cached) { cache_->land(cached, params.cache_reads()); }

void Drive::look_at_flash(std::uint32_t page, FunctionalAccess& access) {
    const Geometry& g = back_end_->geometry();
    protocol::FlashAccess a {access, g.place(page)};
    look_through(port.channel[g.channel_of(page)], a);
    access = a;
}

/// Said to all that listen; what finds no room is dropped.
void Drive::collects(std::uint32_t plane, const FtlBlock& block, bool cold) {
    using protocol::DriveTaskKind;
    if (port.tasks.size() == 0) return;
    const protocol::FlashTimes t = times_->flash_times();
    const Tick expected = block.valid * (t.read + t.program) + t.erase;
    for (unsigned i = 0; i < port.tasks.size(); ++i)
        if (port.tasks[i].can_send())
            port.tasks[i].send({expected, block.valid, plane,
                                cold ? DriveTaskKind::levelling : DriveTaskKind::collection});
}

// ---- reports -----------------------------------------------------------------------------------

bool Drive::pending() const { return commands_->under_way() + back_end_->under_way() > 0; }

void Drive::check_loaded(Loader& l) const {
    const auto command = [&](std::string_view field, std::uint32_t number) {
        if (number != none) l.index(field, number, state.commands.commands.size());
    };
    commands_->check_loaded(l, sectors_);
    for (const Core& core : state.cores) command("cores.command", core.command);
    l.index("next_queue", state.next_queue, port.host.size());
    for (std::uint32_t i = 0; i < state.dram.transfers.size(); ++i)
        command("dram.command", state.dram.transfers[i].command);
    back_end_->check_loaded(l, state.commands.commands.size(), state.cache.pages.size());
    cache_->check_loaded(l);
}

/// The newest place of a sector: the cache, the flash, or neither. A write goes to all that hold
/// it.
void Drive::functional(const PortBase&, FunctionalAccess& access) {
    const std::uint64_t address = access.address;
    const auto page_bytes = static_cast<std::uint64_t>(params.shape.page->raw);
    if (address / block_sector_bytes >= sectors_)
        throw ConfigError(path() + ": address " + std::to_string(address) +
                          " lies beyond the drive's " + std::to_string(sectors_) +
                          " sectors of 512 bytes: give the program a drive that holds it");
    const auto lpn = static_cast<std::uint32_t>(address / page_bytes);
    access.address = address % page_bytes;
    const std::uint32_t sector = 1u << access.address / block_sector_bytes;
    const std::uint32_t cached = cache_->find(lpn);
    const bool here = cached != no_link && (*cache_)[cached].valid & sector;
    if (here) contents_->functional_cached(cached, access);
    if (const MapEntry e = back_end_->ftl().lookup(lpn); here && !access.write)
        ; // the flash has nothing newer
    else if (e.page != no_page && e.sectors & sector)
        look_at_flash(e.page, access);
    else
        contents_->functional_unplaced(lpn, access);
    access.address = address;
}

void Drive::waits_on(WaitReport& report) const {
    if (!state.commands.waiting_writes.empty())
        report.add(path() + ": " + std::to_string(state.commands.waiting_writes.size()) +
                   " writes and flushes wait for room in the write buffer");
    if (const std::size_t roomless = back_end_->roomless())
        report.add(path() + ": " + std::to_string(roomless) + " pages wait for a free one");
    if (const std::size_t jobs = back_end_->under_way())
        report.add(path() + ": " + std::to_string(jobs) + " pages are under way");
}

std::optional<std::string> Drive::imbalance() const {
    if (pending()) return "commands or pages were left under way";
    if (state.cache.flying_pages != 0)
        return std::to_string(state.cache.flying_pages) + " pages were left on their way";
    return {};
}

} // namespace memsim::flash
