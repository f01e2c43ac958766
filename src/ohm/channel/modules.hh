#pragma once

#include "ohm/channel/memory_channel.hh"
#include "ohm/channel/xpoint_module.hh"
#include "xpoint/module.hh"

namespace memsim::ohm {

/// The two kinds of XPoint modules, as far as a controller has to know them.
struct ModuleFigures {
    const xpoint::MediaParams* media = nullptr; ///< none: it is a test's
    const xpoint::DeviceParams* device = nullptr;
    Bytes snarf_register {0};
    unsigned swaps = 0;
};
inline ModuleFigures figures_of(const Component& module) {
    if (const auto* m = dynamic_cast<const XpointModule*>(&module))
        return {&m->params.media, &m->params.device, m->params.snarf_register(), m->params.swaps()};
    if (const auto* m = dynamic_cast<const xpoint::Module*>(&module))
        return {&m->params.media, &m->params.device, {0}, 0};
    return {};
}

/// Refuses XPoint modules that do not fit the controller in front of them; each must hold `needed`,
/// and so many bytes that it snarfs in its register.
template <class Ports>
void check_modules(const Component& controller, const ChannelParams& params, const Ports& port,
                   Bytes needed, Bytes snarfed = {0}) {
    for (unsigned i = 0; i < port.commands.size(); ++i) {
        const Component& m = port.commands[i].peer()->owner();
        const ModuleFigures f = figures_of(m);
        if (!f.media) continue;
        if (f.media->capacity() < needed)
            throw ConfigError(m.path() + ".capacity: " + Text<Bytes>::show(f.media->capacity()) +
                              " is less than dram x ratio / modules of " + controller.path() +
                              ", " + Text<Bytes>::show(needed));
        if (f.snarf_register < snarfed)
            throw ConfigError(m.path() + ".snarf_register: " + Text<Bytes>::show(f.snarf_register) +
                              " is less than the evictions of " + controller.path() + " take, " +
                              Text<Bytes>::show(snarfed));
        if (f.device->channel_latency() != params.one_way())
            throw ConfigError(m.path() +
                              ".channel_latency: " + Text<Time>::show(f.device->channel_latency()) +
                              " is not 2 x serdes + flight of " + controller.path() + ", " +
                              Text<Time>::show(params.one_way()));
        if (&port.transfers[i].peer()->owner() != &m)
            throw ConfigError(controller.path() + ".transfers[" + std::to_string(i) +
                              "] must be bound to " + m.path() + ", as commands[" +
                              std::to_string(i) + "] is");
    }
}

/// Refuses modules that cannot make all swaps of the controller, or whose memory route is bound
/// elsewhere.
template <class Commands, class Sequences>
void check_sequences(const Component& controller, const Commands& commands,
                     const Sequences& sequences, unsigned swaps) {
    for (unsigned i = 0; i < sequences.size(); ++i) {
        const Component& m = commands[i].peer()->owner();
        const ModuleFigures f = figures_of(m);
        if (!f.media) continue; // a test's
        if (f.swaps < swaps)
            throw ConfigError(m.path() + ".swaps: " + std::to_string(f.swaps) +
                              " is less than swaps of " + controller.path() + ", " +
                              std::to_string(swaps) +
                              ": all of them may be of this module's pages");
        if (&sequences[i].peer()->owner() != &m)
            throw ConfigError(controller.path() + ".sequences[" + std::to_string(i) +
                              "] must be bound to " + m.path() + ", as commands[" +
                              std::to_string(i) + "] is");
    }
}

} // namespace memsim::ohm
