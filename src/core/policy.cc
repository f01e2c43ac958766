#include "core/policy.hh"

#include <boost/algorithm/string/trim.hpp>

namespace memsim {

namespace {
std::map<std::string, std::map<std::string, PolicyInfo>>& table() {
    static std::map<std::string, std::map<std::string, PolicyInfo>> all;
    return all;
}

/// 'bits=3, seed=7' as names and values.
Arguments arguments_of(std::string_view list, std::string_view text) {
    Arguments all;
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        const std::string one(list.substr(0, comma));
        list.remove_prefix(std::min(comma + 1, list.size()));
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

void register_policy(PolicyInfo info) {
    const std::size_t src = info.source.rfind("src/");
    if (src != std::string::npos) info.source = info.source.substr(src);
    const std::string family = info.family, name = info.name;
    const bool added = table()[family].emplace(name, std::move(info)).second;
    MEMSIM_ASSERT(added, family + " " + name + " is registered twice");
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

void refuse_policy_param(const std::string& name, const std::vector<std::string>& known) {
    throw ConfigError(name + ": there is no such parameter" + nearest(name, known));
}

} // namespace memsim
