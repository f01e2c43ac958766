#pragma once

#include "core/kernel/contents.hh"
#include "core/kernel/stamps.hh"
#include "core/state/fifo.hh"
#include "core/state/free_list.hh"
#include "device_parts/named.hh"

#include <algorithm>
#include <bit>
#include <vector>

namespace memsim::flash {

enum class JobKind : std::uint8_t { none, read, destage, map_read, map_write, move, erase };
enum class JobStage : std::uint8_t { map, merge, room, read, program };

/// An operation on one page.
struct Job {
    static constexpr std::uint32_t none = ~0u;
    JobKind kind = JobKind::none;
    JobStage stage = JobStage::map;
    bool urgent = false;
    bool begins = false; ///< first of a collection
    std::uint32_t lpn = 0;
    std::uint32_t sectors = 0;
    std::uint32_t held = 0;               ///< sectors present in the page read
    std::uint32_t command = none;         ///< of a read; the record of a collected block
    std::uint32_t cached = none;          ///< page in the cache
    std::uint32_t from = none, to = none; ///< pages of the flash
    std::uint32_t next = none;            ///< next in a list of waiting jobs
    Contents::Id contents {};             ///< contents of its page
    Stamps::Id stamps {};                 ///< of a read
};

/// Plain values for State.
struct PageJobsState {
    std::vector<Job> jobs;
    FreeList free;
    std::vector<Fifo<std::uint32_t>> outgoing; ///< jobs, by channel
    std::uint64_t waiting = 0;                 ///< bit per channel with entries in `outgoing`
    std::vector<Fifo<std::uint32_t>> waiting_for_block; ///< jobs that wait for a page, by plane
    Fifo<std::uint32_t> waiting_for_any_block;
};

/// The page operations in progress in a drive, without limit. Each is in one queue, or in the
/// flash. A part.
class PageJobs {
  public:
    explicit PageJobs(PageJobsState& state) : state_(state) {}
    void reset(std::uint32_t channels, std::uint32_t planes) {
        state_.outgoing.resize(channels);
        state_.waiting_for_block.resize(planes);
    }

    Job& operator[](std::uint32_t j) { return state_.jobs[j]; }
    Job& named(std::uint32_t j) { return device_parts::named(state_.jobs, j); }
    /// Invalidates references to other jobs.
    std::uint32_t create(const Job& job) {
        if (state_.free.empty()) {
            state_.free.push_back(static_cast<std::uint32_t>(state_.jobs.size()));
            state_.jobs.emplace_back();
        }
        const std::uint32_t j = state_.free.back();
        state_.free.pop_back();
        state_.jobs[j] = job;
        return j;
    }
    void finish(std::uint32_t j) {
        state_.jobs[j].kind = JobKind::none;
        state_.free.push_back(j);
    }
    /// Whether a job uses the contents of a logical page.
    bool works_on(std::uint32_t lpn) const {
        return std::ranges::any_of(state_.jobs, [&](const Job& job) {
            return job.lpn == lpn && (job.kind == JobKind::read || job.kind == JobKind::destage ||
                                      job.kind == JobKind::move);
        });
    }
    std::size_t size() const { return state_.jobs.size(); }
    std::size_t under_way() const { return state_.jobs.size() - state_.free.size(); }

    void send(std::uint32_t j, std::uint32_t channel) {
        state_.outgoing[channel].push(j);
        state_.waiting |= 1ull << channel;
    }
    /// Calls go(channel, job) for the jobs of each channel in turn, while can(channel). Jobs for
    /// which held(channel, job) is true keep their place, and later jobs overtake them.
    template <class Can, class Held, class Go>
    void send_waiting(Can&& can, Held&& held, Go&& go) {
        for (std::uint64_t set = state_.waiting; set; set &= set - 1) {
            const auto channel = static_cast<unsigned>(std::countr_zero(set));
            auto& queue = state_.outgoing[channel];
            for (std::uint32_t i = 0; i < queue.size() && can(channel);) {
                const std::uint32_t j = queue[i];
                if (held(channel, j)) {
                    ++i;
                    continue;
                }
                if (i == 0)
                    queue.drop();
                else
                    queue.erase(i);
                go(channel, j);
            }
            if (queue.empty()) state_.waiting &= ~(1ull << channel);
        }
    }
    /// Queues a job until a page is free in its plane, or in any plane (Job::none). Returns true if
    /// it has not waited before.
    bool wait_for_room(std::uint32_t j, std::uint32_t plane) {
        (plane == Job::none ? state_.waiting_for_any_block : state_.waiting_for_block[plane])
            .push(j);
        return std::exchange(state_.jobs[j].stage, JobStage::room) != JobStage::room;
    }
    /// Calls retry(job) once for each job that has waited for a page of the plane.
    template <class F>
    void room_made(std::uint32_t plane, F&& retry) {
        for (auto* queue : {&state_.waiting_for_block[plane], &state_.waiting_for_any_block})
            for (std::uint32_t n = queue->size(); n > 0; --n) retry(queue->pop());
    }
    /// Whether a job waits for a page of the plane, or of any plane (Job::none).
    bool waits_for_room(std::uint32_t plane) const {
        return !(plane == Job::none ? state_.waiting_for_any_block
                                    : state_.waiting_for_block[plane])
                    .empty();
    }
    std::size_t waiting_for_block() const {
        std::size_t n = state_.waiting_for_any_block.size();
        for (const auto& queue : state_.waiting_for_block) n += queue.size();
        return n;
    }

    /// Arguments: numbers of the commands, block records, cache entries and pages that jobs refer
    /// to.
    void check_loaded(Loader& l, std::size_t commands, std::size_t records, std::size_t cached,
                      std::uint64_t pages) const {
        const auto one_of = [&](std::string_view field, std::uint32_t number, std::uint64_t size) {
            if (number != Job::none) l.index(field, number, size);
        };
        for (const Job& job : state_.jobs) {
            if (job.kind == JobKind::read) l.index("jobs.command", job.command, commands);
            if (job.kind == JobKind::erase) l.index("jobs.command", job.command, records);
            if (job.kind == JobKind::destage) l.index("jobs.cached", job.cached, cached);
            one_of("jobs.next", job.next, state_.jobs.size());
            one_of("jobs.from", job.from, pages), one_of("jobs.to", job.to, pages);
        }
        for (const auto& queue : state_.outgoing) l.indices("outgoing", queue, state_.jobs.size());
        for (const auto& queue : state_.waiting_for_block)
            l.indices("waiting_for_block", queue, state_.jobs.size());
        l.indices("waiting_for_any_block", state_.waiting_for_any_block, state_.jobs.size());
        l.bits("waiting", state_.waiting, state_.outgoing.size());
    }

  private:
    PageJobsState& state_;
};

} // namespace memsim::flash
