#pragma once

#include "flash/ftl.hh"

namespace memsim::flash {

/// A block of a plane whose pages are moved before it is erased.
struct Collection {
    static constexpr std::uint32_t none = ~0u;
    std::uint32_t record = none; ///< the block; none: nothing is collected
    std::uint32_t next = 0;      ///< page to look at
    std::uint32_t moving = 0;
    bool erasing = false;
    bool cold = false;  ///< for wear levelling
    bool going = false; ///< the plane has fallen below the threshold, and not reached the target
    bool due = false;   ///< it is to begin when it has been announced
};

/// Garbage collection and static wear levelling, a block of a plane at a time. A part: it says
/// which page moves next and when a block may be erased; its owner moves and erases.
class Collections {
  public:
    /// `moves`: pages of a block being moved at a time.
    Collections(unsigned moves, std::vector<Collection>& state) : moves_(moves), s_(state) {}

    bool active(std::uint32_t plane) const { return s_[plane].record != Collection::none; }
    const Collection& operator[](std::uint32_t plane) const { return s_[plane]; }
    void begin(std::uint32_t plane, std::uint32_t record, bool cold) {
        Collection& c = s_[plane];
        c.record = record, c.next = c.moving = 0;
        c.erasing = false, c.cold = cold;
    }
    /// Calls move(page, logical page) for those that move next; true if the block is to be erased
    /// now: all its pages are elsewhere, and nobody reads it.
    template <class F>
    bool go_on(std::uint32_t plane, const Ftl& ftl, F&& move) {
        Collection& c = s_[plane];
        if (c.record == Collection::none || c.erasing) return false;
        const FtlBlock& b = ftl.block(c.record);
        while (c.moving < moves_ && c.next < b.owners.size()) {
            const std::uint32_t page = ftl.first_page(b) + c.next;
            const std::uint32_t lpn = b.owners[c.next++];
            if (lpn == no_page) continue;
            ++c.moving;
            move(page, lpn);
        }
        if (c.moving || c.next < b.owners.size() || ftl.is_read(b)) return false;
        return c.erasing = true;
    }
    void moved(std::uint32_t plane) { --s_[plane].moving; }
    void end(std::uint32_t plane) { s_[plane].record = Collection::none; }
    bool& going(std::uint32_t plane) { return s_[plane].going; }
    bool& due(std::uint32_t plane) { return s_[plane].due; }

  private:
    unsigned moves_;
    std::vector<Collection>& s_;
};

} // namespace memsim::flash
