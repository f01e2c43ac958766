#include "zng/mesh.hh"

#include "core/registry.hh"

namespace memsim::zng {

static const Registration<Mesh> registered {
    "A mesh of routers with virtual channels and credits between flash controllers and packages."};

} // namespace memsim::zng
