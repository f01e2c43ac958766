#pragma once

#include "core/base/error.hh"

#include <cstdio>
#include <cstdlib>

namespace memsim {

/// Executes a registration. Registrations run before main(), where no exception can be caught: a
/// mistake of the author of a component or policy ends the process with its sentence.
template <class F>
void before_main(F&& registration) {
    try {
        registration();
    } catch (const ConfigError& e) {
        std::fprintf(stderr, "memsim: %s\n", e.what());
        std::_Exit(1);
    }
}

} // namespace memsim
