#include "gpu/mmu.hh"

/// What movers of pages order from the MMU.
namespace memsim::gpu {

using protocol::PageOrderKind;

/// Takes orders while there is room, sends their shoot-downs, and answers those that are done.
void Mmu::take_orders() {
    for (unsigned t = 0; t < port.shootdowns.size(); ++t)
        while (!port.shootdowns[t].empty()) state.orders.confirmed(port.shootdowns[t].pop().tag);
    advance_orders();
    for (unsigned m = 0; m < port.mover_side.size(); ++m) {
        auto& in = port.mover_side[m];
        while (!in.empty() && !state.orders.full() &&
               begin(static_cast<std::uint16_t>(m), in.front())) {
            in.pop();
            advance_orders();
        }
    }
}

/// False if the order must wait: all frames are on their way to a page.
bool Mmu::begin(std::uint16_t mover, const protocol::PageOrder& order) {
    check(mover, order);
    PageOrders::Order o;
    o.reply.tag = order.tag;
    o.key = page_key(order.application, order.page);
    o.mover = mover;
    o.since = now();
    switch (order.kind) {
    case PageOrderKind::claim:
        if (!claim(o, order.prefetch)) return false;
        break;
    case PageOrderKind::place:
        state.resident.arrive(order.frame);
        break;
    case PageOrderKind::unmap:
        o.pages = order.pages;
        unmap(o);
        break;
    case PageOrderKind::map:
        map(order);
        break;
    case PageOrderKind::hold: // walks under way find the application held when they end
        o.key = page_key(order.application, 0);
        o.pages = params.pages.pages();
        state.map.hold(order.application);
        state.translations.erase(o.key, o.pages);
        break;
    case PageOrderKind::resume:
        resume(order.application);
        break;
    }
    stat.shootdowns += o.pages != 0;
    state.orders.add(o);
    return true;
}

void Mmu::check(std::uint16_t mover, const protocol::PageOrder& order) const {
    const std::string& sender = port.mover_side[mover].peer()->owner().path();
    if (order.application >= params.pages.applications())
        refuse("applications", "there are " + params.pages.applications.text() + "; " + sender +
                                   " orders pages of application " +
                                   std::to_string(order.application));
    const bool brings = order.kind == PageOrderKind::claim || order.kind == PageOrderKind::place;
    if (brings != by_fault())
        refuse("placement", "with placement by " + params.pages.placement.text() +
                                (by_fault() ? " pages are claimed, not mapped"
                                            : " no page can be claimed: it takes faults") +
                                "; " + sender + " orders otherwise");
    const std::uint64_t pages = params.pages.pages();
    if (order.page > pages || order.pages > pages - order.page)
        refuse("address_space", sender + " orders pages beyond it");
}

/// What makes room is forgotten here, and shot down.
bool Mmu::claim(PageOrders::Order& o, bool prefetch) {
    if (!state.resident.claim(o.key, prefetch, o.reply, stat.eviction)) return false;
    if (!o.reply.evicted) return true;
    o.key = page_key(o.reply.owner, o.reply.page);
    o.pages = 1;
    state.translations.erase(o.key);
    return true;
}

/// Whether pages have been written to is only followed where they are brought by faults.
void Mmu::unmap(PageOrders::Order& o) {
    o.reply.dirty = true;
    o.reply.frame = state.map.find(o.key).value_or(0);
    for (std::uint64_t i = 0; i < o.pages; ++i) state.map.unmap(o.key + i);
    state.translations.erase(o.key, o.pages);
}

void Mmu::map(const protocol::PageOrder& order) {
    const std::uint64_t key = page_key(order.application, order.page);
    for (std::uint64_t i = 0; i < order.pages; ++i) {
        state.map.map(key + i, order.frame + i);
        if (const std::uint32_t* page = state.missing.find(key + i)) complete_unmapped(*page);
    }
}

void Mmu::resume(std::uint16_t application) {
    if (!state.map.resume(application)) return;
    for (std::uint32_t i = 0; i < state.missing.size(); ++i)
        if (application_of(state.missing[i].key) == application) complete_unmapped(i);
}

/// A page that was waited for, if it is there now and its application is not held.
void Mmu::complete_unmapped(std::uint32_t i) {
    const MissingPages::Page& p = state.missing[i];
    if (p.phase != MissingPages::Phase::unmapped || state.map.held(application_of(p.key))) return;
    const std::optional<std::uint64_t> frame = find(p.key);
    if (!frame) return;
    stat.fault_time.sample(Time {now() - p.since});
    complete(i, *frame);
}

void Mmu::advance_orders() {
    state.orders.advance(
        [this](std::uint32_t tlb, const PageOrders::Order& o, std::uint32_t number) {
            if (!port.shootdowns[tlb].can_send()) return false;
            port.shootdowns[tlb].send({page_of(o.key), o.pages, application_of(o.key), number});
            return true;
        },
        [this](const PageOrders::Order& o) {
            if (o.pages) stat.shootdown_time.sample(Time {now() - o.since});
            port.mover_side[o.mover].send(o.reply);
            ++stat.orders;
        });
}

} // namespace memsim::gpu
