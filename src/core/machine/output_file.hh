#pragma once

#include <string>
#include <utility>
#include <vector>

/// Files that components write while a run goes on: traces. (What a run results in goes to the
/// database.)
namespace memsim {

class Machine;

/// What a component that writes a file implements beside Model.
class WritesFile {
  public:
    virtual ~WritesFile() = default;
    /// The parameter that names the file, and the file.
    virtual std::string output_parameter() const = 0;
    virtual std::string output_path() const = 0;
    /// Makes the file one that readers take, up to now. The run may go on from there: this changes
    /// nothing in State. Throws ConfigError, as if the disk is full.
    virtual void complete_output() = 0;
};

/// Refuses a file that a component writes and another one names, too. Called by Machine::build().
void check_outputs(const Machine& machine);

/// The files that components write, each behind its parameter: ('recorder.file', 'a.trace').
std::vector<std::pair<std::string, std::string>> outputs_of(const Machine& machine);

/// Called whenever a run comes back to who has asked for it, so that its files are whole then.
void complete_outputs(const Machine& machine);

} // namespace memsim
