#include "mem/dram_timing.hh"

#include "core/reflect.hh"

namespace memsim::mem {

using namespace memsim::literals;

namespace {

/// Ohm-GPU, Table I, printed: tRCD 25, tRP 10, tCL 11, tRRD 5 ns, electrical channel 32 bit x
/// 15 GHz. 16 banks and a row of 2 KB: what a planar page is. tRAS 28 ns and what the paper leaves
/// open are those of a GDDR5 part (SK Hynix H5GQ1H24AFR, 1 Gbit): tFAW 23, tWTR 5, tWR 12, tRTP 2,
/// turnaround 2, tRFC 65 ns, 16384 refreshes in 32 ms. Assumptions: tRC = tRAS + tRP; bank groups
/// as one (tCCD_L = tCCD_S = a burst of 8 on the wires, so that the channel's rate can be reached);
/// a command each quarter of the data rate (GDDR5's CK); tCWL = 4 ns (its WL of 4 CK at 1 GHz).
const DramTiming ohm_table1 {
    .source = "Ohm-GPU (MICRO 2021), Table I; GDDR5 H5GQ1H24AFR for the rest",
    .tCK = 266'667_fs,
    .rate = 60_GBps,
    .burst = 32,
    .ranks = 1,
    .groups = 1,
    .banks_per_group = 16,
    .row = 2_KiB,
    .tCL = 11_ns,
    .tCWL = 4_ns,
    .tRCDRD = 25_ns,
    .tRCDWR = 25_ns,
    .tRP = 10_ns,
    .tRAS = 28_ns,
    .tRC = 38_ns,
    .tRRD_S = 5_ns,
    .tRRD_L = 5_ns,
    .tFAW = 23_ns,
    .tCCD_S = 533'333_fs,
    .tCCD_L = 533'333_fs,
    .tWTR_S = 5_ns,
    .tWTR_L = 5_ns,
    .tRTP = 2_ns,
    .tWR = 12_ns,
    .tRTRS = 2_ns,
    .tRFC = 65_ns,
    .tREFI = 1'953'125_ps,
};

/// DRAMsim3's DDR4_8Gb_x8_3200 in its own cycles of 0.63 ns, so that both can be compared; JEDEC's
/// tCK is 0.625 ns. 8 devices of 8 bit with pages of 1 KB.
constexpr Time ck3200 = 0.63_ns;
const DramTiming ddr4_3200 {
    .source = "DRAMsim3 DDR4_8Gb_x8_3200.ini (JESD79-4, 3200AA)",
    .tCK = ck3200,
    .rate = {25'396'825'397}, // 64 B in 4 tCK
    .burst = 64,
    .ranks = 2,
    .groups = 4,
    .banks_per_group = 4,
    .row = 8_KiB,
    .tCL = 22 * ck3200,
    .tCWL = 16 * ck3200,
    .tRCDRD = 22 * ck3200,
    .tRCDWR = 22 * ck3200,
    .tRP = 22 * ck3200,
    .tRAS = 52 * ck3200,
    .tRC = 74 * ck3200,
    .tRRD_S = 4 * ck3200,
    .tRRD_L = 8 * ck3200,
    .tFAW = 34 * ck3200,
    .tCCD_S = 4 * ck3200,
    .tCCD_L = 8 * ck3200,
    .tWTR_S = 4 * ck3200,
    .tWTR_L = 12 * ck3200,
    .tRTP = 12 * ck3200,
    .tWR = 24 * ck3200,
    .tRTRS = 1 * ck3200,
    .tRFC = 560 * ck3200,
    .tREFI = 12480 * ck3200,
};

/// gem5's DDR4_2400_8x8 (Micron MT40A1G8, 8 Gbit x8), figures as gem5 prints them.
constexpr Time ck2400 = 0.833_ns;
const DramTiming ddr4_2400 {
    .source = "gem5 v24.0 DDR4_2400_8x8 (Micron MT40A1G8)",
    .tCK = ck2400,
    .rate = {19'207'683'073}, // 64 B in 3.332 ns
    .burst = 64,
    .ranks = 2,
    .groups = 4,
    .banks_per_group = 4,
    .row = 8_KiB,
    .tCL = 14.16_ns,
    .tCWL = 14.16_ns,
    .tRCDRD = 14.16_ns,
    .tRCDWR = 14.16_ns,
    .tRP = 14.16_ns,
    .tRAS = 32_ns,
    .tRC = 46.16_ns,
    .tRRD_S = 3.332_ns,
    .tRRD_L = 4.9_ns,
    .tFAW = 21_ns,
    .tCCD_S = 3.332_ns,
    .tCCD_L = 5_ns,
    .tWTR_S = 5_ns,
    .tWTR_L = 5_ns,
    .tRTP = 7.5_ns,
    .tWR = 15_ns,
    .tRTRS = 1.666_ns,
    .tRFC = 350_ns,
    .tREFI = 7.8_us,
};

} // namespace

const DramTiming& timing_of(DramPreset preset) {
    switch (preset) {
    case DramPreset::ohm_table1:
        return ohm_table1;
    case DramPreset::ddr4_3200:
        return ddr4_3200;
    case DramPreset::ddr4_2400:
        return ddr4_2400;
    }
    MEMSIM_ASSERT(false, "an unknown DRAM preset");
}

DramTiming with_changes(DramTiming timing, const std::string& changes) {
    const char* const between = " ,";
    for (std::size_t at = changes.find_first_not_of(between); at != std::string::npos;) {
        const std::size_t end = std::min(changes.find_first_of(between, at), changes.size());
        const std::string change = changes.substr(at, end - at);
        at = changes.find_first_not_of(between, end);
        const std::size_t equals = change.find('=');
        if (equals == std::string::npos)
            throw ConfigError("'" + change + "' changes nothing: write 'tRCDRD=12ns'");
        const std::string name = change.substr(0, equals), value = change.substr(equals + 1);
        bool found = false;
        std::string known;
        reflect::for_each_field(timing, [&](std::string_view field, auto& f) {
            using F = std::remove_cvref_t<decltype(f)>;
            if constexpr (!std::is_same_v<F, const char*>) {
                known.append(known.empty() ? "" : ", ").append(field);
                if (field != name) return;
                found = true;
                f = Text<F>::parse(value);
            }
        });
        if (!found) throw ConfigError("there is no '" + name + "': the figures are " + known);
    }
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
    if (t.tFAW > 0_fs) at_least(t.tFAW, "tFAW", t.tRRD_S, "tRRD_S");
    if (t.tREFI > 0_fs) at_least(t.tREFI, "tREFI", t.tRFC + t.tRP, "tRFC + tRP");
    if (t.row.raw % t.burst != 0)
        throw ConfigError("row is " + Text<Bytes>::show(t.row) + ", not a multiple of a burst of " +
                          std::to_string(t.burst) + " bytes");
    if (t.ranks * t.banks() > 256)
        throw ConfigError("ranks x groups x banks_per_group is " +
                          std::to_string(t.ranks * t.banks()) + ": at most 256 banks a channel");
}

} // namespace memsim::mem
