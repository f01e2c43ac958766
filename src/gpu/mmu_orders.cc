#include "gpu/mmu.hh"
#include "parts/named.hh"

/// The MMU's other half: which pages are resident, and what movers of pages order.
namespace memsim::gpu {

using protocol::PageOrderKind;

/// Takes orders while there is room, sends their shoot-downs, and answers those that are done.
void Mmu::take_orders() {
    for (unsigned t = 0; t < port.shootdowns.size(); ++t)
        while (!port.shootdowns[t].empty())
            ++parts::named(state.orders, port.shootdowns[t].pop().tag).confirmed;
    advance_orders();
    for (unsigned m = 0; m < port.mover_side.size(); ++m) {
        auto& in = port.mover_side[m];
        while (!in.empty() && state.ordered < state.orders.size() &&
               begin(static_cast<std::uint16_t>(m), in.front())) {
            in.pop();
            advance_orders();
        }
    }
}

/// False if the order must wait: all frames are on their way to a page.
bool Mmu::begin(std::uint16_t mover, const protocol::PageOrder& order) {
    const bool claims = order.kind == PageOrderKind::claim;
    if (order.application >= params.applications())
        throw ConfigError(path() + ".applications: there are " +
                          std::to_string(params.applications()) + "; " +
                          port.mover_side[mover].peer()->owner().path() +
                          " orders pages of application " + std::to_string(order.application));
    if (claims != by_fault())
        throw ConfigError(path() + ".placement: with placement by " +
                          Text<PagePlacement>::show(params.placement()) +
                          (by_fault() ? " pages are claimed, not mapped"
                                      : " no page can be claimed: it takes faults") +
                          "; " + port.mover_side[mover].peer()->owner().path() +
                          " orders otherwise");
    if (order.page > space_pages_ || order.pages > space_pages_ - order.page)
        throw ConfigError(path() +
                          ".address_space: " + port.mover_side[mover].peer()->owner().path() +
                          " orders pages beyond it");
    std::size_t place = 0;
    while (state.orders[place].live) ++place;
    Order o;
    o.reply.tag = order.tag;
    o.key = page_key(order.application, order.page);
    o.mover = mover;
    o.since = now();
    o.live = true;
    switch (order.kind) {
    case PageOrderKind::claim:
        if (!claim(o)) return false;
        break;
    case PageOrderKind::unmap:
        o.pages = order.pages;
        unmap(o);
        break;
    case PageOrderKind::map:
        map(order);
        break;
    case PageOrderKind::hold:
        hold(o);
        break;
    case PageOrderKind::resume:
        resume(order.application);
        break;
    }
    if (o.pages == 0)
        o.asked = o.confirmed = params.tlbs();
    else
        ++stat.shootdowns;
    state.orders[place] = o;
    ++state.ordered;
    return true;
}

bool Mmu::claim(Order& o) {
    if (state.frames.size() < frames_) {
        o.reply.frame = first_frame_ + state.frames.size();
        state.frames.emplace_back();
        return true;
    }
    const std::uint32_t f = state.oldest;
    if (f == nil) return false;
    const Frame& victim = state.frames[f];
    o.key = victim.key;
    o.pages = 1;
    o.reply.frame = first_frame_ + f;
    o.reply.evicted = true;
    o.reply.dirty = victim.dirty;
    o.reply.owner = application_of(victim.key);
    o.reply.page = page_of(victim.key);
    ++stat.evictions;
    stat.dirty_evictions += victim.dirty;
    state.mappings.erase(victim.key);
    state.pages.erase(victim.key);
    unlink(f);
    return true;
}

/// Whether pages have been written to is only followed where they are brought by faults.
void Mmu::unmap(Order& o) {
    o.reply.dirty = true;
    for (std::uint64_t i = 0; i < o.pages; ++i) {
        const auto frame = frame_of(application_of(o.key), page_of(o.key) + i);
        state.mappings[o.key + i] = {frame.value_or(0), false};
        if (i == 0) o.reply.frame = frame.value_or(0);
    }
    state.pages.erase(o.key, o.pages);
}

void Mmu::map(const protocol::PageOrder& order) {
    const std::uint64_t key = page_key(order.application, order.page);
    for (std::uint64_t i = 0; i < order.pages; ++i) {
        state.mappings[key + i] = {order.frame + i, true};
        const std::uint32_t* walk = state.missing.find(key + i);
        if (walk) complete_unmapped(*walk);
    }
}

/// Walks under way find the application held when they end.
void Mmu::hold(Order& o) {
    o.key = page_key(application_of(o.key), 0);
    o.pages = space_pages_;
    ++state.held_spaces[application_of(o.key)];
    state.pages.erase(o.key, o.pages);
}

void Mmu::resume(std::uint16_t application) {
    MEMSIM_ASSERT(state.held_spaces[application], "an application is resumed that is not held");
    if (--state.held_spaces[application]) return;
    for (std::uint32_t i = 0; i < state.walks.size(); ++i)
        if (state.walks[i].phase == Phase::unmapped &&
            application_of(state.walks[i].key) == application)
            complete_unmapped(i);
}

/// A page that was waited for, if it is there now and its application is not held.
void Mmu::complete_unmapped(std::uint32_t walk) {
    const Walk& w = state.walks[walk];
    if (w.phase != Phase::unmapped || state.held_spaces[application_of(w.key)]) return;
    const std::optional<std::uint64_t> frame = find(w.key);
    if (!frame) return;
    stat.fault_time.sample(Time {now() - w.since});
    complete(walk, *frame);
}

void Mmu::advance_orders() {
    if (state.ordered == 0) return;
    for (std::uint32_t place = 0; place < state.orders.size(); ++place) {
        Order& o = state.orders[place];
        if (!o.live) continue;
        for (; o.asked < params.tlbs() && port.shootdowns[o.asked].can_send(); ++o.asked)
            port.shootdowns[o.asked].send({page_of(o.key), o.pages, application_of(o.key), place});
        if (o.confirmed < params.tlbs()) continue;
        if (o.pages) stat.shootdown_time.sample(Time {now() - o.since});
        port.mover_side[o.mover].send(o.reply);
        ++stat.orders;
        o.live = false;
        --state.ordered;
    }
}

/// The host has brought a page to a frame that it had claimed.
void Mmu::resident(std::uint64_t key, std::uint64_t frame) {
    const auto f = static_cast<std::uint32_t>(frame - first_frame_);
    parts::named(state.frames, f) = {key, nil, nil, false};
    append(f);
    state.mappings[key] = {frame, true};
}

void Mmu::use(std::uint64_t frame, bool write) {
    const auto f = static_cast<std::uint32_t>(frame - first_frame_);
    parts::named(state.frames, f).dirty |= write;
    if (params.eviction() == PageEviction::fifo || state.youngest == f) return;
    unlink(f);
    append(f);
}

void Mmu::append(std::uint32_t f) {
    state.frames[f].older = state.youngest;
    state.frames[f].younger = nil;
    (state.youngest == nil ? state.oldest : state.frames[state.youngest].younger) = f;
    state.youngest = f;
}

void Mmu::unlink(std::uint32_t f) {
    const Frame& frame = state.frames[f];
    (frame.older == nil ? state.oldest : state.frames[frame.older].younger) = frame.younger;
    (frame.younger == nil ? state.youngest : state.frames[frame.younger].older) = frame.older;
}

} // namespace memsim::gpu
