#include "mem/dram/device/command_log.hh"

namespace memsim::mem {

const DebugFlag dram_commands_flag {
    "DramCommands", "Commands of controllers to their DRAM: ACT, RD, WR, PRE, REF, with bank "
                    "and row (memsim trace commands makes a command trace of it)"};

namespace {

const char* name_of(const DramIssued& c) {
    switch (c.command) {
    case DramCommand::activate:
        return "ACT";
    case DramCommand::read:
        return c.close ? "RDA" : "RD";
    case DramCommand::write:
        return c.close ? "WRA" : "WR";
    case DramCommand::precharge:
        return "PRE";
    case DramCommand::precharge_all:
        return "PREA";
    case DramCommand::refresh:
        return "REF";
    case DramCommand::refresh_bank:
        return "REFB";
    case DramCommand::activate_2:
        break;
    }
    return "ACT2";
}

bool has_row(DramCommand c) {
    return c == DramCommand::activate || c == DramCommand::activate_2 || c == DramCommand::read ||
           c == DramCommand::write;
}

} // namespace

void tell_commands(const Component& of, const DramTiming& timing,
                   const std::vector<DramIssued>& issued) {
    for (const DramIssued& c : issued)
        of.sim().debug(dram_commands_flag, of.path(),
                       join(name_of(c), " rank ", c.bank / timing.banks(), " bank ",
                            c.bank % timing.banks(), has_row(c.command) ? join(" row ", c.row) : "",
                            " at ", nanoseconds(c.at)));
}

} // namespace memsim::mem
