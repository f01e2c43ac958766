#pragma once

#include <boost/preprocessor/arithmetic/inc.hpp>
#include <boost/preprocessor/repetition/enum_params.hpp>
#include <boost/preprocessor/repetition/repeat_from_to.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

/// The fields of a plain struct: how many, their names, references to each. This is what lets a
/// component be declared once. A struct whose fields cannot all be seen (a reference, a greedy
/// constructor, a bit field, a base class) does not compile: its layout is recomputed from the
/// fields that were found and must match its size.
namespace memsim::reflect {

namespace detail {

struct Any {
    template <class T>
    operator T() const; // never defined
};

template <class T, std::size_t... I>
constexpr bool braceable(std::index_sequence<I...>) {
    return requires { T {(void(I), Any {})...}; };
}
template <class T, std::size_t N = 0>
constexpr std::size_t count() {
    if constexpr (N <= 64 && braceable<T>(std::make_index_sequence<N + 1> {}))
        return count<T, N + 1>();
    else
        return N;
}

/// Binder<N>::tie(t): references to the N fields of t.
template <std::size_t N>
struct Binder;
template <>
struct Binder<0> {
    template <class T>
    static constexpr auto tie(T&) {
        return std::tuple<> {};
    }
};
#define MEMSIM_BINDER(z, n, unused)                                                                \
    template <>                                                                                    \
    struct Binder<n> {                                                                             \
        template <class T>                                                                         \
        static constexpr auto tie(T& t) {                                                          \
            auto& [BOOST_PP_ENUM_PARAMS(n, f)] = t;                                                \
            return std::tie(BOOST_PP_ENUM_PARAMS(n, f));                                           \
        }                                                                                          \
    };
BOOST_PP_REPEAT_FROM_TO(1, 65, MEMSIM_BINDER, ~)
#undef MEMSIM_BINDER

constexpr std::size_t round_up(std::size_t offset, std::size_t align) {
    return (offset + align - 1) / align * align;
}
/// The size of a struct of exactly these fields in this order; 0 if one is const (it stood for a
/// reference or cannot be loaded).
template <class T, class... F>
constexpr std::size_t size_of(std::tuple<F&...>*) {
    std::size_t at = 0;
    ((at = round_up(at, alignof(F)) + sizeof(F)), ...);
    return (std::is_const_v<F> || ...) ? 0 : round_up(at, alignof(T));
}

template <class T>
struct Fake {
    T value;
};
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#endif
template <class T>
extern Fake<T> fake; // never defined: only addresses are formed
template <class P>
struct Wrap {
    P ptr; // clang before 17 takes a subobject's address only inside a class argument
};
template <class P>
Wrap(P) -> Wrap<P>;
template <auto P>
constexpr std::string_view pretty() {
    return __PRETTY_FUNCTION__;
}

constexpr bool is_identifier(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
constexpr std::string_view last_identifier(std::string_view s) {
    while (!s.empty() && !is_identifier(s.back())) s.remove_suffix(1);
    std::size_t begin = s.size();
    while (begin > 0 && is_identifier(s[begin - 1])) --begin;
    return s.substr(begin);
}

} // namespace detail

/// The number of fields of T.
template <class T>
constexpr std::size_t field_count() {
    static_assert(std::is_aggregate_v<T>,
                  "a reflected struct must be an aggregate: no constructors, "
                  "no private members, no virtual functions");
    constexpr std::size_t n = std::is_empty_v<T> ? 0 : detail::count<T>();
    static_assert(n <= 64, "a reflected struct may hold at most 64 fields: group some of them");
    if constexpr (n > 0) {
        using Fields = decltype(detail::Binder<n>::tie(std::declval<T&>()));
        static_assert(detail::size_of<T>(static_cast<Fields*>(nullptr)) == sizeof(T),
                      "not every field of this struct can be reflected: references, const fields, "
                      "base classes, bit fields and greedy constructors are refused");
    } else {
        static_assert(std::is_empty_v<T>, "no field of this struct can be reflected: references, "
                                          "const fields and greedy constructors are refused");
    }
    return n;
}

/// References to the fields of t, in order.
template <class T>
constexpr auto tie(T& t) {
    return detail::Binder<field_count<std::remove_const_t<T>>()>::tie(t);
}

namespace detail {
template <class T, std::size_t I>
constexpr auto address() {
    return Wrap {&std::get<I>(reflect::tie(fake<T>.value))};
}
constexpr std::string_view field_of(std::string_view s) {
    // gcc:   ... Wrap<..>{(& fake<Params>.Fake<Params>::value.Params::t_read)}; std::string_view...
    // clang: ... [P = Wrap<..>{&fake<Params>.value.t_read}]
    return last_identifier(s.substr(0, s.rfind('}')));
}
} // namespace detail

template <class T, std::size_t I>
inline constexpr std::string_view
    field_name = detail::field_of(detail::pretty<detail::address<T, I>()>());

/// Calls f(name, reference) for each field of t, in order.
template <class T, class F>
constexpr void for_each_field(T& t, F&& f) {
    using U = std::remove_const_t<T>;
    auto refs = tie(t);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (f(field_name<U, I>, std::get<I>(refs)), ...);
    }
    (std::make_index_sequence<field_count<U>()> {});
}

/// A struct that several declarations share: `using group = void;` marks it. Its fields count as
/// those of the struct that it stands in, under their own names.
template <class T>
concept Group = requires {
    typename T::group;
};

/// As for_each_field, with the fields of groups in their group's place.
template <class T, class F>
constexpr void for_each_leaf(T& t, F&& f) {
    for_each_field(t, [&](std::string_view name, auto& field) {
        if constexpr (Group<std::remove_cvref_t<decltype(field)>>)
            for_each_leaf(field, f);
        else
            f(name, field);
    });
}

/// 'mem.Cache' for memsim::mem::Cache: the same on every compiler.
template <class T>
std::string type_name() {
    std::string_view s = __PRETTY_FUNCTION__;
    const std::size_t begin = s.find("T = ") + 4;
    s = s.substr(begin, s.find_first_of(";]", begin) - begin);
    if (s.starts_with("memsim::")) s.remove_prefix(8);
    std::string name;
    for (std::size_t i = 0; i < s.size(); ++i) {
        if (s[i] == ':')
            name += '.', ++i;
        else
            name += s[i];
    }
    return name;
}

/// The name of the member function M.
template <auto M>
std::string member_name() {
    std::string_view s = detail::pretty<M>();
    s = s.substr(s.find("= ") + 2);
    s = s.substr(0, s.find_first_of(";]"));
    return std::string(detail::last_identifier(s));
}

namespace detail {
/// What compilers print of a value of an enumeration: its name, or else the number.
template <auto V>
constexpr std::string_view printed() {
    std::string_view s = pretty<V>();
    s = s.substr(s.find("= ") + 2);
    return last_identifier(s.substr(0, s.find_first_of(";]")));
}
template <auto V>
constexpr bool named() {
    const char first = printed<V>().front();
    return first < '0' || first > '9';
}
template <class E>
constexpr std::uint64_t named_values() {
    return []<std::size_t... I>(std::index_sequence<I...>) {
        return (std::uint64_t {0} | ... | (std::uint64_t {named<static_cast<E>(I)>()} << I));
    }
    (std::make_index_sequence<64> {});
}
template <class E>
inline constexpr std::uint64_t enumerators = named_values<E>();
} // namespace detail

/// Whether a value is one of its enumeration's, which are below 64.
template <class E>
constexpr bool is_enumerator(E value) {
    const auto v = static_cast<std::uint64_t>(value);
    return v < 64 && (detail::enumerators<E> >> v & 1);
}

/// The name of such a value.
template <class E>
constexpr std::string_view enumerator_name(E value) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        std::string_view name;
        (void)((static_cast<std::size_t>(value) == I &&
                (name = detail::printed<static_cast<E>(I)>(), true)) ||
               ...);
        return name;
    }
    (std::make_index_sequence<64> {});
}

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

} // namespace memsim::reflect
