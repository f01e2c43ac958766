#pragma once

#include "gpu/mmu/device_pages.hh"
#include "gpu/mmu/missing_pages.hh"
#include "gpu/mmu/page_orders.hh"

namespace memsim::gpu {

/// The immediate effect of a page order on the tables of an MMU; removed pages are shot down
/// afterwards (page_orders.hh). A view over the tables.
class PageMoves {
  public:
    struct Of { ///< all outlive it
        const PlacementParams& pages;
        PageMap& map;
        DevicePages& resident;
        TlbArray& translations;
        const MissingPages& missing;
        EvictionStats& evictions;
    };
    explicit PageMoves(const Of& of) : of_(of) {}

    struct Fault {
        std::string parameter, why;
    };
    /// The reason why an order of this sender is invalid, if it is.
    std::optional<Fault> fault_of(const protocol::PageOrder& order,
                                  const std::string& sender) const;
    /// Executes an order. Returns nothing if the order must wait because all frames await a page.
    /// Calls found(number) for missing pages that may now be mapped.
    template <class Found>
    std::optional<PageOrders::Order> begin(const protocol::PageOrder& order, Found&& found) {
        PageOrders::Order o;
        o.reply.tag = order.tag;
        o.key = page_key(order.application, order.page);
        switch (order.kind) {
        case protocol::PageOrderKind::claim:
            if (!claim(o, order.prefetch)) return {};
            break;
        case protocol::PageOrderKind::place:
            of_.resident.arrive(order.frame);
            break;
        case protocol::PageOrderKind::unmap:
            o.pages = order.pages;
            unmap(o);
            break;
        case protocol::PageOrderKind::map:
            for (std::uint64_t i = 0; i < order.pages; ++i) {
                of_.map.map(o.key + i, order.frame + i);
                if (const std::uint32_t* page = of_.missing.find(o.key + i)) found(*page);
            }
            break;
        case protocol::PageOrderKind::hold: // walks in progress check for held applications at
                                            // their end
            o.key = page_key(order.application, 0);
            o.pages = of_.pages.pages();
            of_.map.hold(order.application);
            of_.translations.erase(o.key, o.pages);
            break;
        case protocol::PageOrderKind::resume:
            if (!of_.map.resume(order.application)) break;
            for (std::uint32_t i = 0; i < of_.missing.size(); ++i)
                if (application_of(of_.missing[i].key) == order.application) found(i);
            break;
        }
        return o;
    }

  private:
    bool claim(PageOrders::Order& o, bool prefetch);
    void unmap(PageOrders::Order& o);

    Of of_;
};

} // namespace memsim::gpu
