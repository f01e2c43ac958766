#include "mem/dram/presets/preset.hh"

/// GDDR of GPUs. "Not looked up" marks values quoted from another simulator's file or from memory,
/// without access to the document.
namespace memsim::mem {

namespace {

using namespace memsim::literals;

constexpr Time ck924 = 1'082'252_fs, ck_gddr6 = 0.57_ns, sim_gddr6 = 0.66_ns;

/// SK Hynix H5GQ1H24AFR (GDDR5, 1 Gbit) as GPGPU-Sim's GTX480 file quotes it in command clocks of
/// 924 MHz (nbk=16:CCD=2:RRD=6:RCD=12:RAS=28:RP=12:RC=40:CL=12:WL=4:CDLR=5:WR=12:nbkgrp=4:CCDL=3:
/// RTPL=2); the data sheet was not looked up. One of the card's six partitions: two devices of 32
/// bit, 3.7 Gb/s per pin, bursts of 8, pages of 2 KB each. tFAW 23 ns, tRFC 65 ns and tRTW are
/// those of the same part in gem5's GDDR5_4000_2x32; tREFI (16384 refreshes in 32 ms) from memory.
const DramTable gddr5 {
    "gddr5",
    {
        .source = "SK Hynix H5GQ1H24AFR as quoted by GPGPU-Sim's GTX480 and gem5's GDDR5_4000_2x32",
        .tCK = ck924,
        .rate = 29.568_GBps,
        .burst = 64,
        .ranks = 1,
        .groups = 4,
        .banks_per_group = 4,
        .row = 4_KiB,
        .tCL = 12 * ck924,
        .tCWL = 4 * ck924,
        .tRCDRD = 12 * ck924,
        .tRCDWR = 12 * ck924,
        .tRP = 12 * ck924,
        .tRAS = 28 * ck924,
        .tRC = 40 * ck924,
        .tRRD_S = 6 * ck924,
        .tRRD_L = 6 * ck924,
        .tFAW = 23_ns,
        .tCCD_S = 2 * ck924,
        .tCCD_L = 3 * ck924,
        .tWTR_S = 5 * ck924,
        .tWTR_L = 5 * ck924,
        .tRTP = 2 * ck924,
        .tWR = 12 * ck924,
        .tRTRS = 2 * ck924,
        .tRFC = 65_ns,
        .tREFI = 1'953'125_ps,
    }};

/// JESD250 (GDDR6), one channel of 16 bit at 14 Gb/s, 8 Gbit. Values are quoted by Ramulator 2.1's
/// GDDR6_14000_1350mV_double from Samsung's data sheet (8 Gbit, 16 banks), which was not looked up.
/// Turnaround: read to write is tCL + 1 clock there, so 5 clocks between data.
const DramTable gddr6 {
    "gddr6",
    {
        .source = "JESD250, Samsung 8 Gbit 14 Gb/s 1.35 V as quoted by Ramulator 2.1",
        .tCK = ck_gddr6,
        .rate = {28'070'175'439}, // 32 B in 2 tCK
        .burst = 32,
        .ranks = 1,
        .groups = 4,
        .banks_per_group = 4,
        .row = 2_KiB,
        .tCL = 24 * ck_gddr6,
        .tCWL = 6 * ck_gddr6,
        .tRCDRD = 27 * ck_gddr6,
        .tRCDWR = 16 * ck_gddr6,
        .tRP = 27 * ck_gddr6,
        .tRAS = 53 * ck_gddr6,
        .tRC = 80 * ck_gddr6, // printed 79: less than tRAS + tRP
        .tRRD_S = 8 * ck_gddr6,
        .tRRD_L = 8 * ck_gddr6,
        .tFAW = 29 * ck_gddr6,
        .tCCD_S = 2 * ck_gddr6,
        .tCCD_L = 4 * ck_gddr6,
        .tWTR_S = 9 * ck_gddr6,
        .tWTR_L = 11 * ck_gddr6,
        .tRTP = 4 * ck_gddr6,
        .tWR = 27 * ck_gddr6,
        .tPPD = 1 * ck_gddr6,
        .tRTRS = 1 * ck_gddr6,
        .tRTW = 5 * ck_gddr6,
        .tRFC = 211 * ck_gddr6, // 120 ns
        .tREFI = 3333 * ck_gddr6,
        .tRFCpb = 106 * ck_gddr6, // 60 ns
        .tRREFD = 15 * ck_gddr6,
    }};

/// DRAMsim3's configs/GDDR6_8Gb_x16.ini in its own cycles of 0.66 ns: eight devices of 16 bit side
/// by side (256 B a burst), one rank, no bank groups; 128 columns of a burst each. A burst of 16
/// takes one cycle of the bus there (BL / 16), so tCCD alone limits the rate.
const DramTable dramsim3_gddr6 {
    "dramsim3_gddr6",
    {
        .source = "DRAMsim3 (2981759) GDDR6_8Gb_x16.ini",
        .tCK = sim_gddr6,
        .rate = {387'878'787'879}, // 256 B in 1 tCK
        .burst = 256,
        .ranks = 1,
        .groups = 1,
        .banks_per_group = 16,
        .row = 32_KiB,
        .tCL = 24 * sim_gddr6,
        .tCWL = 16 * sim_gddr6,
        .tRCDRD = 24 * sim_gddr6,
        .tRCDWR = 20 * sim_gddr6,
        .tRP = 24 * sim_gddr6,
        .tRAS = 54 * sim_gddr6,
        .tRC = 78 * sim_gddr6,
        .tRRD_S = 9 * sim_gddr6,
        .tRRD_L = 9 * sim_gddr6,
        .tFAW = 32 * sim_gddr6, // no limit except tRRD
        .t32AW = 420 * sim_gddr6,
        .tCCD_S = 3 * sim_gddr6,
        .tCCD_L = 3 * sim_gddr6, // one group: its tCCD_L of 4 is not used
        .tWTR_S = 7 * sim_gddr6,
        .tWTR_L = 7 * sim_gddr6,
        .tRTP = 3 * sim_gddr6,
        .tWR = 16 * sim_gddr6,
        .tPPD = 2 * sim_gddr6,
        .tRTRS = 1 * sim_gddr6,
        .tRFC = 126 * sim_gddr6,
        .tREFI = 11862 * sim_gddr6,
        .tRFCpb = 30 * sim_gddr6,
    }};

/// Ramulator 2.1's GDDR6_14000_1250mV_double with GDDR6_8Gb_x16, in its cycles of 0.57 ns.
const DramTable ramulator_gddr6 {
    "ramulator_gddr6",
    {
        .source = "Ramulator 2.1 (c5b1c3a) GDDR6_14000_1250mV_double, GDDR6_8Gb_x16",
        .tCK = ck_gddr6,
        .rate = {28'070'175'439}, // 32 B in 2 tCK
        .burst = 32,
        .ranks = 1,
        .groups = 4,
        .banks_per_group = 4,
        .row = 2_KiB,
        .tCL = 24 * ck_gddr6,
        .tCWL = 6 * ck_gddr6,
        .tRCDRD = 30 * ck_gddr6,
        .tRCDWR = 20 * ck_gddr6,
        .tRP = 30 * ck_gddr6,
        .tRAS = 60 * ck_gddr6,
        .tRC = 90 * ck_gddr6,
        .tRRD_S = 11 * ck_gddr6,
        .tRRD_L = 11 * ck_gddr6,
        .tFAW = 43 * ck_gddr6, // no limit except tRRD
        .tCCD_S = 2 * ck_gddr6,
        .tCCD_L = 4 * ck_gddr6,
        .tWTR_S = 9 * ck_gddr6,
        .tWTR_L = 11 * ck_gddr6,
        .tRTP = 4 * ck_gddr6,
        .tWR = 30 * ck_gddr6,
        .tPPD = 2 * ck_gddr6,
        .tRTRS = 1 * ck_gddr6,
        .tRTW = 5 * ck_gddr6,
        .tRFC = 211 * ck_gddr6,
        .tREFI = 3333 * ck_gddr6,
        .tRFCpb = 106 * ck_gddr6,
        .tRREFD = 22 * ck_gddr6,
    }};

} // namespace
} // namespace memsim::mem
