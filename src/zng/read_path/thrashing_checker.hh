#pragma once

#include <cstdint>

namespace memsim::zng {

/// Watches the registers' misses over windows of writes (ZnG III-C): above `high` of a window they
/// thrash, and stay so until a window has no more than `low`. A plain value for State.
struct ThrashingChecker {
    std::uint32_t writes = 0, misses = 0; ///< of this window
    bool thrashing = false;

    /// One write; true if what it thinks has changed. high and low count in misses of a window.
    bool note(bool hit, std::uint32_t window, std::uint32_t high, std::uint32_t low) {
        misses += !hit;
        if (++writes < window) return false;
        const bool before = thrashing;
        thrashing = thrashing ? misses > low : misses > high;
        writes = misses = 0;
        return thrashing != before;
    }
};

} // namespace memsim::zng
