#pragma once

#include "workload/device_memory.hh"

namespace memsim::workload {

/// An unstructured mesh around a body, as read by finite-volume programs: elements with four sides.
/// Arrays hold side 0 of all elements, then side 1, and so on; for normals, x of all sides, then y,
/// then z.
struct Mesh {
    static constexpr u32 sides = 4, axes = 3;
    static constexpr u32 wing = ~0u, far_field = ~0u - 1; ///< substitutes for a neighbour

    u32 elements = 0;
    std::vector<u32> neighbour;
    std::vector<float> normal; ///< inward, with the area of the side as length
    std::vector<float> area;   ///< squared surface of each element
};

/// A cube of side^3 cells, each cut into six tetrahedra around a diagonal; the seed displaces the
/// vertices. The central cells, a quarter of the side along each axis, are the body. Elements are
/// numbered cell by cell [A]; the authors of the program number theirs by spatial bins. The mesh is
/// padded to a multiple of `block` with copies of the last element.
Mesh tetrahedra(u32 side, u64 seed, u32 block);

} // namespace memsim::workload
