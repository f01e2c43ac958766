#pragma once

#include <string>

namespace memsim {

/// The release, and a hash of every registered component's state, ports and statistics: equal if
/// and only if a checkpoint of one build has the shape that the other reads. Complete once main()
/// runs, constant from then on.
const std::string& version();

} // namespace memsim
