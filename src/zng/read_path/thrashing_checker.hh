#pragma once

#include <cstdint>

namespace memsim::zng {

/// Detects thrashing registers from their misses in windows of writes (ZnG III-C). Thrashing begins
/// when a window has more than `high` misses and ends when one has at most `low`. A plain value for
/// State.
struct ThrashingChecker {
    std::uint32_t writes = 0, misses = 0; ///< of the current window
    bool thrashing = false;

    /// Counts one write. Returns true if `thrashing` changed. `high` and `low` are misses per
    /// window.
    bool count_write(bool hit, std::uint32_t window, std::uint32_t high, std::uint32_t low) {
        misses += !hit;
        if (++writes < window) return false;
        const bool before = thrashing;
        thrashing = thrashing ? misses > low : misses > high;
        writes = misses = 0;
        return thrashing != before;
    }
};

} // namespace memsim::zng
