#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// How far a run is, for people who wait for it. (What it results in are statistics.)
namespace memsim {

class Machine;

/// A piece of work with a known end: `done` of `all` units.
struct Work {
    std::string what; ///< 'gpu.dispatcher: launch 3': another piece of work has another name
    std::string unit; ///< 'blocks'
    std::uint64_t done = 0, all = 0;
    bool last = false; ///< the run ends with it, if nothing ends it before
};

/// What a component implements beside Model that has such work.
class ReportsWork {
  public:
    virtual ~ReportsWork() = default;
    /// What is under way now; nothing whose end is not known.
    virtual std::vector<Work> work() const = 0;
};

/// Of all components, in the order of the tree.
std::vector<Work> work_of(const Machine& machine);

} // namespace memsim
