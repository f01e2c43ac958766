#pragma once

#include <cstdint>
#include <functional>
#include <string>

/// Runs functions in child processes, for inputs that may crash, hang or exhaust memory.
namespace memsim::test {

struct ChildLimits {
    std::uint64_t mebibytes = 4096; ///< beyond the present use; ignored by AddressSanitizer builds
    unsigned seconds = 10;          ///< of processor time; ten times as many with AddressSanitizer
};

/// Runs `function` in a child process. Returns the sentence that the function returns, followed by
/// what the child prints on stderr, and by the exception, signal or exit code that ends it early.
/// The registry and other globals of this process do not change.
std::string in_child(const ChildLimits& limits, const std::function<std::string()>& function);

} // namespace memsim::test
