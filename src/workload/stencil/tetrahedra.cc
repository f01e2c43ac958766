#include "workload/stencil/tetrahedra.hh"

#include "core/base/heed.hh"
#include "workload/simt/exact_math.hh"

#include <cmath>

namespace memsim::workload {

namespace {

using Point = std::array<float, 3>;
using Cell = std::array<u32, 3>;

Point operator-(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
float dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Point cross(const Point& a, const Point& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// A tetrahedron of a cell follows three axes, in an order of its own, from the cell's lowest
/// corner to its highest.
using Way = std::array<u32, 3>;
constexpr Way ways[] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

u32 number_of(const Way& way) { return 2 * way[0] + (way[1] > way[2]); }

struct Grid {
    u32 side;
    std::vector<Point> vertex;
    std::vector<u32> first; ///< by cell: its first element; Mesh::wing within the body

    Grid(u32 cells, u64 seed) : side(cells) {
        const auto moved =
            random_floats(seed, "vertices", u64 {3} * (side + 1) * (side + 1) * (side + 1));
        for (u32 z = 0; z <= side; ++z)
            for (u32 y = 0; y <= side; ++y)
                for (u32 x = 0; x <= side; ++x) {
                    const float* m = &moved[3 * vertex.size()];
                    vertex.push_back({static_cast<float>(x) + 0.2f * (m[0] - 0.5f),
                                      static_cast<float>(y) + 0.2f * (m[1] - 0.5f),
                                      static_cast<float>(z) + 0.2f * (m[2] - 0.5f)});
                }
        u32 next = 0;
        for (u32 z = 0; z < side; ++z)
            for (u32 y = 0; y < side; ++y)
                for (u32 x = 0; x < side; ++x) {
                    const bool body = in_middle(x) && in_middle(y) && in_middle(z);
                    first.push_back(body ? Mesh::wing : next);
                    if (!body) next += std::size(ways);
                }
        elements = next;
    }
    bool in_middle(u32 i) const { return i >= side / 2 - side / 8 && i < side / 2 + side / 8; }
    const Point& at(const Cell& c) const {
        return vertex[(c[2] * (side + 1) + c[1]) * (side + 1) + c[0]];
    }
    /// The element of a cell, or its substitute. Coordinates one below 0 or at `side` are outside.
    u32 element(const Cell& c, const Way& way) const {
        for (u32 i : c)
            if (i >= side) return Mesh::far_field;
        const u32 begin = first[(c[2] * side + c[1]) * side + c[0]];
        return begin == Mesh::wing ? begin : begin + number_of(way);
    }

    u32 elements = 0;
};

Cell step(Cell c, u32 axis, u32 by) {
    c[axis] += by;
    return c;
}

} // namespace

Mesh tetrahedra(u32 side, u64 seed, u32 block) {
    const Grid grid(side, seed);
    Mesh mesh;
    mesh.elements = (grid.elements - 1) / block * block + block;
    const u32 n = mesh.elements;
    mesh.neighbour.resize(u64 {Mesh::sides} * n);
    mesh.normal.resize(u64 {Mesh::sides * Mesh::axes} * n);
    mesh.area.resize(n);
    for (u32 z = 0; z < side; ++z)
        for (u32 y = 0; y < side; ++y) {
            heed();
            for (u32 x = 0; x < side; ++x)
                for (const Way& way : ways) {
                    const auto [a, b, c] = way;
                    const Cell here {x, y, z};
                    const u32 e = grid.element(here, way);
                    if (e == Mesh::wing) continue;
                    // A side lies opposite to a corner.
                    const u32 across[] = {
                        grid.element(step(here, a, 1), {b, c, a}), grid.element(here, {b, a, c}),
                        grid.element(here, {a, c, b}), grid.element(step(here, c, ~0u), {c, a, b})};
                    const Point corner[] = {grid.at(here), grid.at(step(here, a, 1)),
                                            grid.at(step(step(here, a, 1), b, 1)),
                                            grid.at({x + 1, y + 1, z + 1})};
                    float surface = 0;
                    for (u32 s = 0; s < Mesh::sides; ++s) {
                        const Point &p = corner[(s + 1) % 4], &q = corner[(s + 2) % 4],
                                    &r = corner[(s + 3) % 4];
                        Point normal = cross(q - p, r - p);
                        const float half = dot(normal, corner[s] - p) > 0 ? 0.5f : -0.5f;
                        for (float& component : normal) component *= half;
                        surface += std::sqrt(dot(normal, normal));
                        mesh.neighbour[e + u64 {s} * n] = across[s];
                        for (u32 i = 0; i < Mesh::axes; ++i)
                            mesh.normal[e + (s + u64 {i} * Mesh::sides) * n] = normal[i];
                    }
                    mesh.area[e] = surface * surface;
                }
        }
    const u32 last = grid.elements - 1;
    for (u32 e = grid.elements; e < n; ++e) {
        mesh.area[e] = mesh.area[last];
        for (u64 row = 0; row < Mesh::sides; ++row)
            mesh.neighbour[e + row * n] = mesh.neighbour[last + row * n];
        for (u64 row = 0; row < Mesh::sides * Mesh::axes; ++row)
            mesh.normal[e + row * n] = mesh.normal[last + row * n];
    }
    return mesh;
}

} // namespace memsim::workload
