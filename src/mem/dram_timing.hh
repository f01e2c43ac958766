#pragma once

#include "core/text.hh"

#include <string>

namespace memsim::mem {

/// A DRAM's figures, one field a symbol of the data sheet (JEDEC's names). _S is between bank
/// groups, _L within one; a part without bank groups has groups = 1 and both alike.
struct DramTiming {
    const char* source;
    Time tCK;       ///< one command a tCK
    Rate rate;      ///< of the data pins of one channel, together
    unsigned burst; ///< bytes that one column command moves
    unsigned ranks, groups, banks_per_group;
    Bytes row;           ///< of all devices of a rank together
    Time tCL, tCWL;      ///< column command to first data
    Time tRCDRD, tRCDWR; ///< activate to column command
    Time tRP;            ///< precharge to activate
    Time tRAS, tRC;      ///< activate to precharge, to the bank's next activate
    Time tRRD_S, tRRD_L;
    Time tFAW; ///< at most four activates of a rank in it; 0: no limit
    Time tCCD_S, tCCD_L;
    Time tWTR_S, tWTR_L; ///< end of write data to read
    Time tRTP;           ///< read to precharge
    Time tWR;            ///< end of write data to precharge
    Time tRTRS;          ///< gap on the data bus when rank or direction changes
    Time tRFC, tREFI;    ///< refresh of all banks of a rank; tREFI 0: none

    unsigned banks() const { return groups * banks_per_group; } ///< of a rank
};

enum class DramPreset : std::uint8_t { ohm_table1, ddr4_3200, ddr4_2400 };
constexpr std::array<std::string_view, 3> names_of(DramPreset) {
    return {"ohm_table1", "ddr4_3200", "ddr4_2400"};
}

const DramTiming& timing_of(DramPreset preset);

/// The preset with fields replaced by 'tRCDRD=12ns tRC=40ns' (blanks or commas between; ranks=4 for
/// a count). The error is the end of a sentence that begins with object and parameter.
DramTiming with_changes(DramTiming timing, const std::string& changes);

/// Throws ConfigError (the end of a sentence) where figures contradict each other.
void check(const DramTiming& timing);

} // namespace memsim::mem
