#pragma once

#include "mem/dram_timing.hh"

/// The tables behind timing_of().
namespace memsim::mem::presets {

extern const DramTiming ohm_table1, ddr4_3200, ddr4_2400, ddr5_5600, gddr5, gddr6, hbm2, cmd_gddr6,
    dramsim3_ddr4_3200, dramsim3_gddr6, ramulator_ddr4_2400r, ramulator_gddr6;

} // namespace memsim::mem::presets
