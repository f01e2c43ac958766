#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace memsim {

/// A switch for trace output, declared where it is used: `const DebugFlag dram{"Dram", "..."};`
/// Which are on belongs to a run, not to the flag.
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

namespace detail {
inline void append_part(std::string& to, std::string_view s) { to += s; }
inline void append_part(std::string& to, const std::string& s) { to += s; }
inline void append_part(std::string& to, const char* s) { to += s; }
template <class T>
requires std::is_arithmetic_v<T>
void append_part(std::string& to, T v) { to += std::to_string(v); }
} // namespace detail

/// 'row 7 of bank 3' from its parts: what debug lines are made of, only when they are wanted.
template <class... Parts>
std::string join(const Parts&... parts) {
    std::string s;
    (detail::append_part(s, parts), ...);
    return s;
}

} // namespace memsim
