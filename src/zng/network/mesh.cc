#include "zng/network/mesh.hh"

#include "core/kernel/registry.hh"

namespace memsim::zng {

static const Registration<Mesh> mesh {
    "A mesh of routers with virtual channels and credits between flash controllers and packages."};

void Mesh::functional(const PortBase&, FunctionalAccess& access) {
    const auto& a = static_cast<FlashPacketAccess&>(access);
    look_through(port.output[a.packet.destination], access);
}

std::string wrong_endpoint(const PortBase& input, unsigned endpoint) {
    const PortBase& output = *input.peer();
    const auto* mesh = input.find_interface<const HasEndpoints>();
    const std::string& path = input.neighbour_path();
    const std::string wanted = "output[" + std::to_string(endpoint) + "]";
    if (!mesh || output.name() == wanted) return {};
    const std::string there = endpoint < mesh->endpoints()
                                  ? " leads to " + mesh->output(endpoint).neighbour_path()
                                  : " does not exist";
    return path + "." + wanted + there + ", and " + path + "." + output.name() + " to this " +
           input.name() + ": an endpoint must have the number of its output";
}

} // namespace memsim::zng
