#include "workload/graph/grid.hh"

#include "core/error.hh"
#include "core/heed.hh"
#include "core/rng.hh"

namespace memsim::workload {

Csr grid_graph(const GridOptions& options) {
    if (options.scale < 1 || options.scale > 28)
        throw ConfigError("a grid of scale " + std::to_string(options.scale) +
                          ", where 1 to 28 is right (2^scale vertices)");
    const std::uint32_t width = 1u << options.scale / 2;
    const std::uint32_t height = 1u << (options.scale - options.scale / 2);
    Rng random(options.seed, "grid");
    std::vector<Arc> arcs;
    const auto street = [&](std::uint32_t from, std::uint32_t to) {
        arcs.emplace_back(from, to);
        arcs.emplace_back(to, from);
    };
    for (std::uint32_t y = 0; y < height; ++y) {
        heed();
        for (std::uint32_t x = 0; x < width; ++x) {
            const std::uint32_t here = y * width + x;
            const std::uint64_t drawn = random.next();
            if (x + 1 < width && (drawn & 7) != 0) street(here, here + 1);
            if (y + 1 < height && (drawn >> 3 & 7) != 0) street(here, here + width);
            if (x + 1 < width && y + 1 < height && (drawn >> 6 & 15) == 0)
                street(here, here + width + 1);
        }
    }
    return rows_of(width * height, arcs);
}

} // namespace memsim::workload
