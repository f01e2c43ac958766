#pragma once

#include "core/functional.hh"
#include "link/mesh.hh"
#include "protocol/flash_network.hh"

namespace memsim::zng {

/// The flash network: packets between flash controllers and the I/O ports of packages.
class Mesh final : public link::Mesh<Mesh, protocol::FlashPacket>, public Functional {
  public:
    using link::Mesh<Mesh, protocol::FlashPacket>::Mesh;
    void functional(const PortBase& at, FunctionalAccess& access) override;
};

} // namespace memsim::zng
