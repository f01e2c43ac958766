#pragma once

#include "core/component.hh"

#include <algorithm>
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

} // namespace memsim

extern template class std::vector<memsim::ParamInfo>;
extern template class std::vector<memsim::PortInfo>;
extern template class std::vector<memsim::StatInfo>;
extern template class std::vector<memsim::StateInfo>;

namespace memsim {

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
    std::unique_ptr<Object> (*create)(const std::string& path, const Arguments&);
    /// One parameter's value as a component would hold it; what hangs on others is not checked.
    std::string (*resolve)(const std::string& path, const std::string& name,
                           const std::string& text);
    /// The State in these bytes as JSON.
    std::string (*show_state)(std::string_view bytes);
};

/// All component types, sorted by name. Filled before main() and constant from then on.
const std::map<std::string, Schema>& registry();
/// A type registered twice, or a parameter and a port of one name, are errors of ours.
void register_schema(Schema s);
/// What a type says of itself, a function each: so that a type's own file compiles little.
struct SchemaSource {
    std::string (*name)();
    std::vector<ParamInfo> (*params)();
    std::vector<PortInfo> (*ports)();
    std::vector<StatInfo> (*stats)();
    std::vector<StateInfo> (*state)();
    bool simulates;
    std::unique_ptr<Object> (*create)(const std::string& path, const Arguments&);
    std::string (*resolve)(const std::string& path, const std::string& name,
                           const std::string& text);
    std::string (*show_state)(std::string_view bytes);
};
void register_type(const char* doc, const char* source, const SchemaSource& type);

/// The known name nearest to a misspelt one, as ' (did you mean ...?)', or nothing.
std::string nearest(const std::string& wrong, const std::vector<std::string>& known);
/// Sets a parameter, named in errors by the component's path, and checks what hangs on it alone.
void set_param(const std::vector<ParamRef>& params, const std::string& path,
               const std::string& name, const std::string& text);
/// Sets these parameters, and checks all: those that name others, too.
void set_params(const std::vector<ParamRef>& params, const std::string& path,
                const Arguments& arguments);
std::vector<ParamInfo> describe(const std::vector<ParamRef>& params);

namespace detail {

inline const PortBase& one_of(const PortBase& p) { return p; }
template <class P>
const PortBase& one_of(const Many<P>& p) {
    return p.prototype();
}
template <class P>
const PortBase& one_of(const Optional<P>& p) {
    return *p;
}

void add(std::vector<PortInfo>& all, std::string_view name, const PortBase& one, bool many,
         bool optional);
void add(std::vector<StatInfo>& all, std::string_view name, const Stat& stat, std::string_view kind,
         bool each);
void add(std::vector<StateInfo>& all, std::string_view name, std::string shape);

template <class C>
std::vector<ParamInfo> param_infos() {
    typename C::Params params;
    return describe(params_of(params));
}

template <class C>
std::vector<PortInfo> port_infos() {
    std::vector<PortInfo> all;
    typename C::Ports ports;
    reflect::for_each_leaf(ports, [&]<class Port>(std::string_view name, const Port& p) {
        add(all, name, one_of(p), is_many<Port>::value, is_optional<Port>::value);
    });
    return all;
}

template <class C>
std::vector<StatInfo> stat_infos() {
    std::vector<StatInfo> all;
    typename C::Stats stats;
    reflect::for_each_leaf(stats, [&]<class S>(std::string_view name, const S& s) {
        add(all, name, s, S::kind, is_each<S>::value);
    });
    return all;
}

template <class C>
std::vector<StateInfo> state_infos() {
    std::vector<StateInfo> all;
    typename C::State state {};
    reflect::for_each_field(
        state, [&]<class F>(std::string_view name, const F&) { add(all, name, shape<F>()); });
    return all;
}

template <class C>
std::unique_ptr<Object> create(const std::string& path, const Arguments& arguments) {
    typename C::Params params;
    set_params(params_of(params), path, arguments);
    return std::make_unique<C>(params);
}

template <class C>
std::string resolve(const std::string& path, const std::string& name, const std::string& text) {
    typename C::Params params;
    const auto all = params_of(params);
    set_param(all, path, name, text);
    return std::ranges::find(all, name, &ParamRef::name)->text();
}

template <class C>
std::string show_state(std::string_view bytes) {
    typename C::State state {};
    Loader load(bytes);
    load(state);
    Shower show;
    show(state);
    return std::move(show.text);
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
        register_type(doc, source,
                      {&reflect::type_name<C>, &detail::param_infos<C>, &detail::port_infos<C>,
                       &detail::stat_infos<C>, &detail::state_infos<C>,
                       std::is_base_of_v<ModelBase, C>, &detail::create<C>, &detail::resolve<C>,
                       &detail::show_state<C>});
    }
};

} // namespace memsim
