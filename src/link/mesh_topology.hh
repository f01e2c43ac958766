#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace memsim::link {

/// The positions of routers and endpoints in a mesh, and the X-Y route between them. A router has
/// an output and an input for each of its four neighbours, then one for each of its endpoints.
class MeshTopology {
  public:
    /// Ports of a router; those of its endpoints follow.
    enum Side : std::uint32_t { east, west, south, north, local };

    MeshTopology() = default;
    /// `places`: the router of each endpoint, as '0 0 7'; empty: assigned in turn. Throws
    /// ConfigError with the end of a sentence about `places`.
    MeshTopology(unsigned columns, unsigned rows, unsigned endpoints, const std::string& places);

    std::uint32_t endpoints() const { return static_cast<std::uint32_t>(router_.size()); }
    std::uint32_t ports() const { return ports_; } ///< of a router: the maximum needed
    std::uint32_t all_ports() const { return columns_ * rows_ * ports_; }
    /// The port, numbered over all routers, to which an endpoint is connected.
    std::uint32_t port_of(std::uint32_t endpoint) const {
        return router_[endpoint] * ports_ + side_[endpoint];
    }
    bool to_endpoint(std::uint32_t output) const { return output % ports_ >= local; }
    /// The output through which a packet for an endpoint leaves a router.
    std::uint32_t route(std::uint32_t router, std::uint32_t endpoint) const;
    /// The input to which an output between routers is connected.
    std::uint32_t ahead(std::uint32_t output) const;
    /// Number of links between routers from one endpoint to another.
    unsigned distance(unsigned from, unsigned to) const;

  private:
    std::uint32_t columns_ = 0, rows_ = 0, ports_ = 0;
    std::vector<std::uint32_t> router_; ///< of an endpoint
    std::vector<std::uint32_t> side_;   ///< its port there
};

} // namespace memsim::link
