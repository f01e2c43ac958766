#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace memsim::link {

/// Where routers and endpoints of a mesh are, and the way between them: X first, then Y. A router
/// has an output and an input for each of its four neighbours, then one for each of its endpoints.
class MeshTopology {
  public:
    /// Ports of a router; those of its endpoints follow.
    enum Side : std::uint32_t { east, west, south, north, local };

    MeshTopology() = default;
    /// `places`: the router of each endpoint, as '0 0 7'; empty: one after another, round and
    /// round. Throws ConfigError: the end of a sentence about `places`.
    MeshTopology(unsigned columns, unsigned rows, unsigned endpoints, const std::string& places);

    std::uint32_t endpoints() const { return static_cast<std::uint32_t>(router_.size()); }
    std::uint32_t ports() const { return ports_; } ///< of a router: the most that one needs
    std::uint32_t all_ports() const { return columns_ * rows_ * ports_; }
    /// The port, of all routers', by which an endpoint hangs at its router.
    std::uint32_t port_of(std::uint32_t endpoint) const {
        return router_[endpoint] * ports_ + side_[endpoint];
    }
    bool to_endpoint(std::uint32_t output) const { return output % ports_ >= local; }
    /// The output of a router by which a packet for an endpoint leaves it.
    std::uint32_t route(std::uint32_t router, std::uint32_t endpoint) const;
    /// The input that an output between routers leads to.
    std::uint32_t ahead(std::uint32_t output) const;
    /// Links between routers on the way from an endpoint to another.
    unsigned distance(unsigned from, unsigned to) const;

  private:
    std::uint32_t columns_ = 0, rows_ = 0, ports_ = 0;
    std::vector<std::uint32_t> router_; ///< of an endpoint
    std::vector<std::uint32_t> side_;   ///< its port there
};

} // namespace memsim::link
