#include "workload/graph/input/grid.hh"

#include "core/base/error.hh"
#include "core/base/heed.hh"
#include "core/base/rng.hh"

namespace memsim::workload {

namespace {

struct Sides {
    std::uint32_t width, height;

    explicit Sides(std::uint32_t scale)
        : width(1u << scale / 2), height(1u << (scale - scale / 2)) {
        if (scale < 1 || scale > 28)
            throw ConfigError("a grid of scale " + std::to_string(scale) +
                              ", where 1 to 28 is right (2^scale vertices)");
    }
};

} // namespace

Csr grid_graph(const GridOptions& options) {
    const auto [width, height] = Sides(options.scale);
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

Csr mesh_graph(std::uint32_t scale) {
    const auto [width, height] = Sides(scale);
    Csr graph {width * height, {0}, {}};
    graph.row.reserve(std::size_t {graph.vertices} + 1);
    graph.col.reserve(std::size_t {graph.vertices} * 4);
    for (std::uint32_t y = 0; y < height; ++y) {
        heed();
        for (std::uint32_t x = 0; x < width; ++x) {
            const std::uint32_t here = y * width + x;
            if (y > 0) graph.col.push_back(here - width);
            if (x > 0) graph.col.push_back(here - 1);
            if (x + 1 < width) graph.col.push_back(here + 1);
            if (y + 1 < height) graph.col.push_back(here + width);
            graph.row.push_back(static_cast<std::uint32_t>(graph.col.size()));
        }
    }
    return graph;
}

} // namespace memsim::workload
