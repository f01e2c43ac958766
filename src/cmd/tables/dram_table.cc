#include "mem/dram/presets/preset.hh"

namespace memsim::cmd {

using namespace memsim::literals;

static constexpr Time ck_cmd = 285'674_fs;

/// CMD, table II, in cycles as printed: tCL 20, tRP 20, tRC 62, tRAS 50, tRCD 20, tRRD 10, tCCD 4,
/// tWR 20. The rest is from GPGPU-Sim 4.0's file SM75_RTX2060, which has the same values and 1365
/// MHz: command clock 3500.5 MHz, 16 bit, bursts of 16 (32 B in 4 cycles), 4 bank groups, WL 8,
/// CDLR 9, CCDL 4, RTPL 4, and neither tFAW nor refresh. The printed tRC of 62 is less than tRAS +
/// tRP and has no effect; 70 is used here, with the same result. Row of 2 KB: the JESD250 page of a
/// 16-bit channel.
static const mem::DramTable cmd_gddr6 {
    "cmd_gddr6",
    {
        .source = "CMD, Table II; GPGPU-Sim 4.0 SM75_RTX2060 for the rest",
        .tCK = ck_cmd,
        .rate = 28.004_GBps,
        .burst = 32,
        .ranks = 1,
        .groups = 4,
        .banks_per_group = 4,
        .row = 2_KiB,
        .tCL = 20 * ck_cmd,
        .tCWL = 8 * ck_cmd,
        .tRCDRD = 20 * ck_cmd,
        .tRCDWR = 20 * ck_cmd,
        .tRP = 20 * ck_cmd,
        .tRAS = 50 * ck_cmd,
        .tRC = 70 * ck_cmd,
        .tRRD_S = 10 * ck_cmd,
        .tRRD_L = 10 * ck_cmd,
        .tFAW = 0_ns,
        .tCCD_S = 4 * ck_cmd,
        .tCCD_L = 4 * ck_cmd,
        .tWTR_S = 9 * ck_cmd,
        .tWTR_L = 9 * ck_cmd,
        .tRTP = 4 * ck_cmd,
        .tWR = 20 * ck_cmd,
        .tRTRS = 2 * ck_cmd, // GPGPU-Sim: tRTW = CL + BL/rate + 2 - WL
        .tRFC = 0_ns,
        .tREFI = 0_ns,
    }};

} // namespace memsim::cmd
