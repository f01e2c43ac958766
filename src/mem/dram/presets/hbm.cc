#include "mem/dram/presets/preset.hh"

/// High-bandwidth memory. The standards were not looked up: values are quoted from other
/// simulators' files. Row and column commands have separate buses. The pseudo-channels of a channel
/// share both buses if one controller has `pseudo_channels` 2; with one controller each they do
/// not.
namespace memsim::mem {

namespace {

using namespace memsim::literals;

constexpr Time ck2 = 1_ns, ck2e = 0.625_ns, half3 = 0.3125_ns, ck3 = 2 * half3;

/// JESD235 (HBM2), one pseudo-channel of 64 bit at 2 Gb/s, 8 Gbit per channel. Values are quoted by
/// Ramulator 2.1's HBM2_2000Mbps from revision D. An activate takes two clocks of the row bus. Read
/// to write: two clocks between data.
const DramTable hbm2 {
    "hbm2",
    {
        .source = "JESD235D, pseudo-channel at 2 Gb/s, as quoted by Ramulator 2.1 HBM2_2000Mbps",
        .tCK = ck2,
        .rate = 16_GBps,
        .burst = 32,
        .ranks = 1,
        .groups = 4,
        .banks_per_group = 4,
        .row = 1_KiB,
        .tCL = 14 * ck2,
        .tCWL = 5 * ck2,
        .tRCDRD = 14 * ck2,
        .tRCDWR = 12 * ck2,
        .tRP = 14 * ck2,
        .tRAS = 34 * ck2,
        .tRC = 48 * ck2,
        .tRRD_S = 4 * ck2,
        .tRRD_L = 4 * ck2,
        .tFAW = 15 * ck2,
        .tCCD_S = 2 * ck2,
        .tCCD_L = 4 * ck2,
        .tWTR_S = 6 * ck2,
        .tWTR_L = 8 * ck2,
        .tRTP = 5 * ck2,
        .tWR = 16 * ck2,
        .tRTRS = 1 * ck2,
        .tRTW = 2 * ck2,
        .tRFC = 350_ns,
        .tREFI = 3.9_us,
        .tRFCpb = 160_ns,
        .tRREFD = 8_ns,
        .command_buses = 2,
        .tCA_ACT = 2 * ck2,
    }};

/// HBM2E: one pseudo-channel of 64 bit at 3.2 Gb/s, 16 Gbit per channel. No public file has its
/// values. Assumption: the times of the fastest public bin of the standard (JESD235D at 2.4 Gb/s as
/// quoted by Ramulator 2.1's HBM2_2400Mbps, 0.833 ns per clock), in whole clocks of 1.6 GHz; tCCD
/// in clocks. tRFC for more than 8 Gbit: 450 ns, single bank 200 ns, quoted there, too.
const DramTable hbm2e {
    "hbm2e",
    {
        .source =
            "JESD235D at 2.4 Gb/s as quoted by Ramulator 2.1 HBM2_2400Mbps, its times at 3.2 Gb/s",
        .tCK = ck2e,
        .rate = 25.6_GBps,
        .burst = 32,
        .ranks = 1,
        .groups = 4,
        .banks_per_group = 4,
        .row = 1_KiB,
        .tCL = 23 * ck2e,    // 17 clocks there: 14.2 ns
        .tCWL = 8 * ck2e,    // 6
        .tRCDRD = 23 * ck2e, // 17
        .tRCDWR = 19 * ck2e, // 14: 11.7 ns
        .tRP = 23 * ck2e,    // 17
        .tRAS = 54 * ck2e,   // 40: 33.3 ns
        .tRC = 77 * ck2e,    // tRAS + tRP
        .tRRD_S = 7 * ck2e,  // 4 ns
        .tRRD_L = 7 * ck2e,  // 4 ns
        .tFAW = 28 * ck2e,   // 15 ns there, which is less than 4 x tRRD: no limit
        .tCCD_S = 2 * ck2e,
        .tCCD_L = 4 * ck2e,
        .tWTR_S = 11 * ck2e, // 8
        .tWTR_L = 14 * ck2e, // 10
        .tRTP = 8 * ck2e,    // 6
        .tWR = 26 * ck2e,    // 19
        .tRTRS = 1 * ck2e,
        .tRTW = 2 * ck2e,
        .tRFC = 450_ns,
        .tREFI = 3.9_us,
        .tRFCpb = 200_ns,
        .tRREFD = 8_ns,
        .command_buses = 2,
        .tCA_ACT = 2 * ck2e,
    }};

/// JESD238 (HBM3), one pseudo-channel of 32 bit at 6.4 Gb/s, 4 Gbit per channel. Values are quoted
/// by Ramulator 2.1's HBM3_6400Mbps with HBM3_4Gb. An activate takes a clock and a half of the row
/// bus, other row commands half a clock. tRTW is 20 clocks from read to write there, so 8 between
/// data. tRREFD follows its rule of 8 ns; its preset prints 8 clocks.
const DramTable hbm3 {
    "hbm3",
    {
        .source = "JESD238, pseudo-channel at 6.4 Gb/s, as quoted by Ramulator 2.1 HBM3_6400Mbps",
        .tCK = ck3,
        .rate = 25.6_GBps,
        .burst = 32,
        .ranks = 1,
        .groups = 4,
        .banks_per_group = 4,
        .row = 1_KiB,
        .tCL = 20 * ck3,
        .tCWL = 10 * ck3,
        .tRCDRD = 31 * ck3,
        .tRCDWR = 15 * ck3,
        .tRP = 26 * ck3,
        .tRAS = 45 * ck3,
        .tRC = 72 * ck3,
        .tRRD_S = 4 * ck3,
        .tRRD_L = 5 * ck3,
        .tFAW = 24 * ck3,
        .tCCD_S = 2 * ck3,
        .tCCD_L = 4 * ck3,
        .tWTR_S = 7 * ck3,
        .tWTR_L = 10 * ck3,
        .tRTP = 9 * ck3,
        .tWR = 33 * ck3,
        .tPPD = 2 * ck3,
        .tRTRS = 1 * ck3,
        .tRTW = 8 * ck3,
        .tRFC = 260_ns,
        .tREFI = 3.9_us,
        .tRFCpb = 200_ns,
        .tRREFD = 8_ns,
        .command_buses = 2,
        .tCA_ACT = 3 * half3,
        .tCA_ROW = half3,
    }};

/// DRAMsim3's configs/HBM2_8Gb_x128.ini in its own cycles of 1 ns: a whole channel of 128 bit,
/// bursts of 4. It reads tRTP (default 5), not the file's tRTP_L and tRTP_S; tRTRS is its default
/// of 2, and a tCCD_S of 1 is a burst of 2 cycles. A row and a column command may be issued in the
/// same cycle.
const DramTable dramsim3_hbm2 {"dramsim3_hbm2",
                               {
                                   .source = "DRAMsim3 (2981759) HBM2_8Gb_x128.ini",
                                   .tCK = ck2,
                                   .rate = 32_GBps, // 64 B in 2 tCK
                                   .burst = 64,
                                   .ranks = 1,
                                   .groups = 4,
                                   .banks_per_group = 4,
                                   .row = 2_KiB,
                                   .tCL = 14 * ck2,
                                   .tCWL = 4 * ck2,
                                   .tRCDRD = 14 * ck2,
                                   .tRCDWR = 14 * ck2,
                                   .tRP = 14 * ck2,
                                   .tRAS = 34 * ck2,
                                   .tRC = 48 * ck2,
                                   .tRRD_S = 4 * ck2,
                                   .tRRD_L = 6 * ck2,
                                   .tFAW = 30 * ck2,
                                   .tCCD_S = 2 * ck2,
                                   .tCCD_L = 2 * ck2,
                                   .tWTR_S = 6 * ck2,
                                   .tWTR_L = 8 * ck2,
                                   .tRTP = 5 * ck2,
                                   .tWR = 16 * ck2,
                                   .tRTRS = 2 * ck2,
                                   .tRFC = 260 * ck2,
                                   .tREFI = 3900 * ck2,
                                   .command_buses = 2,
                               }};

} // namespace
} // namespace memsim::mem
