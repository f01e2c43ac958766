#pragma once

#include <cstdint>
#include <string>

/// The memory of the host that this process uses and can have.
namespace memsim {

/// Bytes that the process can still allocate: what the machine has free, swap included, or less
/// where a control group or a limit of the process (ulimit) leaves less.
std::uint64_t available_memory();

/// With `on`, allocations beyond what is available fail from now on (std::bad_alloc), before the
/// kernel would kill the process. Without it that limit is gone, for what saves a run that failed.
void limit_memory(bool on);

/// '12.3 GiB'.
std::string show_bytes(std::uint64_t bytes);

/// The sentence for an allocation that failed.
std::string out_of_memory();

} // namespace memsim
