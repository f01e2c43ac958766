#pragma once

#include "core/base/text.hh"

#include <string>

namespace memsim::mem {

/// The timing parameters of a DRAM, one field for each symbol of the data sheet (JEDEC's names). _S
/// applies between bank groups, _L within one. A part without bank groups has groups = 1 and equal
/// values for both. Fields with a default exist only in some standards; 0 means no such constraint.
struct DramTiming {
    const char* source;
    Time tCK;       ///< one command per tCK
    Rate rate;      ///< of all data pins of one channel
    unsigned burst; ///< bytes transferred by one column command
    unsigned ranks, groups, banks_per_group;
    Bytes row;           ///< of all devices of a rank
    Time tCL, tCWL;      ///< column command to first data
    Time tRCDRD, tRCDWR; ///< activate to column command
    Time tRP;            ///< precharge to activate
    Time tRPW {0};       ///< tRP of a row that was written, if longer (memories like XPoint)
    Time tRAS, tRC;      ///< activate to precharge; activate to activate of the same bank
    Time tRRD_S, tRRD_L;
    Time tFAW;      ///< window for at most four activates of a rank; 0: no limit
    Time t32AW {0}; ///< window for at most 32 activates of a rank (GDDR5, some GDDR6)
    Time tCCD_S, tCCD_L;
    Time tCCD_L_WR {0};  ///< write to write within a group, if longer than tCCD_L (DDR5)
    Time tWTR_S, tWTR_L; ///< end of write data to read
    Time tRTP;           ///< read to precharge
    Time tWR;            ///< end of write data to precharge
    Time tPPD {0};       ///< precharge to precharge of a rank
    Time tRTRS;          ///< gap on the data bus when rank or direction changes
    Time tRTW {0};       ///< gap on the data bus from a read to a write, if longer than tRTRS
    Time tRFC, tREFI;    ///< refresh of all banks of a rank; tREFI 0: no refresh
    Time tRFCpb {0};     ///< refresh of a single bank; 0: not supported
    Time tRREFD {0};     ///< refresh of a bank to the activate or refresh of another
    unsigned command_buses {1}; ///< 2: column commands have their own bus (HBM)
    Time tCA_ACT {0}; ///< time of an activate on the command bus; 0: tCK. Constraints count
    Time tCA_COL {0}; ///< from the end of a command. Time of a column command;
    Time tCA_ROW {0}; ///< time of a precharge or refresh
    Time tAAD {0};    ///< maximum from ACT-1 to ACT-2, with other commands between; 0: one command

    unsigned banks() const { return groups * banks_per_group; } ///< banks of a rank
};

/// Replaces fields of the table by those of 'tRCDRD=12ns tRC=40ns' (separated by blanks or commas;
/// a count is written ranks=4). The error completes a sentence that begins with object and
/// parameter.
DramTiming with_changes(DramTiming timing, const std::string& changes);

/// The table with these values, 'tCK=1ns rate=64GB/s ...'. Throws ConfigError (the end of a
/// sentence) if a value that every standard has is missing.
DramTiming complete_timing(const std::string& figures);

/// Throws ConfigError (the end of a sentence) if values contradict each other.
void check(const DramTiming& timing);

} // namespace memsim::mem
