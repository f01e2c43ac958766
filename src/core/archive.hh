#pragma once

#include "core/error.hh"
#include "core/reflect.hh"
#include "core/units.hh"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <deque>
#include <string>
#include <type_traits>
#include <vector>

/// Values to bytes and back, and to readable text: what a checkpoint is made of. A value is
/// checkpointable when it is a number, an enumeration, a string, a sequence of such values, a plain
/// struct of them, or a class that archives itself:
///     static constexpr std::string_view archived_as = "Timer";   // its part of the schema
///     template <class Archive> void archive(Archive& a) { a(count_); }
/// Pointers, references, functions and live objects are refused by the compiler.
namespace memsim {

static_assert(std::endian::native == std::endian::little, "checkpoints are little-endian");

template <class T>
concept ArchivesItself = requires {
    T::archived_as;
};

template <class T>
struct is_sequence : std::false_type {};
template <class T>
struct is_sequence<std::vector<T>> : std::true_type {};
template <class T>
struct is_sequence<std::deque<T>> : std::true_type {};
template <class T>
struct is_array : std::false_type {};
template <class T, std::size_t N>
struct is_array<std::array<T, N>> : std::true_type {};

template <class T>
constexpr bool is_number_like() {
    return std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, Int128> ||
           std::is_same_v<T, Uint128>;
}

template <class T>
constexpr bool checkpointable();
namespace detail {
template <class... F>
constexpr bool all_checkpointable(std::tuple<F&...>*) {
    return (checkpointable<F>() && ...);
}
} // namespace detail
template <class T>
constexpr bool checkpointable() {
    if constexpr (requires { typename T::Element; } && ArchivesItself<T>)
        return checkpointable<typename T::Element>(); // a container of ours
    else if constexpr (is_number_like<T>() || std::is_same_v<T, std::string> || ArchivesItself<T>)
        return true;
    else if constexpr (is_sequence<T>::value || is_array<T>::value)
        return checkpointable<typename T::value_type>();
    else if constexpr (std::is_pointer_v<T> || std::is_reference_v<T> || std::is_polymorphic_v<T>)
        return false;
    else if constexpr (std::is_aggregate_v<T>)
        return detail::all_checkpointable(
            static_cast<decltype(reflect::tie(std::declval<T&>()))*>(nullptr));
    else
        return false;
}

/// The shape of a value as text, equal on every compiler: kept in each checkpoint beside the bytes,
/// so that bytes of another shape are refused rather than misread.
template <class T>
std::string shape() {
    if constexpr (std::is_same_v<T, bool>)
        return "bool";
    else if constexpr (std::is_enum_v<T>)
        return "enum" + std::to_string(8 * sizeof(T));
    else if constexpr (std::is_floating_point_v<T>)
        return "f" + std::to_string(8 * sizeof(T));
    else if constexpr (is_number_like<T>())
        return (T(-1) < T(0) ? "i" : "u") + std::to_string(8 * sizeof(T));
    else if constexpr (std::is_same_v<T, std::string>)
        return "str";
    else if constexpr (requires { typename T::Element; } && ArchivesItself<T>)
        return std::string(T::archived_as) + "<" + shape<typename T::Element>() + ">";
    else if constexpr (ArchivesItself<T>)
        return std::string(T::archived_as);
    else if constexpr (is_sequence<T>::value)
        return "[" + shape<typename T::value_type>() + "]";
    else if constexpr (is_array<T>::value)
        return "[" + shape<typename T::value_type>() + "*" + std::to_string(std::tuple_size_v<T>) +
               "]";
    else {
        std::string all;
        T* const none = nullptr;
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            using Fields = decltype(reflect::tie(*none));
            ((all += (I ? "," : "") + std::string(reflect::field_name<T, I>) + ":" +
                     shape<std::remove_cvref_t<std::tuple_element_t<I, Fields>>>()),
             ...);
        }
        (std::make_index_sequence<reflect::field_count<T>()> {});
        return "{" + all + "}";
    }
}

/// Appends values to a string of bytes.
class Saver {
  public:
    std::string bytes;

    template <class T>
    void operator()(const T& v) {
        if constexpr (is_number_like<T>())
            raw(&v, sizeof v);
        else if constexpr (std::is_same_v<T, std::string>) {
            (*this)(std::uint64_t {v.size()});
            raw(v.data(), v.size());
        } else if constexpr (ArchivesItself<T>)
            const_cast<T&>(v).archive(*this);
        else if constexpr (is_sequence<T>::value) {
            (*this)(std::uint64_t {v.size()});
            elements(v);
        } else if constexpr (is_array<T>::value)
            elements(v);
        else
            reflect::for_each_field(v, [this](auto, auto& f) { (*this)(f); });
    }
    void raw(const void* data, std::size_t n) { bytes.append(static_cast<const char*>(data), n); }

  private:
    template <class C>
    void elements(const C& c) {
        using E = typename C::value_type;
        if constexpr (std::is_same_v<E, bool>)
            for (bool b : c) (*this)(b);
        else if constexpr (is_number_like<E>() && !std::is_same_v<C, std::deque<E>>)
            raw(c.data(), c.size() * sizeof(E));
        else
            for (const E& e : c) (*this)(e);
    }
};

/// Reads values back in the order they were saved. Bytes that end early are an error.
class Loader {
  public:
    explicit Loader(std::string_view bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

    template <class T>
    void operator()(T& v) {
        if constexpr (is_number_like<T>())
            raw(&v, sizeof v);
        else if constexpr (std::is_same_v<T, std::string>) {
            v.resize(count(1));
            raw(v.data(), v.size());
        } else if constexpr (ArchivesItself<T>)
            v.archive(*this);
        else if constexpr (is_sequence<T>::value) {
            v.resize(count(1)); // every element takes at least a byte
            elements(v);
        } else if constexpr (is_array<T>::value)
            elements(v);
        else
            reflect::for_each_field(v, [this](auto, auto& f) { (*this)(f); });
    }
    void raw(void* data, std::size_t n) {
        need(n);
        if (n) std::memcpy(data, at_, n);
        at_ += n;
    }
    bool done() const { return at_ == end_; }

    /// A length that the remaining bytes can still hold.
    std::size_t count(std::size_t least_bytes) {
        std::uint64_t n = 0;
        (*this)(n);
        if (n > static_cast<std::uint64_t>(end_ - at_) / least_bytes) need(~std::size_t {0});
        return static_cast<std::size_t>(n);
    }

  private:
    void need(std::size_t n) const {
        if (n > static_cast<std::size_t>(end_ - at_))
            throw ConfigError("the state of a component ends too early: the checkpoint is damaged "
                              "or from another version of memsim");
    }
    template <class C>
    void elements(C& c) {
        using E = typename C::value_type;
        if constexpr (std::is_same_v<E, bool>)
            for (std::size_t i = 0; i < c.size(); ++i) {
                bool b = false;
                (*this)(b);
                c[i] = b;
            }
        else if constexpr (is_number_like<E>() && !std::is_same_v<C, std::deque<E>>)
            raw(c.data(), c.size() * sizeof(E));
        else
            for (E& e : c) (*this)(e);
    }

    const char* at_;
    const char* end_;
};

std::string to_text(Int128 v);

/// Writes values as JSON, long sequences cut: what `memsim ckpt show` prints.
class Shower {
  public:
    std::string text;
    std::size_t most = 64; ///< elements shown of one sequence

    template <class T>
    void operator()(const T& v) {
        if constexpr (std::is_same_v<T, bool>)
            text += v ? "true" : "false";
        else if constexpr (std::is_floating_point_v<T>)
            text += std::to_string(v);
        else if constexpr (std::is_enum_v<T>)
            text += to_text(static_cast<Int128>(static_cast<std::underlying_type_t<T>>(v)));
        else if constexpr (is_number_like<T>())
            text += to_text(static_cast<Int128>(v));
        else if constexpr (std::is_same_v<T, std::string>)
            quote(v);
        else if constexpr (ArchivesItself<T>) {
            text += '[';
            Parts parts {*this};
            const_cast<T&>(v).archive(parts);
            text += ']';
        } else if constexpr (is_sequence<T>::value || is_array<T>::value) {
            text += '[';
            std::size_t i = 0;
            for (const auto& e : v) {
                if (i == most) {
                    text += ", \"... " + std::to_string(v.size() - most) + " more\"";
                    break;
                }
                if (i++) text += ", ";
                (*this)(static_cast<const typename T::value_type&>(e));
            }
            text += ']';
        } else {
            text += '{';
            bool first = true;
            reflect::for_each_field(v, [&](std::string_view name, auto& f) {
                if (!first) text += ", ";
                first = false;
                quote(name);
                text += ": ";
                (*this)(f);
            });
            text += '}';
        }
    }

  private:
    /// The parts of a class that archives itself, as a list.
    struct Parts {
        Shower& to;
        bool first = true;
        template <class T>
        void operator()(const T& v) {
            if (!first) to.text += ", ";
            first = false;
            to(v);
        }
        void raw(const void*, std::size_t n) { (*this)(std::to_string(n) + " bytes"); }
    };
    void quote(std::string_view s);
};

} // namespace memsim
