#include "cmd/controller/jobs.hh"

#include "cmd/tables/block_table.hh"
#include "device_parts/named.hh"

#include <bit>
#include <numeric>

namespace memsim::cmd {

void Jobs::resize(const Most& most, JobsState& s) {
    const std::uint32_t n = std::accumulate(most.begin(), most.end(), 0u);
    s.jobs.assign(n, {});
    s.data.assign(n, {});
    s.blocks.assign(n, no_block);
    s.first.assign(std::bit_ceil(2 * n), no_job);
    s.next.assign(n, no_job);
    for (std::size_t k = 0; k < most.size(); ++k) {
        s.free[k].clear();
        for (std::uint32_t i = most[k]; i-- > 0;) s.free[k].push_back(i);
    }
}

Job& Jobs::named(std::uint32_t id) const { return device_parts::named(state_.jobs, id); }

std::uint32_t Jobs::active() const {
    std::size_t n = state_.jobs.size();
    for (const FreeList& list : state_.free) n -= list.size();
    return static_cast<std::uint32_t>(n);
}

bool Jobs::any(std::uint32_t block) const {
    bool found = false;
    for_each(block, [&](std::uint32_t) { found = true; });
    return found;
}

void Jobs::replaced(std::uint32_t place) {
    for (Job& j : state_.jobs)
        if (j.step == Step::verified && j.place == place) j.place = BlockTable::nowhere;
}

std::uint32_t Jobs::add(JobKind kind, std::uint32_t block) {
    FreeList& list = state_.free[static_cast<std::size_t>(kind)];
    const std::uint32_t id = first(kind) + list.back();
    list.pop_back();
    Job& j = state_.jobs[id];
    j = {};
    j.number = ++state_.arrived;
    j.block = block;
    j.kind = kind;
    for_each(block, [&](std::uint32_t i) { j.before += state_.jobs[i].writes() || j.writes(); });
    link(id, block);
    state_.data[id].own = {};
    return id;
}

void Jobs::link(std::uint32_t id, std::uint32_t block) {
    state_.blocks[id] = block;
    std::uint32_t* at = &state_.first[list_of(block)];
    while (*at < id) at = &state_.next[*at];
    state_.next[id] = *at;
    *at = id;
}

void Jobs::unlink(std::uint32_t id) {
    std::uint32_t* at = &state_.first[list_of(state_.blocks[id])];
    while (*at != id) at = &state_.next[*at];
    *at = state_.next[id];
    state_.blocks[id] = no_block;
}

void Jobs::check_loaded(Loader& l, std::uint32_t blocks) const {
    std::uint32_t busy = 0;
    for (std::uint32_t id = 0; id < size(); ++id) {
        const Job& j = state_.jobs[id];
        l.index("jobs.block", j.block, blocks);
        if (j.place != BlockTable::nowhere) l.index("jobs.place", j.place, blocks);
        l.within("jobs.mask", [&] {
            l.check(j.mask <= all_sectors && j.missing <= all_sectors,
                    "names sectors that a block does not have");
        });
        busy += state_.blocks[id] != no_block;
        l.within("blocks", [&] {
            l.check(state_.blocks[id] == no_block ||
                        (state_.blocks[id] == j.block && id >= first(j.kind) &&
                         id - first(j.kind) < most_[static_cast<std::size_t>(j.kind)]),
                    "is of another job");
        });
        if (state_.blocks[id] != no_block && j.kind == JobKind::homeward)
            l.index("jobs.request", j.request.tag, size());
    }
    l.within("first", [&] { // ids ascend, so no list is circular
        std::uint32_t listed = 0;
        for (std::size_t list = 0; list < state_.first.size(); ++list) {
            std::uint32_t least = 0;
            for (std::uint32_t id = state_.first[list]; id != no_job; id = state_.next[id]) {
                l.check(id >= least && id < size() && state_.blocks[id] != no_block &&
                            list_of(state_.blocks[id]) == list,
                        "lists a job that is not in progress");
                least = id + 1;
                ++listed;
            }
        }
        l.check(listed == busy, "does not list all jobs in progress");
    });
    l.within("free", [&] { l.check(busy == active(), "differs from the set of free jobs"); });
}

} // namespace memsim::cmd
