#pragma once

#include "workload/traces/trace_encoder.hh"

/// What `memsim trace` does: each function reads its trace once, in bounded memory, whatever the
/// trace's kind (told by content: kernels of Accel-Sim, or addresses).
namespace memsim::workload {

using TraceFacts = std::vector<std::pair<std::string, std::string>>;

/// What a trace is and holds, as (name, value).
TraceFacts trace_info(const std::string& path, const TraceOptions& options);

/// The first records, a line each behind a line of headings; of Accel-Sim's: launches.
std::vector<std::vector<std::string>> trace_head(const std::string& path,
                                                 const TraceOptions& options, std::uint64_t n);

struct TraceSelection {
    std::uint64_t first = 0;                  ///< record, from 0
    std::uint64_t count = ~std::uint64_t {0}; ///< of records
    Time from {0}, until {0};                 ///< until 0: to the end
};

/// Writes the selected records as another trace; returns how many. An Accel-Sim trace becomes the
/// 32-byte sectors that each memory instruction touches, in order of the blocks, without times.
std::uint64_t trace_convert(const std::string& from, const TraceOptions& options,
                            const TraceSelection& selection, const std::string& to,
                            TraceOutputFormat format, Time cycle);

} // namespace memsim::workload
