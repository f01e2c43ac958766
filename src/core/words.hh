#pragma once

#include "core/archive.hh"

#include <string>

namespace memsim {

namespace detail {
template <class T>
void append_in_words(std::string& to, const T& v) {
    if constexpr (std::is_same_v<T, bool>)
        to += v ? "true" : "false";
    else if constexpr (std::is_enum_v<T>)
        to += reflect::enumerator_name(v);
    else if constexpr (std::is_arithmetic_v<T>)
        to += std::to_string(v);
    else if constexpr (is_sequence<T>::value || is_array<T>::value || ArchivesItself<T>) {
        Shower show;
        show(v);
        to += show.text;
    } else {
        bool first = true;
        reflect::for_each_field(v, [&](std::string_view name, const auto& field) {
            using F = std::remove_cvref_t<decltype(field)>;
            if constexpr (std::is_same_v<F, bool> || std::is_arithmetic_v<F>)
                if (field == F {}) return; // what is 0 says nothing
            if (!first) to += ", ";
            first = false;
            to.append(name).append(" ");
            append_in_words(to, field);
        });
    }
}
} // namespace detail

/// A message for people: 'mem.Request: address 4096, bytes 32, command read', with the names of
/// enumerators and without the numbers that are 0.
template <class M>
std::string in_words(const M& m) {
    std::string text = reflect::type_name<M>() + ": ";
    detail::append_in_words(text, m);
    return text;
}

} // namespace memsim
