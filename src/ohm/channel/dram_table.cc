#include "mem/dram/presets/preset.hh"

namespace memsim::ohm {

using namespace memsim::literals;

/// Ohm-GPU, table I, as printed: tRCD 25, tRP 10, tCL 11, tRRD 5 ns, electrical channel 32 bit x 15
/// GHz. 16 banks with a row of 2 KB, the planar page. tRAS 28 ns and values that the paper does not
/// state are those of a GDDR5 part (SK Hynix H5GQ1H24AFR, 1 Gbit): tFAW 23, tWTR 5, tWR 12, tRTP 2,
/// turnaround 2, tRFC 65 ns, 16384 refreshes in 32 ms. Assumptions: tRC = tRAS + tRP; no bank
/// groups (tCCD_L = tCCD_S = a burst of 8 on the wires, so that the channel can reach its rate);
/// one command per quarter of the data rate (GDDR5's CK); tCWL = 4 ns (its WL of 4 CK at 1 GHz).
static const mem::DramTiming as_printed {
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
static const mem::DramTable ohm_table1 {"ohm_table1", as_printed};

/// The same with the values of table I as cycles of 2.1 GHz, because the file of the authors'
/// simulator lists them so (MacSim, params_gtx580: activate 25, precharge 10, column 11, clock_mc
/// 2.1). Values not in table I follow that simulator: no tFAW, tRAS = tRCD, a bank may close when
/// its data has crossed. Its bus has no turnaround; selecting a ring takes 100 ps (Ohm-GPU IV-C).
/// Refresh as above (docs/models/ohm-readings.md).
static const mem::DramTable ohm_cycles {
    "ohm_cycles", [] {
        mem::DramTiming t = as_printed;
        t.source = "Ohm-GPU (MICRO 2021), Table I in cycles of 2.1 GHz; MacSim's controller";
        t.tCL = t.tCWL = 5'238'095_fs;
        t.tRCDRD = t.tRCDWR = t.tRAS = 11'904'762_fs;
        t.tRP = 4'761'905_fs;
        t.tRC = 16'666'667_fs;
        t.tRRD_S = t.tRRD_L = 2'380'952_fs;
        t.tRTP = 5'771'428_fs;
        t.tFAW = t.tWTR_S = t.tWTR_L = t.tWR = 0_fs;
        t.tRTRS = 100_ps;
        return t;
    }()};

} // namespace memsim::ohm
