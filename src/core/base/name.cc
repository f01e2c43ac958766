#include "core/base/name.hh"

#include "core/base/error.hh"
#include "core/base/legible.hh"

#include <algorithm>
#include <string>

namespace memsim {

namespace {

// ASCII only, in any locale.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// 'die' or 'die[1]'
bool is_name(std::string_view name) {
    const auto bracket = std::min(name.find('['), name.size());
    const std::string_view word = name.substr(0, bracket), index = name.substr(bracket);
    if (!index.empty() && (index.size() < 3 || index.back() != ']' ||
                           !std::all_of(index.begin() + 1, index.end() - 1, is_digit)))
        return false;
    return !word.empty() && is_letter(word[0]) && std::all_of(word.begin(), word.end(), [](char c) {
        return is_letter(c) || is_digit(c) || c == '_';
    });
}

/// Makes a path printable in one line.
std::string shown(std::string_view path) {
    std::string text;
    for (const char c : legible(path)) c == '\n' ? text += "\\n" : text += c;
    return text;
}

} // namespace

void check_name(std::string_view name) {
    if (!is_name(name))
        throw ConfigError("'" + shown(name) +
                          "': a component's name consists of letters (a to z, A to Z), digits and "
                          "underscores, and begins with a letter: give it such a name");
}

void check_path(std::string_view path) {
    for (std::size_t begin = 0, end = 0; end != std::string_view::npos; begin = end + 1) {
        end = path.find('.', begin);
        check_name(path.substr(begin, end - begin));
    }
}

} // namespace memsim
