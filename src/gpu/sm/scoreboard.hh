#pragma once

#include "core/base/error.hh"
#include "core/base/units.hh"
#include "gpu_program/warp_stream.hh"

namespace memsim::gpu {

/// The last 64 results of a warp: which are outstanding, and which of those its next operation
/// waits for. Results form a ring: the latest one is at `latest`, the i-th last one i places
/// further. A value for State.
struct Scoreboard {
    static constexpr std::uint32_t places = 64;

    std::uint8_t latest = 0;
    std::array<std::uint8_t, places> answers {}; ///< outstanding responses of each result
    std::uint64_t outstanding = 0;               ///< results with outstanding responses
    std::uint64_t needs = 0;  ///< outstanding results that the next operation waits for
    std::uint64_t copies = 0; ///< results that are data in shared memory
    Tick waits_since = 0;     ///< when the next operation began to wait

    void clear() { outstanding = needs = copies = 0; }
    /// Issues an operation whose result consists of `n` responses. Returns the place of the result.
    std::uint32_t begin(std::uint32_t n, bool copy = false) {
        latest = (latest - 1u) % places;
        answers[latest] = static_cast<std::uint8_t>(n);
        outstanding |= bit(latest);
        copies = copy ? copies | bit(latest) : copies & ~bit(latest);
        return latest;
    }
    /// A response of a result has arrived. Returns true if it was the last.
    bool answered(std::uint32_t place) {
        MEMSIM_ASSERT(answers[place], "a response that no warp expects");
        if (--answers[place]) return false;
        outstanding &= ~bit(place);
        return true;
    }
    /// Whether the next operation must wait, for results that it needs or for the place of its own
    /// result.
    bool holds(const gpu_program::WarpOpHead& next) {
        needs = std::rotl(next.waits, latest);
        if (next.has_result) needs |= bit((latest - 1u) % places);
        needs &= outstanding;
        return needs != 0;
    }
    /// A result is complete. Returns true if the next operation waited only for it. Adds the time
    /// of its wait for copies to shared memory to `copy_waits` when the last of them is complete.
    bool releases(std::uint32_t place, Tick now, std::uint64_t& copy_waits) {
        const bool copy = (needs & copies) != 0;
        const bool last = needs && !(needs &= ~bit(place));
        if (copy && !(needs & copies)) copy_waits += static_cast<std::uint64_t>(now - waits_since);
        return last;
    }

  private:
    static constexpr std::uint64_t bit(std::uint32_t i) { return std::uint64_t {1} << i; }
};

} // namespace memsim::gpu
