#pragma once

#include "core/kernel/named.hh"

#include <string>

namespace memsim::flash {

/// The times of NAND array operations and the endurance of a block. A cell of n bits holds pages of
/// n types (lower, centre, upper); types alternate with the page number.
struct NandTiming {
    const char* source;
    unsigned types;              ///< page types: bits per cell, if each has its own time
    Time tR0, tR1, tR2;          ///< array to register, per type
    Time tPROG0, tPROG1, tPROG2; ///< register to array, per type
    Time tBERS;                  ///< erase of a block
    std::uint32_t endurance;     ///< erases of a block

    Time read(std::uint32_t page) const { return pick(page, tR0, tR1, tR2); }
    Time program(std::uint32_t page) const { return pick(page, tPROG0, tPROG1, tPROG2); }

  private:
    Time pick(std::uint32_t page, Time a, Time b, Time c) const {
        if (types == 1) return a;
        const std::uint32_t type = page % types;
        return type == 0 ? a : type == 1 ? b : c;
    }
};

/// The preset with fields replaced by 'tR0=3us tBERS=1ms'. The error completes a sentence that
/// begins with object and parameter.
NandTiming with_changes(NandTiming timing, const std::string& changes);
/// Throws ConfigError (the end of a sentence) if values are inconsistent.
void check(const NandTiming& timing);

/// The cycle times of a channel's bus (ONFI's names). A command takes t_CS and a t_WC for each
/// command and address cycle; data follow at `rate`.
struct BusTiming {
    const char* source;
    Rate rate;
    Time tCS;   ///< chip enable before the first cycle
    Time tWC;   ///< a command or address cycle
    Time tADL;  ///< last address cycle to the first byte of data in
    Time tWPS;  ///< postamble of data in
    Time tDBSY; ///< between the planes of a multi-plane command
};

} // namespace memsim::flash
