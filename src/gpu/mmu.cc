#include "gpu/mmu.hh"

#include "core/registry.hh"
#include "parts/named.hh"

#include <bit>

namespace memsim::gpu {

static const Registration<Mmu> registered {
    "The GPU's MMU: L2 TLB, page walks in memory, address spaces, page faults, shoot-downs."};
static const DebugFlag flag {"Mmu", "Look-ups, walks and faults of the MMU"};

namespace {
std::uint64_t raw(Bytes b) { return static_cast<std::uint64_t>(b.raw); }
bool sets_fit(unsigned entries, unsigned ways) { return entries % ways == 0; }
} // namespace

void Mmu::init() {
    if (raw(params.page()) % 1024) refuse("page", "must be a multiple of 1KiB");
    if (!sets_fit(params.entries(), params.ways()))
        refuse("ways", std::to_string(params.entries()) +
                           " entries are no whole number of sets of " +
                           std::to_string(params.ways()));
    if (!sets_fit(params.walk_cache(), params.walk_cache_ways()))
        refuse("walk_cache_ways", std::to_string(params.walk_cache()) +
                                      " entries are no whole number of sets of " +
                                      std::to_string(params.walk_cache_ways()));
    check_capacities();
    if (by_fault() && (port.fault_side.size() == 0 || port.mover_side.size() == 0))
        refuse("hosts", "pages that are not resident are brought by a host: bind one to fault_side "
                        "and mover_side (hosts=1, movers=1)");
    permutation_ = Permutation(frames_, sim().seed());
    state.pages.resize(params.entries(), params.ways());
    state.roots.resize(params.walk_cache(), params.walk_cache_ways());
    const unsigned pages = params.walk_buffer() + params.fault_buffer();
    state.waiters.resize(pages, params.targets());
    state.walks.resize(pages);
    state.walkers.resize(params.walkers());
    for (std::uint32_t w = params.walkers(); w-- > 0;) state.free_walkers.push_back(w);
    state.oldest = state.youngest = nil;
    state.orders.resize(params.orders());
    state.held_spaces.assign(params.applications(), 0);
}

void Mmu::check_capacities() {
    const std::uint64_t page = raw(params.page());
    space_pages_ = (raw(params.address_space()) + page - 1) / page;
    frames_ = raw(params.memory()) / page;
    first_frame_ = raw(params.memory_base()) / page;
    if (frames_ == 0) refuse("memory", "holds no page of " + Text<Bytes>::show(params.page()));
    if (raw(params.memory_base()) % page) refuse("memory_base", "must be a multiple of the page");
    const bool fixed = params.placement() != PagePlacement::faults &&
                       params.placement() != PagePlacement::first_touch;
    const std::uint64_t needed = space_pages_ * params.applications();
    if (fixed && needed > frames_)
        refuse("memory", Text<Bytes>::show(params.memory()) + " hold " + std::to_string(frames_) +
                             " pages; all pages of " + std::to_string(params.applications()) +
                             " address spaces are " + std::to_string(needed) +
                             ": place pages by first_touch or faults, or give more memory");
    if (params.placement() == PagePlacement::interleaved && frames_ % params.partitions())
        refuse("partitions", std::to_string(frames_) + " pages cannot be divided into " +
                                 std::to_string(params.partitions()) + " equal parts");
    if (!std::has_single_bit(params.leaf_entries()))
        refuse("leaf_entries", "must be a power of two");
    if (!std::has_single_bit(raw(params.walk_read())) ||
        raw(params.walk_read()) < raw(params.table_entry()))
        refuse("walk_read", "must be a power of two that holds an entry of " +
                                Text<Bytes>::show(params.table_entry()));
    table_ = PageTable({raw(params.table_base()), space_pages_, params.leaf_entries(),
                        raw(params.table_entry()), params.applications()});
    if (table_.bytes() > raw(params.table_memory()))
        refuse("table_memory",
               Text<Bytes>::show(params.table_memory()) + " do not hold the page tables of " +
                   std::to_string(params.applications()) + " address spaces of " +
                   Text<Bytes>::show(params.address_space()) + ", which take " +
                   std::to_string(table_.bytes()) + "B: give more, or larger pages");
}

std::vector<MemoryUse> Mmu::memory_uses() const {
    return {{"its pages", raw(params.memory_base()), raw(params.memory())},
            {"its page tables", raw(params.table_base()), raw(params.table_memory())}};
}

void Mmu::wake() {
    while (!port.walk_side.empty()) {
        const protocol::MemResponse r = port.walk_side.pop();
        sim().contents().release(r.contents);
        entry_read(r.tag);
    }
    for (unsigned h = 0; h < port.fault_side.size(); ++h)
        while (!port.fault_side[h].empty()) {
            const protocol::PageFaultReply r = port.fault_side[h].pop();
            stat.fault_time.sample(Time {now() - parts::named(state.walks, r.tag).since});
            resident(state.walks[r.tag].key, r.frame);
            complete(r.tag, r.frame);
        }
    take_orders();
    while (!state.held.empty() && may_fault()) end_walk(state.held.pop());
    look_up();
    start_walks();
    while (!state.reading.empty() && port.walk_side.can_send()) read_entry(state.reading.pop());
    while (!state.reporting.empty() && port.fault_side[0].can_send()) {
        const std::uint32_t i = state.reporting.pop();
        const Walk& w = state.walks[i];
        port.fault_side[0].send({page_of(w.key), application_of(w.key), w.write, i});
    }
}

/// Serves TLBs in turn, so many a cycle; one that must wait lets the others pass.
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
        if (!serve(static_cast<std::uint16_t>(tlb), in.front())) {
            ++waiting;
            continue;
        }
        in.pop();
        state.slots.take();
        state.turn = (tlb + 1) % n;
        waiting = 0;
    }
}

bool Mmu::serve(std::uint16_t tlb, const protocol::TranslationRequest& r) {
    if (r.application >= params.applications() || r.page >= space_pages_)
        throw ConfigError(path() + ".address_space: application " + std::to_string(r.application) +
                          " uses address " + std::to_string(r.page * raw(params.page())) +
                          "; there are " + std::to_string(params.applications()) +
                          " address spaces of " + Text<Bytes>::show(params.address_space()));
    const std::uint64_t key = page_key(r.application, r.page);
    if (TlbArray::Entry* e = state.pages.find(key)) {
        if (by_fault()) {
            use(e->frame, r.write);
            e->writable = e->writable || r.write;
        }
        port.tlb_side[tlb].send({e->frame, e->writable, r.tag});
        ++stat.hits;
    } else if (const std::uint32_t* walk = state.missing.find(key)) {
        if (state.waiters.targets_full(*walk)) return false;
        state.waiters.add(*walk, {r.tag, tlb});
        state.walks[*walk].write |= r.write;
        ++stat.merged;
    } else {
        if (state.buffered == params.walk_buffer()) return false;
        const std::uint32_t i = state.waiters.allocate(0, now());
        state.waiters.add(i, {r.tag, tlb});
        state.walks[i] = {key, Phase::queued, r.write, 0, now()};
        state.missing[key] = i;
        state.queued.push(i);
        stat.buffered.set(now(), ++state.buffered);
    }
    ++stat.requests;
    return true;
}

void Mmu::start_walks() {
    while (!state.queued.empty() && !state.free_walkers.empty()) {
        const std::uint32_t i = state.queued.pop(), w = state.free_walkers.back();
        state.free_walkers.pop_back();
        Walk& walk = state.walks[i];
        walk.phase = Phase::walking;
        walk.walker = w;
        const std::uint64_t leaf = table_.leaf_table(page_of(walk.key));
        const bool cached = state.roots.find(page_key(application_of(walk.key), leaf));
        state.walkers[w] = {i, cached};
        state.reading.push(w);
        stat.walk_cache_hits += cached;
        ++stat.walks;
        stat.walking.set(now(), params.walkers() - state.free_walkers.size());
        debug(flag, "walks for page ", page_of(walk.key), " of application ",
              application_of(walk.key));
    }
}

void Mmu::read_entry(std::uint32_t walker) {
    const Walker& w = state.walkers[walker];
    const std::uint64_t key = state.walks[w.walk].key;
    const std::uint16_t application = application_of(key);
    protocol::MemRequest r;
    r.address = w.leaf ? table_.leaf_entry(application, page_of(key))
                       : table_.root_entry(application, page_of(key));
    r.address &= ~(raw(params.walk_read()) - 1);
    r.bytes = static_cast<std::uint32_t>(params.walk_read->raw);
    r.tag = walker;
    r.application = application;
    port.walk_side.send(r);
    ++stat.walk_reads;
}

void Mmu::entry_read(std::uint32_t walker) {
    Walker& w = parts::named(state.walkers, walker);
    const Walk& walk = state.walks[w.walk];
    if (w.leaf) {
        stat.walk_time.sample(Time {now() - walk.since});
        return end_walk(w.walk);
    }
    const std::uint64_t leaf = table_.leaf_table(page_of(walk.key));
    state.roots.insert(page_key(application_of(walk.key), leaf), 0, false);
    w.leaf = true;
    state.reading.push(walker);
}

bool Mmu::may_fault() { return state.faulting < params.fault_buffer(); }

/// What the leaf's entry says: the frame, or that the page is not there.
void Mmu::end_walk(std::uint32_t i) {
    Walk& w = state.walks[i];
    const bool waits = state.held_spaces[application_of(w.key)];
    const std::optional<std::uint64_t> frame = waits ? std::nullopt : find(w.key);
    if (!frame && !may_fault()) {
        w.phase = Phase::held;
        return state.held.push(i);
    }
    state.free_walkers.push_back(w.walker);
    stat.walking.set(now(), params.walkers() - state.free_walkers.size());
    stat.buffered.set(now(), --state.buffered);
    if (frame)
        complete(i, *frame);
    else
        fault(i);
}

void Mmu::fault(std::uint32_t i) {
    Walk& w = state.walks[i];
    w.since = now();
    stat.faulting.set(now(), ++state.faulting);
    if (state.held_spaces[application_of(w.key)] || state.mappings.find(w.key)) {
        w.phase = Phase::unmapped;
        return;
    }
    w.phase = Phase::faulting;
    ++stat.faults;
    state.reporting.push(i);
    debug(flag, "faults on page ", page_of(w.key), " of application ", application_of(w.key));
}

/// Tells all who wait for the page.
void Mmu::complete(std::uint32_t i, std::uint64_t frame) {
    Walk& w = state.walks[i];
    MEMSIM_ASSERT(state.waiters.in_use(i).line == 0, "a page comes that nobody waits for");
    bool writable = true;
    if (by_fault()) {
        use(frame, w.write);
        writable = parts::named(state.frames, frame - first_frame_).dirty;
    }
    state.pages.insert(w.key, frame, writable);
    state.waiters.serve(i, [&](const Waiter& waiter) {
        port.tlb_side[waiter.tlb].send({frame, writable, waiter.tag});
        return true;
    });
    if (w.phase == Phase::faulting || w.phase == Phase::unmapped)
        stat.faulting.set(now(), --state.faulting);
    w.phase = Phase::queued; // free: neither a fault nor a page to wait for
    state.waiters.release(i);
    state.missing.erase(w.key);
}

std::optional<std::uint64_t> Mmu::find(std::uint64_t key) {
    if (const Mapping* m = state.mappings.find(key))
        return m->mapped ? std::optional(m->frame) : std::nullopt;
    if (params.placement() != PagePlacement::first_touch) return placed(key);
    if (state.touched == frames_)
        throw ConfigError(path() + ".memory: all " + std::to_string(frames_) +
                          " pages are taken and application " +
                          std::to_string(application_of(key)) +
                          " touches another: give more memory, or place pages by faults");
    ++stat.first_touches;
    state.mappings[key] = {first_frame_ + state.touched, true};
    if (!state.unplaced.empty()) place_contents(key, first_frame_ + state.touched);
    return first_frame_ + state.touched++;
}

/// Where a page lies that is resident from the start.
std::optional<std::uint64_t> Mmu::placed(std::uint64_t key) const {
    const std::uint64_t n = application_of(key) * space_pages_ + page_of(key);
    switch (params.placement()) {
    case PagePlacement::identity:
        return first_frame_ + n;
    case PagePlacement::interleaved:
        return first_frame_ + n % params.partitions() * (frames_ / params.partitions()) +
               n / params.partitions();
    case PagePlacement::random:
        return first_frame_ + permutation_(n);
    case PagePlacement::first_touch:
    case PagePlacement::faults:
        break;
    }
    return {};
}

/// By parameters alone: others ask before init().
std::optional<std::uint64_t> Mmu::frame_at_start(std::uint16_t application) const {
    if (params.placement() != PagePlacement::identity) return {};
    const std::uint64_t page = raw(params.page());
    const std::uint64_t space_pages = (raw(params.address_space()) + page - 1) / page;
    return raw(params.memory_base()) / page + application * space_pages;
}

std::optional<std::uint64_t> Mmu::frame_of(std::uint16_t application, std::uint64_t page) const {
    const std::uint64_t key = page_key(application, page);
    if (const Mapping* m = state.mappings.find(key))
        return m->mapped ? std::optional(m->frame) : std::nullopt;
    return placed(key);
}

/// A page that is not mapped is with the host, or has not been touched.
void Mmu::functional_unmapped(FunctionalAccess& access) {
    if (by_fault()) return look_through(port.fault_side[0], access);
    state.unplaced.resize(params.applications());
    state.unplaced[access.application].functional(access);
}

/// The program's memory was there before its pages had frames.
void Mmu::place_contents(std::uint64_t key, std::uint64_t frame) {
    const std::uint64_t page = raw(params.page());
    for (std::uint64_t at = 0; at < page; at += SectorBytes::size) {
        FunctionalAccess a {page_of(key) * page + at, application_of(key), false, {}};
        state.unplaced[a.application].functional(a);
        if (a.data.known == 0) continue;
        a.address = frame * page + at;
        a.write = true;
        look_through(port.walk_side, a);
    }
}

void Mmu::check_loaded(Loader& l) const {
    const auto page = [&](std::string_view field, std::uint64_t key) {
        l.index(field, application_of(key), params.applications());
        l.index(field, page_of(key), space_pages_);
    };
    const std::size_t walks = state.walks.size(), walkers = state.walkers.size();
    for (const auto* of : {&state.queued, &state.held, &state.reporting})
        l.indices("queued", *of, walks);
    l.indices("reading", state.reading, walkers);
    for (const Walk& w : state.walks) {
        page("walks.key", w.key);
        l.index("walks.walker", w.walker, walkers);
    }
    for (const Walker& w : state.walkers) l.index("walkers.walk", w.walk, walks);
    state.missing.all([&](std::uint64_t, std::uint32_t walk) {
        l.index("missing", walk, walks);
        return true;
    });
    state.waiters.for_each([](auto, const auto&) {},
                           [&](const Waiter& w) { l.index("waiters.tlb", w.tlb, params.tlbs()); });
    const auto frame = [&](std::string_view field, std::uint32_t f) {
        if (f != nil) l.index(field, f, state.frames.size());
    };
    l.index("frames", state.frames.size(), frames_ + 1);
    frame("oldest", state.oldest), frame("youngest", state.youngest);
    for (const Frame& f : state.frames) {
        frame("frames.older", f.older), frame("frames.younger", f.younger);
        page("frames.key", f.key);
    }
    std::uint32_t live = 0;
    for (const Order& o : state.orders) {
        live += o.live;
        if (!o.live) continue;
        page("orders.key", o.key);
        l.index("orders.pages", o.pages, space_pages_ + 1);
        l.index("orders.mover", o.mover, port.mover_side.size());
    }
    l.within("ordered", [&] { l.check(live == state.ordered, "counts other orders"); });
    l.index("turn", state.turn, params.tlbs());
}

void Mmu::waits_on(WaitReport& report) const {
    const auto idle = state.free_walkers.size();
    if (idle < state.walkers.size())
        report.add(path() + " has " + std::to_string(state.walkers.size() - idle) +
                   " page walks under way in " + port.walk_side.peer()->owner().path());
    for (const Walk& w : state.walks) {
        if (w.phase != Phase::faulting && w.phase != Phase::unmapped) continue;
        report.add(path() + " waits for " + std::to_string(state.faulting) +
                   " pages that are not in device memory, among them page " +
                   std::to_string(page_of(w.key)) + " of application " +
                   std::to_string(application_of(w.key)));
        break;
    }
    if (state.ordered)
        report.add(path() + " waits for TLBs to confirm " + std::to_string(state.ordered) +
                   " shoot-downs");
}

std::optional<std::string> Mmu::imbalance() const {
    if (state.waiters.size())
        return std::to_string(state.waiters.size()) + " pages were asked for and did not come";
    if (state.free_walkers.size() != state.walkers.size()) return "page walks have not ended";
    if (state.buffered || state.faulting) return "entries of walk or fault buffer are lost";
    if (state.ordered) return std::to_string(state.ordered) + " page orders are not done";
    return {};
}

} // namespace memsim::gpu
