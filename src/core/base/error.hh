#pragma once

#include <stdexcept>
#include <string>

namespace memsim {

/// The user's mistake: one sentence that says what, where and what would be right.
/// The launcher prints it without a traceback and ends with exit code 1.
class ConfigError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Our own mistake: a broken invariant of the simulator. Never caused by any input.
class Panic : public std::logic_error {
  public:
    using std::logic_error::logic_error;
};

[[noreturn, gnu::cold]] void panic(const char* file, int line, const std::string& what);
/// Most checks stand on the path of events: nothing is made there for the sentence.
[[noreturn, gnu::cold]] void panic(const char* file, int line, const char* what);

} // namespace memsim

/// Checked in every build: a wrong result costs more than the compare.
#define MEMSIM_ASSERT(condition, what)                                                             \
    do {                                                                                           \
        if (!(condition)) [[unlikely]]                                                             \
            ::memsim::panic(__FILE__, __LINE__, what);                                             \
    } while (false)
