#pragma once

#include <stdexcept>
#include <string>

namespace memsim {

/// A mistake of the user: one sentence that states what is wrong, where, and what would be right.
/// The launcher prints it without a traceback and ends with exit code 1.
class ConfigError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// A bug of the simulator: a broken invariant. No input causes it.
class Panic : public std::logic_error {
  public:
    using std::logic_error::logic_error;
};

[[noreturn, gnu::cold]] void panic(const char* file, int line, const std::string& what);
/// Most checks are on the path of events: this overload builds no string.
[[noreturn, gnu::cold]] void panic(const char* file, int line, const char* what);

} // namespace memsim

/// Checked in every build: a wrong result costs more than the comparison.
#define MEMSIM_ASSERT(condition, what)                                                             \
    do {                                                                                           \
        if (!(condition)) [[unlikely]]                                                             \
            ::memsim::panic(__FILE__, __LINE__, what);                                             \
    } while (false)
