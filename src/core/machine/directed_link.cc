#include "core/machine/directed_link.hh"

#include "core/machine/machine.hh"

namespace memsim {

std::vector<DirectedLink> directed_links(const Machine& machine) {
    std::vector<DirectedLink> all;
    for (const Component* c : machine.components())
        for (const auto& [name, port] : c->ports())
            for (const LinkBase* link : port->outgoing())
                all.push_back(
                    {c->path(), name, link->receiver()->path(), port->peer()->name(), link});
    return all;
}

} // namespace memsim
