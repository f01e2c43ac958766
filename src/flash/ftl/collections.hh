#pragma once

#include "flash/ftl/ftl.hh"

namespace memsim::flash {

/// A block of a plane whose pages are moved before it is erased.
struct Collection {
    static constexpr std::uint32_t none = ~0u;
    std::uint32_t record = none; ///< the block; none: not active
    std::uint32_t next = 0;      ///< next page to move
    std::uint32_t moving = 0;
    bool erasing = false;
    bool cold = false;  ///< for wear levelling
    bool begun = false; ///< its first page or its erase was issued
    // State of the plane, stored in its first collection:
    bool going = false; ///< free blocks fell below the threshold and have not reached the target
    bool due = false;   ///< the next collection begins after its announcement
};

/// Garbage collection and static wear levelling of some blocks of a plane at a time. A part: it
/// selects the next page to move and when a block may be erased; its owner moves and erases.
class Collections {
  public:
    /// `moves`: pages of a block moved at the same time. The state has `at_once` entries per plane.
    Collections(unsigned moves, unsigned at_once, std::vector<Collection>& state)
        : moves_(moves), at_once_(at_once), state_(state) {}

    std::uint32_t active(std::uint32_t plane) const {
        std::uint32_t n = 0;
        for_each(plane, [&](const Collection& c) { n += c.record != Collection::none; });
        return n;
    }
    /// The active collection of this block.
    Collection& of(std::uint32_t plane, std::uint32_t record) {
        Collection* found = nullptr;
        for_each(plane, [&](Collection& c) {
            if (c.record == record) found = &c;
        });
        MEMSIM_ASSERT(found, "a page moves whose block is not being collected");
        return *found;
    }
    /// Requires: fewer than at_once are active.
    void begin(std::uint32_t plane, std::uint32_t record, bool cold) {
        Collection& c = of(plane, Collection::none);
        c.record = record, c.next = c.moving = 0;
        c.erasing = c.begun = false, c.cold = cold;
    }
    /// Calls move(page, logical page, first) for each page to move next, and erase(record, first)
    /// for each block to erase: all its pages have moved, and no read is in progress. `first`: the
    /// first operation of the collection.
    template <class Move, class Erase>
    void issue_operations(std::uint32_t plane, const Ftl& ftl, Move&& move, Erase&& erase) {
        for_each(plane, [&](Collection& c) {
            if (c.record == Collection::none || c.erasing) return;
            const FtlBlock& b = ftl.block(c.record);
            while (c.moving < moves_ && c.next < b.owners.size()) {
                const std::uint32_t page = ftl.first_page(b) + c.next;
                const std::uint32_t lpn = b.owners[c.next++];
                if (lpn == no_page) continue;
                ++c.moving;
                move(page, lpn, !std::exchange(c.begun, true));
            }
            if (c.moving || c.next < b.owners.size() || ftl.is_read(b)) return;
            c.erasing = true;
            erase(c.record, !std::exchange(c.begun, true));
        });
    }
    bool& going(std::uint32_t plane) { return state_[plane * at_once_].going; }
    bool& due(std::uint32_t plane) { return state_[plane * at_once_].due; }

  private:
    template <class F>
    void for_each(std::uint32_t plane, F&& f) const {
        for (unsigned i = 0; i < at_once_; ++i) f(state_[plane * at_once_ + i]);
    }

    unsigned moves_, at_once_;
    std::vector<Collection>& state_;
};

} // namespace memsim::flash
