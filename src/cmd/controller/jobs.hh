#pragma once

#include "cmd/tables/reference_store.hh"
#include "cmd/tables/sectors.hh"
#include "core/state/free_list.hh"
#include "protocol/mem.hh"

#include <vector>

namespace memsim::cmd {

/// The step for which a request waits.
enum class Step : std::uint8_t {
    type,      ///< the type flag
    map,       ///< map entry and mask
    reference, ///< the reference's type flag, before the look-up in the L2
    copy,      ///< the look-up in the L2
    data,      ///< the sectors of a read
    old,       ///< the data that a write does not cover
    hash,      ///< the digest
    verified,  ///< the reference's data
    donor,     ///< the type flags of 128 blocks
    lender,    ///< the masks of blocks that may lend their places according to their flags
    duplicate, ///< type and mask of a block mapped to this one
    packed,    ///< the compressor
    passed     ///< an answer from memory that is forwarded
};

enum class JobKind : std::uint8_t {
    read,
    write,
    homeward ///< without a request: writes the data of a block to its own place
};

/// An outstanding request of the Deduplicator.
struct Job {
    protocol::MemRequest
        request;              ///< as received; of a homeward job, its tag names the job that waits
    std::uint64_t number = 0; ///< order of arrival
    std::uint32_t block = 0;
    std::uint32_t place =
        0; ///< of the reference that is compared or looked up in the L2, or of a donor
    std::uint32_t group = 0; ///< group of blocks in which a donor is searched
    std::uint32_t groups_left = 0;
    std::uint32_t tries = 0; ///< groups searched without a donor
    Step step = Step::type;
    JobKind kind = JobKind::read;
    bool moves = false; ///< it brings data of another memory
    bool coded = false; ///< `other` receives the code of a block
    bool stale = false; ///< the host has written to its block, so data read earlier are out of date
    std::uint16_t before = 0; ///< earlier jobs of the same block that it waits for
    std::uint8_t waits = 0;   ///< outstanding look-ups and reads
    std::uint8_t sectors = 0; ///< named by the request
    std::uint8_t mask = 0;    ///< of a write: the block's mask after it
    std::uint8_t missing = 0; ///< sectors to look up in the L2
    Reference::Digest digest {};

    bool writes() const { return kind != JobKind::read; }
};
struct JobData {
    Sectors own;
    Sectors other; ///< of the reference that is compared, or a code; empty before it is read
};
struct JobsState {
    std::vector<Job> jobs; ///< jobs of each kind are adjacent
    std::vector<JobData> data;
    std::vector<std::uint32_t> blocks; ///< by outstanding job
    std::vector<std::uint32_t> first,
        next;                     ///< lists of jobs with equal block hashes, ordered by id
    std::array<FreeList, 3> free; ///< by kind
    std::uint64_t arrived = 0;
};

/// The table of outstanding requests, and their order: requests to one block execute one after the
/// other, reads of it in parallel. A part.
class Jobs {
  public:
    static constexpr std::uint32_t no_block = ~std::uint32_t {0}; ///< of a free job
    /// The maximum number of jobs of each kind.
    using Most = std::array<std::uint32_t, 3>;

    Jobs(const Most& most, JobsState& state) : most_(most), state_(state) {}
    static void resize(const Most& most, JobsState& s);

    std::uint32_t size() const { return static_cast<std::uint32_t>(state_.jobs.size()); }
    Job& operator[](std::uint32_t id) const { return state_.jobs[id]; }
    JobData& data(std::uint32_t id) const { return state_.data[id]; }
    /// The job named by an answer or an event.
    Job& named(std::uint32_t id) const;
    bool full(JobKind kind) const { return free(kind).empty(); }
    std::uint32_t active() const;
    /// Calls f(id) for the jobs of a block, in order of ids.
    template <class F>
    void for_each(std::uint32_t block, F&& f) const {
        for (std::uint32_t id = state_.first[list_of(block)]; id != no_job; id = state_.next[id])
            if (state_.blocks[id] == block) f(id);
    }
    bool any(std::uint32_t block) const;
    bool busy(std::uint32_t id) const { return state_.blocks[id] != no_block; }
    /// A place receives other data: comparisons with its former reference must fail.
    void replaced(std::uint32_t place);

    /// Adds a job. Requires !full(kind). The job may begin if its `before` is 0.
    std::uint32_t add(JobKind kind, std::uint32_t block);
    /// Completes a job. Calls begin(id) for jobs that waited for it and may begin.
    template <class F>
    void finish(std::uint32_t id, F&& begin) {
        const Job& j = state_.jobs[id];
        unlink(id);
        for_each(j.block, [&](std::uint32_t i) {
            Job& other = state_.jobs[i];
            if (other.number > j.number && (other.writes() || j.writes()) && --other.before == 0)
                begin(i);
        });
        state_.free[static_cast<std::size_t>(j.kind)].push_back(id - first(j.kind));
    }
    /// `blocks`: number of blocks.
    void check_loaded(Loader& l, std::uint32_t blocks) const;

  private:
    static constexpr std::uint32_t no_job = ~std::uint32_t {0};
    /// The list of a block. There are enough lists to keep each of them short.
    std::size_t list_of(std::uint32_t block) const { return block % state_.first.size(); }
    void link(std::uint32_t id, std::uint32_t block);
    void unlink(std::uint32_t id);
    const FreeList& free(JobKind kind) const { return state_.free[static_cast<std::size_t>(kind)]; }
    std::uint32_t first(JobKind kind) const {
        std::uint32_t n = 0;
        for (std::size_t k = 0; k < static_cast<std::size_t>(kind); ++k) n += most_[k];
        return n;
    }

    const Most most_;
    JobsState& state_;
};

} // namespace memsim::cmd
