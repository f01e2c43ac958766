#pragma once

#include "core/base/text.hh"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// Requirements on a parameter's value in addition to its range, declared with it:
///
///     #include "core/declare/param.hh"
///
///     using namespace memsim;
///     using namespace memsim::literals;
///
///     struct Params {
///         Param<Bytes> line {128_B, {32_B, 4_KiB}, "Bytes of a line", power_of_two()};
///         Param<Bytes> sector {32_B, {8_B, 4_KiB}, "Bytes of a sector", at_most(line)};
///         Param<Bytes> page {4_KiB, {1_KiB, 1_GiB}, "Bytes of a page", multiple_of(1_KiB)};
///     };
///
/// A value that violates a constraint is refused with a sentence of this form: "gpu.l2.sector:
/// '256B' must be at most line = 128B (Bytes of a sector)". A constraint with constants is checked
/// when the value is given; a constraint that names another parameter is checked when all
/// parameters are given.
namespace memsim {

template <class T>
class Param;

class Constraint {
  public:
    using Keeps = bool (*)(std::int64_t value, std::int64_t other);
    /// Requires the value to be `words`, such as "a power of two".
    Constraint(std::string_view words, Keeps keeps) : words_(words), keeps_(keeps) {}
    /// Requires the value to be `words` and the other parameter, such as "at most" line.
    template <class T>
    Constraint(std::string_view words, Keeps keeps, const Param<T>& other)
        : words_(words), keeps_(keeps), other_(&other),
          number_([&other] { return *other.number(); }), text_([&other] { return other.text(); }) {}
    /// The same with a constant.
    template <class T>
    requires requires { Text<T>::show; }
    Constraint(std::string_view words, Keeps keeps, T constant)
        : words_(words), keeps_(keeps), number_([constant] {
              if constexpr (requires { constant.raw; })
                  return std::int64_t {constant.raw};
              else
                  return std::int64_t {constant};
          }),
          text_([constant] { return Text<T>::show(constant); }) {}
    /// The same constraint, but 0 is allowed too: for parameters where 0 turns a feature off.
    Constraint or_zero() const {
        Constraint c = *this;
        c.zero_ = true;
        return c;
    }

    bool kept_by(std::int64_t value) const {
        return (zero_ && value == 0) || keeps_(value, number_ ? number_() : 0);
    }
    /// The other parameter; null if the constraint names none.
    const void* other() const { return other_; }
    /// 'at most line', or, with its value, 'at most line = 128B'.
    std::string text(std::string_view name_of_other, bool with_value) const {
        std::string all = zero_ ? "0 or " + words_ : words_;
        if (other_) all.append(" ").append(name_of_other);
        if (number_ && (!other_ || with_value)) all += (other_ ? " = " : " ") + text_();
        return all;
    }

  private:
    std::string words_;
    Keeps keeps_;
    const void* other_ = nullptr;
    std::function<std::int64_t()> number_;
    std::function<std::string()> text_;
    bool zero_ = false;
};

inline Constraint power_of_two() {
    return {"a power of two", [](std::int64_t v, std::int64_t) { return v > 0 && !(v & (v - 1)); }};
}
/// `other` is a constant or another parameter, here and in the functions below.
template <class T>
Constraint multiple_of(const T& other) {
    return {"a multiple of", [](std::int64_t v, std::int64_t o) { return o != 0 && v % o == 0; },
            other};
}
template <class T>
Constraint divides(const T& other) {
    return {"a divisor of", [](std::int64_t v, std::int64_t o) { return v != 0 && o % v == 0; },
            other};
}
template <class T>
Constraint less_than(const T& other) {
    return {"less than", [](std::int64_t v, std::int64_t o) { return v < o; }, other};
}
template <class T>
Constraint at_most(const T& other) {
    return {"at most", [](std::int64_t v, std::int64_t o) { return v <= o; }, other};
}
template <class T>
Constraint at_least(const T& other) {
    return {"at least", [](std::int64_t v, std::int64_t o) { return v >= o; }, other};
}
template <class T>
Constraint equal_to(const T& other) {
    return {"equal to", [](std::int64_t v, std::int64_t o) { return v == o; }, other};
}

} // namespace memsim
