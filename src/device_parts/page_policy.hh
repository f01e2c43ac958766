#pragma once

#include "core/kernel/policy.hh"
#include "core/state/archive.hh"

#include <cstdint>
#include <vector>

namespace memsim::device_parts {

/// The origin of a page request: an access that needs it, or a prefetch.
enum class AskedBy : std::uint8_t { demand, prefetch };

/// A page in a memory, as its policy sees it.
struct ResidentPage {
    std::uint64_t key = 0;
    std::uint32_t pins = 0; ///< not evicted while there are any
    bool here = false;      ///< has arrived
    bool dirty = false;
    bool used = false; ///< since its arrival
    AskedBy asked = AskedBy::demand;
};
/// By frame. A frame that awaits a page is pinned, and unknown to the policy.
using ResidentPages = std::vector<ResidentPage>;

/// Selects the page of a memory to evict: of an MMU's device memory, of a DRAM that caches a drive,
/// of a drive's own cache and map. Pages are identified by their frames; ghosts (evicted pages that
/// a policy remembers) by their keys. Per-frame data are allocated when a frame receives its first
/// page, so only frames in use need host memory.
///
/// use() reports every access to a page, including the first, for which the page was requested. A
/// prefetched page has no access until its first use().
class PagePolicy : public PolicyBase {
  public:
    static constexpr std::string_view family = "page policy";
    static constexpr std::uint32_t none = ~std::uint32_t {0};

    /// Sets the maximum number of pages; none is present. Called once, before all other functions.
    /// Frame numbers may exceed it if arriving pages do not replace others.
    virtual void resize(std::uint32_t) {}
    /// A page has arrived in a frame.
    virtual void insert(std::uint32_t frame, const ResidentPage& page) = 0;
    /// The page was accessed.
    virtual void use(std::uint32_t frame, const ResidentPage& page) = 0;
    /// Selects and removes the page to evict for `incoming` (it may become a ghost). Returns its
    /// frame; none, without side effects, if all are pinned; the caller then asks again. Requires:
    /// every frame holds or awaits a page. `incoming` arrives later, or has just arrived.
    virtual std::uint32_t evict(const ResidentPage& incoming, const ResidentPages& pages) = 0;
    /// The page is removed without a replacement: it is discarded and does not become a ghost.
    virtual void remove(std::uint32_t frame) = 0;
    /// Whether the policy remembers an evicted page; called before evict() and insert() when the
    /// page returns.
    virtual bool remembers(std::uint64_t) const { return false; }

    /// Number of frames in its State; no larger frame number has had a page.
    virtual std::size_t frames() const = 0;
    /// Checks a loaded policy and its pages.
    void check_frames(Loader& l, const ResidentPages& pages) const {
        l.check(frames() <= pages.size(), "has fewer frames than its page policy");
    }
};

} // namespace memsim::device_parts
