#pragma once

#include "program/warp_stream.hh"

namespace memsim::gpu {

/// Where a warp stands: its stream, and which of its last 64 results are on their way, the latest
/// one's bit at `latest`, that of the i-th last i further.
struct WarpPosition {
    const std::vector<std::uint8_t>& stream;
    std::uint64_t position = 0;
    std::uint64_t outstanding = 0;
    std::uint8_t latest = 0;
};

/// Calls f(op) for each of the next `most` memory operations of a warp, up to the first operation
/// that needs a result that is not there: one on its way, or one of an operation that has not
/// issued. What arithmetic in between computes counts as known, and barriers are passed, as neither
/// changes an address. `op` is scratch space.
template <class F>
void for_each_upcoming(WarpPosition warp, unsigned most, program::WarpOp& op, F&& f) {
    program::WarpStreamReader reader(warp.stream, warp.position);
    const std::uint64_t missing = std::rotr(warp.outstanding, warp.latest);
    for (unsigned results = 0; most && reader.next(op);) {
        const std::uint64_t own = results < 64 ? (std::uint64_t {1} << results) - 1 : ~0ull;
        const std::uint64_t before = results < 64 ? op.waits >> results : 0;
        if ((op.waits & own) || (before & missing)) return;
        results += op.has_result;
        if (!program::touches_memory(op.kind)) continue;
        f(op);
        --most;
    }
}

} // namespace memsim::gpu
