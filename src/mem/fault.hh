#pragma once

#include <string>

namespace memsim::mem {

/// The parameter that rules out a component, and the reason.
struct Fault {
    std::string parameter, why;
};

} // namespace memsim::mem
