#include "mem/dram_presets.hh"

/// DIMMs. "Not looked up": the figure is the standard's as remembered, the document was not at
/// hand.
namespace memsim::mem::presets {

using namespace memsim::literals;

namespace {
constexpr Time ck3200 = 0.625_ns, ck5600 = 357'143_fs, ck2400 = 0.833_ns, sim3200 = 0.63_ns;
} // namespace

/// JESD79-4 (DDR4), speed bin 3200AA, 8 devices of 8 Gbit x8 (page of 1 KB), two ranks; the figures
/// in clocks are those that Ramulator 2.1's DDR4_3200AA quotes from it (tables of section 12 and
/// 13; the standard itself was not looked up). Rank switch: 2 clocks, Ramulator's nCS.
const DramTiming ddr4_3200 {
    .source = "JESD79-4 3200AA, 8 Gbit x8, as quoted by Ramulator 2.1 DDR4_3200AA",
    .tCK = ck3200,
    .rate = 25.6_GBps,
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
    .tRTRS = 2 * ck3200,
    .tRFC = 350_ns, // tRFC1 of 8 Gbit
    .tREFI = 7.8_us,
};

/// gem5's DDR4_2400_8x8 (Micron MT40A1G8, 8 Gbit x8), figures as gem5 prints them.
const DramTiming ddr4_2400 {
    .source = "gem5 v24.0 DDR4_2400_8x8 (Micron MT40A1G8)",
    .tCK = ck2400,
    .rate = {19'207'683'074}, // 64 B in 3.332 ns
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
    .tRTRS = 1.666_ns, // its tCS and tRTW
    .tRFC = 350_ns,
    .tREFI = 7.8_us,
};

/// JESD79-5 (DDR5), speed bin 5600B (46-45-45), one sub-channel of 32 bit: 4 devices of 16 Gbit x8
/// with pages of 1 KB. Not looked up; tRRD, tCCD, tWTR, tRTP, tWR, tRFC, tREFI by the rules that
/// gem5 v24.0's DDR5_4400_4x8 quotes from Micron's DDR5 core data sheet (max(8 nCK, 5 ns), ...,
/// tRFC1 of 16 Gbit 295 ns). The turnaround of 2 clocks is Ramulator's. Same-bank refresh (one bank
/// of each group at once) is not modelled: no tRFCpb.
const DramTiming ddr5_5600 {
    .source = "JESD79-5 5600B, 16 Gbit x8 (not looked up); rules as in gem5's DDR5_4400_4x8",
    .tCK = ck5600,
    .rate = 22.4_GBps,
    .burst = 64,
    .ranks = 1,
    .groups = 8,
    .banks_per_group = 4,
    .row = 4_KiB,
    .tCL = 46 * ck5600,
    .tCWL = 44 * ck5600,
    .tRCDRD = 45 * ck5600,
    .tRCDWR = 45 * ck5600,
    .tRP = 45 * ck5600,
    .tRAS = 90 * ck5600, // 32 ns
    .tRC = 135 * ck5600,
    .tRRD_S = 8 * ck5600,
    .tRRD_L = 14 * ck5600, // 5 ns
    .tFAW = 32 * ck5600,
    .tCCD_S = 8 * ck5600,
    .tCCD_L = 14 * ck5600,    // 5 ns
    .tCCD_L_WR = 56 * ck5600, // 20 ns
    .tWTR_S = 7 * ck5600,     // 2.5 ns
    .tWTR_L = 28 * ck5600,    // 10 ns
    .tRTP = 21 * ck5600,      // 7.5 ns
    .tWR = 84 * ck5600,       // 30 ns
    .tPPD = 2 * ck5600,
    .tRTRS = 2 * ck5600,
    .tRFC = 295_ns,
    .tREFI = 3.9_us,
};

/// DRAMsim3's configs/DDR4_8Gb_x8_3200.ini, in its own cycles of 0.63 ns.
const DramTiming dramsim3_ddr4_3200 {
    .source = "DRAMsim3 (2981759) DDR4_8Gb_x8_3200.ini",
    .tCK = sim3200,
    .rate = {25'396'825'397}, // 64 B in 4 tCK
    .burst = 64,
    .ranks = 2,
    .groups = 4,
    .banks_per_group = 4,
    .row = 8_KiB,
    .tCL = 22 * sim3200,
    .tCWL = 16 * sim3200,
    .tRCDRD = 22 * sim3200,
    .tRCDWR = 22 * sim3200,
    .tRP = 22 * sim3200,
    .tRAS = 52 * sim3200,
    .tRC = 74 * sim3200,
    .tRRD_S = 4 * sim3200,
    .tRRD_L = 8 * sim3200,
    .tFAW = 34 * sim3200,
    .tCCD_S = 4 * sim3200,
    .tCCD_L = 8 * sim3200,
    .tWTR_S = 4 * sim3200,
    .tWTR_L = 12 * sim3200,
    .tRTP = 12 * sim3200,
    .tWR = 24 * sim3200,
    .tRTRS = 1 * sim3200,
    .tRFC = 560 * sim3200,
    .tREFI = 12480 * sim3200,
};

/// Ramulator 2.1's DDR4_2400R with DDR4_8Gb_x8 (one rank), in its cycles of 0.833 ns.
const DramTiming ramulator_ddr4_2400r {
    .source = "Ramulator 2.1 (c5b1c3a) DDR4_2400R, DDR4_8Gb_x8",
    .tCK = ck2400,
    .rate = {19'207'683'074}, // 64 B in 4 tCK
    .burst = 64,
    .ranks = 1,
    .groups = 4,
    .banks_per_group = 4,
    .row = 8_KiB,
    .tCL = 16 * ck2400,
    .tCWL = 12 * ck2400,
    .tRCDRD = 16 * ck2400,
    .tRCDWR = 16 * ck2400,
    .tRP = 16 * ck2400,
    .tRAS = 39 * ck2400,
    .tRC = 55 * ck2400,
    .tRRD_S = 4 * ck2400,
    .tRRD_L = 6 * ck2400,
    .tFAW = 26 * ck2400,
    .tCCD_S = 4 * ck2400,
    .tCCD_L = 6 * ck2400,
    .tWTR_S = 3 * ck2400,
    .tWTR_L = 9 * ck2400,
    .tRTP = 9 * ck2400,
    .tWR = 18 * ck2400,
    .tRTRS = 2 * ck2400,
    .tRFC = 433 * ck2400,
    .tREFI = 9364 * ck2400,
};

} // namespace memsim::mem::presets
