#include "workload/traces/accelsim_opcode.hh"

#include <array>

namespace memsim::workload {

namespace {

struct Entry {
    std::string_view name;
    SassKind kind;
    SassSpace space;
};

using enum SassKind;
constexpr SassSpace none = SassSpace::none, global = SassSpace::global, shared = SassSpace::shared,
                    local = SassSpace::local, generic = SassSpace::generic;

// Names follow NVIDIA's list of SASS instructions (CUDA Binary Utilities). LDC and LDCU read
// constants, for which traces have no address.
constexpr Entry table[] = {
    {"LDG", load, global},     {"STG", store, global},        {"ATOM", atomic, generic},
    {"ATOMG", atomic, global}, {"RED", reduce, global},       {"REDG", reduce, global},
    {"LDS", load, shared},     {"STS", store, shared},        {"ATOMS", atomic, shared},
    {"LDSM", load, shared},    {"STSM", store, shared},       {"LDL", load, local},
    {"STL", store, local},     {"LD", load, generic},         {"ST", store, generic},
    {"LDGSTS", copy, global},  {"DEPBAR", wait_copies, none}, {"BAR", barrier, none},
    {"EXIT", exit, none},      {"LDGDEPBAR", other, none},    {"LDC", other, none},
    {"LDCU", other, none},
};
constexpr std::array<std::string_view, 3> tensor_copies {"UTMA", "UBLK", "UTMAC"};

constexpr bool may_begin(char c) {
    for (const Entry& e : table)
        if (e.name[0] == c) return true;
    return false;
}

/// The width in bytes, from the first part after a dot that is a number of bits, optionally
/// preceded by U or S.
std::uint8_t width_of(std::string_view parts) {
    while (!parts.empty()) {
        parts.remove_prefix(1); // the dot
        const std::size_t n = parts.find('.');
        std::string_view part = parts.substr(0, n);
        parts.remove_prefix(n == parts.npos ? parts.size() : n);
        if (part.size() > 1 && (part[0] == 'U' || part[0] == 'S')) part.remove_prefix(1);
        if (part.empty() || part.find_first_not_of("0123456789") != part.npos) continue;
        if (part == "8") return 1;
        if (part == "16") return 2;
        if (part == "32") return 4;
        if (part == "64") return 8;
        return part == "128" ? 16 : 0;
    }
    return 4;
}

} // namespace

SassOpcode sass_opcode(std::string_view text) {
    const std::string_view name = text.substr(0, text.find('.'));
    const std::string_view rest = text.substr(name.size());
    if (!name.empty() && may_begin(name[0]))
        for (const Entry& e : table) {
            if (e.name != name) continue;
            if (e.kind == barrier && rest.starts_with(".ARV")) return {}; // does not wait
            if (e.space == none) return {e.kind, e.space, 4};
            return {e.kind, e.space, width_of(rest)};
        }
    if (name.starts_with('U'))
        for (std::string_view copy : tensor_copies)
            if (name.starts_with(copy)) return {refused, none, 4};
    return {};
}

} // namespace memsim::workload
