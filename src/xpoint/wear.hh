#pragma once

#include "core/kernel/component.hh"
#include "core/state/hash_map.hh"

#include <algorithm>

namespace memsim::xpoint {

struct WearStats {
    using group = void;
    Counter media_writes {Unit::count, "Lines written to the media, including gap moves"};
    Level lines_written {Unit::count, "Physical lines written so far (peak: their number)"};
    Level most_writes {Unit::count, "Writes to the most written physical line (peak)"};
    Level wear_squares {Unit::count,
                        "Sum of the squared numbers of writes to physical lines (peak)"};
    Level hottest {Unit::count, "Writes drained to the most written logical line: the wear of one "
                                "place without Start-Gap (peak)"};
};

/// Write counts of the media's lines: physical lines, and logical lines drained to them. A value
/// for State.
struct Wear {
    HashMap<std::uint32_t> writes; ///< by physical line
    std::uint32_t most = 0;
    std::uint64_t squares = 0;
    HashMap<std::uint32_t> drained; ///< by logical line
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
