#pragma once

#include "mem/dram_timing.hh"

/// The tables behind timing_of().
namespace memsim::mem::presets {

extern const DramTiming ohm_table1, ddr4_3200, ddr4_2400, ddr5_4800, ddr5_5600, lpddr5_6400, gddr5,
    gddr6, hbm2, hbm2e, hbm3, cmd_gddr6, dramsim3_ddr4_3200, dramsim3_gddr6, dramsim3_hbm2,
    ramulator_ddr4_2400r, ramulator_gddr6;

} // namespace memsim::mem::presets
