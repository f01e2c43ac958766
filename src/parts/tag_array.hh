#pragma once

#include "core/archive.hh"
#include "parts/replacement.hh"

#include <cstdint>
#include <vector>

namespace memsim::parts {

/// Sectors of one line, a bit each.
using SectorMask = std::uint32_t;

/// The tags of a set-associative, sectored cache: any number of sets, up to 32 sectors a line.
/// A value for State; the geometry is given by resize() and stays. A line is named by its index;
/// its tag is whatever the owner finds it by, usually the whole line number.
///
/// A line may be locked with a number of the owner's (the MSHR that fills it): it is then never the
/// victim. No memory is allocated after resize().
class TagArray {
  public:
    static constexpr std::string_view archived_as = "TagArray";
    static constexpr std::uint32_t none = ~std::uint32_t {0};
    static constexpr unsigned most_sectors = 32;
    template <class Archive>
    void archive(Archive& a) {
        a(lines_), a(clock_);
    }

    void resize(std::uint64_t sets, std::uint32_t ways, Replacement policy);

    /// The line with this tag in a set, or none. Changes nothing.
    std::uint32_t find(std::uint64_t set, std::uint64_t tag) const {
        const std::size_t first = set * ways_;
        for (std::size_t i = first; i < first + ways_; ++i)
            if (lines_[i].tag == tag) return static_cast<std::uint32_t>(i);
        return none;
    }
    /// Notes a use, for LRU.
    void touch(std::uint32_t line) {
        if (policy_ == Replacement::lru) lines_[line].order = ++clock_;
    }
    /// The line that makes room: the first empty one, else by policy; none if all are locked.
    std::uint32_t victim(std::uint64_t set) const;
    /// Gives the line to another tag, without valid sectors.
    void replace(std::uint32_t line, std::uint64_t tag) {
        lines_[line] = {tag, ++clock_, 0, 0, lines_[line].lock};
    }
    /// Empties all lines of what is not dirty. Locked lines keep their tags.
    void drop_clean();

    std::uint64_t tag(std::uint32_t line) const { return lines_[line].tag; }
    SectorMask& valid(std::uint32_t line) { return lines_[line].valid; }
    SectorMask& dirty(std::uint32_t line) { return lines_[line].dirty; }
    SectorMask valid(std::uint32_t line) const { return lines_[line].valid; }
    SectorMask dirty(std::uint32_t line) const { return lines_[line].dirty; }

    bool locked(std::uint32_t line) const { return lines_[line].lock != 0; }
    std::uint32_t lock(std::uint32_t line) const { return lines_[line].lock - 1u; }
    void lock(std::uint32_t line, std::uint32_t by) { lines_[line].lock = by + 1; }
    void unlock(std::uint32_t line) { lines_[line].lock = 0; }

    std::uint32_t lines() const { return static_cast<std::uint32_t>(lines_.size()); }

  private:
    struct Line {
        std::uint64_t tag = ~std::uint64_t {0};
        std::uint64_t order = 0; ///< when used (LRU) or filled (FIFO), by clock_
        SectorMask valid = 0, dirty = 0;
        std::uint32_t lock = 0; ///< 0, or 1 + the owner's number
    };
    std::uint32_t ways_ = 0;
    Replacement policy_ = Replacement::lru;
    std::vector<Line> lines_; ///< set by set: a set is a few neighbouring cache lines of the host
    std::uint64_t clock_ = 0;
};

} // namespace memsim::parts
