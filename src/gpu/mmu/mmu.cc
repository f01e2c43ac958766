#include "gpu/mmu/mmu.hh"

#include "core/kernel/registry.hh"
#include "gpu/mmu/striped_pages.hh"

namespace memsim::gpu {

static const Registration<Mmu> mmu {
    "The GPU's MMU: L2 TLB, page walks in memory, address spaces, page faults, shoot-downs."};
static const DebugFlag mmu_flag {"Mmu", "Lookups, walks and faults of the MMU"};
static const Stage translation {"translation"};

using Phase = MissingPages::Phase;

void Mmu::init() {
    check_stripes(port.tlb_side);
    if (params.entries() % params.ways())
        refuse("ways", params.entries.text() + " entries are not a whole number of sets of " +
                           params.ways.text());
    state.map.init(*this, params.pages, sim().seed());
    state.walker.init(*this, params.walker, params.pages);
    if (by_fault() && (!port.fault_side || port.mover_side.size() == 0))
        refuse("fault_side",
               "pages that are not resident require a host: bind it to fault_side and mover_side");
    state.resident.init(*this, params.eviction, params.pages);
    state.translations.resize(params.entries(), params.ways(), params.replacement().text(),
                              path() + ".replacement", sim().seed());
    state.missing.init(params.missing);
    state.orders.resize(params.orders(), params.tlbs());
}

std::vector<MemoryUse> Mmu::memory_uses() const {
    const auto bytes = [](Bytes b) { return static_cast<std::uint64_t>(b.raw); };
    return {{"its pages", bytes(params.pages.memory_base()), bytes(params.pages.memory())},
            {"its page tables", bytes(params.walker.table_base()),
             bytes(params.walker.table_memory())}};
}

void Mmu::wake() {
    while (!port.walk_side.empty()) {
        const protocol::MemResponse r = port.walk_side.pop();
        sim().contents().release(r.contents);
        if (const auto page = state.walker.entry_read(r.tag)) {
            stat.walk_time.sample(Time {now() - state.missing[*page].since});
            end_walk(*page);
        }
    }
    while (port.fault_side && !port.fault_side->empty()) {
        const protocol::PageFaultReply r = port.fault_side->pop();
        stat.fault_time.sample(Time {now() - state.missing.in_use(r.tag).since});
        state.resident.arrive(r.frame);
        complete(r.tag, r.frame);
    }
    take_orders();
    while (!state.held.empty() && state.missing.may_fault()) end_walk(state.held.pop());
    look_up();
    start_walks();
    while (state.walker.has_read() && port.walk_side.can_send())
        port.walk_side.send(state.walker.take_read(stat.walker));
    while (!state.reporting.empty() && port.fault_side->can_send()) {
        const std::uint32_t i = state.reporting.pop();
        const MissingPages::Page& p = state.missing[i];
        sim().stamps().mark(p.stamps, translation, now() + params.fault_latency->raw);
        port.fault_side->send({page_of(p.key), application_of(p.key), p.write, i, p.stamps});
    }
}

/// Serves TLBs in turn, `lookups` per cycle. A TLB that must wait does not block the others.
void Mmu::look_up() {
    const auto n = static_cast<std::uint32_t>(port.tlb_side.size());
    for (std::uint32_t waiting = 0; waiting < n;) {
        const std::uint32_t tlb = (state.turn + waiting) % n;
        auto& in = port.tlb_side[tlb];
        if (in.empty()) {
            ++waiting;
            continue;
        }
        if (!state.slots.free(clock_, now(), params.lookups())) {
            arm(state.next_cycle, state.slots.next.tick);
            return;
        }
        if (!translate(static_cast<std::uint16_t>(tlb), in.front())) {
            ++waiting;
            continue;
        }
        in.pop();
        state.slots.take();
        state.turn = (tlb + 1) % n;
        waiting = 0;
    }
}

bool Mmu::translate(std::uint16_t tlb, const protocol::TranslationRequest& r) {
    const auto application = [&] { return "application " + std::to_string(r.application); };
    if (r.application >= params.pages.applications())
        refuse("applications", application() + " sends requests, and only " +
                                   params.pages.applications.text() +
                                   " have an address space: count all applications");
    if (r.page >= params.pages.pages())
        refuse("address_space", application() + " uses address " +
                                    std::to_string(r.page * page_bytes()) + ", beyond its " +
                                    params.pages.address_space.text() +
                                    ": make it at least the footprint of the program");
    const std::uint64_t key = page_key(r.application, r.page);
    if (TlbArray::Entry* e = state.translations.find(key)) {
        if (by_fault()) {
            state.resident.use(e->frame, r.write);
            e->writable = e->writable || r.write;
        }
        port.tlb_side[tlb].send({e->frame, e->writable, r.tag});
        ++stat.hits;
    } else if (const std::uint32_t* page = state.missing.find(key)) {
        if (!state.missing.join(*page, {r.tag, tlb}, r.write)) return false;
        ++stat.merged;
    } else {
        if (!state.missing.may_walk()) return false;
        const std::uint32_t i = state.missing.add(key, {r.tag, tlb}, r.write, now(), stat.missing);
        state.missing[i].stamps = r.stamps;
        state.queued.push(i);
    }
    ++stat.requests;
    return true;
}

void Mmu::start_walks() {
    while (!state.queued.empty() && state.walker.idle()) {
        const std::uint32_t i = state.queued.pop();
        MissingPages::Page& p = state.missing[i];
        p.phase = Phase::walking;
        p.thread = state.walker.start(i, p.key, now(), stat.walker);
        debug(mmu_flag, "walks for page ", page_of(p.key), " of application ",
              application_of(p.key));
    }
}

/// The content of the leaf's entry: the frame, or that the page is not resident.
void Mmu::end_walk(std::uint32_t i) {
    MissingPages::Page& p = state.missing[i];
    const bool waits = state.map.held(application_of(p.key));
    const std::optional<std::uint64_t> frame = waits ? std::nullopt : find(p.key);
    if (!frame && !state.missing.may_fault()) {
        p.phase = Phase::held;
        return state.held.push(i);
    }
    state.walker.release(p.thread, now(), stat.walker);
    state.missing.walked(now(), stat.missing);
    if (frame)
        complete(i, *frame);
    else
        fault(i);
}

void Mmu::fault(std::uint32_t i) {
    const std::uint64_t key = state.missing[i].key;
    const bool waits = state.map.held(application_of(key)) || state.map.unmapped(key);
    state.missing.fault(i, waits ? Phase::unmapped : Phase::faulting, now(), stat.missing);
    if (waits) return;
    ++stat.faults;
    state.reporting.push(i);
    debug(mmu_flag, "faults on page ", page_of(key), " of application ", application_of(key));
}

/// Answers all requests that wait for the page.
void Mmu::complete(std::uint32_t i, std::uint64_t frame) {
    const MissingPages::Page& p = state.missing.in_use(i);
    bool writable = true;
    if (by_fault()) {
        state.resident.use(frame, p.write);
        writable = state.resident.dirty(frame);
    }
    state.translations.insert(p.key, frame, writable);
    state.missing.complete(i, now(), stat.missing, [&](const MissingPages::Waiter& waiter) {
        port.tlb_side[waiter.tlb].send({frame, writable, waiter.tag});
    });
}

std::optional<std::uint64_t> Mmu::find(std::uint64_t key) {
    if (!state.map.untouched(key)) return frame_of(application_of(key), page_of(key));
    ++stat.first_touches;
    const std::uint64_t frame = state.map.touch(key);
    if (state.map.has_contents()) place_contents(key, frame);
    return frame;
}

/// Uses parameters only, because other components call this before init().
std::optional<std::uint64_t> Mmu::frame_at_start(std::uint16_t application) const {
    if (params.pages.placement() != PagePlacement::identity) return {};
    return params.pages.first_frame() + application * params.pages.pages();
}

std::optional<std::uint64_t> Mmu::frame_of(std::uint16_t application, std::uint64_t page) const {
    const std::uint64_t key = page_key(application, page);
    return by_fault() ? state.resident.find(key) : state.map.find(key);
}

// ---- page orders -----------------------------------------------------------------------------

/// Accepts orders while there is space, sends their shoot-downs, and answers completed orders.
void Mmu::take_orders() {
    for (unsigned t = 0; t < port.shootdowns.size(); ++t)
        while (!port.shootdowns[t].empty()) state.orders.confirmed(port.shootdowns[t].pop().tag);
    advance_orders();
    for (unsigned m = 0; m < port.mover_side.size(); ++m) {
        auto& in = port.mover_side[m];
        while (!in.empty() && !state.orders.full() &&
               begin_order(static_cast<std::uint16_t>(m), in.front())) {
            in.pop();
            advance_orders();
        }
    }
}

/// Returns false if the order must wait.
bool Mmu::begin_order(std::uint16_t mover, const protocol::PageOrder& order) {
    PageMoves moves = this->moves();
    const std::string& sender = port.mover_side[mover].neighbour_path();
    if (const auto fault = moves.fault_of(order, sender)) refuse(fault->parameter, fault->why);
    auto o = moves.begin(order, [this](std::uint32_t page) { complete_unmapped(page); });
    if (!o) return false;
    o->mover = mover;
    o->since = now();
    stat.shootdowns += o->pages != 0;
    state.orders.add(*o);
    return true;
}

/// Completes the requests for an unmapped page if it is mapped now and its application is not held.
void Mmu::complete_unmapped(std::uint32_t i) {
    const MissingPages::Page& p = state.missing[i];
    if (p.phase != Phase::unmapped || state.map.held(application_of(p.key))) return;
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

// ---- functional accesses ---------------------------------------------------------------------

/// A page that is not mapped is with the host, or was never accessed.
void Mmu::functional_unmapped(FunctionalAccess& access) {
    if (by_fault()) return look_through(*port.fault_side, access);
    state.map.functional_untouched(access);
}

void Mmu::functional_written(FunctionalAccess& access) {
    if (by_fault()) look_through(*port.fault_side, access);
}

void Mmu::place_contents(std::uint64_t key, std::uint64_t frame) {
    for (std::uint64_t at = 0; at < page_bytes(); at += SectorBytes::size) {
        FunctionalAccess a {page_of(key) * page_bytes() + at, application_of(key), false, {}};
        state.map.functional_untouched(a);
        if (a.data.known == 0) continue;
        a.address = frame * page_bytes() + at;
        a.write = true;
        look_through(port.walk_side, a);
    }
}

void Mmu::check_loaded(Loader& l) const {
    for (const auto* of : {&state.queued, &state.held, &state.reporting})
        l.indices("queued", *of, state.missing.size());
    state.walker.check_loaded(l, state.missing.size());
    state.missing.check_loaded(l, params.pages, params.walker.walkers(), params.tlbs());
    state.resident.check_loaded(l, params.pages);
    state.orders.check_loaded(l, params.pages, port.mover_side.size());
    l.index("turn", state.turn, params.tlbs());
}

void Mmu::waits_on(WaitReport& report) const {
    if (const std::uint32_t busy = state.walker.busy())
        report.add(path() + " has " + std::to_string(busy) + " page walks in progress in " +
                   port.walk_side.neighbour_path());
    for (std::uint32_t i = 0; i < state.missing.size(); ++i) {
        const MissingPages::Page& p = state.missing[i];
        if (p.phase != Phase::faulting && p.phase != Phase::unmapped) continue;
        report.add(path() + " waits for " + std::to_string(state.missing.faulting()) +
                   " pages that are not in device memory, among them page " +
                   std::to_string(page_of(p.key)) + " of application " +
                   std::to_string(application_of(p.key)));
        break;
    }
    if (state.orders.live())
        report.add(path() + " waits for TLBs to confirm " + std::to_string(state.orders.live()) +
                   " shoot-downs");
}

std::optional<std::string> Mmu::imbalance() const {
    if (const std::uint32_t n = state.missing.waited_for())
        return std::to_string(n) + " pages were requested and did not arrive";
    if (state.walker.busy()) return "page walks have not ended";
    if (!state.missing.empty()) return "entries of the walk or fault buffer were not released";
    if (state.orders.live())
        return std::to_string(state.orders.live()) + " page orders were not completed";
    return {};
}

} // namespace memsim::gpu
