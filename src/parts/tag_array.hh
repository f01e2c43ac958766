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
        a(tags_), a(order_), a(valid_), a(dirty_), a(locks_), a(clock_);
    }

    void resize(std::uint64_t sets, std::uint32_t ways, Replacement policy);

    /// The line with this tag in a set, or none. Changes nothing.
    std::uint32_t find(std::uint64_t set, std::uint64_t tag) const {
        const std::size_t first = set * ways_;
        for (std::size_t i = first; i < first + ways_; ++i)
            if (tags_[i] == tag) return static_cast<std::uint32_t>(i);
        return none;
    }
    /// Notes a use, for LRU.
    void touch(std::uint32_t line) {
        if (policy_ == Replacement::lru) order_[line] = ++clock_;
    }
    /// The line that makes room: the first empty one, else by policy; none if all are locked.
    std::uint32_t victim(std::uint64_t set) const;
    /// Gives the line to another tag, without valid sectors.
    void replace(std::uint32_t line, std::uint64_t tag) {
        tags_[line] = tag;
        valid_[line] = dirty_[line] = 0;
        order_[line] = ++clock_;
    }
    /// Empties all lines of what is not dirty. Locked lines keep their tags.
    void drop_clean();

    std::uint64_t tag(std::uint32_t line) const { return tags_[line]; }
    SectorMask& valid(std::uint32_t line) { return valid_[line]; }
    SectorMask& dirty(std::uint32_t line) { return dirty_[line]; }
    SectorMask valid(std::uint32_t line) const { return valid_[line]; }
    SectorMask dirty(std::uint32_t line) const { return dirty_[line]; }

    bool locked(std::uint32_t line) const { return locks_[line] != 0; }
    std::uint32_t lock(std::uint32_t line) const { return locks_[line] - 1u; }
    void lock(std::uint32_t line, std::uint32_t by) { locks_[line] = by + 1; }
    void unlock(std::uint32_t line) { locks_[line] = 0; }

    std::uint32_t lines() const { return static_cast<std::uint32_t>(tags_.size()); }

  private:
    std::uint32_t ways_ = 0;
    Replacement policy_ = Replacement::lru;
    // An array for each field: a search reads one cache line of tags.
    std::vector<std::uint64_t> tags_;
    std::vector<std::uint64_t> order_; ///< when used (LRU) or filled (FIFO), by clock_
    std::vector<SectorMask> valid_, dirty_;
    std::vector<std::uint32_t> locks_; ///< 0, or 1 + the owner's number
    std::uint64_t clock_ = 0;
};

} // namespace memsim::parts
