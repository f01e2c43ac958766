#pragma once

#include "core/base/text.hh"

#include <string>

namespace memsim::mem {

/// A DRAM's figures, one field a symbol of the data sheet (JEDEC's names). _S is between bank
/// groups, _L within one; a part without bank groups has groups = 1 and both alike. A figure with a
/// default is one that not every standard has: 0 is no such constraint.
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
    Time tRPW {0};       ///< the same of a row that was written, if longer (memories like XPoint)
    Time tRAS, tRC;      ///< activate to precharge, to the bank's next activate
    Time tRRD_S, tRRD_L;
    Time tFAW;      ///< at most four activates of a rank in it; 0: no limit
    Time t32AW {0}; ///< at most 32 activates of a rank in it (GDDR5, GDDR6 of some makers)
    Time tCCD_S, tCCD_L;
    Time tCCD_L_WR {0};         ///< write to write within a group where that is longer (DDR5)
    Time tWTR_S, tWTR_L;        ///< end of write data to read
    Time tRTP;                  ///< read to precharge
    Time tWR;                   ///< end of write data to precharge
    Time tPPD {0};              ///< precharge to precharge of a rank
    Time tRTRS;                 ///< gap on the data bus when rank or direction changes
    Time tRTW {0};              ///< gap on the data bus from a read to a write, if longer
    Time tRFC, tREFI;           ///< refresh of all banks of a rank; tREFI 0: none
    Time tRFCpb {0};            ///< refresh of a single bank; 0: the part has none
    Time tRREFD {0};            ///< refresh of a bank to the activate or refresh of another
    unsigned command_buses {1}; ///< 2: column commands have one of their own (HBM)
    Time tCA_ACT {0}; ///< that an activate takes on the command bus; 0: tCK. Constraints count
    Time tCA_COL {0}; ///< from the end of a command: of a column command, and
    Time tCA_ROW {0}; ///< of a precharge or refresh
    Time tAAD {0};    ///< ACT-1 to ACT-2 at most, other commands may go between; 0: one command

    unsigned banks() const { return groups * banks_per_group; } ///< of a rank
};

/// The table with fields replaced by 'tRCDRD=12ns tRC=40ns' (blanks or commas between; ranks=4 for
/// a count). The error is the end of a sentence that begins with object and parameter.
DramTiming with_changes(DramTiming timing, const std::string& changes);

/// The table of these figures, 'tCK=1ns rate=64GB/s ...'. Throws ConfigError (the end of a
/// sentence) if one is missing that every standard has.
DramTiming complete_timing(const std::string& figures);

/// Throws ConfigError (the end of a sentence) where figures contradict each other.
void check(const DramTiming& timing);

} // namespace memsim::mem
