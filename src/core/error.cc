#include "core/error.hh"

namespace memsim {

void panic(const char* file, int line, const std::string& what) {
    throw Panic("memsim is broken at " + std::string(file) + ":" + std::to_string(line) + ": " +
                what + ". Please report this with the command that led here.");
}

} // namespace memsim
