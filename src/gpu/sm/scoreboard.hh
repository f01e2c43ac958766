#pragma once

#include "core/base/error.hh"
#include "program/warp_stream.hh"

namespace memsim::gpu {

/// The last 64 results of a warp: which of them are on their way, and which of those its next
/// operation waits for. Results have a place each in a ring: the latest one's is `latest`, that of
/// the i-th last i further. A value for State.
struct Scoreboard {
    static constexpr std::uint32_t places = 64;

    std::uint8_t latest = 0;
    std::array<std::uint8_t, places> answers {}; ///< to come, for each result
    std::uint64_t outstanding = 0;               ///< results with answers to come
    std::uint64_t needs = 0; ///< of them, those that the next operation waits for

    void clear() { outstanding = needs = 0; }
    /// An operation issues whose result so many answers will make; the place of the result.
    std::uint32_t begin(std::uint32_t n) {
        latest = (latest - 1u) % places;
        answers[latest] = static_cast<std::uint8_t>(n);
        outstanding |= bit(latest);
        return latest;
    }
    /// One of the answers that make a result has come; true if it was the last.
    bool answered(std::uint32_t place) {
        MEMSIM_ASSERT(answers[place], "an answer that no warp expects");
        if (--answers[place]) return false;
        outstanding &= ~bit(place);
        return true;
    }
    /// Whether the next operation has to wait: for what it needs, or for the place of its result.
    bool holds(const program::WarpOpHead& next) {
        needs = std::rotl(next.waits, latest);
        if (next.has_result) needs |= bit((latest - 1u) % places);
        needs &= outstanding;
        return needs != 0;
    }
    /// A result has come; true if the next operation has waited for it, and for nothing else.
    bool releases(std::uint32_t place) { return needs && !(needs &= ~bit(place)); }

  private:
    static constexpr std::uint64_t bit(std::uint32_t i) { return std::uint64_t {1} << i; }
};

} // namespace memsim::gpu
