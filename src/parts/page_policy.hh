#pragma once

#include "core/kernel/policy.hh"
#include "core/state/archive.hh"

#include <cstdint>
#include <vector>

namespace memsim::parts {

/// Who asked for a page: an access that needs it, or an order to bring it ahead.
enum class AskedBy : std::uint8_t { demand, prefetch };

/// A page that a memory holds, as its policy sees it.
struct ResidentPage {
    std::uint64_t key = 0;
    std::uint32_t pins = 0; ///< may not make room while there are any
    bool here = false;      ///< not on its way any more
    bool dirty = false;
    bool used = false; ///< since it came
    AskedBy asked = AskedBy::demand;
};
/// By frame. One that is on its way to a page is pinned, and unknown to the policy.
using ResidentPages = std::vector<ResidentPage>;

/// Decides which page of a memory makes room: of an MMU's device memory, of a DRAM that caches a
/// drive, of a drive's own cache and map. Pages are named by the frames that hold them; where a
/// policy remembers pages that have gone (ghosts), by their keys. What it keeps for a frame it
/// keeps from the frame's first page on: of a large memory, only the frames in use take memory of
/// the host.
///
/// Every access to a page is told by use(), also the one that the page was brought for, which is
/// its first. A page that was brought ahead has seen no access until its first use().
class PagePolicy : public PolicyBase {
  public:
    static constexpr std::string_view family = "page policy";
    static constexpr std::uint32_t none = ~std::uint32_t {0};

    /// So many pages may be here; none is. Called once, before all others. Frames have larger
    /// numbers where pages on their way take no other one's place.
    virtual void resize(std::uint32_t) {}
    /// A page has come into a frame.
    virtual void insert(std::uint32_t frame, const ResidentPage& page) = 0;
    /// It was accessed.
    virtual void use(std::uint32_t frame, const ResidentPage& page) = 0;
    /// The frame of a page that makes room for `incoming`, and is forgotten (but as a ghost); none
    /// if all are pinned, and then nothing has changed, as it will be asked again. Every frame
    /// holds a page, or is on its way to one. `incoming` comes after this, or has just come.
    virtual std::uint32_t evict(const ResidentPage& incoming, const ResidentPages& pages) = 0;
    /// The page goes without making room for another: it is forgotten, and is no ghost.
    virtual void remove(std::uint32_t frame) = 0;
    /// Whether it remembers a page that has gone; asked when the page is to come back, before
    /// evict() and insert().
    virtual bool remembers(std::uint64_t) const { return false; }

    /// Frames that its State has a place for: none of a larger number has had a page.
    virtual std::size_t frames() const = 0;
    /// For who has loaded the policy and its pages.
    void check_frames(Loader& l, const ResidentPages& pages) const {
        l.check(frames() <= pages.size(), "is of fewer frames than its page policy knows");
    }
};

} // namespace memsim::parts
