#pragma once

#include <string>

namespace memsim {

/// The release, and a hash of every registered component's state, messages and statistics. Complete
/// once main() runs, constant from then on.
const std::string& version();

/// The linker's hash of this program or module as it was linked: where it is equal the same code
/// runs. Without the cost of reading a file, and true even if the file was replaced since.
const std::string& build_id();

} // namespace memsim
