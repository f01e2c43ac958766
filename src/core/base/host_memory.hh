#pragma once

#include <cstdint>
#include <string>

/// The host memory that this process uses and can still allocate.
namespace memsim {

/// Bytes that the process can still allocate: the machine's free memory and swap, or less where a
/// control group or a limit of the process (ulimit) allows less.
std::uint64_t available_memory();

/// With `on`, allocations beyond the available memory fail from now on (std::bad_alloc), before the
/// kernel would kill the process. Without `on`, the limit is lifted, so that a failed run can be
/// saved.
void limit_memory(bool on);

/// Formats bytes: '12.3 GiB'.
std::string show_bytes(std::uint64_t bytes);

/// The message for an allocation that failed.
std::string out_of_memory();

} // namespace memsim
