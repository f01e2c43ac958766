#pragma once

#include "core/component.hh"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// What every component type says of itself: the one source of Python's classes and signatures, the
/// stubs, the reference page, the checkpoint's shapes and the database's definitions.
namespace memsim {

struct ParamInfo {
    std::string name, type, unit, initial, min, max, doc;
    bool tunable = false;
    std::vector<std::string> constraints {}; ///< 'a power of two', 'at most line'
};
struct PortInfo {
    std::string name, role, counterpart, family, message_shape, doc;
    bool many = false, optional = false;
};
struct StatInfo {
    std::string name, kind, unit, doc;
    bool each = false;
};
struct StateInfo {
    std::string name, shape;
};

using Arguments = std::vector<std::pair<std::string, std::string>>;

struct Schema {
    std::string name; ///< 'mem.Cache'
    std::string doc;
    std::string source; ///< the file that registers it
    std::vector<ParamInfo> params;
    std::vector<PortInfo> ports;
    std::vector<StatInfo> stats;
    std::vector<StateInfo> state;
    /// State, messages and statistics, a line each: what a checkpoint's bytes are read by.
    std::string shape;
    /// It is a component; else a StaticModel.
    bool simulates = true;
    /// Makes a component with these parameters. Throws ConfigError that names path and parameter.
    std::function<std::unique_ptr<Object>(const std::string& path, const Arguments&)> create;
    /// One parameter's value as a component would hold it; what hangs on others is not checked.
    std::function<std::string(const std::string& path, const std::string& name,
                              const std::string& text)>
        resolve;
    /// The State in these bytes as JSON.
    std::function<std::string(std::string_view bytes)> show_state;
};

/// All component types, sorted by name. Filled before main() and constant from then on.
const std::map<std::string, Schema>& registry();
/// A type registered twice, or a parameter and a port of one name, are errors of ours.
void register_schema(Schema s);

/// The known name nearest to a misspelt one, as ' (did you mean ...?)', or nothing.
std::string nearest(const std::string& wrong, const std::vector<std::string>& known);
[[noreturn]] void refuse_unknown_param(const std::string& path, const std::string& name,
                                       const std::vector<std::string>& known);
/// Runs f; its error becomes a sentence that begins with the parameter and ends with its meaning.
void explain(const std::string& path, std::string_view name, const char* doc,
             const std::function<void()>& f);

namespace detail {

template <class Params>
std::string name_of_param(const Params& params, const void* address) {
    std::string found;
    reflect::for_each_leaf(params, [&](std::string_view name, const auto& p) {
        if (&p == address) found = name;
    });
    return found;
}

template <class C>
std::vector<ParamInfo> param_infos() {
    std::vector<ParamInfo> all;
    const typename C::Params params;
    reflect::for_each_leaf(params, [&](std::string_view name, const auto& p) {
        using T = typename std::remove_cvref_t<decltype(p)>::Value;
        all.push_back({std::string(name), Text<T>::type(), std::string(Text<T>::unit()), p.text(),
                       p.min(), p.max(), p.doc(), p.change() == Change::tunable});
        for (const Constraint& c : p.constraints())
            all.back().constraints.push_back(c.text(name_of_param(params, c.other()), false));
    });
    return all;
}

inline const PortBase& one_of(const PortBase& p) { return p; }
template <class P>
const PortBase& one_of(const Many<P>& p) {
    return p.prototype();
}
template <class P>
const PortBase& one_of(const Optional<P>& p) {
    return *p;
}

template <class C>
std::vector<PortInfo> port_infos() {
    std::vector<PortInfo> all;
    typename C::Ports ports;
    reflect::for_each_leaf(ports, [&](std::string_view name, const auto& p) {
        using Port = std::remove_cvref_t<decltype(p)>;
        const PortBase& one = one_of(p);
        MEMSIM_ASSERT(!one.has_depth() || one.spec().depth,
                      std::string(name) + ": a queue's capacity comes from a parameter");
        all.push_back({std::string(name), std::string(one.role()), std::string(one.counterpart()),
                       one.family(), one.message_shape(), one.doc(), is_many<Port>::value,
                       is_optional<Port>::value});
    });
    return all;
}

template <class C>
std::vector<StatInfo> stat_infos() {
    std::vector<StatInfo> all;
    typename C::Stats stats;
    reflect::for_each_leaf(stats, [&](std::string_view name, const auto& s) {
        using S = std::remove_cvref_t<decltype(s)>;
        all.push_back({std::string(name), std::string(S::kind), std::string(unit_name(s.unit())),
                       s.doc(), is_each<S>::value});
    });
    return all;
}

template <class C>
std::vector<StateInfo> state_infos() {
    std::vector<StateInfo> all;
    typename C::State state {};
    reflect::for_each_field(state, [&](std::string_view name, auto& f) {
        all.push_back({std::string(name), shape<std::remove_cvref_t<decltype(f)>>()});
    });
    return all;
}

/// Sets one parameter from text.
template <class Params>
void set_param(Params& params, const std::string& path, const std::string& name,
               const std::string& text) {
    bool found = false;
    reflect::for_each_leaf(params, [&](std::string_view n, auto& p) {
        if (n != name) return;
        found = true;
        explain(path, name, p.doc(), [&] { p.parse(text); });
    });
    if (found) return;
    std::vector<std::string> known;
    reflect::for_each_leaf(params, [&](std::string_view n, const auto&) { known.emplace_back(n); });
    refuse_unknown_param(path, name, known);
}

template <class C>
std::unique_ptr<Object> create(const std::string& path, const Arguments& arguments) {
    typename C::Params params;
    for (const auto& [name, text] : arguments) set_param(params, path, name, text);
    reflect::for_each_leaf(params, [&](std::string_view name, auto& p) {
        explain(path, name, p.doc(), [&] {
            using T = typename std::remove_cvref_t<decltype(p)>::Value;
            if constexpr (requires { Text<T>::late; }) p.parse(p.text());
            p.check_others([&](const void* other) { return name_of_param(params, other); });
        });
    });
    return std::make_unique<C>(params);
}

template <class C>
std::string resolve(const std::string& path, const std::string& name, const std::string& text) {
    typename C::Params params;
    set_param(params, path, name, text);
    std::string value;
    reflect::for_each_leaf(params, [&](std::string_view n, const auto& p) {
        if (n == name) value = p.text();
    });
    return value;
}

} // namespace detail

/// The one line of registration: `const Registration<Cache> registered{"What it is."};`
template <class C>
struct Registration {
    explicit Registration(const char* doc, const char* source = __builtin_FILE()) {
        static_assert(checkpointable<typename C::State>(),
                      "State must hold only values: no pointers, references, functions or live "
                      "objects");
        if constexpr (checkpointable<typename C::State>())
            static_assert(
                !hides<Timer, typename C::State>() && !hides<Rng, typename C::State>(),
                "a Timer or Rng must stand where the framework finds it: in State, its "
                "structs, arrays, vectors and deques, not inside a Fifo, Pool or HashMap");
        const std::string file(source);
        const std::size_t src = file.rfind("src/");
        register_schema({reflect::type_name<C>(), doc,
                         src == std::string::npos ? file : file.substr(src),
                         detail::param_infos<C>(), detail::port_infos<C>(), detail::stat_infos<C>(),
                         detail::state_infos<C>(), "", std::is_base_of_v<ModelBase, C>,
                         &detail::create<C>, &detail::resolve<C>, [](std::string_view bytes) {
                             typename C::State state {};
                             Loader load(bytes);
                             load(state);
                             Shower show;
                             show(state);
                             return show.text;
                         }});
    }
};

} // namespace memsim
