#pragma once

#include "core/machine/functional.hh"
#include "link/mesh.hh"
#include "zng/network/flash_network.hh"

namespace memsim::zng {

/// Implemented by a network with one output per endpoint number.
class HasEndpoints {
  public:
    static constexpr bool constant = true;
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

/// The reason why packets for this endpoint do not arrive at this port, if a mesh drives it;
/// otherwise empty.
std::string wrong_endpoint(const PortBase& input, unsigned endpoint);

} // namespace memsim::zng
