#pragma once

#include "cmd/controller/jobs.hh"
#include "cmd/tables/block_map.hh"
#include "cmd/tables/store_order.hh"

namespace memsim::cmd {

/// Moves the contents of messages to jobs and from jobs to answers. A part.
class JobContents {
  public:
    JobContents(const BlockMap& map, Jobs& jobs, StoreOrder& order, Contents& contents)
        : map_(map), jobs_(jobs), order_(order), contents_(contents) {}

    /// Moves the contents of a write to its job.
    void take_write(std::uint32_t id);
    /// Replaces bytes of a write that a later store has overtaken.
    void merge(std::uint32_t id);
    /// Adds the contents of memory's answer to the job.
    void receive(std::uint32_t id, const protocol::MemResponse& r);
    /// Gives the answer of a read the sectors that it requested.
    void fill_answer(std::uint32_t id, protocol::MemResponse& answer) const;

  private:
    const BlockMap& map_;
    Jobs& jobs_;
    StoreOrder& order_;
    Contents& contents_;
};

} // namespace memsim::cmd
