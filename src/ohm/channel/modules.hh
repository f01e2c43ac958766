#pragma once

#include "ohm/channel/memory_channel.hh"
#include "xpoint/figures.hh"

#include <optional>

namespace memsim::ohm {

/// The properties of the module bound to a port, or none if it does not report any (as in tests).
inline std::optional<xpoint::Figures> figures_behind(const PortBase& port) {
    const auto* module = port.find_interface<const xpoint::HasFigures>();
    return module ? std::optional(module->figures()) : std::nullopt;
}

/// Throws ConfigError if an XPoint module does not fit its controller. Each must have a capacity of
/// `needed` and the given size of snarf register.
template <class Ports>
void check_modules(const Component& controller, const ChannelParams& params, const Ports& port,
                   Bytes needed, Bytes snarfed = {0}) {
    for (unsigned i = 0; i < port.commands.size(); ++i) {
        const std::string& module = port.commands[i].neighbour_path();
        const auto f = figures_behind(port.commands[i]);
        if (!f) continue;
        if (f->media.capacity() < needed)
            throw ConfigError(module + ".capacity: " + Text<Bytes>::show(f->media.capacity()) +
                              " is less than dram x ratio / modules of " + controller.path() +
                              ", " + Text<Bytes>::show(needed));
        if (f->snarf_register < snarfed)
            throw ConfigError(module + ".snarf_register: " + Text<Bytes>::show(f->snarf_register) +
                              " is less than the evictions of " + controller.path() + " need, " +
                              Text<Bytes>::show(snarfed));
        if (f->device.channel_latency() != params.one_way())
            throw ConfigError(module +
                              ".channel_latency: " + Text<Time>::show(f->device.channel_latency()) +
                              " differs from 2 x serdes + flight of " + controller.path() + ", " +
                              Text<Time>::show(params.one_way()));
        if (!port.transfers[i].same_neighbour(port.commands[i]))
            throw ConfigError(controller.path() + ".transfers[" + std::to_string(i) +
                              "] must be bound to " + module + ", as commands[" +
                              std::to_string(i) + "] is");
    }
}

/// Throws ConfigError if a module cannot perform all swaps of the controller, or if its memory
/// route is bound to another controller.
template <class Commands, class Sequences>
void check_sequences(const Component& controller, const Commands& commands,
                     const Sequences& sequences, unsigned swaps) {
    for (unsigned i = 0; i < sequences.size(); ++i) {
        const std::string& module = commands[i].neighbour_path();
        const auto f = figures_behind(commands[i]);
        if (!f) continue;
        if (f->swaps < swaps)
            throw ConfigError(module + ".swaps: " + std::to_string(f->swaps) +
                              " is less than swaps of " + controller.path() + ", " +
                              std::to_string(swaps) +
                              ": all of them may concern pages of this module");
        if (!sequences[i].same_neighbour(commands[i]))
            throw ConfigError(controller.path() + ".sequences[" + std::to_string(i) +
                              "] must be bound to " + module + ", as commands[" +
                              std::to_string(i) + "] is");
    }
}

} // namespace memsim::ohm
