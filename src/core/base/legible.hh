#pragma once

#include <string>
#include <string_view>

namespace memsim {

/// Bytes of a file, or a name, as a sentence can show them: UTF-8 stays as it is, and each byte
/// that is none, or controls a terminal, becomes `\xff`. Line feeds stay: some messages have
/// several lines.
std::string legible(std::string_view bytes);

} // namespace memsim
