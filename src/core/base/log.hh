#pragma once

#include "core/base/reflect.hh"
#include "core/base/units.hh"

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace memsim {

/// A switch for trace output, declared where it is used: `const DebugFlag dram{"Dram", "..."};` The
/// set of enabled flags belongs to a run, not to the flag.
class DebugFlag {
  public:
    DebugFlag(std::string name, std::string doc);
    const std::string& name() const { return name_; }
    const std::string& doc() const { return doc_; }
    std::size_t index() const { return index_; }
    static const std::vector<const DebugFlag*>& all();

  private:
    std::string name_;
    std::string doc_;
    std::size_t index_;
};

/// An address in a line: '0x1000'.
struct hex {
    std::uint64_t value = 0;
    template <class T>
    explicit hex(T v) : value(static_cast<std::uint64_t>(v)) {}
};

/// '12.345678ns': all times of a log have the same unit and are exact.
std::string nanoseconds(Tick time);

namespace detail {
void append_part(std::string& to, hex address);
inline void append_part(std::string& to, std::string_view s) { to += s; }
inline void append_part(std::string& to, const std::string& s) { to += s; }
inline void append_part(std::string& to, const char* s) { to += s; }
template <class T>
requires std::is_arithmetic_v<T>
void append_part(std::string& to, T v) { to += std::to_string(v); }
template <class E>
requires std::is_enum_v<E>
void append_part(std::string& to, E v) { to += reflect::enumerator_name(v); }
} // namespace detail

/// Joins parts to a text such as 'row 7 of bank 3'. Debug lines are built with it, only when they
/// are enabled. An enumerator is printed by its name.
template <class... Parts>
std::string join(const Parts&... parts) {
    std::string s;
    (detail::append_part(s, parts), ...);
    return s;
}

} // namespace memsim
