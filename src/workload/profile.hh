#pragma once

#include "workload/application.hh"

namespace memsim::workload {

/// Counts of an application's operations over all its streams, without timing.
struct Profile {
    u64 footprint = 0; ///< bytes
    u64 launches = 0;
    u64 warp_instructions = 0;
    u64 thread_instructions = 0;
    u64 loads = 0, stores = 0, atomics = 0; ///< warp instructions
    u64 shared_loads = 0, shared_stores = 0;
    /// Requests after coalescing into lines of 128 bytes.
    u64 load_requests = 0, store_requests = 0, atomic_requests = 0;
};

/// Runs an application to its end. `limit`: thread instructions after which no block starts; 0:
/// none.
Profile profile_of(KernelSource& application, u64 limit = 0);

} // namespace memsim::workload
