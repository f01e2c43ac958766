#pragma once

#include <string>
#include <utility>
#include <vector>

/// Files that components write during a run: traces. (The results of a run are in the database.)
namespace memsim {

class Machine;

/// Implemented, in addition to Model, by a component that writes a file.
class WritesFile {
  public:
    virtual ~WritesFile() = default;
    /// The parameter that names the file, and the file.
    virtual std::string output_parameter() const = 0;
    virtual std::string output_path() const = 0;
    /// Makes the file readable, with everything up to now. The run may continue afterwards: this
    /// changes nothing in State. Throws ConfigError, for example if the disk is full.
    virtual void complete_output() = 0;
};

/// Refuses a file that one component writes and another component names too. Called by
/// Machine::build().
void check_outputs(const Machine& machine);

/// The files that components write, each after its parameter: ('recorder.file', 'a.trace').
std::vector<std::pair<std::string, std::string>> outputs_of(const Machine& machine);

/// Called whenever a run returns to its caller, so that its files are complete then.
void complete_outputs(const Machine& machine);

} // namespace memsim
