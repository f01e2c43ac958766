#include "core/kernel/policy.hh"

#include "core/base/before_main.hh"
#include "core/base/text.hh"

#include <boost/algorithm/string/trim.hpp>

namespace memsim {

namespace {
std::map<std::string, std::map<std::string, PolicyInfo>>& table() {
    static std::map<std::string, std::map<std::string, PolicyInfo>> all;
    return all;
}

/// Names and values of 'bits=3, seed=7'; `text` is the whole choice, for error sentences.
Arguments arguments_of(std::string_view list, std::string_view text) {
    Arguments all;
    for (const std::string_view each : elements_of(list)) {
        const std::string one(each);
        const std::size_t equals = one.find('=');
        if (equals == one.npos)
            throw ConfigError("'" + std::string(text) + "': '" + one +
                              "' is no parameter with its value: write name=value");
        all.emplace_back(boost::trim_copy(one.substr(0, equals)),
                         boost::trim_copy(one.substr(equals + 1)));
    }
    return all;
}
} // namespace

const std::map<std::string, std::map<std::string, PolicyInfo>>& policies() { return table(); }

void register_policy(const char* name, const char* doc, const char* source,
                     const PolicySource& policy) {
    const std::string file(source), family(policy.family);
    const std::size_t src = file.rfind("src/");
    const PolicyInfo info {family,
                           name,
                           doc,
                           src == std::string::npos ? file : file.substr(src),
                           policy.params(),
                           policy.state(),
                           policy.shape(),
                           policy.create,
                           policy.resolve,
                           policy.kind};
    const auto place = table()[family].emplace(name, info);
    before_main([&] {
        if (!place.second)
            throw ConfigError(info.source + ": the " + family + " " + name +
                              " is registered twice, also in " + place.first->second.source +
                              ": choose another name");
    });
}

PolicyChoice choose_policy(std::string_view family, std::string_view text) {
    const std::size_t open = std::min(text.find('('), text.size());
    const std::string name = boost::trim_copy(std::string(text.substr(0, open)));
    const auto& known = table()[std::string(family)];
    const auto found = known.find(name);
    if (found == known.end()) {
        std::vector<std::string> names;
        std::string all;
        for (const auto& [n, info] : known) {
            names.push_back(n);
            all += (all.empty() ? "" : ", ") + n;
        }
        throw ConfigError("there is no " + std::string(family) + " '" + name + "'" +
                          nearest(name, names) + ": it is one of " + all);
    }
    PolicyChoice choice {&found->second, {}, ""};
    if (open < text.size()) {
        if (!text.ends_with(')'))
            throw ConfigError("'" + std::string(text) + "' does not end with ')'");
        choice.arguments = arguments_of(text.substr(open + 1, text.size() - open - 2), text);
    }
    std::string values;
    try {
        values = choice.info->resolve(choice.arguments);
    } catch (const ConfigError& e) {
        throw ConfigError(name + "." + e.what());
    }
    choice.text = values.empty() ? name : name + "(" + values + ")";
    return choice;
}

namespace {
/// Runs f. Adds the parameter's name and its description to the sentence of an error.
template <class F>
void explain(const ParamRef& p, F&& f) {
    try {
        f();
    } catch (const ConfigError& e) {
        throw ConfigError(std::string(p.name) + ": " + e.what() + " (" +
                          p.operations->doc(p.param) + ")");
    }
}
} // namespace

void set_policy_params(const std::vector<ParamRef>& params, const Arguments& arguments) {
    for (const auto& [name, text] : arguments) {
        const auto p = std::ranges::find(params, name, &ParamRef::name);
        if (p == params.end()) {
            std::vector<std::string> known;
            for (const ParamRef& other : params) known.emplace_back(other.name);
            throw ConfigError(name + ": there is no such parameter" + nearest(name, known));
        }
        explain(*p, [&, &text = text] { p->operations->parse(p->param, text); });
    }
    for (const ParamRef& p : params) explain(p, [&] { check_others(p, params); });
}

std::string text_of(const std::vector<ParamRef>& params) {
    std::string all;
    for (const ParamRef& p : params)
        all += (all.empty() ? "" : ", ") + std::string(p.name) + "=" + p.text();
    return all;
}

} // namespace memsim
