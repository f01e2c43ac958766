#include "ohm/planar_controller.hh"

#include "core/registry.hh"
#include "ohm/modules.hh"
#include "parts/stall.hh"

#include <bit>

namespace memsim::ohm {

static const Registration<PlanarController> registered {
    "Memory controller of DRAM and XPoint on one channel, planar mode: hot pages are swapped."};

using protocol::Command;
using protocol::Stage;

void PlanarController::init() {
    const auto page = static_cast<std::uint64_t>(params.page->raw);
    const auto dram = static_cast<std::uint64_t>(params.dram->raw);
    if (page % piece_bytes != 0)
        refuse("page", Text<Bytes>::show(params.page()) + " is not a multiple of an XPoint line, " +
                           std::to_string(piece_bytes) + "B");
    if (dram % (page * params.channel.modules()) != 0)
        refuse("dram", Text<Bytes>::show(params.dram()) +
                           " is not a multiple of page x modules = " +
                           std::to_string(page * params.channel.modules()) + "B");
    if (params.channel.index() >= params.channel.controllers())
        refuse("index",
               "it must be below controllers, " + std::to_string(params.channel.controllers()));
    check_modules(*this, params.channel, port.channel,
                  {params.dram->raw * params.ratio() / params.channel.modules()});
    if (static_cast<std::uint64_t>(params.swap_buffer->raw) < params.swaps() * 2 * page)
        refuse("swap_buffer", Text<Bytes>::show(params.swap_buffer()) +
                                  " does not hold two pages "
                                  "for each of " +
                                  std::to_string(params.swaps()) + " swaps: give it " +
                                  std::to_string(params.swaps() * 2 * page) +
                                  "B or set swaps lower");
    try {
        channel_.emplace(params.channel, stat.channel, state.channel, params.swap_function());
    } catch (const ConfigError& e) {
        refuse("dram_changes", e.what());
    }
    const mem::DramTiming& timing = channel_->timing();
    if (piece_bytes % timing.burst != 0 ||
        static_cast<std::uint64_t>(timing.row.raw) % piece_bytes != 0)
        refuse("dram_timing", "its burst must divide 256 bytes, and they its row");
    channel_->init();

    check_function();

    placement_ = {
        params.channel.controllers(), params.channel.index(), page, dram / page, params.ratio(),
        params.channel.modules()};
    pieces_ = static_cast<unsigned>(page / piece_bytes);
    const unsigned slot_bits = static_cast<unsigned>(std::bit_width(params.ratio()));
    table_bytes_ = placement_.groups * (1 + params.ratio()) * slot_bits / 8;
    state.requests.resize(params.channel.requests());
    state.places.resize(params.channel.requests());
    state.to_module.resize(params.channel.modules());
    state.swaps.resize(params.swaps());
    wires_ = params.migration_wires();
    beside_ = &channel_->bus(wires_);
    if (!params.swap_function()) return;
    route_.emplace(*channel_, port.sequences, state.route, sim().contents(), state.dram);
    if (params.routes() == Routes::wom) channel_->code_side();
}

void PlanarController::start() { stat.mapping_table_bytes.set(0, table_bytes_); }

void PlanarController::wake() {
    mem::FrFcfs& dram = channel_->dram();
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
    const bool function = route_.has_value();
    for (bool again = true; again;) {
        // In the order of their claim to the channel. Most find nothing to do: this is seen here.
        if (dram.next_done() <= now()) take_dram_done();
        if (!port.channel.cpu_side.empty()) accept();
        again = function && advance_functions();
        if (!function) look_at_swaps();
        const std::uint64_t live = state.live_swaps;
        const std::uint64_t old = swaps_.devices & swaps_.old, young = swaps_.devices & ~swaps_.old;
        bool changed = old && feed_swaps(old);
        changed |= migration_waits() && book_migration(true);
        changed |= !state.dram_queue.empty() && feed_dram();
        changed |= state.commands != 0 && feed_modules();
        changed |= (state.commands != 0 || !state.ready_demand.empty()) && book_demand();
        if (dram.next_action() <= now()) {
            const std::uint32_t waiting = dram.reads() + dram.writes();
            dram.run(now());
            // Room for what waits. Swaps by XPoint also wait for rows to be open and for the
            // direction to change.
            const bool room = dram.reads() + dram.writes() != waiting;
            again |= function || (room && (!state.dram_queue.empty() || swaps_.devices));
        }
        changed |= function && route_->run(now());
        changed |= young && feed_swaps(young);
        const bool migrated = migration_waits() && book_migration(false);
        changed |= migrated;
        // Nothing that comes earlier above waits for the rest, but for the end of a swap, and for
        // a read of a young swap that stood before an old one's.
        again |= function
                     ? changed
                     : state.live_swaps != live || (migrated && !state.ready_migration.empty());
        again |= dram.next_action() <= now() || dram.next_done() <= now();
    }
    arm_next();
}

/// Most often the DRAM goes on with what it has, and there is nothing else to look after.
bool PlanarController::only_dram_works() const {
    if (state.commands || state.live_swaps || route_ || !state.dram_queue.empty() ||
        !state.ready_demand.empty() || !state.ready_migration.empty() ||
        !port.channel.cpu_side.empty())
        return false;
    for (const auto& leaving : state.channel.leaving)
        if (!leaving.empty()) return false;
    return true;
}

// ---- requests --------------------------------------------------------------------------------

void PlanarController::accept() {
    parts::take_in_order(
        port.channel.cpu_side, now(), state.stalled_since,
        [this](const protocol::MemRequest& r) { return accept(r); },
        [this](Time stalled) { stat.channel.stall_time += stalled; });
}

bool PlanarController::accept(const protocol::MemRequest& r) {
    if (protocol::for_a_cache(r.command)) return true;
    const Placement::Page p = placement_.page_of(r.address);
    if (p.controller != params.channel.index() || p.slot > params.ratio())
        throw ConfigError(path() + ": address " + std::to_string(r.address) +
                          (p.slot > params.ratio()
                               ? " lies beyond the memory of " +
                                     std::to_string(placement_.bytes_of_all()) + " bytes"
                               : " belongs to controller " + std::to_string(p.controller)) +
                          ": the crossbar in front must interleave pages over controllers");
    if (r.bytes == 0 || p.offset / block_bytes != (p.offset + r.bytes - 1) / block_bytes)
        throw ConfigError(path() + ": a request of " + std::to_string(r.bytes) + " bytes at " +
                          std::to_string(r.address) + " does not lie within 128 aligned bytes");
    if (state.places.taken == params.channel.requests()) return false;
    Group* g = state.groups.find(p.group);
    const auto slot = static_cast<std::uint8_t>(p.slot);
    Swap* const s = g && g->swap != Group::none ? &state.swaps[g->swap] : nullptr;
    const bool moving = s && moves(*s, slot);
    const bool write = r.command != Command::read;

    Request q;
    q.r = r;
    q.accepted = now();
    q.group = p.group;
    q.offset = p.offset;
    q.slot = slot;
    const bool buffered =
        moving && !write && s->postponed_writes == 0 && params.buffer_reads() && in_buffer(q, *s);
    if (moving && !buffered && state.postponed.size() == params.postponed()) return false;

    const std::uint32_t location = g ? g->location[slot] : slot;
    ++stat.requests;
    if (location == 0) ++stat.dram_hits;
    const std::uint32_t id = state.places.take();
    state.requests[id] = q;
    if (buffered) {
        read_buffer(id, *s);
        return true;
    }
    if (moving) {
        ++stat.requests_postponed;
        ++s->postponed;
        if (write) ++s->postponed_writes;
        state.postponed.push(id);
        return true;
    }
    dispatch(id, location);
    if (params.swaps() == 0 || s) return true;
    if (!g) {
        if (location == 0) return true; // its counter is 0 and stays 0
        g = &state.groups[p.group];
    }
    if (g->access(slot, params.hot_threshold())) begin_swap(p.group, *g);
    return true;
}

/// To the queue of the device that holds the page.
void PlanarController::dispatch(std::uint32_t id, std::uint32_t location) {
    Request& q = state.requests[id];
    const bool write = q.r.command != Command::read;
    q.location = static_cast<std::uint8_t>(location);
    if (q.location == 0) {
        ++(write ? stat.dram_writes : stat.dram_reads);
        q.place = Place::dram;
        state.dram_queue.push(id);
    } else {
        ++(write ? stat.xpoint_writes : stat.xpoint_reads);
        q.place = Place::xpoint;
        state.to_module[placement_.module_of(q.group, q.location)].push(id);
        ++state.commands;
    }
}

/// Whether the request's piece is in the swap buffer.
bool PlanarController::in_buffer(const Request& q, const Swap& s) const {
    return (q.slot == s.slot_in ? s.xpoint_read : s.dram_read) >> q.offset / piece_bytes & 1;
}

void PlanarController::read_buffer(std::uint32_t id, const Swap& s) {
    Request& q = state.requests[id];
    ++stat.buffer_reads;
    q.place = Place::buffer;
    finish(id, read_at(state.swap_buffer, q, buffer_address(s, q.slot == s.slot_out) + q.offset));
}

/// What a read gets from a place of its data.
Contents::Id PlanarController::read_at(const parts::SectorStore& store, const Request& q,
                                       std::uint64_t address) {
    if (!sim().contents().enabled()) return {};
    protocol::MemRequest there = q.r;
    there.address = address;
    return store.read(sim().contents(), there);
}

void PlanarController::finish(std::uint32_t id, Contents::Id contents) {
    Request& q = parts::named(state.requests, id);
    const Time taken {now() - q.accepted};
    if (q.r.command == Command::read)
        stat.channel.read_latency.sample(taken);
    else
        stat.channel.write_latency.sample(taken);
    const Stage stage = q.place == Place::dram     ? Stage::dram
                        : q.place == Place::xpoint ? Stage::channel
                                                   : Stage::queue;
    sim().stamps().mark(q.r.stamps, static_cast<std::size_t>(stage), now());
    if (q.r.needs_response()) {
        protocol::MemResponse answer = protocol::answer(q.r);
        answer.contents = contents;
        port.channel.cpu_side.send(answer);
    } else
        sim().contents().release(contents);
    if (q.blocks_swap != Group::none) --state.swaps[q.blocks_swap].waits_for;
    state.places.give_back(id);
}

/// What is copied in goes to where a page on its way is now, and again to where it is then: some of
/// it may have gone already.
void PlanarController::functional(const PortBase&, FunctionalAccess& access) {
    const Placement::Page p = placement_.page_of(access.address);
    const Group* const g = state.groups.find(p.group);
    const Swap* const s = g && g->swap != Group::none ? &state.swaps[g->swap] : nullptr;
    if (s && moves(*s, p.slot)) {
        access.write ? state.deferred.add(p.group, access) : state.deferred.look(p.group, access);
        const bool out = p.slot == s->slot_out;
        if ((out ? s->dram_read : s->xpoint_read) >> p.offset / piece_bytes & 1) {
            FunctionalAccess buffered = access;
            buffered.address = buffer_address(*s, out) + p.offset;
            state.swap_buffer.functional(buffered);
            access.data = buffered.data;
            return;
        }
    }
    const std::uint32_t location = g ? g->location[p.slot] : static_cast<std::uint32_t>(p.slot);
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

// ---- reports ---------------------------------------------------------------------------------

bool PlanarController::pending() const {
    return state.places.taken != 0 || state.live_swaps != 0 || (route_ && !route_->idle()) ||
           !channel_->dram().idle();
}

namespace {
std::string state_of(const PlanarController::Swap& s) {
    using Phase = PlanarController::Phase;
    if (s.waits_for) return " waits for " + std::to_string(s.waits_for) + " requests";
    switch (s.phase) {
    case Phase::decided:
        return " waits for writes to be served";
    case Phase::preset:
        return " waits for its row to be open";
    case Phase::command:
        return " waits for the channel";
    case Phase::ordered:
        return " is XPoint's to make";
    case Phase::ready:
        return " waits to be confirmed";
    case Phase::quiet:
        break;
    }
    return " is under way";
}
} // namespace

void PlanarController::check_loaded(Loader& l) const {
    const std::size_t requests = state.requests.size(), swaps = state.swaps.size();
    const unsigned modules = params.channel.modules(), slots = params.ratio() + 1;
    const auto request = [&](std::string_view field, std::uint32_t id) {
        l.index(field, id, requests);
        l.within(field, [&] { l.check(state.places.has(id), "is a request that is free"); });
    };
    const auto either = [&](std::uint32_t id) {
        if (!(id & migration_id)) return request("channel", id);
        l.index("channel.swap", id >> 4 & 0xff, swaps);
    };
    channel_->check_loaded(l, either, either);
    for (const auto* queue : {&state.dram_queue, &state.postponed})
        for (std::uint32_t i = 0; i < queue->size(); ++i) request("dram_queue", (*queue)[i]);
    std::uint32_t commands = 0;
    for (const auto& queue : state.to_module) {
        commands += queue.size();
        for (std::uint32_t i = 0; i < queue.size(); ++i) request("to_module", queue[i]);
    }
    l.within("commands", [&] { l.check(commands == state.commands, "counts others"); });
    for (const auto* ready : {&state.ready_demand, &state.ready_migration})
        for (std::uint32_t i = 0; i < ready->size(); ++i) {
            const Ready& r = (*ready)[i];
            l.index("ready.module", r.module, modules);
            l.within("ready", [&] {
                l.check((ready == &state.ready_migration) == ((r.id & migration_id) != 0),
                        "is of the other kind");
            });
            either(r.id);
        }
    const auto swap = [&](std::string_view field, std::uint8_t number) {
        if (number != Group::none) l.index(field, number, swaps);
    };
    for (const Request& q : state.requests) {
        swap("requests.blocks_swap", q.blocks_swap);
        l.index("requests.group", q.group, placement_.groups);
        l.index("requests.slot", q.slot, slots);
        l.index("requests.location", q.location, slots);
        l.index("requests.offset", q.offset, placement_.page_bytes);
    }
    state.groups.all([&](std::uint64_t group, const Group& g) {
        l.index("groups", group, placement_.groups);
        swap("groups.swap", g.swap);
        l.index("groups.resident", g.resident, slots),
            l.index("groups.candidate", g.candidate, slots);
        l.indices("groups.location", g.location, Group::most_slots);
        return true;
    });
    l.bits("live_swaps", state.live_swaps, swaps);
    for (std::size_t i = 0; i < swaps; ++i) {
        const Swap& s = state.swaps[i];
        l.within("live_swaps", [&] {
            l.check(s.live == (state.live_swaps >> i & 1), "names other swaps than are live");
        });
        l.index("swaps.group", s.group, placement_.groups);
        l.index("swaps.slot_in", s.slot_in, slots), l.index("swaps.slot_out", s.slot_out, slots);
        l.index("swaps.module", s.module, modules);
        l.index("swaps.bank", s.bank, state.channel.scheduler.banks.size());
        for (const Mask asked : {s.dram_read_asked, s.xpoint_read_asked, s.xpoint_write_asked})
            l.bits("swaps.asked", asked, pieces_);
    }
    if (route_) route_->check_loaded(l);
}

void PlanarController::waits_on(WaitReport& report) const {
    if (state.places.taken)
        report.add(path() + ": " + std::to_string(state.places.taken) + " requests under way, " +
                   std::to_string(state.postponed.size()) + " of them wait for a swap, " +
                   std::to_string(state.ready_demand.size()) + " for the channel");
    for (const Swap& s : state.swaps)
        if (s.live)
            report.add(path() + ": the swap of group " + std::to_string(s.group) + state_of(s));
}

std::optional<std::string> PlanarController::imbalance() const {
    if (!state.postponed.empty() || !state.ready_demand.empty() || !state.ready_migration.empty())
        return "requests are still waiting";
    return channel_->imbalance();
}

} // namespace memsim::ohm
