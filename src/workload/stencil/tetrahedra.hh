#pragma once

#include "workload/device_memory.hh"

namespace memsim::workload {

/// An unstructured mesh around a body, as finite-volume programs read one: elements with four
/// sides. Arrays hold side 0 of all elements, then side 1, ...; normals x of all sides, then y, z.
struct Mesh {
    static constexpr u32 sides = 4, axes = 3;
    static constexpr u32 wing = ~0u, far_field = ~0u - 1; ///< what is no neighbour

    u32 elements = 0;
    std::vector<u32> neighbour;
    std::vector<float> normal; ///< inwards, as long as the side is large
    std::vector<float> area;   ///< the square of each element's surface
};

/// A cube of side^3 cells, each cut into six tetrahedra around a diagonal; vertices are moved from
/// their places by the seed. The cells in the middle, a quarter of the side along each axis, are
/// the body. Elements are numbered cell by cell [A]: the authors of the program number theirs by
/// bins in space. Padded to a multiple of `block` with copies of the last element.
Mesh tetrahedra(u32 side, u64 seed, u32 block);

} // namespace memsim::workload
