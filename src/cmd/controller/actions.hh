#pragma once

#include "cmd/controller/block_memory.hh"
#include "cmd/controller/jobs.hh"
#include "cmd/controller/placement.hh"
#include "cmd/detect/scheme.hh"
#include "cmd/tables/metadata.hh"

#include <boost/container/static_vector.hpp>

#include <variant>

namespace memsim::cmd {

/// What a step of a read or write asks the controller to do for its job. The first four take time;
/// the job takes its next step when all of them are complete.
namespace action {

/// Looks up the entry of a block in a table's cache.
struct Look {
    Table table;
    std::uint32_t block;
};
struct Wait {
    unsigned cycles;
};
/// Passes this many sectors through the hash unit.
struct Hash {
    std::uint32_t sectors;
};
/// Reads sectors of a place. Adds the sectors read from memory to `counter`.
struct Fetch {
    std::uint32_t place, sectors;
    Counter* counter;
};
/// Records that the table entries of the job's block have changed and, if any, that a place became
/// free.
struct Change {
    Placement::Freed freed;
};
/// Writes sectors of the job's data to a place, which the block now uses, and records the change.
struct Store {
    std::uint32_t place, sectors;
    Placement::Freed freed;
};
/// Starts a job without a request.
struct Begin {
    std::uint32_t job;
};
/// Completes the job and answers its request if needed.
struct Finish {};

} // namespace action

using Action = std::variant<action::Look, action::Wait, action::Hash, action::Fetch, action::Change,
                            action::Store, action::Begin, action::Finish>;
/// Of one step, in the order in which they are performed.
using Actions = boost::container::static_vector<Action, 2>;

/// Objects that reads and writes share.
struct Shared {
    const Scheme& scheme;
    Placement& placement;
    Packing& packing;
    BlockMemory& memory;
    Jobs& jobs;
};

} // namespace memsim::cmd
