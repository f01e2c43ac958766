#include "flash/drive.hh"

/// Garbage collection and static wear levelling: a block of a plane at a time.
namespace memsim::flash {

/// Begins a collection if the plane has too few free blocks and none is under way.
void Drive::check_room(std::uint32_t plane) {
    if (state.collections[plane].record != none || ftl_->free_blocks(plane) >= gc_blocks_) return;
    const std::uint32_t victim = ftl_->greedy_victim(plane);
    if (victim == no_page) return;
    ++stat.collections;
    collect(plane, victim, false);
}

void Drive::collect(std::uint32_t plane, std::uint32_t record, bool cold) {
    ftl_->begin_collecting(record);
    state.collections[plane] = {record, 0, 0, false, cold};
    go_on_collecting(plane);
}

void Drive::go_on_collecting(std::uint32_t plane) {
    Collection& c = state.collections[plane];
    if (c.erasing) return;
    const FtlBlock& b = ftl_->block(c.record);
    while (c.moving < params.gc_moves() && c.next < b.owners.size()) {
        const std::uint32_t page = ftl_->first_page(b) + c.next;
        const std::uint32_t lpn = b.owners[c.next++];
        if (lpn == no_page) continue;
        Job job;
        job.kind = JobKind::move;
        job.stage = JobStage::read;
        job.lpn = lpn;
        job.sectors = ftl_->lookup(lpn).sectors;
        job.from = page;
        ++c.moving;
        ftl_->hold(page);
        send(make_job(job));
    }
    if (c.moving || c.next < b.owners.size() || ftl_->is_read(b)) return;
    c.erasing = true;
    Job job;
    job.kind = JobKind::erase;
    job.command = c.record;
    job.from = ftl_->first_page(b);
    send(make_job(job));
}

void Drive::move_read(std::uint32_t j, Contents::Id sensed) {
    Job& job = state.jobs[j];
    const std::uint32_t plane = geometry_.plane_of(job.from);
    if (ftl_->lookup(job.lpn).page != job.from) { // written anew, or trimmed
        --state.collections[plane].moving;
        sim().contents().release(sensed);
        finish_job(j);
        return;
    }
    job.contents = sensed;
    const bool cold = state.collections[plane].cold;
    job.to = ftl_->allocate(plane, cold ? Frontier::cold : Frontier::collector, job.lpn);
    job.stage = JobStage::program;
    send(j);
}

void Drive::move_done(std::uint32_t j) {
    const Job job = state.jobs[j];
    finish_job(j);
    if (ftl_->moved(job.lpn, job.from, job.to)) {
        ++stat.moved_pages;
        if (map_in_flash_ && job.lpn < host_pages_) map_changed(job.lpn);
    }
    const std::uint32_t plane = geometry_.plane_of(job.from);
    --state.collections[plane].moving;
    go_on_collecting(plane);
}

void Drive::block_erased(std::uint32_t j) {
    const std::uint32_t record = state.jobs[j].command;
    const std::uint32_t plane = geometry_.plane_of(state.jobs[j].from);
    finish_job(j);
    ++stat.erases;
    ftl_->erased(record);
    const std::uint32_t erases = ftl_->block(record).erases;
    state.most_worn = std::max(state.most_worn, erases);
    stat.most_erases.set(now(), state.most_worn);
    state.collections[plane].record = none;
    if (params.static_wear_levelling() && ftl_->free_blocks(plane) >= 2) {
        const std::uint32_t cold = ftl_->cold_victim(plane, erases, params.static_wear_levelling());
        if (cold != no_page) {
            ++stat.levellings;
            collect(plane, cold, true);
        }
    }
    room_made(plane);
    check_room(plane);
}

} // namespace memsim::flash
