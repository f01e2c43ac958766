#include "core/component.hh"

#include <charconv>

namespace memsim {

void ModelBase::add_port(std::string_view name, std::optional<unsigned> index, PortBase& p) {
    std::string all(name);
    if (index) all += "[" + std::to_string(*index) + "]";
    ports_.push_back({std::move(all), &p});
}

void ModelBase::attach(std::string_view name, std::optional<unsigned> index, PortBase& p,
                       const void* params) {
    add_port(name, index, p);
    p.attach(*this, ports_.back().name, params);
}

namespace detail {

std::optional<unsigned> index_in(std::string_view text, std::string_view vector, unsigned next) {
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

} // namespace detail

} // namespace memsim
