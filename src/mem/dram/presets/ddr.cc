#include "mem/dram/presets/preset.hh"

/// DIMMs and LPDDR. "Not looked up" marks values of a standard that were quoted from memory,
/// without access to the document.
namespace memsim::mem {

namespace {

using namespace memsim::literals;

constexpr Time ck3200 = 0.625_ns, ck4800 = 0.416_ns, ck5600 = 357'143_fs, ck2400 = 0.833_ns,
               sim3200 = 0.63_ns, ck_lp5 = 1.25_ns;

/// JESD79-4 (DDR4), speed bin 3200AA, 8 devices of 8 Gbit x8 (page of 1 KB), two ranks. Values in
/// clocks are quoted by Ramulator 2.1's DDR4_3200AA (tables of section 12 and 13; the standard
/// itself was not looked up). Rank switch: 2 clocks, Ramulator's nCS.
const DramTable ddr4_3200 {
    "ddr4_3200",
    {
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
    }};

/// gem5's DDR4_2400_8x8 (Micron MT40A1G8, 8 Gbit x8), figures as gem5 prints them.
const DramTable ddr4_2400 {"ddr4_2400",
                           {
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
                           }};

/// JESD79-5 (DDR5), speed bin 4800B (36-36-36), one sub-channel of 32 bit: 4 devices of 16 Gbit x8
/// with pages of 1 KB. Values are quoted by Ramulator 2.1's DDR5_4800BN with DDR5_16Gb_x8, in its
/// clocks of 0.416 ns; the standard was not looked up. Activates, reads and writes take two clocks
/// of the command bus (its table 30). Read to write: four clocks between data (half a postamble and
/// a preamble, rounded up there). Refresh of a bank in each group at once is not modelled: no
/// tRFCpb.
const DramTable ddr5_4800 {
    "ddr5_4800",
    {
        .source = "JESD79-5 4800B, 16 Gbit x8, as quoted by Ramulator 2.1 DDR5_4800BN",
        .tCK = ck4800,
        .rate = {19'230'769'231}, // 64 B in 8 tCK
        .burst = 64,
        .ranks = 1,
        .groups = 8,
        .banks_per_group = 4,
        .row = 4_KiB,
        .tCL = 36 * ck4800,
        .tCWL = 34 * ck4800,
        .tRCDRD = 36 * ck4800,
        .tRCDWR = 36 * ck4800,
        .tRP = 36 * ck4800,
        .tRAS = 77 * ck4800, // 32 ns
        .tRC = 113 * ck4800,
        .tRRD_S = 8 * ck4800,
        .tRRD_L = 12 * ck4800, // 5 ns
        .tFAW = 48 * ck4800,   // 20 ns
        .tCCD_S = 8 * ck4800,
        .tCCD_L = 12 * ck4800,
        .tCCD_L_WR = 48 * ck4800,
        .tWTR_S = 6 * ck4800,
        .tWTR_L = 24 * ck4800,
        .tRTP = 18 * ck4800,
        .tWR = 72 * ck4800,
        .tPPD = 2 * ck4800,
        .tRTRS = 2 * ck4800, // its nCS
        .tRTW = 4 * ck4800,
        .tRFC = 710 * ck4800, // 295 ns
        .tREFI = 9375 * ck4800,
        .tCA_ACT = 2 * ck4800,
        .tCA_COL = 2 * ck4800,
    }};

/// JESD79-5 (DDR5), speed bin 5600B (46-45-45), one sub-channel of 32 bit: 4 devices of 16 Gbit x8
/// with pages of 1 KB. Not looked up. tRRD, tCCD, tWTR, tRTP, tWR, tRFC and tREFI follow the rules
/// that gem5 v24.0's DDR5_4400_4x8 quotes from Micron's DDR5 core data sheet (max(8 nCK, 5 ns),
/// ..., tRFC1 of 16 Gbit 295 ns). Turnarounds and commands of two clocks: as ddr5_4800.
const DramTable ddr5_5600 {
    "ddr5_5600",
    {
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
        .tRTW = 4 * ck5600,
        .tRFC = 295_ns,
        .tREFI = 3.9_us,
        .tCA_ACT = 2 * ck5600,
        .tCA_COL = 2 * ck5600,
    }};

/// JESD209-5 (LPDDR5), one channel of 16 bit at 6.4 Gb/s (command clock 800 MHz, 16 banks in
/// groups), 16 Gbit. Values are quoted by Ramulator 2.1's LPDDR5_6400 with LPDDR5_16Gb_x16 from
/// revision B, which was not looked up. An activate is two commands, ACT-1 and ACT-2; its times
/// count from ACT-1, as in Ramulator. Ramulator counts tWTR_L from the end of a burst of 4 clocks
/// (BL/n_max), so it is 2 clocks more here. tRP is that of one bank (all banks: 17). tRREFD is
/// Ramulator's tpbR2act; tpbR2pbR (90 ns) is not modelled. The data clock is always on: no CAS
/// command before a read or write.
const DramTable lpddr5_6400 {
    "lpddr5_6400",
    {
        .source = "JESD209-5B, 16 Gbit x16 at 6.4 Gb/s, as quoted by Ramulator 2.1 LPDDR5_6400",
        .tCK = ck_lp5,
        .rate = 12.8_GBps,
        .burst = 32,
        .ranks = 1,
        .groups = 4,
        .banks_per_group = 4,
        .row = 2_KiB,
        .tCL = 17 * ck_lp5,
        .tCWL = 9 * ck_lp5,
        .tRCDRD = 15 * ck_lp5,
        .tRCDWR = 15 * ck_lp5,
        .tRP = 15 * ck_lp5,
        .tRAS = 34 * ck_lp5,
        .tRC = 49 * ck_lp5,
        .tRRD_S = 4 * ck_lp5, // 5 ns
        .tRRD_L = 4 * ck_lp5, // 5 ns
        .tFAW = 16 * ck_lp5,  // 20 ns
        .tCCD_S = 2 * ck_lp5,
        .tCCD_L = 4 * ck_lp5,
        .tWTR_S = 5 * ck_lp5,
        .tWTR_L = 12 * ck_lp5,
        .tRTP = 8 * ck_lp5,
        .tWR = 28 * ck_lp5,
        .tPPD = 2 * ck_lp5,
        .tRTRS = 2 * ck_lp5, // its nCS
        .tRTW = 2 * ck_lp5,
        .tRFC = 280_ns,
        .tREFI = 3.906_us,
        .tRFCpb = 140_ns,
        .tRREFD = 7.5_ns,
        .tAAD = 8 * ck_lp5,
    }};

/// DRAMsim3's configs/DDR4_8Gb_x8_3200.ini, in its own cycles of 0.63 ns.
const DramTable dramsim3_ddr4_3200 {"dramsim3_ddr4_3200",
                                    {
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
                                    }};

/// Ramulator 2.1's DDR4_2400R with DDR4_8Gb_x8 (one rank), in its cycles of 0.833 ns.
const DramTable ramulator_ddr4_2400r {
    "ramulator_ddr4_2400r",
    {
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
    }};

} // namespace
} // namespace memsim::mem
