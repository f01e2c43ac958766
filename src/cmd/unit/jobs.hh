#pragma once

#include "cmd/tables/reference_store.hh"
#include "cmd/tables/sectors.hh"
#include "core/state/free_list.hh"
#include "protocol/mem.hh"

#include <vector>

namespace memsim::cmd {

/// What a request waits for next.
enum class Step : std::uint8_t {
    type,      ///< the type flag
    map,       ///< map entry and mask
    reference, ///< the reference's type flag, before the L2 is looked into
    copy,      ///< the look into the L2
    data,      ///< the sectors of a read
    old,       ///< what a write does not cover
    hash,      ///< the digest
    verified,  ///< the reference's data
    donor,     ///< the type flags of 128 blocks
    lender,    ///< the masks of those that their flags let lend their places
    duplicate, ///< type and mask of a block that is mapped to this one
    packed,    ///< the encoder
    passed     ///< an answer from memory that is passed on
};

enum class JobKind : std::uint8_t {
    read,
    write,
    homeward ///< no request's: the data of a block are brought to its own place
};

/// One request under way in the Deduplicator.
struct Job {
    protocol::MemRequest request; ///< as it came; of one that goes home, its tag names who waits
    std::uint64_t number = 0;     ///< in the order of arrival
    std::uint32_t block = 0;
    std::uint32_t place = 0; ///< of a reference: that is compared, or looked for in the L2; a donor
    std::uint32_t group = 0; ///< of blocks, where a donor is looked for
    std::uint32_t groups_left = 0;
    std::uint32_t tries = 0; ///< groups without a donor
    Step step = Step::type;
    JobKind kind = JobKind::read;
    bool moves = false;       ///< it brings what another memory held
    bool coded = false;       ///< `other` gets the code of a block
    bool stale = false;       ///< the host has written into its block: what is known of it changed
    std::uint16_t before = 0; ///< older ones of the same block that it waits for
    std::uint8_t waits = 0;   ///< looks and reads under way
    std::uint8_t sectors = 0; ///< that the request names
    std::uint8_t mask = 0;    ///< of a write: the block's from now on
    std::uint8_t missing = 0; ///< sectors to be found in the L2
    Reference::Digest digest {};

    bool writes() const { return kind != JobKind::read; }
};
struct JobData {
    Sectors own;
    Sectors other; ///< of the reference that is compared, or a code: empty before it is read
};
struct JobsState {
    std::vector<Job> jobs; ///< those of each kind side by side
    std::vector<JobData> data;
    std::vector<std::uint32_t> blocks;      ///< of those under way
    std::vector<std::uint32_t> first, next; ///< of those whose blocks are alike, by id
    std::array<FreeList, 3> free;           ///< by kind
    std::uint64_t arrived = 0;
};

/// The table of requests under way, and their order: requests for one block go one after the other,
/// reads of it side by side. A part.
class Jobs {
  public:
    static constexpr std::uint32_t no_block = ~std::uint32_t {0}; ///< of a job that is free
    /// How many of each kind there may be.
    using Most = std::array<std::uint32_t, 3>;

    Jobs(const Most& most, JobsState& state) : most_(most), s_(state) {}
    static void resize(const Most& most, JobsState& s);

    std::uint32_t size() const { return static_cast<std::uint32_t>(s_.jobs.size()); }
    Job& operator[](std::uint32_t id) const { return s_.jobs[id]; }
    JobData& data(std::uint32_t id) const { return s_.data[id]; }
    /// That which an answer or an event names.
    Job& named(std::uint32_t id) const;
    bool full(JobKind kind) const { return free(kind).empty(); }
    std::uint32_t active() const;
    /// Calls f(id) for those of a block, by id.
    template <class F>
    void for_each(std::uint32_t block, F&& f) const {
        for (std::uint32_t id = s_.first[list_of(block)]; id != no_job; id = s_.next[id])
            if (s_.blocks[id] == block) f(id);
    }
    bool any(std::uint32_t block) const;
    bool busy(std::uint32_t id) const { return s_.blocks[id] != no_block; }
    /// Other data lie in a place: who compares itself with it compares in vain.
    void replaced(std::uint32_t place);

    /// A new one; not full(kind). It may begin if its `before` is 0.
    std::uint32_t add(JobKind kind, std::uint32_t block);
    /// It is done; begin(id) is called for those that have waited for it.
    template <class F>
    void finish(std::uint32_t id, F&& begin) {
        const Job& j = s_.jobs[id];
        unlink(id);
        for_each(j.block, [&](std::uint32_t i) {
            Job& other = s_.jobs[i];
            if (other.number > j.number && (other.writes() || j.writes()) && --other.before == 0)
                begin(i);
        });
        s_.free[static_cast<std::size_t>(j.kind)].push_back(id - first(j.kind));
    }
    /// `blocks`: how many there are.
    void check_loaded(Loader& l, std::uint32_t blocks) const;

  private:
    static constexpr std::uint32_t no_job = ~std::uint32_t {0};
    /// So many lists that few jobs are in one.
    std::size_t list_of(std::uint32_t block) const { return block % s_.first.size(); }
    void link(std::uint32_t id, std::uint32_t block);
    void unlink(std::uint32_t id);
    const FreeList& free(JobKind kind) const { return s_.free[static_cast<std::size_t>(kind)]; }
    std::uint32_t first(JobKind kind) const {
        std::uint32_t n = 0;
        for (std::size_t k = 0; k < static_cast<std::size_t>(kind); ++k) n += most_[k];
        return n;
    }

    const Most most_;
    JobsState& s_;
};

} // namespace memsim::cmd
