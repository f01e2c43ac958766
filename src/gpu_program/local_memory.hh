#pragma once

#include "gpu_program/warp_stream.hh"

#include <algorithm>

/// The layout of local memory. The 4-byte words of all lanes of a warp are contiguous, so lanes
/// that access one variable access one row (CUDA C++ Programming Guide, "Local Memory": consecutive
/// 32-bit words are accessed by consecutive thread IDs). An access of 8 or 16 bytes per lane
/// touches two or four rows. The same row of all warps is contiguous, with the same warp slot of
/// successive SMs side by side (Accel-Sim's order, which packs the used rows densely).
namespace memsim::gpu_program {

inline constexpr u64 local_row_bytes = 4 * warp_lanes;

/// Calls f(op) for each row that an access to local memory touches, with addresses instead of
/// offsets. `warp`: address of the warp's first row; `distance`: from a row to its next one. All
/// other accesses are passed unchanged. `op` is scratch space afterwards.
template <class F>
void for_each_row(WarpOp& op, u64 warp, u64 distance, F&& f) {
    if (!op.local) return f(op);
    const unsigned rows = std::max(1, op.width / 4);
    op.width = std::min<u8>(op.width, 4);
    for (u32 lane = 0; lane < warp_lanes; ++lane) {
        const u64 offset = op.address[lane];
        op.address[lane] = warp + offset / 4 * distance + u64 {lane} * 4 + offset % 4;
    }
    for (unsigned row = 0; row < rows; ++row) {
        f(op);
        for (u64& address : op.address) address += distance;
    }
}

} // namespace memsim::gpu_program
