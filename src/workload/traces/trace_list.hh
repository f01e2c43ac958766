#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace memsim::workload {

/// A command of an Accel-Sim trace's list: a kernel to run, or bytes to copy to the device.
struct TraceCommand {
    std::string kernel; ///< path of its file; empty: a copy
    std::uint64_t address = 0, bytes = 0;
};

/// Reads kernelslist.g; a .traceg file by itself (told by its first byte) is a list of one kernel.
/// Copies back to the host are passed over. A kernel whose file is not there is refused, and one
/// outside of the list's folder, wherever links lead, unless `outside` allows it: a list from
/// somebody else opens no other file.
std::vector<TraceCommand> read_trace_list(const std::string& path, bool outside = false);

} // namespace memsim::workload
