#pragma once

#include "core/kernel/component.hh"
#include "core/state/hash_map.hh"

#include <algorithm>

namespace memsim::xpoint {

struct WearStats {
    using group = void;
    Counter media_writes {Unit::count, "Lines written to the media, gap moves included"};
    Level lines_written {Unit::count, "Physical lines written so far (peak: how many)"};
    Level most_writes {Unit::count, "Writes to the physical line written most (peak)"};
    Level wear_squares {Unit::count, "Sum over physical lines of their writes squared (peak)"};
    Level hottest {Unit::count,
                   "Writes drained to the logical line written most: what one place would bear "
                   "without Start-Gap (peak)"};
};

/// How often the lines of a media were written: the physical ones, and the logical ones that were
/// drained to them. A value for State.
struct Wear {
    HashMap<std::uint32_t> writes; ///< to each physical line
    std::uint32_t most = 0;
    std::uint64_t squares = 0;
    HashMap<std::uint32_t> drained; ///< to each logical line
    std::uint32_t hottest = 0;

    void write(std::uint64_t physical, WearStats& stats, Tick now) {
        ++stats.media_writes;
        const std::uint32_t n = ++writes[physical];
        squares += 2 * std::uint64_t {n} - 1;
        stats.wear_squares.set(now, squares);
        most = std::max(most, n);
        stats.most_writes.set(now, most);
        stats.lines_written.set(now, writes.size());
    }
    void drain(std::uint64_t logical, WearStats& stats, Tick now) {
        hottest = std::max(hottest, ++drained[logical]);
        stats.hottest.set(now, hottest);
    }
};

} // namespace memsim::xpoint
