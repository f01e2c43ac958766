#pragma once

#include "workload/application.hh"

namespace memsim::workload {

/// C = alpha A B + beta C after PolyBench's GEMM (Grauer-Gray et al., InPar'12): one thread per
/// element, no shared memory. A has `rows` x `depth` elements, C `rows` x `columns`.
struct MatrixProduct {
    u32 rows = 0, columns = 0, depth = 0;
    float alpha = 1, beta = 0;
    Array<float> a, b, c;

    void multiply(Warp& w) const;
    std::array<u32, 3> grid() const { return {(columns - 1) / 32 + 1, (rows - 1) / 8 + 1, 1}; }
    static constexpr std::array<u32, 3> block {32, 8, 1};
    /// The same by plain loops.
    std::vector<float> plain(std::vector<float> from) const;
};

} // namespace memsim::workload
