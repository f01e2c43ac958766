#pragma once

#include "core/base/units.hh"

#include <type_traits>
#include <vector>

/// The trait of a value type that a parameter may have: its name in Python, and how it is printed
/// and parsed. Parsing is exact. The error is the end of a sentence that begins with the path.
namespace memsim {

template <class T>
struct Text;

/// Sizes and addresses as text, such as '4KiB', without the sign of Bytes.
std::string bytes_text(std::uint64_t bytes);
std::uint64_t parse_bytes(std::string_view text);

/// The elements of '10, 6', without the blanks around them. An empty text has none; otherwise an
/// element may be empty. They refer to the text.
std::vector<std::string_view> elements_of(std::string_view list, char separator = ',');

/// An enumeration becomes a parameter type with a function in its own namespace: `constexpr
/// std::array<std::string_view, N> names_of(E)`, in the enumerators' order from 0.
template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E e) {
    names_of(e)[0];
};

namespace detail {
[[noreturn]] void refuse_number(std::string_view text, Fault fault, std::string_view type,
                                const UnitName* units, std::size_t n);
std::string show_scaled(std::int64_t raw, const UnitName* units, std::size_t n);
std::int64_t read_integer(std::string_view text, Int128 min, Int128 max);
std::string list_words(const std::string_view* words, std::size_t n);
/// Accepts '1.2GHz' where a time is expected, and '833ps' where a frequency is: the reciprocal,
/// rounded to nearest.
bool reciprocal(std::string_view text, std::string_view wanted, std::int64_t& raw);
} // namespace detail

template <class Tag>
struct Text<Quantity<Tag>> {
    using Value = Quantity<Tag>;
    static std::string type() { return std::string(Tag::name); }
    static std::string_view unit() { return Tag::units.back().suffix; }
    static std::string show(Value v) {
        return detail::show_scaled(v.raw, Tag::units.data(), Tag::units.size());
    }
    static Value parse(std::string_view s) {
        const detail::Scaled r = detail::read_quantity<Tag>(s);
        if (r.fault == detail::Fault::none) return {r.value};
        Value other;
        if (detail::reciprocal(s, Tag::name, other.raw)) return other;
        detail::refuse_number(s, r.fault, Tag::name, Tag::units.data(), Tag::units.size());
    }
};

template <std::integral T>
requires(!std::same_as<T, bool>) struct Text<T> {
    static std::string type() { return "int"; }
    static std::string_view unit() { return ""; }
    static std::string show(T v) { return std::to_string(v); }
    static T parse(std::string_view s) {
        // No parameter needs unsigned values above 2^63.
        constexpr Int128 top = std::numeric_limits<T>::max();
        constexpr Int128 most = std::numeric_limits<std::int64_t>::max();
        return static_cast<T>(
            detail::read_integer(s, std::numeric_limits<T>::min(), top < most ? top : most));
    }
};

template <>
struct Text<bool> {
    static std::string type() { return "bool"; }
    static std::string_view unit() { return ""; }
    static std::string show(bool v) { return v ? "true" : "false"; }
    static bool parse(std::string_view s);
};

template <>
struct Text<std::string> {
    static std::string type() { return "str"; }
    static std::string_view unit() { return ""; }
    static std::string show(const std::string& v) { return v; }
    static std::string parse(std::string_view s) { return std::string(s); }
};

template <NamedEnum E>
struct Text<E> {
    static constexpr auto names = names_of(E {});
    /// 'a|b|c': the allowed words.
    static std::string type() {
        std::string all;
        for (std::string_view n : names) all += (all.empty() ? "" : "|") + std::string(n);
        return all;
    }
    static std::string_view unit() { return ""; }
    static std::string show(E v) { return std::string(names[static_cast<std::size_t>(v)]); }
    static E parse(std::string_view s) {
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i] == s) return static_cast<E>(i);
        throw ConfigError("'" + std::string(s) + "' is not one of " +
                          detail::list_words(names.data(), names.size()));
    }
};

} // namespace memsim
