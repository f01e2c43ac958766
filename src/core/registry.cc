#include "core/registry.hh"

#include <algorithm>
#include <deque>
#include <numeric>

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

/// In Python parameters, ports and children are attributes of one object, beside its own.
void check_names(const Schema& s) {
    std::vector<std::string> taken {"path", "stats", "children", "descendants", "root"};
    auto take = [&](const std::string& name) {
        MEMSIM_ASSERT(std::find(taken.begin(), taken.end(), name) == taken.end(),
                      s.name + " has two things named " + name +
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
    for (const StateInfo& f : s.state) s.shape += "State " + f.name + " " + f.shape + "\n";
    for (const PortInfo& p : s.ports)
        s.shape += "port " + p.name + " " + p.role + " of " + p.family +
                   (p.many       ? "[] "
                    : p.optional ? "? "
                                 : " ") +
                   p.message_shape + "\n";
    for (const StatInfo& f : s.stats)
        s.shape += "statistic " + f.name + " " + f.kind + (f.each ? "[]\n" : "\n");
    const std::string name = s.name;
    static std::deque<DebugFlag> flags; // they stay where they are
    flags.emplace_back(name, "The messages that components of type " + name + " take, in words");
    const bool added = schemas().emplace(name, std::move(s)).second;
    MEMSIM_ASSERT(added, "component " + name + " is registered twice");
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

void refuse_unknown_param(const std::string& path, const std::string& name,
                          const std::vector<std::string>& known) {
    throw ConfigError(path + " has no parameter '" + name + "'" + nearest(name, known));
}

void explain(const std::string& path, std::string_view name, const char* doc,
             const std::function<void()>& f) {
    try {
        f();
    } catch (const ConfigError& e) {
        throw ConfigError(path + "." + std::string(name) + ": " + e.what() + " (" + doc + ")");
    }
}

} // namespace memsim
