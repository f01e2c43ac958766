#pragma once

#include "workload/traces/trace_encoder.hh"

/// The functions behind `memsim trace`. Each reads its trace once, in bounded memory. The kind of
/// trace is detected from its content: kernels of Accel-Sim, or addresses.
namespace memsim::workload {

using TraceFacts = std::vector<std::pair<std::string, std::string>>;

/// Properties and contents of a trace, as (name, value).
TraceFacts trace_info(const std::string& path, const TraceOptions& options);

/// The first records, one line each after a line of headings; for Accel-Sim: launches.
std::vector<std::vector<std::string>> trace_head(const std::string& path,
                                                 const TraceOptions& options, std::uint64_t n);

struct TraceSelection {
    std::uint64_t first = 0;                  ///< record, from 0
    std::uint64_t count = ~std::uint64_t {0}; ///< number of records
    Time from {0}, until {0};                 ///< until 0: to the end
};

/// Writes the selected records as another trace and returns their number. For an Accel-Sim trace
/// these are the 32-byte sectors that each memory instruction accesses, in block order, without
/// times.
std::uint64_t trace_convert(const std::string& from, const TraceOptions& options,
                            const TraceSelection& selection, const std::string& to,
                            TraceOutputFormat format, Time cycle);

} // namespace memsim::workload
