#pragma once

#include <boost/preprocessor/repetition/enum.hpp>
#include <boost/preprocessor/repetition/enum_params.hpp>
#include <boost/preprocessor/repetition/repeat_from_to.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

/// The fields of a plain struct: their number, names and references. Components need only one
/// declaration because of this. A struct whose fields are not all visible (a reference, a greedy
/// constructor, a bit field, a base class) does not compile: its layout is recomputed from the
/// fields found and must match its size.
namespace memsim::reflect {

/// A list of types, such as those of the fields of a struct.
template <class... F>
struct Types {};

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

template <class T>
struct Fake {
    T value;
};
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#pragma clang diagnostic ignored "-Wundefined-internal" // T of an unnamed namespace
#endif
template <class T>
extern Fake<T> fake; // never defined: only addresses are formed

template <class P>
struct Wrap {
    P ptr; // clang before 17 takes a subobject's address only inside a class argument
};
template <class P>
Wrap(P) -> Wrap<P>;
template <auto... P>
constexpr std::string_view pretty() {
    return __PRETTY_FUNCTION__;
}

/// Binder<N> accesses the N fields of a struct, without a std::tuple, which compiles slowly.
template <std::size_t N>
struct Binder;
template <>
struct Binder<0> {
    template <class T, class F>
    static constexpr decltype(auto) apply(T&, F&& f) {
        return f();
    }
    template <class T>
    static constexpr Types<> types(T&) {
        return {};
    }
};
#define MEMSIM_TYPE(z, n, unused) decltype(f##n)
#define MEMSIM_ADDRESS(z, n, unused)                                                               \
    Wrap { &f##n }
#define MEMSIM_BINDER(z, n, unused)                                                                \
    template <>                                                                                    \
    struct Binder<n> {                                                                             \
        template <class T, class F>                                                                \
        static constexpr decltype(auto) apply(T& t, F&& f) {                                       \
            auto& [BOOST_PP_ENUM_PARAMS(n, f)] = t;                                                \
            return f(BOOST_PP_ENUM_PARAMS(n, f));                                                  \
        }                                                                                          \
        template <class T>                                                                         \
        static constexpr auto types(T& t) {                                                        \
            auto& [BOOST_PP_ENUM_PARAMS(n, f)] = t;                                                \
            return Types<BOOST_PP_ENUM(n, MEMSIM_TYPE, ~)> {};                                     \
        }                                                                                          \
        template <class T>                                                                         \
        static consteval std::string_view print() {                                                \
            auto& [BOOST_PP_ENUM_PARAMS(n, f)] = fake<T>.value;                                    \
            return pretty<BOOST_PP_ENUM(n, MEMSIM_ADDRESS, ~)>();                                  \
        }                                                                                          \
    };
BOOST_PP_REPEAT_FROM_TO(1, 65, MEMSIM_BINDER, ~)
#undef MEMSIM_BINDER
#undef MEMSIM_ADDRESS
#undef MEMSIM_TYPE

constexpr std::size_t round_up(std::size_t offset, std::size_t align) {
    return (offset + align - 1) / align * align;
}
/// The size of a struct of exactly these fields in this order; 0 if a field is const or a reference
/// and so cannot be loaded.
template <class T, class... F>
constexpr std::size_t size_of(Types<F...>) {
    if constexpr (((std::is_const_v<F> || std::is_reference_v<F>) || ...)) return 0;
    std::size_t at = 0;
    ((at = round_up(at, alignof(F)) + sizeof(F)), ...);
    return round_up(at, alignof(T));
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

/// Finds the names of the fields in the text that a compiler prints for their addresses, in order:
///     gcc    {Wrap<int*>{(& fake<Params>.Fake<Params>::value.Params::t_read)}, Wrap<...
///     clang  <{&fake.value.t_read}, {...
void read_names(std::string_view printed, std::string_view* names, std::size_t count);

} // namespace detail

/// The number of fields of T.
template <class T>
constexpr std::size_t field_count() {
    static_assert(std::is_aggregate_v<T>,
                  "a reflected struct must be an aggregate: no constructors, "
                  "no private members, no virtual functions");
    constexpr std::size_t n = std::is_empty_v<T> ? 0 : detail::count<T>();
    static_assert(n <= 64, "a reflected struct may have at most 64 fields: group some of them");
    if constexpr (n > 0) {
        static_assert(detail::size_of<T>(
                          decltype(detail::Binder<n>::types(std::declval<T&>())) {}) == sizeof(T),
                      "not every field of this struct can be reflected: references, const fields, "
                      "base classes, bit fields and greedy constructors are refused");
    } else {
        static_assert(std::is_empty_v<T>, "no field of this struct can be reflected: references, "
                                          "const fields and greedy constructors are refused");
    }
    return n;
}

/// The Types of the fields of T, in order.
template <class T>
using FieldTypes = decltype(detail::Binder<field_count<T>()>::types(std::declval<T&>()));

/// The names of the fields of T, in order.
template <class T>
const auto& field_names() {
    constexpr std::size_t n = field_count<T>();
    static const auto names = [] {
        std::array<std::string_view, n> all;
        if constexpr (n > 0)
            detail::read_names(detail::Binder<n>::template print<T>(), all.data(), n);
        return all;
    }();
    return names;
}

/// Calls f(reference) for each field of t, in order.
template <class T, class F>
constexpr void for_each_value(T& t, F&& f) {
    detail::Binder<field_count<std::remove_const_t<T>>()>::apply(
        t, [&](auto&... field) { (f(field), ...); });
}

/// Calls f(name, reference) for each field of t, in order.
template <class T, class F>
[[gnu::cold]] void for_each_field(T& t, F&& f) {
    const std::string_view* name = field_names<std::remove_const_t<T>>().data();
    for_each_value(t, [&](auto& field) { f(*name++, field); });
}

/// A struct that several declarations share: `using group = void;` marks it. Its fields count as
/// fields of the enclosing struct, under their own names.
template <class T>
concept Group = requires {
    typename T::group;
};

/// Like for_each_field, but visits the fields of a group in place of the group.
template <class T, class F>
constexpr void for_each_leaf(T& t, F&& f) {
    for_each_field(t, [&](std::string_view name, auto& field) {
        if constexpr (Group<std::remove_cvref_t<decltype(field)>>)
            for_each_leaf(field, f);
        else
            f(name, field);
    });
}

namespace detail {
std::string type_name_in(std::string_view printed);
std::string member_name_in(std::string_view printed);
} // namespace detail

/// 'mem.Cache' for memsim::mem::Cache: equal on every compiler.
template <class T>
std::string type_name() {
    return detail::type_name_in(__PRETTY_FUNCTION__);
}

/// The name of the member function M.
template <auto M>
std::string member_name() {
    return detail::member_name_in(detail::pretty<M>());
}

namespace detail {
/// The text that a compiler prints for the values 0 to 63 of an enumeration: names, or numbers for
/// values without a name.
template <class E, E... V>
constexpr std::string_view printed() {
    return __PRETTY_FUNCTION__;
}
template <class E, std::size_t... I>
constexpr std::string_view printed_values(std::index_sequence<I...>) {
    return printed<E, static_cast<E>(I)...>();
}
struct EnumNames {
    /// gcc: ... E ...V = {Command::read, (Command)1, ...}; ...   clang: ... V = <Command::read,
    /// ...>]
    explicit EnumNames(std::string_view printed);
    std::array<std::string_view, 64> names; ///< empty: no enumerator has this value
};
template <class E>
const EnumNames& enum_names() {
    static const EnumNames names {printed_values<E>(std::make_index_sequence<64> {})};
    return names;
}
} // namespace detail

/// The name of an enumerator with a value below 64; empty if no enumerator has the value.
template <class E>
std::string_view enumerator_name(E value) {
    const auto v = static_cast<std::uint64_t>(value);
    return v < 64 ? detail::enum_names<E>().names[v] : std::string_view {};
}
template <class E>
bool is_enumerator(E value) {
    return !enumerator_name(value).empty();
}

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

} // namespace memsim::reflect
