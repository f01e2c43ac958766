#include "link/mesh_topology.hh"

#include "core/base/error.hh"

#include <algorithm>
#include <sstream>

namespace memsim::link {

MeshTopology::MeshTopology(unsigned columns, unsigned rows, unsigned endpoints,
                           const std::string& places)
    : columns_(columns), rows_(rows) {
    const std::uint32_t routers = columns * rows;
    std::istringstream text(places);
    std::vector<std::uint32_t> at_router(routers, 0);
    for (unsigned e = 0; e < endpoints; ++e) {
        std::uint32_t r = e % routers;
        if (!places.empty() && !(text >> r))
            throw ConfigError("endpoint " + std::to_string(e) + " of " + std::to_string(endpoints) +
                              " has no router");
        if (r >= routers)
            throw ConfigError("there is no router " + std::to_string(r) + ": the mesh has " +
                              std::to_string(routers));
        router_.push_back(r);
        side_.push_back(local + at_router[r]++);
    }
    std::string more;
    if (!places.empty() && text >> more)
        throw ConfigError("it names more routers than there are endpoints, " +
                          std::to_string(endpoints));
    ports_ = local + *std::max_element(at_router.begin(), at_router.end());
}

std::uint32_t MeshTopology::route(std::uint32_t router, std::uint32_t endpoint) const {
    const std::uint32_t c = columns_, to = router_[endpoint];
    const std::uint32_t side = router % c < to % c   ? east
                               : router % c > to % c ? west
                               : router < to         ? south
                               : router > to         ? north
                                                     : side_[endpoint];
    return router * ports_ + side;
}

std::uint32_t MeshTopology::ahead(std::uint32_t output) const {
    const std::uint32_t router = output / ports_;
    switch (output % ports_) {
    case east:
        return (router + 1) * ports_ + west;
    case west:
        return (router - 1) * ports_ + east;
    case south:
        return (router + columns_) * ports_ + north;
    default:
        return (router - columns_) * ports_ + south;
    }
}

unsigned MeshTopology::distance(unsigned from, unsigned to) const {
    const unsigned c = columns_, a = router_[from], b = router_[to];
    const auto apart = [](unsigned x, unsigned y) { return x > y ? x - y : y - x; };
    return apart(a % c, b % c) + apart(a / c, b / c);
}

} // namespace memsim::link
