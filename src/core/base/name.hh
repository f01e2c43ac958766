#pragma once

#include <string_view>

namespace memsim {

/// Refuses an invalid name of a component with a ConfigError. A name consists of letters (a to z, A
/// to Z), digits and underscores, and begins with a letter. An element of a list has its index
/// after the name: 'die[1]'. Reports, debug patterns and shells can then show and match a path
/// without quoting.
void check_name(std::string_view name);

/// Refuses a path with an invalid name; 'gpu.flash[3].die[1]' is valid.
void check_path(std::string_view path);

} // namespace memsim
