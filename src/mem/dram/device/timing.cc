#include "mem/dram/device/timing.hh"

#include "core/base/reflect.hh"
#include "device_parts/with_changes.hh"

#include <algorithm>
#include <array>

namespace memsim::mem {

DramTiming with_changes(DramTiming timing, const std::string& changes) {
    return device_parts::with_changes(timing, changes, "tRCDRD=12ns");
}

namespace {
/// Values that only some standards have; all others have no default.
constexpr std::array<std::string_view, 12> optional {
    "tRPW",   "t32AW",   "tCCD_L_WR",     "tPPD",    "tRTW",    "tRFCpb",
    "tRREFD", "tCA_ACT", "command_buses", "tCA_COL", "tCA_ROW", "tAAD"};

/// Calls f(name, value) for each value that every table must have.
template <class F>
void for_each_needed(DramTiming& timing, F&& f) {
    reflect::for_each_field(timing, [&](std::string_view name, auto& figure) {
        if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(figure)>, const char*>)
            if (std::find(optional.begin(), optional.end(), name) == optional.end())
                f(name, figure);
    });
}
} // namespace

DramTiming complete_timing(const std::string& figures) {
    DramTiming timing {};
    timing.source = "a script";
    const auto raw = [](auto& figure) -> auto& {
        if constexpr (requires { figure.raw; })
            return figure.raw;
        else
            return figure;
    };
    for_each_needed(timing, [&](auto, auto& f) { --raw(f); }); // an invalid value
    timing = with_changes(timing, figures);
    std::string missing;
    for_each_needed(timing, [&](std::string_view name, auto& f) {
        if (++raw(f) == 0) missing.append(missing.empty() ? "" : ", ").append(name);
        --raw(f);
    });
    if (!missing.empty())
        throw ConfigError("the table lacks " + missing +
                          ": give all values that every standard has");
    return timing;
}

void check(const DramTiming& t) {
    reflect::for_each_field(t, [](std::string_view name, auto& f) {
        using F = std::remove_cvref_t<decltype(f)>;
        if constexpr (std::is_same_v<F, Time>) {
            if (f.raw < 0 ||
                (f.raw == 0 && (name == "tCK" || name == "tRCDRD" || name == "tRCDWR" ||
                                name == "tRP" || name == "tCL" || name == "tCWL")))
                throw ConfigError(std::string(name) + " is " + Text<Time>::show(f) +
                                  ": it must be more than 0fs");
        } else if constexpr (!std::is_same_v<F, const char*>) {
            if (f == F {}) throw ConfigError(std::string(name) + " is 0: it must be at least 1");
        }
    });
    constexpr Time none {0};
    const auto at_least = [](Time more, const char* name, Time less, const char* than) {
        if (more < less)
            throw ConfigError(std::string(name) + " is " + Text<Time>::show(more) + ", less than " +
                              than + " = " + Text<Time>::show(less) +
                              ": the values contradict each other");
    };
    at_least(t.tRC, "tRC", t.tRAS + t.tRP, "tRAS + tRP");
    at_least(t.tRAS, "tRAS", t.tRCDRD, "tRCDRD");
    if (t.tRPW > none) {
        at_least(t.tRPW, "tRPW", t.tRP, "tRP");
        if (t.tREFI > none)
            throw ConfigError("tRPW is " + Text<Time>::show(t.tRPW) + " and tREFI " +
                              Text<Time>::show(t.tREFI) +
                              ": refresh is not supported for a memory whose written rows close "
                              "later; set tREFI to 0ns");
    }
    at_least(t.tRRD_L, "tRRD_L", t.tRRD_S, "tRRD_S");
    at_least(t.tCCD_L, "tCCD_L", t.tCCD_S, "tCCD_S");
    at_least(t.tWTR_L, "tWTR_L", t.tWTR_S, "tWTR_S");
    if (t.tFAW > none) at_least(t.tFAW, "tFAW", t.tRRD_S, "tRRD_S");
    if (t.t32AW > none) at_least(t.t32AW, "t32AW", t.tFAW, "tFAW");
    if (t.tCCD_L_WR > none) at_least(t.tCCD_L_WR, "tCCD_L_WR", t.tCCD_L, "tCCD_L");
    if (t.tRFCpb > none) at_least(t.tRFC, "tRFC", t.tRFCpb, "tRFCpb");
    if (t.tREFI > none) at_least(t.tREFI, "tREFI", t.tRFC + t.tRP, "tRFC + tRP");
    if (t.tAAD > none) {
        at_least(t.tRCDRD, "tRCDRD", t.tAAD + t.tCK, "tAAD + tCK");
        at_least(t.tRCDWR, "tRCDWR", t.tAAD + t.tCK, "tAAD + tCK");
    }
    if (t.command_buses > 2)
        throw ConfigError("command_buses is " + std::to_string(t.command_buses) +
                          ": it must be 1, or 2 if column commands have their own bus");
    if (t.row.raw % t.burst != 0)
        throw ConfigError("row is " + Text<Bytes>::show(t.row) + ", not a multiple of a burst of " +
                          std::to_string(t.burst) + " bytes");
    if (t.ranks * t.banks() > 256)
        throw ConfigError("ranks x groups x banks_per_group is " +
                          std::to_string(t.ranks * t.banks()) +
                          ": a channel has at most 256 banks");
}

} // namespace memsim::mem
