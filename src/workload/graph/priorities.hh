#pragma once

#include "core/base/rng.hh"

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace memsim::workload {

/// A random permutation 1 to n of the vertices, which decides between neighbours.
inline std::vector<std::uint32_t> priorities(std::uint64_t seed, std::uint32_t vertices) {
    Rng random(seed, "priorities");
    std::vector<std::uint32_t> all(vertices);
    std::iota(all.begin(), all.end(), 1u);
    for (std::uint32_t left = vertices; left > 1; --left)
        std::swap(all[left - 1], all[random.below(left)]);
    return all;
}

} // namespace memsim::workload
