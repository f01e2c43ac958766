#pragma once

#include "core/kernel/component.hh"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// The schema of every component type. Python's classes and signatures, stubs, the reference page,
/// the shapes in checkpoints and the definitions in databases are derived from it.
namespace memsim {

struct ParamInfo {
    std::string name;
    std::string (*type)() = nullptr; ///< called after main() begins: may list registered tables
    std::string unit, initial, min, max, doc;
    bool tunable = false;
    Provenance provenance {};
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
/// A function of a type's parameters, which have their defaults: as a list, and as the type's
/// Params, from which `make` constructs.
using UseParams = std::function<void(const std::vector<ParamRef>&, const void* params)>;

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
    /// State, messages and statistics, one a line. They determine how a checkpoint's bytes are
    /// read.
    std::string shape;
    bool simulates = true; ///< whether the type is a component; if not, it is a StaticModel
    /// Makes a component with these parameters. Throws ConfigError that names path and parameter.
    std::unique_ptr<Object> create(const std::string& path, const Arguments&) const;
    /// The value of one parameter in the form that a component stores. Constraints between
    /// parameters are not checked.
    std::string resolve(const std::string& path, const std::string& name,
                        const std::string& text) const;
    /// The State in these bytes as JSON.
    std::string (*show_state)(std::string_view bytes) = nullptr;

    void (*with_params)(const UseParams&) = nullptr;
    std::unique_ptr<Object> (*make)(const void* params) = nullptr;
};

/// All component types, sorted by name. Filled before main() and constant from then on.
const std::map<std::string, Schema>& registry();
/// Requires that no other type and no two members of this type share a name.
void register_schema(Schema s);
/// The functions that describe a type. register_type() makes the Schema from them, so the file of
/// each type compiles little code.
struct SchemaSource {
    std::string (*name)();
    void (*with_params)(const UseParams&);
    void (*with_ports)(const std::function<void(const std::vector<PortField>&)>&);
    void (*with_stats)(const std::function<void(const std::vector<StatField>&)>&);
    std::vector<StateInfo> (*state)();
    bool simulates;
    std::unique_ptr<Object> (*make)(const void* params);
    std::string (*show_state)(std::string_view bytes);
};
void register_type(const char* doc, const char* source, const SchemaSource& type);

/// The known name nearest to a misspelt one, as ' (did you mean ...?)', or nothing.
std::string nearest(const std::string& wrong, const std::vector<std::string>& known);
/// Sets one parameter and checks the conditions that concern only its own value. Errors begin with
/// `path`, the path of the component.
void set_param(const std::vector<ParamRef>& params, const std::string& path,
               const std::string& name, const std::string& text);
/// Sets these parameters, and checks all conditions, including those between parameters.
void set_params(const std::vector<ParamRef>& params, const std::string& path,
                const Arguments& arguments);
std::vector<ParamInfo> describe(const std::vector<ParamRef>& params);
std::vector<PortInfo> describe(const std::vector<PortField>& ports);
std::vector<StatInfo> describe(const std::vector<StatField>& stats);

namespace detail {

template <class C>
[[gnu::cold]] void with_params(const UseParams& use) {
    typename C::Params params;
    use(params_of(params), &params);
}

template <class C>
[[gnu::cold]] void with_ports(const std::function<void(const std::vector<PortField>&)>& use) {
    typename C::Ports ports;
    use(ports_of(ports));
}

template <class C>
[[gnu::cold]] void with_stats(const std::function<void(const std::vector<StatField>&)>& use) {
    typename C::Stats stats;
    use(stats_of(stats));
}

template <class C>
[[gnu::cold]] std::vector<StateInfo> state_infos() {
    std::vector<StateInfo> all;
    const std::string_view* name = reflect::field_names<typename C::State>().data();
    [&]<class... F>(reflect::Types<F...>) {
        (all.push_back({std::string(*name++), shape<F>()}), ...);
    }(reflect::FieldTypes<typename C::State> {});
    return all;
}

template <class C>
C& as(Object& o) {
    return static_cast<C&>(o);
}
template <class C>
const C& as(const Object& o) {
    return static_cast<const C&>(o);
}

template <class... F>
constexpr bool only_figures(reflect::Types<F...>) {
    return (std::is_same_v<F, Figure> && ...);
}

/// The declaration of an object that simulates nothing: only Params and Stats.
template <class C>
constexpr Declaration declaration_of_figures() {
    Declaration d {};
    d.params = [](const Object& o) {
        return params_of(const_cast<typename C::Params&>(as<C>(o).params));
    };
    d.params_address = [](const Object& o) -> const void* { return &as<C>(o).params; };
    d.stats = [](Object& o) { return stats_of(as<C>(o).stat); };
    return d;
}
template <class C>
constexpr Declaration declaration_of() {
    Declaration d = declaration_of_figures<C>();
    if constexpr (std::is_base_of_v<Component, C>) {
        d.ports = [](Object& o) { return ports_of(as<C>(o).port); };
        d.ports_address = [](const Object& o) -> const void* { return &as<C>(o).port; };
        d.save = [](Object& o, Saver& s) { s(as<C>(o).state); };
        d.load = [](Object& o, Loader& l) { l(as<C>(o).state); };
        d.timers = [](Object& o) {
            std::vector<Timer*> all;
            for_each_inside<Timer>(as<C>(o).state, "",
                                   [&](Timer& t, const auto&) { all.push_back(&t); });
            return all;
        };
        d.seed = [](Object& o) {
            for_each_inside<Rng>(as<C>(o).state, o.path(), [&](Rng& r, const std::string& name) {
                r.seed(as<C>(o).sim().seed(), name);
            });
        };
    }
    return d;
}
template <class C>
inline constexpr Declaration declaration = declaration_of<C>();

template <class C>
[[gnu::cold]] std::unique_ptr<Object> make(const void* params) {
    auto made = std::make_unique<C>(*static_cast<const typename C::Params*>(params));
    static_cast<Object&>(*made).declared_ = &declaration<C>;
    return made;
}

template <class C>
[[gnu::cold]] std::string show_state(std::string_view bytes) {
    typename C::State state {};
    Loader load(bytes);
    load(state);
    Shower show;
    show(state);
    return std::move(show.text);
}

} // namespace detail

/// Registers a component type: `const Registration<Cache> registered{"A set-associative cache."};`
template <class C>
struct Registration {
    explicit Registration(const char* doc, const char* source = __builtin_FILE()) {
        static_assert(checkpointable<typename C::State>(),
                      "State must hold only values: no pointers, references, functions or live "
                      "objects");
        if constexpr (checkpointable<typename C::State>())
            static_assert(
                !hides<Timer, typename C::State>() && !hides<Rng, typename C::State>(),
                "a Timer or Rng must be where the framework finds it: in State, its "
                "structs, arrays, vectors and deques, not inside a Fifo, Pool or HashMap");
        if constexpr (!std::is_base_of_v<Component, C>)
            static_assert(detail::only_figures(reflect::FieldTypes<typename C::Stats> {}),
                          "an object that simulates nothing has Figures only");
        register_type(doc, source,
                      {&reflect::type_name<C>, &detail::with_params<C>, &detail::with_ports<C>,
                       &detail::with_stats<C>, &detail::state_infos<C>,
                       std::is_base_of_v<Component, C>, &detail::make<C>, &detail::show_state<C>});
    }
};

} // namespace memsim
