#include "mem/dram/preset.hh"

namespace memsim::ohm {

using namespace memsim::literals;

/// Ohm-GPU, Table I, printed: tRCD 25, tRP 10, tCL 11, tRRD 5 ns, electrical channel 32 bit x
/// 15 GHz. 16 banks and a row of 2 KB: what a planar page is. tRAS 28 ns and what the paper leaves
/// open are those of a GDDR5 part (SK Hynix H5GQ1H24AFR, 1 Gbit): tFAW 23, tWTR 5, tWR 12, tRTP 2,
/// turnaround 2, tRFC 65 ns, 16384 refreshes in 32 ms. Assumptions: tRC = tRAS + tRP; bank groups
/// as one (tCCD_L = tCCD_S = a burst of 8 on the wires, so that the channel's rate can be reached);
/// a command each quarter of the data rate (GDDR5's CK); tCWL = 4 ns (its WL of 4 CK at 1 GHz).
static const mem::DramTable ohm_table1 {
    "ohm_table1",
    {
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
    }};

} // namespace memsim::ohm
