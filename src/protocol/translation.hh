#pragma once

#include "core/kernel/stamps.hh"
#include "core/machine/functional.hh"

/// Messages by which TLBs request translations from the MMU, the MMU revokes mappings, and
/// components that move pages (a driver on the host, a garbage collector) send orders to the MMU.
/// Pages and frames are numbers: an address divided by the page size. An application is an address
/// space.
namespace memsim::protocol {

struct TranslationRequest {
    std::uint64_t page = 0;
    std::uint16_t application = 0;
    bool write = false;    ///< requests write permission, and thus marks the page dirty
    std::uint32_t tag = 0; ///< chosen by the TLB, returned in the reply
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

/// Revokes translations of pages. Sent by the MMU over a link with the latency of its replies, so
/// that it cannot overtake an earlier reply.
struct ShootdownRequest {
    std::uint64_t page = 0;
    std::uint64_t pages = 1; ///< consecutive pages from `page` on
    std::uint16_t application = 0;
    std::uint32_t tag = 0;

    static constexpr std::uint32_t largest_wire_bytes = 16;
};

/// The translations were dropped, and every request translated by them has been answered.
struct ShootdownReply {
    std::uint32_t tag = 0;

    static constexpr std::uint32_t largest_wire_bytes = 4;
};

/// Between the MMU (requester) and a TLB.
struct Shootdown : MessageFamily<ShootdownRequest, ShootdownReply> {};

/// claim: requests a frame for this page; if none is free, the MMU evicts another page. place: a
/// page without a fault has arrived in the frame claimed for it. unmap: removes these pages from
/// the tables; requests for them wait until they are mapped again. map: maps these pages to
/// consecutive frames from `frame` on. hold: stops translation for the application, whose requests
/// wait until `resume` (one per hold); its pages stay where they are.
enum class PageOrderKind : std::uint8_t { claim, place, unmap, map, hold, resume };

struct PageOrder {
    PageOrderKind kind = PageOrderKind::claim;
    std::uint16_t application = 0;
    std::uint32_t tag = 0; ///< chosen by the sender, returned in the reply
    std::uint64_t page = 0;
    std::uint64_t pages = 1;
    std::uint64_t frame = 0; ///< of place and map
    bool prefetch = false;   ///< claim: the page has no fault

    static constexpr std::uint32_t largest_wire_bytes = 32;
};

/// The order is complete: no TLB holds a removed page, and no request translated by it is in
/// progress.
struct PageOrderReply {
    std::uint32_t tag = 0;
    bool evicted = false;    ///< claim: another page was evicted from the frame
    bool dirty = false;      ///< the removed page was written to
    std::uint16_t owner = 0; ///< claim: application of the evicted page
    std::uint64_t frame = 0; ///< claim: the assigned frame; unmap: frame of the first page
    std::uint64_t page = 0;  ///< claim: the evicted page
    bool present = false;    ///< claim: already in `frame`, until its fault is answered

    static constexpr std::uint32_t largest_wire_bytes = 32;
};

/// Between a component that moves pages (requester) and the MMU.
struct PageControl : MessageFamily<PageOrder, PageOrderReply> {};

/// Pages over which consecutive addresses are interleaved in units of `unit` bytes.
struct PageStripe {
    std::uint32_t pages = 1;
    std::uint64_t unit = 0;
    bool operator==(const PageStripe& o) const {
        return pages == o.pages && (pages == 1 || unit == o.unit);
    }
};
/// Implemented by a TLB: all TLBs of one MMU must number pages in the same way.
class HasStripe {
  public:
    static constexpr bool constant = true;
    virtual ~HasStripe() = default;
    virtual PageStripe page_stripe() const = 0;
};

/// The functional side of an MMU, for components that exchange pages with it.
class HasPages {
  public:
    virtual ~HasPages() = default;
    virtual std::uint64_t page_bytes() const = 0;
    /// Pages of an address space, and frames shared by all.
    virtual std::uint64_t pages() const = 0;
    virtual std::uint64_t frames() const = 0;
    /// The initial frame of an application's first page, if its pages are contiguous.
    virtual std::optional<std::uint64_t> frame_at_start(std::uint16_t application) const = 0;
    /// The current frame of a page, if it is mapped; without side effects.
    virtual std::optional<std::uint64_t> frame_of(std::uint16_t application,
                                                  std::uint64_t page) const = 0;
    /// A functional access to an unmapped page, by its virtual address; forwarded to the component
    /// that would transfer it.
    virtual void functional_unmapped(FunctionalAccess& access) = 0;
    /// Reports a functional write to a mapped page. The source of the page receives it, too,
    /// because the write does not make the page dirty, and a clean page is not copied back.
    virtual void functional_written(FunctionalAccess& access) = 0;
};

} // namespace memsim::protocol
