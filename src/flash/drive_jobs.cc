#include "flash/drive.hh"
#include "parts/named.hh"

#include <bit>

/// What happens to single pages: look-up in the map, reads, merges, programs.
namespace memsim::flash {

using protocol::block_sector_bytes;
using protocol::FlashClass;
using protocol::FlashOp;

std::uint32_t Drive::make_job(const Job& job) {
    if (state.free_jobs.empty()) {
        state.free_jobs.push_back(static_cast<std::uint32_t>(state.jobs.size()));
        state.jobs.emplace_back();
    }
    const std::uint32_t j = state.free_jobs.back();
    state.free_jobs.pop_back();
    state.jobs[j] = job;
    return j;
}

void Drive::finish_job(std::uint32_t j) {
    state.jobs[j].kind = JobKind::none;
    state.free_jobs.push_back(j);
}

/// Sends dirty pages on their way, first written first; hot ones when their place is needed, or a
/// flush waits.
void Drive::destage() {
    for (;;) {
        const bool waits = !state.waiting_writes.empty();
        std::uint32_t i = no_link;
        if (cache_->dirty_pages() > params.dirty_pages() || waits) i = cache_->oldest_dirty();
        if (i == no_link && waits &&
            (cache_->full() ||
             state.commands[state.waiting_writes.front()].request.op == protocol::BlockOp::flush))
            i = cache_->oldest_hot();
        if (i == no_link) return;
        cache_->take_off(i);
        Job job;
        job.kind = JobKind::destage;
        job.lpn = (*cache_)[i].lpn;
        job.sectors = (*cache_)[i].flying;
        job.cached = i;
        look_up(make_job(job));
    }
}

// ---- the map -----------------------------------------------------------------------------------

void Drive::look_up(std::uint32_t j) {
    const std::uint32_t lpn = state.jobs[j].lpn;
    if (!map_in_flash_) {
        mapped(j);
        return;
    }
    const MapCache::Found found = map_->use(lpn);
    if (found == MapCache::Found::here) {
        ++stat.map_hits;
        mapped(j);
        return;
    }
    ++stat.map_misses;
    const std::uint32_t page = map_->page_of(lpn);
    const std::uint32_t page_lpn = host_pages_ + page;
    if (found == MapCache::Found::nothing) {
        const bool nowhere =
            params.unwritten() == Unwritten::zeros && ftl_->lookup(page_lpn).page == no_page;
        if (nowhere || state.map.leaving.find(page)) {
            map_->insert(lpn); // the page is empty, or still in the controller
            trim_map_cache();
            mapped(j);
            return;
        }
    }
    bool read = false;
    state.jobs[j].stage = JobStage::map;
    state.jobs[j].next = map_->await(lpn, j, read);
    if (!read) return;
    Job job;
    job.kind = JobKind::map_read;
    job.lpn = page_lpn;
    job.sectors = 1; // of the sectors of its page, one holds the entries that are near
    read_page(make_job(job));
}

void Drive::mapped(std::uint32_t j) {
    if (state.jobs[j].kind == JobKind::read)
        read_page(j);
    else
        write_page(j);
}

void Drive::map_changed(std::uint32_t lpn) {
    map_->change(lpn);
    trim_map_cache();
}

void Drive::trim_map_cache() {
    while (map_->too_full()) {
        const std::uint32_t page = map_->evict();
        if (page != no_link) write_translation(page);
    }
}

/// Where a translation page that leaves the controller is: 1 on its way, joined by what changes;
/// 2 being programmed; 3 the same, and to be written once more.
void Drive::write_translation(std::uint32_t page) {
    if (std::uint8_t* const leaving = state.map.leaving.find(page)) {
        if (*leaving == 2) *leaving = 3;
        return;
    }
    state.map.leaving[page] = 1;
    Job job;
    job.kind = JobKind::map_write;
    job.lpn = host_pages_ + page;
    write_page(make_job(job));
}

// ---- reading and writing a page ----------------------------------------------------------------

void Drive::read_page(std::uint32_t j) {
    Job& job = state.jobs[j];
    const MapEntry e = ftl_->lookup(job.lpn);
    std::uint32_t page = e.page;
    job.held = e.sectors;
    if (page == no_page) {
        if (params.unwritten() == Unwritten::zeros || ftl_->named(job.lpn)) {
            ++stat.zero_pages;
            const Job gone = job;
            finish_job(j);
            if (gone.kind != JobKind::read) return;
            const Command& c = state.commands[gone.command];
            contents_->answer_unplaced(c.contents, gone.lpn, gone.sectors, c.request);
            done(gone.command, static_cast<unsigned>(std::popcount(gone.sectors)));
            return;
        }
        const auto& order = ftl_->figures().order;
        const std::uint32_t plane = order[job.lpn % order.size()];
        if (!ftl_->has_room(plane, Frontier::past)) {
            wait_for_room(j, plane);
            return;
        }
        job.held = job.kind == JobKind::read ? job.sectors : ~0u;
        page = ftl_->remember(job.lpn, plane, job.held);
        contents_->place(job.lpn, job.held,
                         [&](FunctionalAccess& access) { look_at_flash(page, access); });
        const std::uint32_t lpn = job.lpn;
        if (map_in_flash_ && lpn < host_pages_) map_changed(lpn);
        check_room(plane);
    }
    Job& still = state.jobs[j]; // other jobs may have been made meanwhile
    still.from = page;
    still.stage = JobStage::read;
    ftl_->hold(page);
    ++(still.kind == JobKind::read ? stat.host_page_reads : stat.map_reads);
    send(j);
}

void Drive::write_page(std::uint32_t j) {
    Job& job = state.jobs[j];
    const MapEntry e = ftl_->lookup(job.lpn);
    const std::uint32_t keep = e.page == no_page ? 0 : e.sectors & page_mask() & ~job.sectors;
    if (!keep) {
        place(j);
        return;
    }
    ++(job.kind == JobKind::map_write ? stat.map_reads : stat.merge_reads);
    job.from = e.page;
    job.stage = JobStage::merge;
    job.sectors |= keep;
    ftl_->hold(job.from);
    send(j);
}

void Drive::place(std::uint32_t j) {
    const std::uint32_t lpn = state.jobs[j].lpn;
    const std::uint32_t plane = ftl_->plane_for(lpn);
    if (plane == no_page) {
        const auto& order = ftl_->figures().order;
        wait_for_room(j, params.fixed_plane() ? order[lpn % order.size()] : none);
        return;
    }
    Job& job = state.jobs[j];
    job.to = ftl_->allocate(plane, Frontier::host, lpn);
    job.stage = JobStage::program;
    if (job.kind == JobKind::map_write)
        state.map.leaving[lpn - host_pages_] = 2;
    else {
        const CachedPage& p = (*cache_)[job.cached];
        job.contents = contents_->merged(job.contents, job.cached, p.flying, p.void_);
    }
    send(j);
    check_room(plane);
}

void Drive::wait_for_room(std::uint32_t j, std::uint32_t plane) {
    if (std::exchange(state.jobs[j].stage, JobStage::room) != JobStage::room) ++stat.room_waits;
    (plane == none ? state.roomless_anywhere : state.roomless[plane]).push(j);
}

void Drive::room_made(std::uint32_t plane) {
    const auto retry = [this](Fifo<std::uint32_t>& queue) {
        for (std::uint32_t n = queue.size(); n > 0; --n) {
            const std::uint32_t j = queue.pop();
            const JobKind kind = state.jobs[j].kind;
            if (kind == JobKind::read || kind == JobKind::map_read)
                read_page(j);
            else
                place(j);
        }
    };
    retry(state.roomless[plane]);
    retry(state.roomless_anywhere);
}

// ---- to the channels and back ------------------------------------------------------------------

void Drive::send(std::uint32_t j) {
    const Job& job = state.jobs[j];
    const std::uint32_t page = job.stage == JobStage::program ? job.to : job.from;
    const std::uint32_t channel = where_[geometry_.plane_of(page)].channel;
    state.outgoing[channel].push(j);
    state.channels_waiting |= 1ull << channel;
}

void Drive::send_waiting() {
    for (std::uint64_t set = state.channels_waiting; set; set &= set - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(set));
        auto& queue = state.outgoing[i];
        while (!queue.empty() && port.channel[i].can_send()) {
            const std::uint32_t j = queue.pop();
            Job& job = state.jobs[j];
            protocol::FlashRequest r;
            r.tag = j;
            r.op = job.stage == JobStage::program ? FlashOp::program
                   : job.kind == JobKind::erase   ? FlashOp::erase
                                                  : FlashOp::read;
            const std::uint32_t page = r.op == FlashOp::program ? job.to : job.from;
            const std::uint32_t block = geometry_.block_of(page);
            const std::uint32_t plane = block / geometry_.blocks;
            r.place = where_[plane].place;
            r.place.block = block - plane * geometry_.blocks;
            r.place.page = static_cast<std::uint16_t>(page - block * geometry_.pages);
            if (r.op != FlashOp::program) r.written_before = ftl_->written_before(page);
            const std::uint32_t sectors =
                job.kind == JobKind::map_write ? page_mask() : job.sectors & page_mask();
            r.bytes = std::max(1, std::popcount(sectors)) * block_sector_bytes;
            if (r.op == FlashOp::program) r.contents = std::exchange(job.contents, {});
            const bool of_map = job.kind == JobKind::map_read || job.kind == JobKind::map_write;
            r.urgency = of_map ? FlashClass::mapping
                        : job.kind == JobKind::move
                            ? (params.gc_first() ? FlashClass::mapping : FlashClass::background)
                        : job.urgent ? FlashClass::urgent
                                     : FlashClass::normal;
            port.channel[i].send(r);
        }
        if (queue.empty()) state.channels_waiting &= ~(1ull << i);
    }
}

void Drive::answered(const protocol::FlashResponse& r) {
    const std::uint32_t j = r.tag;
    const Job& job = parts::named(state.jobs, j);
    MEMSIM_ASSERT(job.kind != JobKind::none &&
                      (r.op == FlashOp::erase) == (job.kind == JobKind::erase) &&
                      (r.op == FlashOp::program ? job.to : job.from) != no_page,
                  "a channel answers what no job has asked");
    if (r.op == FlashOp::read)
        was_read(j, r.contents);
    else if (r.op == FlashOp::program)
        programmed(j);
    else
        block_erased(j);
}

void Drive::was_read(std::uint32_t j, Contents::Id sensed) {
    const Job job = state.jobs[j];
    ftl_->release(job.from);
    switch (job.kind) {
    case JobKind::read: {
        const Command& c = state.commands[job.command];
        contents_->answer_sensed(c.contents, sensed, job.lpn, job.sectors & job.held, c.request);
        contents_->answer_unplaced(c.contents, job.lpn, job.sectors & ~job.held, c.request);
        // Only what is still the page's content is kept.
        if (params.cache_reads() && ftl_->lookup(job.lpn).page == job.from) keep(job, sensed);
        sim().contents().release(sensed);
        done(job.command, static_cast<unsigned>(std::popcount(job.sectors)));
        finish_job(j);
        break;
    }
    case JobKind::map_read: {
        const std::uint32_t page = job.lpn - host_pages_;
        finish_job(j);
        sim().contents().release(sensed); // the map is not kept in contents
        map_->arrived(page, [this](std::uint32_t first) {
            for (std::uint32_t i = first; i != none; i = state.jobs[i].next) resumed_.push_back(i);
        });
        trim_map_cache();
        for (std::size_t i = 0; i < resumed_.size(); ++i) mapped(resumed_[i]);
        resumed_.clear();
        break;
    }
    case JobKind::move:
        move_read(j, sensed);
        break;
    default:
        state.jobs[j].contents = sensed;
        place(j);
    }
    const std::uint32_t plane = geometry_.plane_of(job.from);
    if (state.collections[plane].record != none) go_on_collecting(plane);
}

/// Leaves what was read in the cache, if it has a place.
void Drive::keep(const Job& job, Contents::Id sensed) {
    const std::uint32_t cached = cache_->place(job.lpn);
    if (cached == no_link) return;
    CachedPage& p = (*cache_)[cached];
    const std::uint32_t missing = job.sectors & ~p.valid & ftl_->lookup(job.lpn).sectors;
    contents_->keep(cached, sensed, missing);
    cache_->fill(cached, missing);
    use_dram(none, static_cast<unsigned>(std::popcount(missing)));
}

void Drive::programmed(std::uint32_t j) {
    const Job job = state.jobs[j];
    ++stat.programs;
    if (job.kind == JobKind::move) {
        move_done(j);
        return;
    }
    finish_job(j);
    if (job.kind == JobKind::map_write) {
        const std::uint32_t page = job.lpn - host_pages_;
        ++stat.map_writes;
        ftl_->commit(job.lpn, job.to, page_mask());
        const bool again = *state.map.leaving.find(page) == 3;
        state.map.leaving.erase(page);
        if (again) write_translation(page);
        return;
    }
    ++stat.host_page_writes;
    const CachedPage& p = (*cache_)[job.cached];
    const MapEntry e = ftl_->lookup(job.lpn);
    const std::uint32_t before = e.page == no_page ? 0 : e.sectors & page_mask();
    const std::uint32_t sectors = (p.flying & ~p.void_) | before;
    // A read has found sectors of the past meanwhile: the program has none of them.
    contents_->copy(e.page, job.to, before & ~job.sectors,
                    [this](std::uint32_t page, FunctionalAccess& a) { look_at_flash(page, a); });
    ftl_->commit(job.lpn, job.to, sectors);
    if (!sectors) ftl_->trim(job.lpn, 0);
    if (map_in_flash_) map_changed(job.lpn);
    cache_->land(job.cached, params.cache_reads());
}

} // namespace memsim::flash
