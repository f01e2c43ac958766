#pragma once

#include "ohm/memory_channel.hh"
#include "xpoint/module.hh"

namespace memsim::ohm {

/// Refuses XPoint modules that do not fit the controller in front of them; each must hold `needed`,
/// and so many bytes that it snarfs in its register.
template <class Ports>
void check_modules(const Component& controller, const ChannelParams& params, const Ports& port,
                   Bytes needed, Bytes snarfed = {0}) {
    for (unsigned i = 0; i < port.commands.size(); ++i) {
        const auto* m = dynamic_cast<const xpoint::Module*>(&port.commands[i].peer()->owner());
        if (!m) continue; // a test's
        if (m->params.capacity() < needed)
            throw ConfigError(m->path() + ".capacity: " + Text<Bytes>::show(m->params.capacity()) +
                              " is less than dram x ratio / modules of " + controller.path() +
                              ", " + Text<Bytes>::show(needed));
        if (m->params.snarf_register() < snarfed)
            throw ConfigError(m->path() +
                              ".snarf_register: " + Text<Bytes>::show(m->params.snarf_register()) +
                              " is less than the evictions of " + controller.path() + " take, " +
                              Text<Bytes>::show(snarfed));
        if (m->params.channel_latency() != params.one_way())
            throw ConfigError(m->path() +
                              ".channel_latency: " + Text<Time>::show(m->params.channel_latency()) +
                              " is not 2 x serdes + flight of " + controller.path() + ", " +
                              Text<Time>::show(params.one_way()));
        if (&port.transfers[i].peer()->owner() != m)
            throw ConfigError(controller.path() + ".transfers[" + std::to_string(i) +
                              "] must be bound to " + m->path() + ", as commands[" +
                              std::to_string(i) + "] is");
    }
}

} // namespace memsim::ohm
