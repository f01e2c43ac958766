#pragma once

#include "core/kernel/stamps.hh"
#include "core/machine/functional.hh"

/// How TLBs ask the MMU where a page lies, how the MMU takes a mapping back, and how whoever moves
/// pages (a driver on the host, a garbage collector) tells the MMU. Pages and frames are numbers:
/// an address over the page size. An application is an address space.
namespace memsim::protocol {

struct TranslationRequest {
    std::uint64_t page = 0;
    std::uint16_t application = 0;
    bool write = false;    ///< asks for leave to write, and so marks the page dirty
    std::uint32_t tag = 0; ///< the TLB's own; comes back in the reply
    Stamps::Id stamps {};  ///< of the request that missed

    static constexpr std::uint32_t largest_wire_bytes = 8;
};

struct TranslationReply {
    std::uint64_t frame = 0;
    bool writable = false; ///< false: ask again before the first write
    std::uint32_t tag = 0;

    static constexpr std::uint32_t largest_wire_bytes = 8;
};

/// Between a TLB (requester) and the MMU.
struct Translation : MessageFamily<TranslationRequest, TranslationReply> {};

/// Forget these pages. Sent by the MMU over a link of the latency of its replies, so that it cannot
/// overtake a reply that was sent before.
struct ShootdownRequest {
    std::uint64_t page = 0;
    std::uint64_t pages = 1; ///< that follow each other from `page` on
    std::uint16_t application = 0;
    std::uint32_t tag = 0;

    static constexpr std::uint32_t largest_wire_bytes = 16;
};

/// Forgotten, and every request that was translated by them has been answered.
struct ShootdownReply {
    std::uint32_t tag = 0;

    static constexpr std::uint32_t largest_wire_bytes = 4;
};

/// Between the MMU (requester) and a TLB.
struct Shootdown : MessageFamily<ShootdownRequest, ShootdownReply> {};

/// claim: give me a frame for this page; if none is free, the MMU takes one from another page.
/// place: a page that nobody faulted on is in the frame that was claimed for it. unmap: take these
/// pages out of the tables; who asks for one waits until it is mapped again. map: put these pages
/// in, at frames that follow each other from `frame` on. hold: translate nothing more for the
/// application, whoever asks waits, until `resume` (as many as holds); its pages stay where they
/// are.
enum class PageOrderKind : std::uint8_t { claim, place, unmap, map, hold, resume };

struct PageOrder {
    PageOrderKind kind = PageOrderKind::claim;
    std::uint16_t application = 0;
    std::uint32_t tag = 0; ///< the sender's own; comes back in the reply
    std::uint64_t page = 0;
    std::uint64_t pages = 1;
    std::uint64_t frame = 0; ///< of place and map
    bool prefetch = false;   ///< claim: nobody has faulted on the page

    static constexpr std::uint32_t largest_wire_bytes = 32;
};

/// Done: no TLB holds what was taken out and no request translated by it is under way.
struct PageOrderReply {
    std::uint32_t tag = 0;
    bool evicted = false;    ///< claim: the frame is taken from another page
    bool dirty = false;      ///< what was taken out has been written to
    std::uint16_t owner = 0; ///< claim: application of the page that it is taken from
    std::uint64_t frame = 0; ///< claim: the frame given; unmap: of the first page
    std::uint64_t page = 0;  ///< claim: the page that it is taken from
    bool present = false;    ///< claim: the page is in `frame` already, until its fault is answered

    static constexpr std::uint32_t largest_wire_bytes = 32;
};

/// Between who moves pages (requester) and the MMU.
struct PageControl : MessageFamily<PageOrder, PageOrderReply> {};

/// Pages whose units of so many bytes lie in turn under neighbouring addresses.
struct PageStripe {
    std::uint32_t pages = 1;
    std::uint64_t unit = 0;
    bool operator==(const PageStripe& o) const {
        return pages == o.pages && (pages == 1 || unit == o.unit);
    }
};
/// Implemented by a TLB: all that ask one MMU must name pages alike.
class HasStripe {
  public:
    virtual ~HasStripe() = default;
    virtual PageStripe page_stripe() const = 0;
};

/// The functional side of an MMU: who speaks of pages with it asks how large they are.
class HasPages {
  public:
    virtual ~HasPages() = default;
    virtual std::uint64_t page_bytes() const = 0;
    /// Pages of an address space, and frames that all of them share.
    virtual std::uint64_t pages() const = 0;
    virtual std::uint64_t frames() const = 0;
    /// The frame of an application's first page at the start, if the others follow it.
    virtual std::optional<std::uint64_t> frame_at_start(std::uint16_t application) const = 0;
    /// The frame of a page now, if it is mapped; asks nothing and changes nothing.
    virtual std::optional<std::uint64_t> frame_of(std::uint16_t application,
                                                  std::uint64_t page) const = 0;
    /// A look at a page that is not mapped, by its virtual address: whoever would bring it has it.
    virtual void functional_unmapped(FunctionalAccess& access) = 0;
    /// An untimed write has gone to a page that is mapped. Whoever brought the page gets it, too:
    /// it makes no page dirty, and a clean one is not copied back.
    virtual void functional_written(FunctionalAccess& access) = 0;
};

} // namespace memsim::protocol
