#include "core/base/error.hh"

namespace memsim {

void panic(const char* file, int line, const std::string& what) {
    throw Panic("memsim is broken at " + std::string(file) + ":" + std::to_string(line) + ": " +
                what + ". Please report this with the command that led here.");
}

void panic(const char* file, int line, const char* what) { panic(file, line, std::string(what)); }

} // namespace memsim
