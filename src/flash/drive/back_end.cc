#include "flash/drive/back_end.hh"

#include "core/base/bits.hh"

namespace memsim::flash {

using protocol::block_sector_bytes;
using protocol::FlashClass;
using protocol::FlashOp;

namespace {

Ftl::Config ftl_config(const Geometry& geometry, const FtlParams& params, const DriveSpace& space,
                       const Refuse& refuse) {
    Ftl::Config f;
    f.geometry = geometry;
    try {
        f.order = plane_order(params.allocation(), geometry);
    } catch (const ConfigError& e) {
        refuse("allocation", e.what());
    }
    f.host_pages = space.host_pages;
    f.map_pages = space.map_pages;
    f.aged = share_of(space.host_pages, params.preconditioned());
    f.kept = params.gc_blocks();
    f.stop = params.gc_stop();
    f.fixed_plane = params.fixed_plane();
    f.least_worn_first = params.dynamic_wear_levelling();
    return f;
}

} // namespace

DriveBackEnd::DriveBackEnd(const FlashShape& shape, const FtlParams& params, FtlStats& stats,
                           DriveBackEndState& state, DriveContents& contents, Contents& records,
                           Front& front, const Refuse& refuse, const Rng& past)
    : params_(params), stat_(stats), state_(state), contents_(contents), records_(records),
      front_(front), geometry_(shape.geometry()),
      page_sectors_(static_cast<std::uint32_t>(shape.page->raw / block_sector_bytes)),
      page_mask_(low_bits<std::uint32_t>(page_sectors_)), map_in_flash_(params.map_cache->raw > 0),
      per_map_page_(static_cast<std::uint32_t>(shape.page->raw / params.map_entry_flash())),
      space_(shape, map_in_flash_ ? per_map_page_ : 0, params.gc_threshold(), params.gc_target(),
             std::max(params.gc_blocks() + 1, params.gc_stop()),
             params.static_wear_levelling() ? 4 : 3, refuse),
      jobs_(state.jobs) {
    ftl_.emplace(ftl_config(geometry_, params, space_, refuse), state_.ftl);
    ftl_->init();
    if (params.overwritten() > 0_pct) {
        if (ftl_->figures().aged == 0)
            refuse("overwritten", params.overwritten.text() +
                                      " of a drive without initial data: set preconditioned");
        if (const std::uint64_t writes = ftl_->past().writes_of_plane(params.overwritten());
            writes > Past::most_writes_of_plane)
            refuse("overwritten", "a plane is written " + std::to_string(writes) +
                                      " times before the run; the maximum is " +
                                      std::to_string(Past::most_writes_of_plane) +
                                      ": reduce its blocks or pages");
        ftl_->past().use(params.overwritten(),
                         {geometry_.blocks, geometry_.pages, space_.free_blocks,
                          space_.target_blocks, params.dynamic_wear_levelling()},
                         *state_.victim, past);
    }
    map_.emplace(map_in_flash_, params.unwritten() == Unwritten::zeros, map_entries(),
                 per_map_page_, space_.host_pages, state_.map, jobs_, *ftl_, stat_.map_hits,
                 stat_.map_misses, map_events());
    if (map_in_flash_ && params.map_cache->raw < params.map_entry())
        refuse("map_cache", "holds no entry of " + params.map_entry.text() + " bytes");
    for (std::uint32_t p = 0; p < geometry_.all_planes(); ++p) {
        const auto first = static_cast<std::uint32_t>(p * geometry_.plane_pages());
        where_.push_back({geometry_.channel_of(first), geometry_.place(first)});
    }
    jobs_.reset(geometry_.channels, geometry_.all_planes());
    stat_.free_blocks.show([this] { return ftl_->usage().free_blocks; });
    stat_.valid_pages.show([this] { return ftl_->usage().valid_pages; });
    stat_.invalid_pages.show([this] { return ftl_->usage().invalid_pages; });
    stat_.erased_pages.show([this] { return ftl_->usage().erased_pages; });
    state_.collections.resize(std::size_t {geometry_.all_planes()} * params.gc_blocks());
    collector_.emplace(Collector::Config {params.gc_moves(), params.gc_blocks(),
                                          params.gc_per_block(), space_.free_blocks,
                                          space_.target_blocks, params.static_wear_levelling()},
                       collector_counters(), state_.collections, state_.tasks, state_.most_worn,
                       state_.victim, geometry_, jobs_, *ftl_, records_, collector_events());
}

void DriveBackEnd::start() {
    ftl_->start();
    for (const FtlBlock& b : state_.ftl.blocks)
        state_.most_worn = std::max(state_.most_worn, b.erases);
    stat_.most_erases.set(0, state_.most_worn);
}

TranslationPages::Events DriveBackEnd::map_events() {
    const auto job = [](JobKind kind, std::uint32_t lpn) {
        Job made;
        made.kind = kind;
        made.lpn = lpn;
        made.sectors = kind == JobKind::map_read; // one sector holds adjacent entries
        return made;
    };
    return {
        [this](std::uint32_t j) { mapped(j); },
        [=, this](std::uint32_t lpn) { read_page(jobs_.create(job(JobKind::map_read, lpn))); },
        [=, this](std::uint32_t lpn) { write_page(jobs_.create(job(JobKind::map_write, lpn))); }};
}

Collector::Counters DriveBackEnd::collector_counters() {
    return {stat_.collections, stat_.levellings, stat_.moved_pages, stat_.erases,
            stat_.most_erases};
}

Collector::Events DriveBackEnd::collector_events() {
    return {[this] { return front_.may_begin_task(); }, [this](std::uint32_t j) { send(j); },
            [this](std::uint32_t plane, const FtlBlock& block, bool cold) {
                front_.collects(plane, block, cold);
            },
            [this](std::uint32_t lpn) { map_->changed(lpn); },
            [this](std::uint32_t plane) { room_made(plane); }};
}

void DriveBackEnd::room_made(std::uint32_t plane) {
    jobs_.room_made(plane, [this](std::uint32_t waiting) {
        const JobKind kind = jobs_[waiting].kind;
        if (kind == JobKind::read || kind == JobKind::map_read)
            read_page(waiting);
        else
            place(waiting);
    });
}

/// Starts the collection that pages without room wait for. It may have found no block before this
/// page was programmed, or before it became invalid.
void DriveBackEnd::retry_collection(std::uint32_t page) {
    if (page != no_page) collect_for_waiting(geometry_.plane_of(page));
}

void DriveBackEnd::collect_for_waiting(std::uint32_t plane) {
    if (jobs_.waits_for_room(plane) ? !collector_->works(plane)
                                    : jobs_.waits_for_room(none) && state_.tasks.active == 0)
        collector_->check_room(plane, true);
}

void DriveBackEnd::read(std::uint32_t command, std::uint32_t lpn, std::uint32_t sectors,
                        const protocol::BlockRequest& r) {
    Job job;
    job.kind = JobKind::read;
    job.urgent = r.urgent;
    job.stamps = r.stamps;
    job.lpn = lpn;
    job.sectors = sectors;
    job.command = command;
    map_->look_up(jobs_.create(job));
}

void DriveBackEnd::write(std::uint32_t cached, std::uint32_t lpn, std::uint32_t sectors) {
    Job job;
    job.kind = JobKind::destage;
    job.lpn = lpn;
    job.sectors = sectors;
    job.cached = cached;
    map_->look_up(jobs_.create(job));
}

void DriveBackEnd::trim(std::uint32_t lpn, std::uint32_t sectors) {
    const std::uint32_t page = ftl_->lookup(lpn).page;
    ftl_->trim(lpn, sectors);
    contents_.trim(lpn, sectors);
    map_->changed(lpn);
    retry_collection(page);
}

// ---- reading and writing a page ----------------------------------------------------------------

void DriveBackEnd::mapped(std::uint32_t j) {
    if (jobs_[j].kind == JobKind::read)
        read_page(j);
    else
        write_page(j);
}

void DriveBackEnd::read_page(std::uint32_t j) {
    Job& job = jobs_[j];
    const MapEntry e = ftl_->lookup(job.lpn);
    std::uint32_t page = e.page;
    job.held = e.sectors;
    if (page == no_page) {
        if (params_.unwritten() == Unwritten::zeros || ftl_->named(job.lpn)) {
            ++stat_.zero_pages;
            const Job gone = job;
            jobs_.finish(j);
            if (gone.kind == JobKind::read)
                front_.page_read(gone.command, gone.lpn, gone.sectors, 0, {}, false);
            return;
        }
        const auto& order = ftl_->figures().order;
        const std::uint32_t plane = order[job.lpn % order.size()];
        if (!ftl_->has_room(plane, Frontier::past)) return wait_for_room(j, plane);
        job.held = job.kind == JobKind::read ? job.sectors : ~0u;
        const std::uint32_t lpn = job.lpn;
        page = ftl_->remember(lpn, plane, job.held);
        contents_.place(lpn, job.held,
                        [&](FunctionalAccess& access) { front_.look_at_flash(page, access); });
        map_->changed(lpn);
        collector_->check_room(plane, false);
    }
    Job& still = jobs_[j]; // creating jobs may have moved this one
    still.from = page;
    still.stage = JobStage::read;
    ftl_->hold(page);
    ++(still.kind == JobKind::read ? stat_.host_page_reads : stat_.map_reads);
    send(j);
}

void DriveBackEnd::write_page(std::uint32_t j) {
    Job& job = jobs_[j];
    const MapEntry e = ftl_->lookup(job.lpn);
    const std::uint32_t keep = e.page == no_page ? 0 : e.sectors & page_mask_ & ~job.sectors;
    if (!keep) return place(j);
    ++(job.kind == JobKind::map_write ? stat_.map_reads : stat_.merge_reads);
    job.from = e.page;
    job.stage = JobStage::merge;
    job.sectors |= keep;
    ftl_->hold(job.from);
    send(j);
}

void DriveBackEnd::place(std::uint32_t j) {
    const std::uint32_t lpn = jobs_[j].lpn;
    const std::uint32_t plane = ftl_->plane_for(lpn);
    if (plane == no_page) {
        const auto& order = ftl_->figures().order;
        return wait_for_room(j, params_.fixed_plane() ? order[lpn % order.size()] : none);
    }
    Job& job = jobs_[j];
    const std::uint32_t free = ftl_->free_blocks(plane);
    job.to = ftl_->allocate(plane, Frontier::host, lpn);
    job.stage = JobStage::program;
    if (job.kind == JobKind::map_write)
        map_->begin_write(lpn);
    else
        job.contents = front_.page_image(job.cached, job.contents);
    send(j);
    collector_->check_room(plane, ftl_->free_blocks(plane) < free);
}

void DriveBackEnd::wait_for_room(std::uint32_t j, std::uint32_t plane) {
    if (!jobs_.wait_for_room(j, plane)) return;
    ++stat_.room_waits;
    // Blocks may have become collectable when no page waited, and no program may follow.
    if (plane != none)
        collect_for_waiting(plane);
    else
        for (std::uint32_t p = 0; p < geometry_.all_planes(); ++p) collect_for_waiting(p);
}

void DriveBackEnd::was_read(std::uint32_t j, Contents::Id sensed) {
    const Job job = jobs_[j];
    ftl_->release(job.from);
    switch (job.kind) {
    case JobKind::read:
        front_.page_read(job.command, job.lpn, job.sectors, job.held, sensed,
                         ftl_->lookup(job.lpn).page == job.from);
        jobs_.finish(j);
        break;
    case JobKind::map_read:
        jobs_.finish(j);
        records_.release(sensed); // the map has no contents
        map_->arrived(job.lpn);
        break;
    case JobKind::move:
        collector_->read(j, sensed);
        break;
    default:
        jobs_[j].contents = sensed;
        place(j);
    }
    collector_->continue_collection(geometry_.plane_of(job.from));
}

void DriveBackEnd::programmed(std::uint32_t j) {
    const Job job = jobs_[j];
    ++stat_.programs;
    if (job.kind == JobKind::move) return collector_->programmed(j);
    jobs_.finish(j);
    const MapEntry e = ftl_->lookup(job.lpn);
    if (job.kind == JobKind::map_write) {
        ++stat_.map_writes;
        ftl_->commit(job.lpn, job.to, page_mask_);
        map_->written(job.lpn);
        retry_collection(job.to);
        return retry_collection(e.page);
    }
    ++stat_.host_page_writes;
    const std::uint32_t before = e.page == no_page ? 0 : e.sectors & page_mask_;
    const std::uint32_t sectors = front_.sent_sectors(job.cached) | before;
    // Sectors of the past that a read has placed meanwhile are missing from the program.
    contents_.copy(
        e.page, job.to, before & ~job.sectors,
        [this](std::uint32_t page, FunctionalAccess& a) { front_.look_at_flash(page, a); });
    ftl_->commit(job.lpn, job.to, sectors);
    if (!sectors) ftl_->trim(job.lpn, 0);
    map_->changed(job.lpn);
    front_.page_written(job.cached);
    retry_collection(job.to);
    retry_collection(e.page);
}

// ---- to the channels and back ------------------------------------------------------------------

void DriveBackEnd::send(std::uint32_t j) {
    const Job& job = jobs_[j];
    const std::uint32_t page = job.stage == JobStage::program ? job.to : job.from;
    jobs_.send(j, where_[geometry_.plane_of(page)].channel);
}

void DriveBackEnd::send_waiting() {
    jobs_.send_waiting(
        [this](unsigned channel) { return front_.can_send(channel); },
        [this](unsigned channel, std::uint32_t j) {
            return params_.gc_holds_writes() && jobs_[j].stage == JobStage::program &&
                   jobs_[j].kind != JobKind::move && !front_.can_hold(channel);
        },
        [this](unsigned channel, std::uint32_t j) { front_.send(channel, request(j)); });
}

protocol::FlashRequest DriveBackEnd::request(std::uint32_t j) {
    Job& job = jobs_[j];
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
    if (r.op == FlashOp::program) r.contents = std::exchange(job.contents, {});
    r.written_before = ftl_->written_before(page);
    const std::uint32_t sectors =
        job.kind == JobKind::map_write ? page_mask_ : job.sectors & page_mask_;
    r.bytes = std::max(1, std::popcount(sectors)) * block_sector_bytes;
    r.urgency = class_of(job);
    r.behind_collection = collector_->works(plane);
    if (params_.gc_holds_writes()) {
        r.collects = job.kind == JobKind::move || job.kind == JobKind::erase;
        r.begins = job.begins && r.op != FlashOp::program;
    }
    r.stamps = job.stamps;
    return r;
}

FlashClass DriveBackEnd::class_of(const Job& job) const {
    if (job.kind == JobKind::map_read || job.kind == JobKind::map_write) return FlashClass::mapping;
    if (job.kind == JobKind::move)
        return params_.gc_first() ? FlashClass::mapping : FlashClass::background;
    return job.urgent ? FlashClass::urgent : FlashClass::normal;
}

void DriveBackEnd::answered(const protocol::FlashResponse& r, Tick now) {
    const std::uint32_t j = r.tag;
    const Job& job = jobs_.named(j);
    MEMSIM_ASSERT(job.kind != JobKind::none &&
                      (r.op == FlashOp::erase) == (job.kind == JobKind::erase) &&
                      (r.op == FlashOp::program ? job.to : job.from) != no_page,
                  "a channel answers a request of no job");
    if (r.op == FlashOp::read)
        was_read(j, r.contents);
    else if (r.op == FlashOp::program)
        programmed(j);
    else
        collector_->erased(j, now);
}

void DriveBackEnd::check_loaded(Loader& l, std::size_t commands, std::size_t cached) const {
    const std::uint64_t pages = std::uint64_t {geometry_.all_planes()} * geometry_.plane_pages();
    jobs_.check_loaded(l, commands, state_.ftl.blocks.size(), cached, pages);
    for (const Collection& c : state_.collections)
        if (c.record != Collection::none)
            l.index("collections.record", c.record, state_.ftl.blocks.size());
    l.indices("tasks.due", state_.tasks.due, geometry_.all_planes());
    ftl_->check_loaded(l);
    map_->check_loaded(l);
}

} // namespace memsim::flash
