#pragma once

#include "core/base/log.hh"
#include "core/state/archive.hh"
#include "core/state/pool.hh"

#include <algorithm>

namespace memsim {

namespace detail {
template <class T>
constexpr bool is_handle = false;
template <class T>
constexpr bool is_handle<Handle<T>> = true;

constexpr bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}
/// Classifies a field by its name: whether it holds addresses, or a location, for which 0 is a
/// valid value.
constexpr bool holds_addresses(std::string_view name) {
    return is_one_of(name, {"address", "base", "local", "lines", "other"});
}
constexpr bool is_place(std::string_view name) {
    return holds_addresses(name) || name.ends_with("block") ||
           is_one_of(name, {"data", "die", "frame", "line", "log", "package", "page", "plane",
                            "sector", "to", "to_log"});
}

/// `name` is the name of the field that holds `v`. The result is empty if there is nothing to
/// print.
template <class T>
std::string words_of(std::string_view name, const T& v) {
    if constexpr (std::is_same_v<T, bool>)
        return v ? "true" : "";
    else if constexpr (std::is_enum_v<T>)
        return std::string(reflect::enumerator_name(v));
    else if constexpr (std::is_same_v<T, Tick>)
        return v ? nanoseconds(v) : "";
    else if constexpr (std::is_arithmetic_v<T>) {
        if (v == T {} && !is_place(name)) return "";
        return holds_addresses(name) ? join(hex(v)) : std::to_string(v);
    } else if constexpr (is_handle<T>)
        return v ? join("#", v.slot()) : "";
    else if constexpr (is_sequence<T>::value || is_array<T>::value) {
        std::string text;
        for (const auto& e : v) text += (text.empty() ? "[" : ", ") + words_of(name, e);
        return text.empty() ? text : text + "]";
    } else if constexpr (ArchivesItself<T>) {
        Shower show;
        show(v);
        return show.text;
    } else {
        std::string text;
        reflect::for_each_field(v, [&](std::string_view field, const auto& value) {
            const std::string words = words_of(field, value);
            if (!words.empty()) text += join(text.empty() ? "" : ", ", field, " ", words);
        });
        return text;
    }
}
} // namespace detail

/// A message as text: 'mem.Request: address 0x1000, bytes 32, command read', with the names of
/// enumerators, addresses in hexadecimal and times in ns. Empty fields are left out: a number that
/// is 0 and not a location, a null handle, a struct with only such fields.
template <class M>
std::string in_words(const M& m) {
    const std::string words = detail::words_of("", m);
    return reflect::type_name<M>() + (words.empty() ? "" : ": ") + words;
}

} // namespace memsim
