#include "ohm/planar/controller.hh"

#include "core/kernel/registry.hh"
#include "mem/dram/device/command_log.hh"
#include "ohm/channel/modules.hh"
#include "protocol/traffic.hh"

namespace memsim::ohm {

static const Registration<PlanarController> planar_controller {
    "Memory controller of DRAM and XPoint on one channel, planar mode: swaps hot pages."};

void PlanarController::init() {
    const auto page = static_cast<std::uint64_t>(params.page->raw);
    const auto dram = static_cast<std::uint64_t>(params.dram->raw);
    const SwapParams& swap = params.swap;
    PageSwaps::check(*this, swap, params.page());
    if (dram % (page * params.channel.modules()) != 0)
        refuse("dram", Text<Bytes>::show(params.dram()) +
                           " is not a multiple of page x modules = " +
                           std::to_string(page * params.channel.modules()) + "B");
    protocol::agreed_share(port.channel.cpu_side,
                           {params.channel.controllers(), page, params.channel.index(),
                            "controllers", "page", "index"});
    protocol::check_block(port.channel.cpu_side, DemandPort::block_bytes, "cpu_side");
    check_modules(*this, params.channel, port.channel,
                  {params.dram->raw * params.ratio() / params.channel.modules()});
    make_channel(channel_, *this, params.channel, stat.channel, state.channel, stat.bank.counters(),
                 swap.swap_function(), Swap::piece_bytes);
    FunctionSwaps::check(*this, swap, params.channel, params.routes(), params.page(),
                         channel_->timing().row);
    check_sequences(*this, port.channel.commands, port.sequences, swap.swaps());

    placement_ = {
        params.channel.controllers(), params.channel.index(), page, dram / page, params.ratio(),
        params.channel.modules()};
    modules_.emplace(*channel_, state.channel, port.channel.commands, port.channel.transfers);
    swaps_.emplace(swap, stat.swap, state.pages, placement_, sim().contents());
    swaps_->init();
    demand_.emplace(stat.demand, state.demand, placement_, *channel_, *modules_, state.dram,
                    sim_ref(),
                    [this](std::uint32_t id, Contents::Id contents) { respond(id, contents); });
    unsigned kept = swap.held_reads();
    for (unsigned m = 0; m < port.channel.commands.size(); ++m)
        if (const auto f = figures_behind(port.channel.commands[m]))
            kept = std::min({kept, f->device.read_buffer() / 2, f->device.loads() / 2});
    demand_->init(params.channel.requests(), kept);
    postponed_.emplace(params.postponed(), swap, stat.postponed, state.postponed, *swaps_, *demand_,
                       [this](std::uint32_t id, Contents::Id contents) { respond(id, contents); });
    copies_.emplace(
        CopySwaps::Parts {swap, params.channel, stat.swap, placement_, *swaps_, *channel_,
                          *modules_, state.dram, sim().contents(), state.demand.to_module,
                          state.ready_migration, params.channel.migration_wires()},
        [this](Swap& s) { postponed_->serve(s); }, [this](Swap& s) { end_swap(s); });
    if (swap.swap_function())
        function_.emplace(swap, stat.swap, state.function, placement_, *swaps_, *channel_,
                          *modules_, port.sequences, sim().contents(), state.dram,
                          params.routes() == Routes::wom);
}

void PlanarController::wake() {
    mem::tell_commands(*this, channel_->device(), [this] { advance_requests(); });
}

void PlanarController::advance_requests() {
    mem::DramScheduler& dram = channel_->dram();
    take_answers();
    if (only_dram_works()) {
        while (std::min(dram.next_action(), dram.next_done()) <= now()) {
            take_dram_done();
            dram.run(now());
        }
        arm(state.next, std::min(dram.next_action(), dram.next_done()));
        return;
    }
    send_left();
    for (bool again = true; again;) {
        // In order of priority on the channel. The conditions avoid calls that would have no
        // effect.
        if (dram.next_done() <= now()) take_dram_done();
        if (!port.channel.cpu_side.empty())
            requests_.accept([this](const protocol::MemRequest& r) { return accept(r); });
        if (function_)
            again = function_->advance(
                now(), [this] { return serves_reads(); },
                [this](Swap& s) { postponed_->make_still(s); }, [this](Swap& s) { end_swap(s); });
        else
            copies_->collect_due(now()), again = false;
        const std::uint64_t live = swaps_->live();
        bool changed = copies_->feed_old(now());
        changed |= copies_->waits() && copies_->book(true, now());
        // A command to the DRAM moves data, and so does a write to XPoint; a read command to XPoint
        // does not.
        const bool crosses = !swaps_->held();
        const bool reads = crosses || params.swap.swap_hold() == SwapHold::channel;
        demand_->hold(reads && !crosses);
        changed |= crosses && demand_->feed_dram(now(), [this](std::uint64_t address) {
            return function_ && function_->holds(address);
        });
        changed |= reads && demand_->feed_modules(now(), [this](std::uint32_t module) {
            return copies_->old_writes(module);
        });
        changed |= demand_->book(now(), crosses);
        again |= dram.next_action() <= now() && run_dram();
        changed |= function_ && function_->run_route(now());
        changed |= copies_->feed_young(now());
        const bool migrated = copies_->waits() && copies_->book(false, now());
        changed |= migrated;
        // Earlier steps do not depend on later ones, except on the end of a swap, and on reads of a
        // young swap that were queued before those of an old one.
        again |= function_ ? changed
                           : swaps_->live() != live || (migrated && !state.ready_migration.empty());
        again |= dram.next_action() <= now() || dram.next_done() <= now();
    }
    arm_next();
}

/// Whether only the DRAM scheduler can have work, which is the most frequent case.
bool PlanarController::only_dram_works() const {
    return demand_->idle() && !swaps_->live() && !function_ && state.ready_migration.empty() &&
           port.channel.cpu_side.empty() && modules_->quiet();
}

// ---- devices and the channel -----------------------------------------------------------------

void PlanarController::take_answers() {
    for (std::uint32_t m = 0; m < params.channel.modules(); ++m) {
        auto& commands = port.channel.commands[m];
        while (!commands.empty()) {
            const std::uint32_t id = commands.pop().id;
            if (!(id & PageSwaps::migration_id))
                demand_->ready(m, id, now());
            else if (function_)
                function_->ready(id);
            else
                state.ready_migration.push({m, id, now()});
        }
        auto& transfers = port.channel.transfers[m];
        while (!transfers.empty()) {
            const protocol::DdrtData d = transfers.pop();
            if (d.id & PageSwaps::migration_id)
                copies_->piece_from_xpoint(d.id, d.contents);
            else
                respond(d.id, d.contents);
        }
    }
}

void PlanarController::send_left() {
    modules_->send_left(now(), [this](const protocol::DdrtCommand& c) {
        if (c.swap)
            function_->ordered(c.id, now());
        else if (c.migration)
            copies_->left(c.id);
        else
            respond(c.id, {});
    });
}

void PlanarController::take_dram_done() {
    while (channel_->dram().next_done() <= now()) {
        const mem::DramDone d = channel_->dram().pop_done();
        if (!(d.context & PageSwaps::migration_id))
            demand_->dram_done(d);
        else if (!d.write) // no request waits for a write
            copies_->piece_from_dram(d.context);
    }
}

/// Runs the scheduler. Returns whether an access that waits may be able to proceed.
bool PlanarController::run_dram() {
    mem::DramScheduler& dram = channel_->dram();
    const std::uint32_t waiting = dram.reads() + dram.writes();
    dram.run(now());
    // Room for accesses that wait. Swaps by XPoint also wait for rows to open and for the direction
    // to change.
    const bool room = dram.reads() + dram.writes() != waiting;
    return function_ || (room && (demand_->waits_for_dram() || copies_->has_pieces()));
}

/// Sets a timer for the next time at which state can change without an event. Ports, answers and
/// earlier commands wake the component.
void PlanarController::arm_next() {
    const mem::DramScheduler& dram = channel_->dram();
    Tick next = std::min(dram.next_action(), dram.next_done());
    const auto consider = [&](Tick t) {
        if (t > now() && t < next) next = t;
    };
    for (std::uint32_t m = 0; m < params.channel.modules(); ++m) consider(modules_->leaves(m));
    demand_->consider(consider);
    if (function_)
        function_->consider(consider);
    else
        copies_->consider(consider, now());
    if (next == never)
        cancel(state.next);
    else
        arm(state.next, next);
}

// ---- requests --------------------------------------------------------------------------------

/// The page of a request. Throws ConfigError if it does not belong to this controller.
Placement::Page PlanarController::page_of(const protocol::MemRequest& r) const {
    const Placement::Page p = placement_.page_of(r.address);
    const char* const advice = ": the crossbar in front must interleave pages over controllers";
    if (p.slot > params.ratio())
        requests_.refuse(r, "lies beyond the memory of " +
                                std::to_string(placement_.bytes_of_all()) + " bytes" + advice);
    if (p.controller != params.channel.index())
        requests_.refuse(r, "belongs to controller " + std::to_string(p.controller) + advice);
    requests_.check_block(r);
    return p;
}

bool PlanarController::accept(const protocol::MemRequest& r) {
    if (r.is_hint()) return accept_hint(r), true;
    const Placement::Page p = page_of(r);
    if (demand_->requests().full()) return false;
    Group* g = swaps_->groups().find(p.group);
    const auto slot = static_cast<std::uint8_t>(p.slot);
    Swap* const s = swaps_->of_group(g);
    const bool moving = s && s->moves(slot);
    if (moving && !postponed_->has_room(*s, p, r.command)) return false;

    const std::uint32_t location = g ? g->location[slot] : slot;
    ++stat.requests;
    if (location == 0) ++stat.dram_hits;
    const std::uint32_t id = demand_->requests().take();
    PageRequest& q = (*demand_)[id];
    q.r = r;
    q.accepted = now();
    q.group = p.group;
    q.offset = p.offset;
    q.slot = slot;
    if (moving) return postponed_->take(id, *s), true;
    demand_->dispatch(id, location);
    if (!s) start_swap(swaps_->access(p, g, now()));
    return true;
}

/// Counts a page that is about to be accessed as accessed.
void PlanarController::accept_hint(const protocol::MemRequest& hint) {
    const Placement::Page p = placement_.page_of(hint.address);
    const bool here = p.slot <= params.ratio() && p.controller == params.channel.index();
    Group* g = here ? swaps_->groups().find(p.group) : nullptr;
    if (!here || swaps_->of_group(g)) {
        ++stat.channel.hints_dropped;
        return;
    }
    ++stat.hints;
    start_swap(swaps_->access(p, g, now()));
}

void PlanarController::respond(std::uint32_t id, Contents::Id contents) {
    const PageRequest& q = (*demand_)[id];
    requests_.answer(q.r, q.accepted, q.stage(), contents);
    postponed_->finished(q);
    demand_->requests().give_back(id);
}

// ---- swaps -----------------------------------------------------------------------------------

/// Starts a swap, if one was decided.
void PlanarController::start_swap(Swap* s) {
    if (!s) return;
    if (function_) {
        function_->place(*s);
        if (params.swap.behind_writes()) return;
    }
    postponed_->make_still(*s);
}

/// Ends a swap and resumes the requests that waited for it.
void PlanarController::end_swap(Swap& s) {
    swaps_->end(s, now());
    swaps_->deferred().replay(
        s.group, [this](FunctionalAccess& a) { functional(port.channel.cpu_side, a); });
    postponed_->release(s);
}

/// Whether a swap that begins now would delay reads that wait for data.
bool PlanarController::serves_reads() const {
    const mem::DramScheduler& dram = channel_->dram();
    if (dram.draining() || modules_->demand_leaves()) return false;
    return dram.reads() || !demand_->idle();
}

// ---- reports ---------------------------------------------------------------------------------

void PlanarController::functional(const PortBase&, FunctionalAccess& access) {
    const Placement::Page p = placement_.page_of(access.address);
    const auto slot = static_cast<std::uint8_t>(p.slot);
    const Group* const g = swaps_->groups().find(p.group);
    const Swap* const s = swaps_->of_group(g);
    if (s && s->moves(slot) && swaps_->functional(*s, slot, p.offset, access)) return;
    const std::uint32_t location = g ? g->location[slot] : slot;
    FunctionalAccess there = access;
    if (location == 0) {
        there.address = placement_.dram_address(p.group) + p.offset;
        state.dram.functional(there);
    } else {
        there.address = placement_.module_address(p.group, location) + p.offset;
        look_through(port.channel.commands[placement_.module_of(p.group, location)], there);
    }
    access.data = there.data;
}

bool PlanarController::pending() const {
    return demand_->requests().taken() != 0 || swaps_->live() != 0 ||
           (function_ && !function_->idle()) || !channel_->dram().idle();
}

void PlanarController::check_loaded(Loader& l) const {
    const std::size_t swaps = state.pages.swaps.size();
    const unsigned modules = params.channel.modules(), slots = params.ratio() + 1;
    const auto either = [&](std::uint32_t id) {
        if (!(id & PageSwaps::migration_id)) return demand_->requests().check(l, "channel", id);
        l.index("channel.swap", id >> 4 & 0xff, swaps);
    };
    channel_->check_loaded(l, either, either);
    demand_->check_loaded(l, slots, swaps);
    demand_->requests().check_all(l, "postponed", state.postponed);
    copies_->check_loaded(l);
    swaps_->check_loaded(l, slots, modules, state.channel.lent.rows.size());
    if (function_) function_->check_loaded(l);
}

void PlanarController::waits_on(WaitReport& report) const {
    if (const std::uint32_t requests = demand_->requests().taken())
        report.add(path() + ": " + std::to_string(requests) + " requests outstanding, " +
                   std::to_string(postponed_->count()) + " of them wait for a swap, " +
                   std::to_string(demand_->ready_reads()) + " for the channel");
    swaps_->waits_on(path(), report);
}

std::optional<std::string> PlanarController::imbalance() const {
    if (!state.postponed.empty() || demand_->ready_reads() || !state.ready_migration.empty())
        return "requests are still outstanding";
    return channel_->imbalance();
}

} // namespace memsim::ohm
