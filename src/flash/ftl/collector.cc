#include "flash/ftl/collector.hh"

namespace memsim::flash {

void Collector::check_room(std::uint32_t plane, bool taken) {
    const std::uint32_t active = collections_.active(plane);
    // Each collection needs at most one block for the pages that it moves.
    if (active && (active == config_.at_once || active >= ftl_.free_blocks(plane))) return;
    if (config_.per_block && !taken) return;
    bool& going = collections_.going(plane);
    const std::uint32_t victim =
        ftl_.free_blocks(plane) < (going ? config_.target : config_.free_blocks)
            ? ftl_.victim(plane, *victim_)
            : no_page;
    going = victim != no_page;
    if (!going) return;
    if (!events_.may_begin()) {
        if (!std::exchange(collections_.due(plane), true)) tasks_.due.push(plane);
        return;
    }
    ++count_.collections;
    begin(plane, victim, false);
}

void Collector::begin_due() {
    for (std::uint32_t n = tasks_.due.size(); n > 0; --n) {
        const std::uint32_t plane = tasks_.due.pop();
        collections_.due(plane) = false;
        check_room(plane, true);
    }
}

/// The collection that moves this page.
Collection& Collector::collection_of(std::uint32_t page) {
    return collections_.of(geometry_.plane_of(page), ftl_.record_of(page));
}

void Collector::begin(std::uint32_t plane, std::uint32_t record, bool cold) {
    ++tasks_.active;
    ftl_.begin_collecting(record);
    collections_.begin(plane, record, cold);
    events_.begins(plane, ftl_.block(record), cold);
    continue_collection(plane);
}

void Collector::continue_collection(std::uint32_t plane) {
    const auto move = [this](std::uint32_t page, std::uint32_t lpn, bool first) {
        Job job;
        job.kind = JobKind::move;
        job.stage = JobStage::read;
        job.begins = first;
        job.lpn = lpn;
        job.sectors = ftl_.lookup(lpn).sectors;
        job.from = page;
        ftl_.hold(page);
        events_.send(jobs_.create(job));
    };
    const auto erase = [this](std::uint32_t record, bool first) {
        Job job;
        job.kind = JobKind::erase;
        job.begins = first;
        job.command = record;
        job.from = ftl_.first_page(ftl_.block(record));
        events_.send(jobs_.create(job));
    };
    collections_.issue_operations(plane, ftl_, move, erase);
}

void Collector::read(std::uint32_t j, Contents::Id sensed) {
    Job& job = jobs_[j];
    const std::uint32_t plane = geometry_.plane_of(job.from);
    if (ftl_.lookup(job.lpn).page != job.from) { // rewritten or trimmed
        --collection_of(job.from).moving;
        records_.release(sensed);
        return jobs_.finish(j);
    }
    const std::uint32_t free = ftl_.free_blocks(plane);
    job.contents = sensed;
    job.to = ftl_.allocate(
        plane, collection_of(job.from).cold ? Frontier::cold : Frontier::collector, job.lpn);
    job.stage = JobStage::program;
    events_.send(j);
    check_room(plane, ftl_.free_blocks(plane) < free);
}

void Collector::programmed(std::uint32_t j) {
    const Job job = jobs_[j];
    jobs_.finish(j);
    if (ftl_.moved(job.lpn, job.from, job.to)) {
        ++count_.moved_pages;
        events_.moved(job.lpn);
    }
    const std::uint32_t plane = geometry_.plane_of(job.from);
    --collection_of(job.from).moving;
    continue_collection(plane);
}

void Collector::erased(std::uint32_t j, Tick now) {
    const std::uint32_t record = jobs_[j].command;
    const std::uint32_t plane = geometry_.plane_of(jobs_[j].from);
    jobs_.finish(j);
    ++count_.erases;
    ftl_.erased(record);
    const std::uint32_t erases = ftl_.block(record).erases;
    most_worn_ = std::max(most_worn_, erases);
    count_.most_erases.set(now, most_worn_);
    collections_.of(plane, record).record = Collection::none;
    --tasks_.active;
    if (config_.wear_gap && ftl_.free_blocks(plane) >= 2 + collections_.active(plane)) {
        const std::uint32_t cold = ftl_.cold_victim(plane, erases, config_.wear_gap);
        if (cold != no_page) {
            ++count_.levellings;
            begin(plane, cold, true);
        }
    }
    events_.room_made(plane);
    check_room(plane, !ftl_.has_room(plane, Frontier::host));
}

} // namespace memsim::flash
