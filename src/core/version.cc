#include "core/version.hh"

#include "core/hash.hh"
#include "core/registry.hh"

namespace memsim {

const std::string& version() {
    static const std::string text = [] {
        std::string all;
        for (const auto& [name, schema] : registry()) {
            all += name + " " + schema.state_shape + "\n";
            for (const PortInfo& p : schema.ports)
                all += " port " + p.name + " " + p.role + " " + p.family + "\n";
            for (const StatInfo& s : schema.stats)
                all += " stat " + s.name + " " + s.kind + (s.each ? " each\n" : "\n");
        }
        return "0.1.0+" + hash128(all).substr(0, 12);
    }();
    return text;
}

} // namespace memsim
