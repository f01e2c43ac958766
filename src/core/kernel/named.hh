#pragma once

#include "core/kernel/registry.hh"

#include <map>

namespace memsim {

/// A table of figures that scripts choose by its name, such as a timing preset. A table is a static
/// object in the file that contains its figures (flash/nand/timing.cc has several). A paper's table
/// is in the folder of that paper; a user's own table is in the user's own file.
template <class T>
class Named {
  public:
    Named(const char* name, const T& figures) {
        const bool first = all().emplace(name, figures).second;
        MEMSIM_ASSERT(first, "two tables have one name");
    }
    /// In alphabetical order.
    static std::vector<std::string> names() {
        std::vector<std::string> names;
        for (const auto& [name, figures] : all()) names.push_back(name);
        return names;
    }
    static std::string list(const char* between) {
        std::string text;
        for (const auto& [name, figures] : all())
            text.append(text.empty() ? "" : between).append(name);
        return text;
    }
    /// Throws ConfigError for a name that no table has; the caller puts the place in front.
    static const T& find(const std::string& name) {
        const auto found = all().find(name);
        if (found != all().end()) return found->second;
        throw ConfigError("there is no preset '" + name + "'" + nearest(name, names()) +
                          ": it is one of " + list(", "));
    }

  private:
    // A function, because a static object of another file may use the map first.
    static std::map<std::string, T>& all() {
        static std::map<std::string, T> all;
        return all;
    }
};

/// A parameter that names such a table.
template <class T>
class NameOf {
  public:
    NameOf(std::string name) : name_(std::move(name)) {}
    NameOf(const char* name) : name_(name) {}
    const std::string& text() const { return name_; }
    const T& figures() const { return Named<T>::find(name_); }

  private:
    std::string name_;
};

template <class T>
struct Text<NameOf<T>> {
    static std::string type() { return Named<T>::list("|"); }
    static std::string_view unit() { return ""; }
    static std::string show(const NameOf<T>& v) { return v.text(); }
    static NameOf<T> parse(std::string_view s) {
        NameOf<T> name {std::string(s)};
        name.figures();
        return name;
    }
};

} // namespace memsim
