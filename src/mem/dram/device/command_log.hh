#pragma once

#include "core/kernel/component.hh"
#include "mem/dram/device/device.hh"

namespace memsim::mem {

extern const DebugFlag dram_commands_flag;

/// A line of the debug flag for each command, by the names of data sheets. Banks count within their
/// rank. A command has a time of its own: an order that plans ahead issues it before, and the
/// refreshes of a rank that nobody used are caught up with later.
void tell_commands(const Component& of, const DramTiming& timing,
                   const std::vector<DramIssued>& issued);

/// Calls work(), which may issue commands to the device, and tells them if the debug flag is on.
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
