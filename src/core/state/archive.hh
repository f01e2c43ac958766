#pragma once

#include "core/base/error.hh"
#include "core/base/reflect.hh"
#include "core/base/units.hh"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <deque>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

/// Converts values to bytes and back, and to readable text; checkpoints consist of such bytes. A
/// value is checkpointable if it is a number, an enumeration, a string, a sequence of such values,
/// a plain struct of them, or a class that archives itself:
///
///     #include "core/state/archive.hh"
///
///     class Count {
///       public:
///         static constexpr std::string_view archived_as = "Count"; // its part of the schema
///         template <class Archive>
///         void archive(Archive& a) {
///             a(count_);
///         }
///
///       private:
///         std::uint64_t count_ = 0;
///     };
///
/// The compiler refuses pointers, references, functions and live objects.
///
/// A checkpoint's bytes are not trusted. Invalid values are refused with the name of the field: an
/// undeclared enumerator, a bool of 2, a sequence longer than the remaining bytes, a vector of
/// another length than init() gave it. A class that archives itself refuses values that would break
/// it: `if constexpr (Loading<Archive>) a.check(...)`. The range of a number that is an index is
/// checked by its component: Component::check_loaded().
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
struct is_deque : std::false_type {};
template <class T>
struct is_deque<std::deque<T>> : std::true_type {};
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
constexpr bool all_checkpointable(reflect::Types<F...>) {
    return (checkpointable<F>() && ...);
}
} // namespace detail
template <class T>
constexpr bool checkpointable() {
    if constexpr (requires { typename T::Element; } && ArchivesItself<T>)
        return checkpointable<typename T::Element>(); // a container of memsim's
    else if constexpr (is_number_like<T>() || std::is_same_v<T, std::string> || ArchivesItself<T>)
        return true;
    else if constexpr (is_sequence<T>::value || is_array<T>::value)
        return checkpointable<typename T::value_type>();
    else if constexpr (std::is_aggregate_v<T>)
        return detail::all_checkpointable(reflect::FieldTypes<T> {});
    else
        return false;
}

/// Writes a shape. Holds the code that need not be compiled for each type.
class ShapeText {
  public:
    std::string text;

    void put(std::string_view s);
    void number(std::string_view kind, std::size_t bytes);
    /// Adds the number of elements of an array.
    void times(std::size_t n);
    /// Begins a field of a struct.
    void field(std::string_view name, bool first);
};

template <class T>
[[gnu::cold]] void write_shape(ShapeText& to) {
    if constexpr (std::is_same_v<T, bool>)
        to.put("bool");
    else if constexpr (std::is_enum_v<T>)
        to.number("enum", sizeof(T));
    else if constexpr (std::is_floating_point_v<T>)
        to.number("f", sizeof(T));
    else if constexpr (is_number_like<T>())
        to.number(T(-1) < T(0) ? "i" : "u", sizeof(T));
    else if constexpr (std::is_same_v<T, std::string>)
        to.put("str");
    else if constexpr (requires { typename T::Element; } && ArchivesItself<T>) {
        to.put(T::archived_as), to.put("<");
        write_shape<typename T::Element>(to);
        to.put(">");
    } else if constexpr (ArchivesItself<T>)
        to.put(T::archived_as);
    else if constexpr (is_sequence<T>::value || is_array<T>::value) {
        to.put("[");
        write_shape<typename T::value_type>(to);
        if constexpr (is_array<T>::value) to.times(std::tuple_size_v<T>);
        to.put("]");
    } else {
        const auto& names = reflect::field_names<T>();
        const std::string_view* name = names.data();
        to.put("{");
        [&]<class... F>(reflect::Types<F...>) {
            ((to.field(*name, name == names.data()), ++name, write_shape<F>(to)), ...);
        }(reflect::FieldTypes<T> {});
        to.put("}");
    }
}

/// The shape of a value as text, equal on every compiler. Each checkpoint stores it with the bytes,
/// so that bytes of another shape are refused and not misread.
template <class T>
std::string shape() {
    ShapeText to;
    write_shape<T>(to);
    return std::move(to.text);
}

/// Appends values to a string of bytes.
class Saver {
  public:
    std::string bytes;

    template <class T>
    void operator()(const T& v);
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

template <class T>
[[gnu::cold]] void Saver::operator()(const T& v) {
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
        reflect::for_each_value(v, [this](auto& f) { (*this)(f); });
}

/// The minimum number of bytes of a saved value, and at least 1.
template <class T>
constexpr std::size_t least_bytes() {
    if constexpr (is_number_like<T>())
        return sizeof(T);
    else if constexpr (std::is_same_v<T, std::string> || is_sequence<T>::value)
        return sizeof(std::uint64_t);
    else if constexpr (ArchivesItself<T>)
        return 1;
    else if constexpr (is_array<T>::value)
        return std::max<std::size_t>(1,
                                     std::tuple_size_v<T> * least_bytes<typename T::value_type>());
    else
        return []<class... F>(reflect::Types<F...>) {
            return std::max<std::size_t>(1, (std::size_t {0} + ... + least_bytes<F>()));
        }(reflect::FieldTypes<T> {});
}

/// Reads values in the order in which they were saved, into a machine that init() has sized.
/// Invalid bytes are a ConfigError that begins with the field.
class Loader {
  public:
    /// `now` is the simulated time at which the bytes were saved.
    explicit Loader(std::string_view bytes, Tick now = std::numeric_limits<Tick>::min())
        : at_(bytes.data()), end_(at_ + bytes.size()), now_(now) {}

    template <class T>
    void operator()(T& v);
    /// Loads a value under a name, which messages about it use.
    template <class T>
    void field(std::string_view name, T& v) {
        within(name, [&] { (*this)(v); });
    }
    template <class F>
    void within(std::string_view name, F&& load) {
        const Place here {name, 0, place_};
        place_ = &here;
        load();
        place_ = here.around;
    }
    /// Refuses the field that is being loaded.
    void check(bool holds, std::string_view what) const {
        if (!holds) [[unlikely]]
            refuse(what);
    }
    /// Refuses a number that a component uses as an index of `size` things, if it is out of range.
    void index(std::string_view field, std::uint64_t number, std::uint64_t size) {
        if (number >= size) [[unlikely]]
            within(field, [&] {
                refuse("is " + std::to_string(number) + " and not below " + std::to_string(size));
            });
    }
    /// The same for every number in a vector or Fifo, and for the positions of bits in a word.
    template <class Numbers>
    void indices(std::string_view field, const Numbers& numbers, std::uint64_t size) {
        for (std::uint32_t i = 0; i < numbers.size(); ++i) index(field, numbers[i], size);
    }
    void bits(std::string_view field, std::uint64_t set, std::uint64_t size) {
        if (set) index(field, static_cast<std::uint64_t>(std::bit_width(set)) - 1, size);
    }
    Tick now() const { return now_; }
    /// Whether the statistics are of a version before 0.1, when elapsed time was a Counter.
    bool former_statistics() const { return former_statistics_; }
    void expect_former_statistics() { former_statistics_ = true; }
    void raw(void* data, std::size_t n) {
        need(n);
        if (n) std::memcpy(data, at_, n);
        at_ += n;
    }
    bool done() const { return at_ == end_; }

    /// Reads a length that the remaining bytes can hold.
    std::size_t count(std::size_t least_bytes) {
        std::uint64_t n = 0;
        (*this)(n);
        check(n <= static_cast<std::uint64_t>(end_ - at_) / least_bytes,
              "is longer than the bytes that are left");
        return static_cast<std::size_t>(n);
    }

  private:
    /// The place of a value: its name, or its number in a sequence; a linked list on the stack.
    struct Place {
        std::string_view name; ///< empty: an element of a sequence
        std::size_t index;
        const Place* around;
    };
    void need(std::size_t n) const {
        check(n <= static_cast<std::size_t>(end_ - at_), "ends too early");
    }
    [[noreturn]] void refuse(std::string_view what) const;
    template <class C>
    void elements(C& c) {
        using E = typename C::value_type;
        if constexpr (std::is_arithmetic_v<E> && !std::is_same_v<E, bool> && !is_deque<C>::value) {
            raw(c.data(), c.size() * sizeof(E));
        } else {
            Place here {{}, 0, place_};
            place_ = &here;
            for (; here.index < c.size(); ++here.index)
                if constexpr (std::is_same_v<E, bool>) {
                    bool b = false;
                    (*this)(b);
                    c[here.index] = b;
                } else
                    (*this)(c[here.index]);
            place_ = here.around;
        }
    }

    const char* at_;
    const char* end_;
    const Tick now_;
    bool former_statistics_ = false;
    const Place* place_ = nullptr;
};

template <class T>
[[gnu::cold]] void Loader::operator()(T& v) {
    if constexpr (std::is_same_v<T, bool>) {
        std::uint8_t byte = 0;
        raw(&byte, sizeof byte);
        check(byte <= 1, "is neither true nor false");
        v = byte;
    } else if constexpr (std::is_enum_v<T>) {
        raw(&v, sizeof v);
        check(reflect::is_enumerator(v), "has a value that is not declared");
    } else if constexpr (is_number_like<T>())
        raw(&v, sizeof v);
    else if constexpr (std::is_same_v<T, std::string>) {
        v.resize(count(1));
        raw(v.data(), v.size());
    } else if constexpr (ArchivesItself<T>)
        v.archive(*this);
    else if constexpr (is_sequence<T>::value) {
        const std::size_t n = count(least_bytes<typename T::value_type>());
        // A sequence that init() has sized keeps its size; a deque may change.
        if (!is_deque<T>::value && !v.empty() && n != v.size())
            check(false,
                  "has " + std::to_string(n) + " elements and not " + std::to_string(v.size()));
        v.resize(n);
        elements(v);
    } else if constexpr (is_array<T>::value)
        elements(v);
    else
        reflect::for_each_field(v, [this](auto name, auto& f) { this->field(name, f); });
}
template <class Archive>
concept Loading = std::is_same_v<Archive, Loader>;

std::string to_text(Int128 v);

/// Writes values as JSON, with long sequences truncated: the output of `memsim ckpt show`.
class Shower {
  public:
    std::string text;
    std::size_t most = 64; ///< elements shown of a sequence

    template <class T>
    void operator()(const T& v);

  private:
    /// The parts of a class that archives itself, as a list.
    struct Parts {
        Shower& to;
        bool first = true;
        template <class T>
        void operator()(const T& v) {
            to.comma(first);
            to(v);
        }
        void raw(const void*, std::size_t n);
    };
    void put(std::string_view s);
    void number(Int128 v);
    void real(double v);
    void quote(std::string_view s);
    void comma(bool& first);
    void field(std::string_view name, bool& first);
    /// Whether element `i` of `of` is shown; the number of omitted elements is printed instead.
    bool element(std::size_t i, std::size_t of);
};

template <class T>
[[gnu::cold]] void Shower::operator()(const T& v) {
    if constexpr (std::is_same_v<T, bool>)
        put(v ? "true" : "false");
    else if constexpr (std::is_floating_point_v<T>)
        real(v);
    else if constexpr (std::is_enum_v<T>)
        number(static_cast<Int128>(static_cast<std::underlying_type_t<T>>(v)));
    else if constexpr (is_number_like<T>())
        number(static_cast<Int128>(v));
    else if constexpr (std::is_same_v<T, std::string>)
        quote(v);
    else if constexpr (ArchivesItself<T>) {
        put("[");
        Parts parts {*this};
        const_cast<T&>(v).archive(parts);
        put("]");
    } else if constexpr (is_sequence<T>::value || is_array<T>::value) {
        put("[");
        std::size_t i = 0;
        for (const auto& e : v) {
            if (!element(i++, v.size())) break;
            (*this)(static_cast<const typename T::value_type&>(e));
        }
        put("]");
    } else {
        bool first = true;
        put("{");
        reflect::for_each_field(v, [&](std::string_view name, auto& f) {
            field(name, first);
            (*this)(f);
        });
        put("}");
    }
}

} // namespace memsim
