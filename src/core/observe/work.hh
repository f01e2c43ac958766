#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// The progress of a run, for display. (The results of a run are statistics.)
namespace memsim {

class Machine;

/// A piece of work with a known end: `done` of `all` units.
struct Work {
    std::string what; ///< 'gpu.dispatcher: launch 3'; other work has another name
    std::string unit; ///< 'blocks'
    std::uint64_t done = 0, all = 0;
    bool last = false; ///< the run ends with this work, unless something ends it earlier
};

/// Implemented, in addition to Model, by a component that has such work.
class ReportsWork {
  public:
    virtual ~ReportsWork() = default;
    /// The work in progress with a known end.
    virtual std::vector<Work> work() const = 0;
    /// Whether the component has work for ever, so that the machine never becomes idle.
    virtual bool is_endless() const { return false; }
};

/// The work of all components, in the order of the tree.
std::vector<Work> work_of(const Machine& machine);

/// The paths of components with work for ever, in the order of the tree.
std::vector<std::string> endless_of(const Machine& machine);

} // namespace memsim
