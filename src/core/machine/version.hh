#pragma once

#include <string>

namespace memsim {

/// The release, and a hash of the state, messages and statistics of every registered component.
/// Complete once main() runs, constant from then on.
const std::string& version();

/// The linker's hash of this program or module: equal hashes mean equal code. It reads no file, and
/// stays right if the file was replaced since.
const std::string& build_id();

} // namespace memsim
