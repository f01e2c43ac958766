#include "workload/traces/accelsim_opcode.hh"

#include <algorithm>
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

struct MatrixName {
    std::string_view name;
    std::uint32_t halves; ///< multiply-accumulates of 16-bit values in the time of two of this kind
    std::uint32_t warps;  ///< number of warps that execute it together
};
// Rates relative to 16-bit values, as NVIDIA states them for the H100. TF32 is a separate part of
// the name.
constexpr MatrixName matrix_names[] = {{"HMMA", 2, 1},  {"IMMA", 1, 1},  {"DMMA", 32, 1},
                                       {"HGMMA", 2, 4}, {"QGMMA", 1, 4}, {"IGMMA", 1, 4}};

std::uint32_t number(std::string_view digits) {
    std::uint32_t n = 0;
    for (const char c : digits) {
        if (c < '0' || c > '9' || n > 9999) return 0;
        n = 10 * n + static_cast<std::uint32_t>(c - '0');
    }
    return n;
}

/// Multiply-accumulates of a shape: '16816' is 16 x 8 x 16, '64x256x16' states its factors. 0: it
/// is not a shape.
std::uint32_t volume(std::string_view shape) {
    const std::size_t x = shape.find('x');
    if (x != shape.npos) {
        const std::size_t y = shape.find('x', x + 1);
        if (y == shape.npos) return 0;
        return number(shape.substr(0, x)) * number(shape.substr(x + 1, y - x - 1)) *
               number(shape.substr(y + 1));
    }
    const std::string_view rows = shape.starts_with("16") ? "16" : "8";
    if (!shape.starts_with(rows)) return 0;
    shape.remove_prefix(rows.size());
    return shape.starts_with('8') ? number(rows) * 8 * number(shape.substr(1)) : 0;
}

/// A matrix operation by its parts after the name, such as '.16816.F32'.
SassOpcode matrix_opcode(const MatrixName& m, std::string_view parts) {
    std::uint32_t products = 0, sums = m.halves == 2 ? 2 : 4; // registers
    bool sparse = false, tf32 = false;
    while (!parts.empty()) {
        parts.remove_prefix(1); // the dot
        const std::size_t n = parts.find('.');
        const std::string_view part = parts.substr(0, n);
        parts.remove_prefix(n == parts.npos ? parts.size() : n);
        if (products == 0) products = volume(part);
        if (part == "F32") sums = 4;
        sparse |= part == "SP";
        tf32 |= part == "TF32";
    }
    products = products * m.halves * (tf32 ? 2 : 1) / (2 * m.warps * (sparse ? 2 : 1));
    if (products == 0) return {};
    return {.kind = matrix,
            .space = none,
            .width = static_cast<std::uint8_t>(4 * sums),
            .products = products};
}

struct UnitName {
    std::string_view name; ///< the first letters
    gpu_program::ArithmeticUnit unit;
};
// The units are those of Accel-Sim's tables (gpu-simulator/ISA_Def, volta_opcode.h to
// hopper_opcode.h). Integers include moves, conversions, and instructions of the uniform datapath,
// which has a unit of its own there. Branches and synchronisation have none.
using enum gpu_program::ArithmeticUnit;
constexpr UnitName unit_names[] = {
    {"BMSK", int32},   {"BREV", int32},   {"CS2R", int32},   {"DADD", fp64},      {"DFMA", fp64},
    {"DMUL", fp64},    {"DSETP", fp64},   {"F2F", int32},    {"F2I", int32},      {"FADD", fp32},
    {"FCHK", fp32},    {"FFMA", fp32},    {"FLO", int32},    {"FMNMX", fp32},     {"FMUL", fp32},
    {"FRND", int32},   {"FSEL", fp32},    {"FSET", fp32},    {"FSWZADD", fp32},   {"HADD2", fp32},
    {"HFMA2", fp32},   {"HMNMX2", fp32},  {"HMUL2", fp32},   {"HSET2", fp32},     {"HSETP2", fp32},
    {"I2F", int32},    {"I2I", int32},    {"IABS", int32},   {"IADD", int32},     {"IDP", int32},
    {"IMAD", int32},   {"IMNMX", int32},  {"IMUL", int32},   {"ISCADD", int32},   {"ISETP", int32},
    {"LDC", int32},    {"LEA", int32},    {"LOP", int32},    {"MATCH", int32},    {"MOV", int32},
    {"MUFU", special}, {"P2R", int32},    {"PLOP3", int32},  {"POPC", int32},     {"PRMT", int32},
    {"PSETP", int32},  {"R2P", int32},    {"R2UR", int32},   {"REDUX", int32},    {"S2R", int32},
    {"S2UR", int32},   {"SEL", int32},    {"SGXT", int32},   {"SHF", int32},      {"SHL", int32},
    {"SHR", int32},    {"UBMSK", int32},  {"UBREV", int32},  {"UFLO", int32},     {"UIADD3", int32},
    {"UIMAD", int32},  {"UISETP", int32}, {"ULDC", int32},   {"ULEA", int32},     {"ULOP", int32},
    {"UMOV", int32},   {"UP2UR", int32},  {"UPLOP3", int32}, {"UPOPC", int32},    {"UPRMT", int32},
    {"UPSETP", int32}, {"UR2UP", int32},  {"USEL", int32},   {"USGXT", int32},    {"USHF", int32},
    {"USHL", int32},   {"USHR", int32},   {"UVOTE", int32},  {"VABSDIFF", int32}, {"VIADD", int32},
    {"VIMNMX", int32}, {"VOTE", int32},
};

static_assert(std::ranges::is_sorted(unit_names, {}, &UnitName::name));

/// An opcode without an effect on memory, by its name and the parts after it.
SassOpcode other_opcode(std::string_view name, std::string_view parts) {
    SassOpcode opcode;
    const auto* after = std::ranges::upper_bound(unit_names, name, {}, &UnitName::name);
    if (after != std::begin(unit_names) && name.starts_with(after[-1].name))
        opcode.unit = after[-1].unit;
    const bool fp64 = opcode.unit == gpu_program::ArithmeticUnit::fp64;
    opcode.wide_sources = fp64 || parts.find(".F64") != parts.npos;
    opcode.wide_result = opcode.wide_sources || parts.find(".WIDE") != parts.npos;
    return opcode;
}

} // namespace

SassOpcode sass_opcode(std::string_view text) {
    const std::string_view name = text.substr(0, text.find('.'));
    const std::string_view rest = text.substr(name.size());
    if (!name.empty() && may_begin(name[0]))
        for (const Entry& e : table) {
            if (e.name != name) continue;
            if (e.kind == barrier && rest.starts_with(".ARV")) return {}; // does not wait
            if (e.kind == other) return other_opcode(name, rest);
            if (e.space == none) return {e.kind, e.space, 4};
            return {e.kind, e.space, width_of(rest)};
        }
    for (const MatrixName& m : matrix_names)
        if (m.name == name) return matrix_opcode(m, rest);
    if (name.starts_with('U'))
        for (std::string_view copy : tensor_copies)
            if (name.starts_with(copy)) return {refused, none, 4};
    return other_opcode(name, rest);
}

} // namespace memsim::workload
