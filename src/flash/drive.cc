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
    geometry_ = {params.channels(), params.packages(), params.dies(),
                 params.planes(),   params.blocks(),   params.pages()};
    const Geometry& g = geometry_;
    if (g.all_pages() >= no_page)
        refuse("blocks", "the drive has " + std::to_string(g.all_pages()) +
                             " pages: at most 4294967294 can be named");
    if (params.page->raw % block_sector_bytes != 0)
        refuse("page", params.page.text() + " is not a multiple of a sector of 512 bytes");
    page_sectors_ = static_cast<std::uint32_t>(params.page->raw / block_sector_bytes);

    // What the host sees, its translation pages behind it.
    if (params.over_provisioning() == 0_pct)
        refuse("over_provisioning",
               "is 0: garbage collection needs pages that hold nothing, take 0.07 or the like");
    const auto host = static_cast<std::uint64_t>(
        static_cast<Uint128>(g.all_pages()) *
        static_cast<std::uint64_t>((100_pct - params.over_provisioning()).raw) /
        static_cast<std::uint64_t>((100_pct).raw));
    map_in_flash_ = params.map_cache->raw > 0;
    per_map_page_ = static_cast<std::uint32_t>(params.page->raw / params.map_entry_flash());
    const std::uint64_t map_pages = map_in_flash_ ? (host + per_map_page_ - 1) / per_map_page_ : 0;
    host_pages_ = static_cast<std::uint32_t>(host);
    sectors_ = host * page_sectors_;
    // Blocks of a plane beside those that the data fill: one is open for each who writes, and the
    // threshold keeps some free.
    gc_blocks_ = std::max<std::uint32_t>(
        2, static_cast<std::uint32_t>(std::uint64_t {g.blocks} *
                                      static_cast<std::uint64_t>(params.gc_threshold->raw) /
                                      static_cast<std::uint64_t>((100_pct).raw)));
    const std::uint64_t of_plane = (host + map_pages + g.all_planes() - 1) / g.all_planes();
    const std::uint64_t full = (of_plane + g.pages - 1) / g.pages;
    if (host == 0) refuse("over_provisioning", "leaves the host no page");
    const unsigned open = params.static_wear_levelling() ? 4 : 3;
    if (full + gc_blocks_ + open > g.blocks)
        refuse("over_provisioning",
               params.over_provisioning.text() + " leaves " +
                   std::to_string(g.blocks > full ? g.blocks - full : 0) + " of a plane's " +
                   params.blocks.text() + " blocks for garbage collection, which needs " +
                   std::to_string(gc_blocks_ + open) + " (gc_threshold's " +
                   std::to_string(gc_blocks_) + " and " + std::to_string(open) + " that are open)");

    Ftl::Figures f;
    f.geometry = g;
    try {
        f.order = plane_order(params.allocation(), g);
    } catch (const ConfigError& e) {
        refuse("allocation", e.what());
    }
    f.host_pages = host;
    f.map_pages = map_pages;
    f.aged = static_cast<std::uint64_t>(static_cast<Uint128>(host) *
                                        static_cast<std::uint64_t>(params.preconditioned->raw) /
                                        static_cast<std::uint64_t>((100_pct).raw));
    f.fixed_plane = params.fixed_plane();
    f.least_worn_first = params.dynamic_wear_levelling();
    ftl_.emplace(std::move(f), state.ftl);
    ftl_->init();
    map_.emplace(static_cast<std::uint32_t>(params.map_cache->raw / params.map_entry()),
                 per_map_page_, state.map);
    if (map_in_flash_ && params.map_cache->raw < params.map_entry())
        refuse("map_cache", "holds no entry of " + params.map_entry.text() + " bytes");
    if (params.cache() < params.page())
        refuse("cache", params.cache.text() + " holds no page of " + params.page.text());
    if (params.write_buffer() > params.cache())
        refuse("write_buffer", "is larger than the cache of " + params.cache.text());
    cache_.emplace(static_cast<std::uint32_t>(params.cache() / params.page()),
                   params.keep_rewritten(), state.cache);
    contents_.emplace(sim().contents(), page_sectors_, state.contents);
    dram_wire_ = WireTime(params.dram_rate());

    for (std::uint32_t p = 0; p < g.all_planes(); ++p) {
        const auto first = static_cast<std::uint32_t>(p * g.plane_pages());
        where_.push_back({g.channel_of(first), g.place(first)});
    }
    state.commands.resize(params.commands());
    for (std::uint32_t i = params.commands(); i-- > 0;) state.free_commands.push_back(i);
    state.cores.resize(params.cores());
    state.answers.resize(params.queues());
    state.outgoing.resize(g.channels);
    state.roomless.resize(g.all_planes());
    state.collections.resize(g.all_planes());
}

void Drive::wake() {
    for (unsigned i = 0; i < port.channel.size(); ++i)
        while (!port.channel[i].empty()) answered(port.channel[i].pop());
    finish_transfers();
    run_cores();
    do {
        fetch();
        take_writes();
        destage();
        send_waiting();
    } while (answer());
    if (!state.dram.empty()) arm(state.dram_done, state.dram.front().done);
}

// ---- commands ----------------------------------------------------------------------------------

void Drive::fetch() {
    const unsigned n = port.host.size();
    for (unsigned dry = 0; dry < n && !state.free_commands.empty();) {
        auto& queue = port.host[state.next_queue];
        if (queue.empty()) {
            ++dry;
        } else {
            dry = 0;
            const std::uint32_t c = state.free_commands.back();
            state.free_commands.pop_back();
            Command& command = state.commands[c];
            command = {queue.pop(), now(), {}, 0, 0, static_cast<std::uint16_t>(state.next_queue),
                       false};
            const protocol::BlockRequest& r = command.request;
            if (r.sector + r.sectors > sectors_ || r.sector + r.sectors < r.sector)
                throw ConfigError(path() + ": sectors from " + std::to_string(r.sector) + " to " +
                                  std::to_string(r.sector + r.sectors) +
                                  " lie beyond the drive's " + std::to_string(sectors_) +
                                  ": give the sender a range that the drive has");
            MEMSIM_ASSERT(r.op == BlockOp::trim ||
                              r.sectors <= protocol::BlockRequest::most_sectors,
                          "a read or a write has at most 1024 sectors");
            stat.under_way.set(now(), state.commands.size() - state.free_commands.size());
            if (params.firmware().raw)
                state.for_cores.push(c);
            else
                begin(c);
        }
        state.next_queue = (state.next_queue + 1) % n;
    }
    if (!state.for_cores.empty()) run_cores();
}

void Drive::run_cores() {
    if (params.firmware().raw == 0) return;
    for (Core& core : state.cores) {
        if (core.command != none && !core.done.armed()) begin(std::exchange(core.command, none));
        if (core.command == none && !state.for_cores.empty()) {
            core.command = state.for_cores.pop();
            arm(core.done, params.firmware());
        }
    }
}

void Drive::begin(std::uint32_t c) {
    switch (state.commands[c].request.op) {
    case BlockOp::read:
        begin_read(c);
        break;
    case BlockOp::trim:
        trim(c);
        break;
    case BlockOp::write:
        state.commands[c].left = state.commands[c].request.sectors;
        [[fallthrough]];
    case BlockOp::flush:
        state.waiting_writes.push(c);
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
    const protocol::BlockRequest r = state.commands[c].request;
    state.commands[c].left = r.sectors + 1;
    if (contents_->carries()) state.commands[c].contents = sim().contents().create();
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
            contents_->answer_cached(state.commands[c].contents, cached, lpn, here, r);
            from_cache += static_cast<unsigned>(std::popcount(here));
            mask &= ~here;
        }
        if (!mask) continue;
        Job job;
        job.kind = JobKind::read;
        job.urgent = r.urgent;
        job.lpn = lpn;
        job.sectors = mask;
        job.command = c;
        look_up(make_job(job));
    }
    stat.cache_sectors += from_cache;
    if (from_cache) use_dram(c, from_cache);
    done(c, 1);
}

void Drive::trim(std::uint32_t c) {
    const protocol::BlockRequest r = state.commands[c].request;
    for (std::uint64_t at = 0; at < r.sectors;) {
        std::uint32_t lpn;
        const std::uint32_t mask = sector_mask(r.sector + at, r.sectors - at, lpn);
        at += static_cast<unsigned>(std::popcount(mask));
        const std::uint32_t cached = cache_->find(lpn);
        if (cached != no_link) cache_->trim(cached, mask);
        ftl_->trim(lpn, mask);
        contents_->trim(lpn, mask);
        if (map_in_flash_) map_changed(lpn);
    }
    state.commands[c].left = 1;
    done(c, 1);
}

void Drive::take_writes() {
    while (!state.waiting_writes.empty()) {
        const std::uint32_t c = state.waiting_writes.front();
        if (state.commands[c].request.op == BlockOp::flush) {
            if (!cache_->all_written()) return;
            state.commands[c].left = 1;
            done(c, 1);
        } else if (!take_write(c))
            return;
        state.waiting_writes.pop();
    }
}

/// Takes as much of a write as there is room for; true if it is all in the cache.
bool Drive::take_write(std::uint32_t c) {
    Command& command = state.commands[c];
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

/// An access of a command to the DRAM; its sectors are done when it ends.
void Drive::use_dram(std::uint32_t c, std::uint32_t sectors) {
    if (state.dram_free < now()) state.dram_free = now(), state.dram_remainder = 0;
    state.dram_free += params.dram_latency->raw +
                       dram_wire_.take(sectors * block_sector_bytes, state.dram_remainder);
    state.dram.push({state.dram_free, c, sectors});
}

void Drive::finish_transfers() {
    while (!state.dram.empty() && state.dram.front().done <= now()) {
        const Transfer t = state.dram.pop();
        if (t.command != none) done(t.command, t.sectors);
    }
}

void Drive::done(std::uint32_t c, std::uint64_t sectors) {
    Command& command = state.commands[c];
    MEMSIM_ASSERT(command.left >= sectors, "a command is done twice");
    command.left -= sectors;
    if (command.left) return;
    const protocol::BlockRequest& r = command.request;
    const Time taken {now() - command.arrived};
    switch (r.op) {
    case BlockOp::read:
        ++stat.reads, stat.read_bytes += r.sectors * block_sector_bytes;
        stat.read_latency.sample(taken);
        break;
    case BlockOp::write:
        ++stat.writes, stat.write_bytes += r.sectors * block_sector_bytes;
        stat.write_latency.sample(taken);
        break;
    case BlockOp::trim:
        ++stat.trims;
        break;
    case BlockOp::flush:
        ++stat.flushes;
        break;
    }
    state.answers[command.queue].push(c);
}

/// True if that has made room for commands that wait.
bool Drive::answer() {
    const bool full = state.free_commands.empty();
    bool waits = false;
    for (unsigned i = 0; i < port.host.size(); ++i) {
        auto& ready = state.answers[i];
        while (!ready.empty() && port.host[i].can_send()) {
            const std::uint32_t c = ready.pop();
            const Command& command = state.commands[c];
            const protocol::BlockRequest& r = command.request;
            if (command.contents) parts::sort_parts(sim().contents(), command.contents);
            port.host[i].send({r.sectors, command.contents, r.tag, r.op});
            state.free_commands.push_back(c);
            stat.under_way.set(now(), state.commands.size() - state.free_commands.size());
        }
        waits |= !port.host[i].empty();
    }
    return full && waits && !state.free_commands.empty();
}

// ---- reports -----------------------------------------------------------------------------------

bool Drive::pending() const {
    return state.free_commands.size() != state.commands.size() ||
           state.free_jobs.size() != state.jobs.size();
}

void Drive::check_loaded(Loader& l) const {
    const std::size_t commands = state.commands.size(), jobs = state.jobs.size(),
                      records = state.ftl.blocks.size(), cached = state.cache.pages.size();
    const std::uint64_t pages = std::uint64_t {geometry_.all_planes()} * geometry_.plane_pages();
    const auto one_of = [&](std::string_view field, std::uint32_t number, std::uint64_t size) {
        if (number != none) l.index(field, number, size);
    };
    for (const Command& c : state.commands) {
        l.index("commands.request", c.request.sector, sectors_ + 1);
        l.index("commands.request", c.request.sectors, sectors_ - c.request.sector + 1);
        l.index("commands.queue", c.queue, port.host.size());
    }
    for (const auto* queue : {&state.for_cores, &state.waiting_writes})
        l.indices("for_cores", *queue, commands);
    for (const auto& queue : state.answers) l.indices("answers", queue, commands);
    for (const Core& core : state.cores) one_of("cores.command", core.command, commands);
    l.index("next_queue", state.next_queue, port.host.size());
    for (std::uint32_t i = 0; i < state.dram.size(); ++i)
        one_of("dram.command", state.dram[i].command, commands);
    for (const Job& job : state.jobs) {
        if (job.kind == JobKind::read) l.index("jobs.command", job.command, commands);
        if (job.kind == JobKind::erase) l.index("jobs.command", job.command, records);
        if (job.kind == JobKind::destage) l.index("jobs.cached", job.cached, cached);
        one_of("jobs.next", job.next, jobs);
        one_of("jobs.from", job.from, pages), one_of("jobs.to", job.to, pages);
    }
    for (const auto& queue : state.outgoing) l.indices("outgoing", queue, jobs);
    for (const auto& queue : state.roomless) l.indices("roomless", queue, jobs);
    l.indices("roomless_anywhere", state.roomless_anywhere, jobs);
    l.bits("channels_waiting", state.channels_waiting, port.channel.size());
    for (const Collection& c : state.collections) one_of("collections.record", c.record, records);
    ftl_->check_loaded(l);
    cache_->check_loaded(l);
    if (map_in_flash_) map_->check_loaded(l, jobs);
}

/// The newest place of a sector: the cache, the flash, or neither. A write goes to all that hold
/// it.
void Drive::functional(const PortBase&, FunctionalAccess& access) {
    const std::uint64_t address = access.address;
    const auto page_bytes = static_cast<std::uint64_t>(params.page->raw);
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
    if (const MapEntry e = ftl_->lookup(lpn); here && !access.write)
        ; // the flash has nothing newer
    else if (e.page != no_page && e.sectors & sector)
        look_at_flash(e.page, access);
    else
        contents_->functional_unplaced(lpn, access);
    access.address = address;
}

void Drive::look_at_flash(std::uint32_t page, FunctionalAccess& access) {
    protocol::FlashAccess a {access, geometry_.place(page)};
    look_through(port.channel[geometry_.channel_of(page)], a);
    access = a;
}

void Drive::waits_on(WaitReport& report) const {
    if (!state.waiting_writes.empty())
        report.add(path() + ": " + std::to_string(state.waiting_writes.size()) +
                   " writes and flushes wait for room in the write buffer");
    std::size_t roomless = state.roomless_anywhere.size();
    for (const auto& queue : state.roomless) roomless += queue.size();
    if (roomless)
        report.add(path() + ": " + std::to_string(roomless) + " pages wait for a free one");
    if (const std::size_t jobs = state.jobs.size() - state.free_jobs.size())
        report.add(path() + ": " + std::to_string(jobs) + " pages are under way");
}

std::optional<std::string> Drive::imbalance() const {
    if (pending()) return "commands or pages were left under way";
    if (state.cache.flying_pages != 0)
        return std::to_string(state.cache.flying_pages) + " pages were left on their way";
    return {};
}

} // namespace memsim::flash
