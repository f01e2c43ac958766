#pragma once

#include "core/base/bits.hh"
#include "gpu_program/warp_stream.hh"

#include <algorithm>

namespace memsim::gpu {

/// The position of a warp in its stream, and a mask of its last 64 results that are outstanding:
/// the latest one at bit `latest`, the i-th last one i bits higher.
struct WarpPosition {
    const std::vector<std::uint8_t>& stream;
    std::uint64_t position = 0;
    std::uint64_t outstanding = 0;
    std::uint8_t latest = 0;
};

/// Calls f(op) for each of the next `most` memory operations of a warp, up to the first one that
/// needs an unavailable result: an outstanding one, or one of an operation that has not issued.
/// Results of arithmetic in between count as known, and barriers are ignored, because neither
/// changes an address. `op` is scratch space.
template <class F>
void for_each_upcoming(WarpPosition warp, unsigned most, gpu_program::WarpOp& op, F&& f) {
    gpu_program::WarpStreamReader reader(warp.stream, warp.position);
    const std::uint64_t missing = std::rotr(warp.outstanding, warp.latest);
    for (unsigned results = 0; most && reader.next(op);) {
        const std::uint64_t own = low_bits(std::min(results, 64u));
        const std::uint64_t before = results < 64 ? op.waits >> results : 0;
        if ((op.waits & own) || (before & missing)) return;
        results += op.has_result;
        if (!gpu_program::touches_memory(op.kind)) continue;
        f(op);
        --most;
    }
}

} // namespace memsim::gpu
