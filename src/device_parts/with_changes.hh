#pragma once

#include "core/base/error.hh"
#include "core/base/reflect.hh"
#include "core/base/text.hh"

#include <string>

namespace memsim::device_parts {

/// Replaces values of a table (a struct whose text fields are sources): `changes` is 'name=value
/// name=value'. Throws ConfigError, the end of a sentence that begins with object and parameter;
/// `example` is the suggested value.
template <class Table>
Table with_changes(Table table, const std::string& changes, const char* example) {
    const char* const between = " ,";
    for (std::size_t at = changes.find_first_not_of(between); at != std::string::npos;) {
        const std::size_t end = std::min(changes.find_first_of(between, at), changes.size());
        const std::string change = changes.substr(at, end - at);
        at = changes.find_first_not_of(between, end);
        const std::size_t equals = change.find('=');
        if (equals == std::string::npos)
            throw ConfigError("'" + change + "' changes nothing: write '" + example + "'");
        const std::string name = change.substr(0, equals), value = change.substr(equals + 1);
        bool found = false;
        std::string known;
        reflect::for_each_field(table, [&](std::string_view field, auto& f) {
            using F = std::remove_cvref_t<decltype(f)>;
            if constexpr (!std::is_same_v<F, const char*>) {
                known.append(known.empty() ? "" : ", ").append(field);
                if (field != name) return;
                found = true;
                try {
                    f = Text<F>::parse(value);
                } catch (const ConfigError& e) {
                    throw ConfigError(name + ": " + e.what());
                }
            }
        });
        if (!found) throw ConfigError("there is no '" + name + "': the names are " + known);
    }
    return table;
}

} // namespace memsim::device_parts
