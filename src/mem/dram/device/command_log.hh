#pragma once

#include "core/kernel/component.hh"
#include "mem/dram/device/device.hh"

namespace memsim::mem {

extern const DebugFlag dram_commands_flag;

/// Prints a debug line for each command, with the names of data sheets. Banks are numbered within
/// their rank. Each command carries its own time: an order that plans ahead issues commands early,
/// and refreshes of an unused rank are added later.
void tell_commands(const Component& of, const DramTiming& timing,
                   const std::vector<DramIssued>& issued);

/// Calls work(), which may issue commands to the device, and prints them if the debug flag is on.
template <class F>
void tell_commands(const Component& of, DramDevice& device, F&& work) {
    if (!of.sim().debugs(dram_commands_flag)) [[likely]]
        return work();
    std::vector<DramIssued> issued;
    device.log_to(&issued);
    work();
    device.log_to(nullptr);
    tell_commands(of, device.timing(), issued);
}

} // namespace memsim::mem
