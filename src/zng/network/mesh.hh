#pragma once

#include "core/machine/functional.hh"
#include "link/mesh.hh"
#include "zng/network/flash_network.hh"

namespace memsim::zng {

/// Implemented by a network whose outputs are numbered by endpoint.
class HasEndpoints {
  public:
    virtual ~HasEndpoints() = default;
    virtual unsigned endpoints() const = 0;
    virtual const PortBase& output(unsigned endpoint) const = 0;
};

/// The flash network: packets between flash controllers and the I/O ports of packages.
class Mesh final : public link::Mesh<Mesh, FlashPacket>, public Functional, public HasEndpoints {
  public:
    using link::Mesh<Mesh, FlashPacket>::Mesh;
    void functional(const PortBase& at, FunctionalAccess& access) override;
    unsigned endpoints() const override { return port.output.size(); }
    const PortBase& output(unsigned endpoint) const override { return port.output[endpoint]; }
};

/// Why packets for this endpoint do not come to this port, if a mesh is behind it; empty if they
/// do.
std::string wrong_endpoint(const PortBase& input, unsigned endpoint);

} // namespace memsim::zng
