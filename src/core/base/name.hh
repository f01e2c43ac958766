#pragma once

#include <string_view>

namespace memsim {

/// Refuses a wrong name of a component with a ConfigError. A name consists of letters (a to z, A to
/// Z), digits and underscores, and begins with a letter. The index of a list's element follows its
/// name: 'die[1]'. Reports, debug patterns and shells then show and match a path as it is written.
void check_name(std::string_view name);

/// Refuses a path that holds a wrong name: 'gpu.flash[3].die[1]' is right.
void check_path(std::string_view path);

} // namespace memsim
