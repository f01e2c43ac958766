#include "python/bindings.hh"

#include "core/base/log.hh"
#include "core/base/text.hh"
#include "core/kernel/policy.hh"

namespace memsim::python {

namespace {

py::dict describe(const ParamInfo& p) {
    using namespace py::literals;
    py::list sweep;
    for (const char* value : p.provenance.sweep)
        if (value) sweep.append(value);
    return py::dict("name"_a = p.name, "type"_a = p.type(), "unit"_a = p.unit,
                    "initial"_a = p.initial, "min"_a = p.min, "max"_a = p.max, "doc"_a = p.doc,
                    "tunable"_a = p.tunable, "constraints"_a = p.constraints,
                    "kind"_a = p.provenance.kind, "source"_a = p.provenance.source,
                    "assumption"_a = p.provenance.name, "sweep"_a = sweep);
}
py::dict describe(const PortInfo& p) {
    using namespace py::literals;
    return py::dict("name"_a = p.name, "role"_a = p.role, "counterpart"_a = p.counterpart,
                    "family"_a = p.family, "doc"_a = p.doc, "many"_a = p.many,
                    "optional"_a = p.optional);
}
py::dict describe(const StatInfo& s) {
    using namespace py::literals;
    return py::dict("name"_a = s.name, "kind"_a = s.kind, "unit"_a = s.unit, "doc"_a = s.doc,
                    "each"_a = s.each);
}
py::dict describe(const StateInfo& s) {
    using namespace py::literals;
    return py::dict("name"_a = s.name, "shape"_a = s.shape);
}
template <class Info>
py::list describe_all(const std::vector<Info>& all) {
    py::list list;
    for (const Info& one : all) list.append(describe(one));
    return list;
}

const Schema& find(const std::string& type) {
    const auto found = registry().find(type);
    if (found != registry().end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [name, schema] : registry()) known.push_back(name);
    throw ConfigError("there is no component type '" + type + "'" + nearest(type, known));
}

/// The value of a parameter as the component stores it, in the largest unit that fits. Throws
/// ConfigError.
std::string resolve(const std::string& type, const std::string& path, const std::string& param,
                    const std::string& text) {
    return find(type).resolve(path, param, text);
}

/// Binds the units of each kind of quantity, from the largest to the base unit, and its parser.
template <class... Tags>
void bind_quantities(py::module_& m) {
    py::dict units, readers;
    const auto add = [&]<class Tag>(Tag) {
        py::dict scales;
        for (const UnitName& unit : Tag::units)
            scales[py::str(std::string(unit.suffix))] = unit.scale;
        const py::str name {std::string(Tag::name)};
        units[name] = scales;
        readers[name] = py::cpp_function(
            [](const std::string& text) { return Text<Quantity<Tag>>::parse(text).raw; });
    };
    (add(Tags {}), ...);
    m.attr("units") = units;
    m.attr("read_quantity") = readers;
}

} // namespace

void bind_schema(py::module_& m) {
    using namespace py::literals;
    m.def(
        "types",
        [] {
            py::list all;
            for (const auto& [name, schema] : registry()) all.append(name);
            return all;
        },
        "The names of all component types");
    m.def(
        "schema",
        [](const std::string& type) {
            const Schema& s = find(type);
            return py::dict("name"_a = s.name, "doc"_a = s.doc, "source"_a = s.source,
                            "params"_a = describe_all(s.params), "ports"_a = describe_all(s.ports),
                            "stats"_a = describe_all(s.stats), "state"_a = describe_all(s.state));
        },
        "type"_a, "A component type, as declared");
    m.def(
        "policies",
        [] {
            py::list all;
            for (const auto& [family, members] : policies())
                for (const auto& [name, p] : members)
                    all.append(py::dict("family"_a = family, "name"_a = name, "doc"_a = p.doc,
                                        "source"_a = p.source, "params"_a = describe_all(p.params),
                                        "state"_a = describe_all(p.state)));
            return all;
        },
        "Every policy, as declared");
    m.def("resolve", &resolve, "type"_a, "path"_a, "param"_a, "text"_a);
    m.def("nearest", &nearest, "wrong"_a, "known"_a);
    m.def("debug_flags", [] {
        py::list all;
        for (const DebugFlag* flag : DebugFlag::all())
            all.append(py::make_tuple(flag->name(), flag->doc()));
        return all;
    });
    bind_quantities<BytesTag, TimeTag, FrequencyTag, RateTag, EnergyTag, PowerTag, FractionTag>(m);
    m.attr("never") = never;
    m.def("ticks", [](const std::string& text) { return Text<Time>::parse(text).raw; });
    m.def("show_ticks", [](Tick tick) { return Text<Time>::show({tick}); });
    m.def("bytes", [](const std::string& text) { return Text<Bytes>::parse(text).raw; });
    m.def("show_bytes", [](std::int64_t bytes) { return Text<Bytes>::show({bytes}); });
}

} // namespace memsim::python
