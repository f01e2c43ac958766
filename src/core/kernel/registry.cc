#include "core/kernel/registry.hh"

#include "core/base/before_main.hh"

#include "core/kernel/former_state.hh"

#include <algorithm>
#include <deque>
#include <numeric>

template class std::vector<memsim::ParamInfo>;
template class std::vector<memsim::PortInfo>;
template class std::vector<memsim::StatInfo>;
template class std::vector<memsim::StateInfo>;

namespace memsim {

namespace {
std::map<std::string, Schema>& schemas() {
    static std::map<std::string, Schema> all;
    return all;
}

/// Levenshtein's distance: single-character edits from a to b.
std::size_t distance(const std::string& a, const std::string& b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t {0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substitute = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({substitute, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

/// Parameters, ports and children are attributes of one Python object, which has its own as well.
void check_names(const Schema& s) {
    std::vector<std::string> taken {"path", "stats", "children", "descendants", "root"};
    auto take = [&](const std::string& name) {
        if (std::find(taken.begin(), taken.end(), name) != taken.end())
            throw ConfigError(s.source + ": " + s.name + " has two things named " + name +
                              ": parameters and ports share their names with Python's attributes");
        taken.push_back(name);
    };
    for (const ParamInfo& p : s.params) take(p.name);
    for (const PortInfo& p : s.ports) take(p.name);
}
} // namespace

const std::map<std::string, Schema>& registry() { return schemas(); }

void register_schema(Schema s) {
    check_names(s);
    s.shape += state_lines(s.state);
    for (const PortInfo& p : s.ports)
        s.shape += "port " + p.name + " " + p.role + " of " + p.family +
                   (p.many       ? "[] "
                    : p.optional ? "? "
                                 : " ") +
                   p.message_shape + "\n";
    for (const StatInfo& f : s.stats)
        s.shape += "statistic " + f.name + " " + f.kind + (f.each ? "[]\n" : "\n");
    const std::string name = s.name;
    static std::deque<DebugFlag> flags; // a deque: registered flags may not move
    flags.emplace_back(name, "The messages that components of type " + name + " receive, in words");
    const std::string source = s.source;
    const auto [first, added] = schemas().emplace(name, std::move(s));
    if (!added)
        throw ConfigError(source + ": the component type " + name +
                          " is registered twice, also in " + first->second.source +
                          ": choose another name");
}

void register_type(const char* doc, const char* source, const SchemaSource& type) {
    const std::string file(source);
    const std::size_t src = file.rfind("src/");
    Schema s;
    s.name = type.name(), s.doc = doc;
    s.source = src == std::string::npos ? file : file.substr(src);
    type.with_params([&](const auto& params, const void*) { s.params = describe(params); });
    type.with_ports([&](const auto& ports) { s.ports = describe(ports); });
    type.with_stats([&](const auto& stats) { s.stats = describe(stats); });
    s.state = type.state(), s.simulates = type.simulates;
    s.show_state = type.show_state, s.with_params = type.with_params, s.make = type.make;
    before_main([&] { register_schema(std::move(s)); });
}

std::unique_ptr<Object> Schema::create(const std::string& path, const Arguments& arguments) const {
    std::unique_ptr<Object> made;
    with_params([&](const std::vector<ParamRef>& all, const void* params) {
        set_params(all, path, arguments);
        made = make(params);
    });
    return made;
}

std::string Schema::resolve(const std::string& path, const std::string& param,
                            const std::string& text) const {
    std::string value;
    with_params([&](const std::vector<ParamRef>& all, const void*) {
        set_param(all, path, param, text);
        value = std::ranges::find(all, param, &ParamRef::name)->text();
    });
    return value;
}

std::string nearest(const std::string& wrong, const std::vector<std::string>& known) {
    std::string best;
    std::size_t least = std::max<std::size_t>(3, wrong.size() / 2 + 1);
    for (const std::string& k : known)
        if (const std::size_t d = distance(wrong, k); d < least) {
            least = d;
            best = k;
        }
    return best.empty() ? "" : " (did you mean '" + best + "'?)";
}

namespace {
/// Runs f. Adds the parameter's name and its description to the sentence of an error.
template <class F>
void explain(const std::string& path, const ParamRef& p, F&& f) {
    try {
        f();
    } catch (const ConfigError& e) {
        throw ConfigError(path + "." + std::string(p.name) + ": " + e.what() + " (" +
                          p.operations->doc(p.param) + ")");
    }
}
} // namespace

void set_param(const std::vector<ParamRef>& params, const std::string& path,
               const std::string& name, const std::string& text) {
    const auto p = std::ranges::find(params, name, &ParamRef::name);
    if (p != params.end()) return explain(path, *p, [&] { p->operations->parse(p->param, text); });
    std::vector<std::string> known;
    for (const ParamRef& other : params) known.emplace_back(other.name);
    throw ConfigError(path + " has no parameter '" + name + "'" + nearest(name, known));
}

void set_params(const std::vector<ParamRef>& params, const std::string& path,
                const Arguments& arguments) {
    for (const auto& [name, text] : arguments) set_param(params, path, name, text);
    for (const ParamRef& p : params)
        explain(path, p, [&] {
            if (p.operations->late) p.operations->parse(p.param, p.text());
            check_others(p, params);
        });
}

std::vector<ParamInfo> describe(const std::vector<ParamRef>& params) {
    std::vector<ParamInfo> all;
    for (const auto& [name, p, of] : params) {
        all.push_back({std::string(name), of->type, std::string(of->unit()), of->text(p),
                       of->min(p), of->max(p), of->doc(p), of->change(p) == Change::tunable,
                       of->provenance(p)});
        for (const Constraint& c : of->constraints(p))
            all.back().constraints.push_back(c.text(name_of_param(params, c.other()), false));
    }
    return all;
}

std::vector<PortInfo> describe(const std::vector<PortField>& ports) {
    std::vector<PortInfo> all;
    for (const PortField& f : ports) {
        const PortBase& one = f.many ? f.many->prototype() : *f.one;
        MEMSIM_ASSERT(!one.has_depth() || one.spec().depth,
                      std::string(f.name) + ": a queue's capacity comes from a parameter");
        all.push_back({std::string(f.name), std::string(one.role()), std::string(one.counterpart()),
                       one.family(), one.message_shape(), one.doc(), f.many != nullptr,
                       f.optional});
    }
    return all;
}

std::vector<StatInfo> describe(const std::vector<StatField>& stats) {
    std::vector<StatInfo> all;
    for (const auto& [name, stat, of] : stats)
        all.push_back({std::string(name), std::string(of->kind),
                       std::string(unit_name(stat->unit())), stat->doc(), of->each()});
    return all;
}

} // namespace memsim
