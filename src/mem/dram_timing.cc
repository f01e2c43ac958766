#include "mem/dram_timing.hh"

#include "core/reflect.hh"
#include "mem/dram_presets.hh"
#include "parts/figures.hh"

namespace memsim::mem {

const DramTiming& timing_of(DramPreset preset) {
    static const std::array<const DramTiming*, names_of(DramPreset {}).size()> all {
        &presets::ohm_table1,
        &presets::ddr4_3200,
        &presets::ddr4_2400,
        &presets::ddr5_4800,
        &presets::ddr5_5600,
        &presets::lpddr5_6400,
        &presets::gddr5,
        &presets::gddr6,
        &presets::hbm2,
        &presets::hbm2e,
        &presets::hbm3,
        &presets::cmd_gddr6,
        &presets::dramsim3_ddr4_3200,
        &presets::dramsim3_gddr6,
        &presets::dramsim3_hbm2,
        &presets::ramulator_ddr4_2400r,
        &presets::ramulator_gddr6};
    return *all.at(static_cast<std::size_t>(preset));
}

DramTiming with_changes(DramTiming timing, const std::string& changes) {
    return parts::with_changes(timing, changes, "tRCDRD=12ns");
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
                              ": figures contradict each other");
    };
    at_least(t.tRC, "tRC", t.tRAS + t.tRP, "tRAS + tRP");
    at_least(t.tRAS, "tRAS", t.tRCDRD, "tRCDRD");
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
                          ": it must be 1, or 2 where column commands have a bus of their own");
    if (t.row.raw % t.burst != 0)
        throw ConfigError("row is " + Text<Bytes>::show(t.row) + ", not a multiple of a burst of " +
                          std::to_string(t.burst) + " bytes");
    if (t.ranks * t.banks() > 256)
        throw ConfigError("ranks x groups x banks_per_group is " +
                          std::to_string(t.ranks * t.banks()) + ": at most 256 banks a channel");
}

} // namespace memsim::mem
