#pragma once

#include <string>
#include <string_view>

namespace memsim {

/// Makes bytes of a file, or a name, printable in a message. UTF-8 is kept; each byte that is not
/// UTF-8 or controls a terminal becomes `\xff`. Line feeds are kept, because some messages have
/// several lines.
std::string legible(std::string_view bytes);

} // namespace memsim
