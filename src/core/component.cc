#include "core/component.hh"

#include <charconv>

namespace memsim::detail {

std::string indexed(const std::string& name, std::size_t i) {
    return name + "[" + std::to_string(i) + "]";
}

std::optional<unsigned> index_in(const std::string& text, const std::string& vector,
                                 unsigned next) {
    constexpr unsigned most = 1 << 16;
    if (!text.starts_with(vector)) return {};
    if (text.size() == vector.size()) return next;
    unsigned index = 0;
    const char *const begin = text.data() + vector.size() + 1, *const end =
                                                                   text.data() + text.size();
    const auto read = std::from_chars(begin, end, index);
    if (text[vector.size()] != '[' || read.ec != std::errc {} || read.ptr + 1 != end ||
        *read.ptr != ']' || index >= most)
        return {};
    return index;
}

} // namespace memsim::detail
