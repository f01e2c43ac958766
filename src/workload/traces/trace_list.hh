#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace memsim::workload {

/// A command of an Accel-Sim trace list: run a kernel, or copy bytes to the device.
struct TraceCommand {
    std::string kernel; ///< path of its file; empty: a copy
    std::uint64_t address = 0, bytes = 0;
};

/// Reads kernelslist.g. A .traceg file, recognised by its first byte, counts as a list of one
/// kernel. Copies to the host are skipped. Throws ConfigError if a kernel's file is missing, or if
/// it lies outside of the list's folder (links resolved) and `outside` is false. A list from an
/// unknown source thus cannot open other files.
std::vector<TraceCommand> read_trace_list(const std::string& path, bool outside = false);

} // namespace memsim::workload
