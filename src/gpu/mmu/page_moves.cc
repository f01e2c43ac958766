#include "gpu/mmu/page_moves.hh"

namespace memsim::gpu {

using protocol::PageOrderKind;

std::optional<PageMoves::Fault> PageMoves::fault_of(const protocol::PageOrder& order,
                                                    const std::string& sender) const {
    const PlacementParams& p = of_.pages;
    if (order.application >= p.applications())
        return Fault {"applications", "there are " + p.applications.text() + "; " + sender +
                                          " sends an order for application " +
                                          std::to_string(order.application)};
    const bool brings = order.kind == PageOrderKind::claim || order.kind == PageOrderKind::place;
    if (brings != p.by_fault())
        return Fault {"placement",
                      "with placement by " + p.placement.text() +
                          (p.by_fault() ? " pages must be claimed, not mapped"
                                        : " no page can be claimed: this requires faults") +
                          "; " + sender + " sends another order"};
    const std::uint64_t pages = p.pages();
    if (order.page > pages || order.pages > pages - order.page)
        return Fault {"address_space", sender + " sends an order for pages beyond it"};
    return {};
}

/// An evicted page is removed here, and shot down.
bool PageMoves::claim(PageOrders::Order& o, bool prefetch) {
    if (!of_.resident.claim(o.key, prefetch, o.reply, of_.evictions)) return false;
    if (!o.reply.evicted) return true;
    o.key = page_key(o.reply.owner, o.reply.page);
    o.pages = 1;
    of_.translations.erase(o.key);
    return true;
}

/// Writes to pages are tracked only if pages are placed by faults.
void PageMoves::unmap(PageOrders::Order& o) {
    o.reply.dirty = true;
    o.reply.frame = of_.map.find(o.key).value_or(0);
    for (std::uint64_t i = 0; i < o.pages; ++i) of_.map.unmap(o.key + i);
    of_.translations.erase(o.key, o.pages);
}

} // namespace memsim::gpu
