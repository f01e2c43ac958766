#pragma once

#include "core/state/free_list.hh"
#include "cxl_gpu/reserve.hh"
#include "device_parts/named.hh"

namespace memsim::cxl_gpu {

/// The outstanding messages of DeterministicStore, identified by their tags. A value for State.
class StoreJobs {
  public:
    enum class Kind : std::uint8_t {
        store,   ///< the copy of a store, at local_side
        load,    ///< a load served by one side
        both,    ///< a load served by both sides
        through, ///< a store or atomic performed by the endpoint
        dual,    ///< the write of a store to the endpoint
        flush    ///< a line of the stack: its read, then its write
    };
    struct Job {
        Kind kind = Kind::load;
        std::uint8_t waits_for = 0; ///< outstanding answers; 0: the job is free
        std::uint32_t entry = 0;    ///< of the reserve
        Tick since = 0;
        protocol::MemRequest request;
        Reserve::Known known {}; ///< valid bytes of the reserve, from the request's sector on
        std::uint16_t moved = 0; ///< sectors of a flush that were moved to the reserve
        Contents::Id found;      ///< data of the first answer, or data to write
    };

    static constexpr std::string_view archived_as = "StoreJobs";
    template <class Archive>
    void archive(Archive& a) {
        a(jobs_), a(free_);
    }

    void resize(std::uint32_t jobs) {
        jobs_.assign(jobs, {});
        for (std::uint32_t i = jobs; i-- > 0;) free_.push_back(i);
    }
    std::size_t size() const { return jobs_.size(); }
    std::size_t free() const { return free_.size(); }
    std::size_t under_way() const { return jobs_.size() - free_.size(); }

    /// Allocates a job that waits for one answer. The request's contents leave with its message.
    std::uint32_t add(Kind kind, const protocol::MemRequest& r, Tick now) {
        const std::uint32_t tag = free_.back();
        free_.pop_back();
        jobs_[tag] = {kind, 1, 0, now, r, {}, 0, {}};
        jobs_[tag].request.contents = {};
        return tag;
    }
    Job& operator[](std::uint32_t tag) { return jobs_[tag]; }
    /// The job named by an answer.
    Job& waiting(std::uint32_t tag) {
        Job& job = device_parts::named(jobs_, tag);
        MEMSIM_ASSERT(job.waits_for > 0, "an answer names a request that was not sent");
        return job;
    }
    void end(std::uint32_t tag) {
        jobs_[tag] = {};
        free_.push_back(tag);
    }
    void check_loaded(Loader& l, std::uint32_t entries) const {
        for (const Job& j : jobs_) l.index("jobs.entry", j.entry, entries);
    }

  private:
    std::vector<Job> jobs_;
    FreeList free_;
};

} // namespace memsim::cxl_gpu
