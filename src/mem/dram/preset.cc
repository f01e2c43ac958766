#include "mem/dram/preset.hh"

#include "core/registry.hh"

#include <map>

namespace memsim::mem {

namespace {

std::map<std::string, DramTiming>& tables() { // a static object of another file may need it first
    static std::map<std::string, DramTiming> all;
    return all;
}

} // namespace

DramTable::DramTable(const char* name, const DramTiming& timing) {
    const bool first = tables().emplace(name, timing).second;
    MEMSIM_ASSERT(first, "two DRAM tables have one name");
}

std::vector<std::string> dram_tables() {
    std::vector<std::string> names;
    for (const auto& [name, timing] : tables()) names.push_back(name);
    return names;
}

const DramTiming& timing_of(const std::string& name) {
    const auto found = tables().find(name);
    if (found != tables().end()) return found->second;
    std::string known;
    for (const auto& [one, timing] : tables()) known.append(known.empty() ? "" : ", ").append(one);
    throw ConfigError("there is no preset '" + name + "'" + nearest(name, dram_tables()) +
                      ": it is one of " + known);
}

std::string DramPreset::source() const {
    if (text_.find(':') == std::string::npos) return timing_of(text_).source;
    const std::size_t end = text_.find(';');
    const std::size_t begin =
        end == std::string::npos ? end : text_.find_first_not_of(' ', end + 1);
    return begin == std::string::npos ? "" : text_.substr(begin);
}

DramTiming DramPreset::timing() const {
    const std::size_t colon = text_.find(':');
    if (colon == std::string::npos) return timing_of(text_);
    if (name().find_first_of(" ,=") != std::string::npos || colon == 0)
        throw ConfigError("'" + name() + "' is no name of a preset: it is one word");
    return complete_timing(text_.substr(colon + 1, text_.find(';') - colon - 1));
}

} // namespace memsim::mem
