#include "zng/mesh.hh"

#include "core/registry.hh"

namespace memsim::zng {

static const Registration<Mesh> mesh {
    "A mesh of routers with virtual channels and credits between flash controllers and packages."};

void Mesh::functional(const PortBase&, FunctionalAccess& access) {
    const auto& a = static_cast<FlashPacketAccess&>(access);
    look_through(port.output[a.packet.destination], access);
}

} // namespace memsim::zng
