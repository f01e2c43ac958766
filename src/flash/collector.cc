#include "flash/collector.hh"

namespace memsim::flash {

void Collector::check_room(std::uint32_t plane) {
    if (collections_.active(plane)) return;
    bool& going = collections_.going(plane);
    const std::uint32_t victim = ftl_.free_blocks(plane) < (going ? f_.target : f_.free_blocks)
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
        check_room(plane);
    }
}

void Collector::begin(std::uint32_t plane, std::uint32_t record, bool cold) {
    ++tasks_.active;
    ftl_.begin_collecting(record);
    collections_.begin(plane, record, cold);
    events_.begins(plane, ftl_.block(record), cold);
    go_on(plane);
}

void Collector::go_on(std::uint32_t plane) {
    const bool erase =
        collections_.go_on(plane, ftl_, [this](std::uint32_t page, std::uint32_t lpn) {
            Job job;
            job.kind = JobKind::move;
            job.stage = JobStage::read;
            job.lpn = lpn;
            job.sectors = ftl_.lookup(lpn).sectors;
            job.from = page;
            ftl_.hold(page);
            events_.send(jobs_.create(job));
        });
    if (!erase) return;
    Job job;
    job.kind = JobKind::erase;
    job.command = collections_[plane].record;
    job.from = ftl_.first_page(ftl_.block(job.command));
    events_.send(jobs_.create(job));
}

void Collector::read(std::uint32_t j, Contents::Id sensed) {
    Job& job = jobs_[j];
    const std::uint32_t plane = geometry_.plane_of(job.from);
    if (ftl_.lookup(job.lpn).page != job.from) { // written anew, or trimmed
        collections_.moved(plane);
        records_.release(sensed);
        return jobs_.finish(j);
    }
    job.contents = sensed;
    job.to = ftl_.allocate(plane, collections_[plane].cold ? Frontier::cold : Frontier::collector,
                           job.lpn);
    job.stage = JobStage::program;
    events_.send(j);
}

void Collector::programmed(std::uint32_t j) {
    const Job job = jobs_[j];
    jobs_.finish(j);
    if (ftl_.moved(job.lpn, job.from, job.to)) {
        ++count_.moved_pages;
        events_.moved(job.lpn);
    }
    const std::uint32_t plane = geometry_.plane_of(job.from);
    collections_.moved(plane);
    go_on(plane);
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
    collections_.end(plane);
    --tasks_.active;
    if (f_.wear_gap && ftl_.free_blocks(plane) >= 2) {
        const std::uint32_t cold = ftl_.cold_victim(plane, erases, f_.wear_gap);
        if (cold != no_page) {
            ++count_.levellings;
            begin(plane, cold, true);
        }
    }
    events_.room_made(plane);
    check_room(plane);
}

} // namespace memsim::flash
