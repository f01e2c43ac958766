#include "core/machine/output_file.hh"

#include "core/machine/machine.hh"

#include <filesystem>

namespace memsim {

namespace fs = std::filesystem;

namespace {

bool same_file(const std::string& a, const std::string& b) {
    if (a.empty() || b.empty()) return false;
    std::error_code error;
    if (fs::exists(a, error) && !fs::is_regular_file(a, error)) return false; // /dev/null
    return fs::weakly_canonical(a, error) == fs::weakly_canonical(b, error) ||
           fs::equivalent(a, b, error);
}

} // namespace

void check_outputs(const Machine& machine) {
    for (const auto& writer : machine.components()) {
        const auto* writes = dynamic_cast<const WritesFile*>(writer);
        if (!writes) continue;
        for (const auto& other : machine.objects()) {
            if (other.get() == writer) continue;
            for (const auto& p : other->resolved_params())
                if (same_file(writes->output_path(), p.text))
                    throw ConfigError(writer->path() + "." + writes->output_parameter() + ": '" +
                                      writes->output_path() + "' is the file of " + other->path() +
                                      "." + p.name +
                                      ", too: a file that is written belongs to one "
                                      "component; name another file");
        }
    }
}

std::vector<std::pair<std::string, std::string>> outputs_of(const Machine& machine) {
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto& c : machine.components())
        if (const auto* writes = dynamic_cast<const WritesFile*>(c))
            all.emplace_back(c->path() + "." + writes->output_parameter(), writes->output_path());
    return all;
}

void complete_outputs(const Machine& machine) {
    for (const auto& c : machine.components())
        if (auto* writes = dynamic_cast<WritesFile*>(c)) writes->complete_output();
}

} // namespace memsim
