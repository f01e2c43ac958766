#include "workload/graph/input/uniform.hh"

#include "core/base/error.hh"
#include "core/base/heed.hh"
#include "core/base/rng.hh"

namespace memsim::workload {

Csr uniform_graph(const UniformOptions& options) {
    if (options.scale < 1 || options.scale > 28)
        throw ConfigError("a uniform graph of scale " + std::to_string(options.scale) +
                          ", where 1 to 28 is right (2^scale vertices)");
    constexpr std::uint32_t most = 5;
    const std::uint32_t vertices = 1u << options.scale;
    Rng random(options.seed, "uniform");
    std::vector<Arc> arcs;
    arcs.reserve(std::size_t {vertices} * 6);
    for (std::uint32_t v = 0; v < vertices; ++v) {
        if (v % 65536 == 0) heed();
        const auto edges = 1 + static_cast<std::uint32_t>(random.below(most));
        for (std::uint32_t e = 0; e < edges; ++e) {
            const auto to = static_cast<std::uint32_t>(random.below(vertices));
            arcs.emplace_back(v, to);
            arcs.emplace_back(to, v);
        }
    }
    return rows_of(vertices, arcs);
}

} // namespace memsim::workload
