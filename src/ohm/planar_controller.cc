#include "ohm/planar_controller.hh"

#include "core/registry.hh"
#include "xpoint/module.hh"

#include <bit>

namespace memsim::ohm {

static const Registration<PlanarController> registered {
    "Memory controller of DRAM and XPoint on one channel, planar mode: hot pages are swapped."};

using protocol::Command;
using protocol::Stage;

/// What the modules behind this controller must have in common with it.
void PlanarController::check_modules() const {
    const Bytes needed {params.dram->raw * params.ratio() / params.modules()};
    for (unsigned i = 0; i < port.commands.size(); ++i) {
        const auto* m = dynamic_cast<const xpoint::Module*>(&port.commands[i].peer()->owner());
        if (!m) continue; // a test's
        if (m->params.capacity() < needed)
            throw ConfigError(m->path() + ".capacity: " + Text<Bytes>::show(m->params.capacity()) +
                              " is less than dram x ratio / modules of " + path() + ", " +
                              Text<Bytes>::show(needed));
        if (m->params.channel_latency() != params.one_way())
            throw ConfigError(m->path() +
                              ".channel_latency: " + Text<Time>::show(m->params.channel_latency()) +
                              " is not 2 x serdes + flight of " + path() + ", " +
                              Text<Time>::show(params.one_way()));
        if (m->params.check_contents() != params.check_contents())
            throw ConfigError(m->path() + ".check_contents: it must be as in " + path());
        if (&port.transfers[i].peer()->owner() != m)
            throw ConfigError(path() + ".transfers[" + std::to_string(i) + "] must be bound to " +
                              m->path() + ", as commands[" + std::to_string(i) + "] is");
    }
}

void PlanarController::init() {
    const auto page = static_cast<std::uint64_t>(params.page->raw);
    const auto dram = static_cast<std::uint64_t>(params.dram->raw);
    if (page % piece_bytes != 0)
        refuse("page", Text<Bytes>::show(params.page()) + " is not a multiple of an XPoint line, " +
                           std::to_string(piece_bytes) + "B");
    if (dram % (page * params.modules()) != 0)
        refuse("dram", Text<Bytes>::show(params.dram()) +
                           " is not a multiple of page x modules = " +
                           std::to_string(page * params.modules()) + "B");
    if (params.index() >= params.controllers())
        refuse("index", "it must be below controllers, " + std::to_string(params.controllers()));
    check_modules();
    if (static_cast<std::uint64_t>(params.swap_buffer->raw) < params.swaps() * 2 * page)
        refuse("swap_buffer", Text<Bytes>::show(params.swap_buffer()) +
                                  " does not hold two pages "
                                  "for each of " +
                                  std::to_string(params.swaps()) + " swaps: give it " +
                                  std::to_string(params.swaps() * 2 * page) +
                                  "B or set swaps lower");
    timing_ = mem::timing_of(params.dram_timing());
    timing_.rate = params.rate();
    try {
        timing_ = mem::with_changes(timing_, params.dram_changes());
        mem::check(timing_);
    } catch (const ConfigError& e) {
        refuse("dram_changes", e.what());
    }
    if (piece_bytes % timing_.burst != 0 ||
        static_cast<std::uint64_t>(timing_.row.raw) % piece_bytes != 0)
        refuse("dram_timing", "its burst must divide 256 bytes, and they its row");

    placement_ = {params.controllers(), params.index(), page,
                  dram / page,          params.ratio(), params.modules()};
    pieces_ = static_cast<unsigned>(page / piece_bytes);
    const unsigned slot_bits = static_cast<unsigned>(std::bit_width(params.ratio()));
    table_bytes_ = placement_.groups * (1 + params.ratio()) * slot_bits / 8;
    row_ = parts::Divider(static_cast<std::uint64_t>(timing_.row.raw));
    burst_ = parts::Divider(timing_.burst);
    wire_.fill(WireTime(params.rate()));
    lead_ = std::max({timing_.tCL.raw, timing_.tCWL.raw, params.grant_latency->raw});

    state.requests.resize(params.requests());
    for (std::uint32_t i = 0; i < params.requests(); ++i) state.free.push(i);
    state.modules.resize(params.modules());
    state.swaps.resize(params.swaps());
    // A command goes to the DRAM over the channel's way, and its data comes back over it.
    bus_.emplace(parts::DataBus::Figures {params.rate(), params.turnaround(), 2 * params.one_way()},
                 state.bus);
    device_.emplace(timing_, bus_->transfer_time(timing_.burst), state.device);
    banks_ = parts::Divider(device_->banks());
    mem::FrFcfs::Figures figures;
    figures.read_queue = figures.write_queue = params.dram_queue();
    figures.write_high = params.dram_queue() * 7 / 8;
    figures.write_low = params.dram_queue() / 2;
    figures.page = params.row_policy();
    dram_.emplace(figures, *device_, *bus_, state.scheduler,
                  mem::DramCounters {stat.activates, stat.precharges, stat.refreshes, stat.row_hits,
                                     stat.row_misses, stat.row_conflicts, stat.forwarded,
                                     stat.dram_bytes, stat.channel_time});
    dram_->init();
}

void PlanarController::start() { stat.mapping_table_bytes.set(0, table_bytes_); }

void PlanarController::wake() {
    const Uint128 busy = stat.channel_time.value();
    take_answers();
    send_left();
    bool changed = true;
    while (changed) {
        // In the order of their claim to the channel. Most find nothing to do: this is seen here.
        if (dram_->next_done() <= now()) take_dram_done();
        if (!port.cpu_side.empty()) accept();
        look_at_swaps();
        const std::uint64_t old = swaps_.devices & swaps_.old, young = swaps_.devices & ~swaps_.old;
        changed = old && feed_swaps(old);
        changed |= migration_waits() && book_migration(true);
        changed |= !state.dram_queue.empty() && feed_dram();
        changed |= state.commands != 0 && feed_modules();
        changed |= (state.commands != 0 || !state.ready_demand.empty()) && book_demand();
        if (dram_->next_action() <= now()) {
            const std::uint32_t waiting = dram_->reads() + dram_->writes();
            dram_->run(now());
            changed |= dram_->reads() + dram_->writes() != waiting;
        }
        changed |= young && feed_swaps(young);
        changed |= migration_waits() && book_migration(false);
        changed |= dram_->next_action() <= now() || dram_->next_done() <= now();
    }
    state.busy += stat.channel_time.value() - busy; // statistics may be reset, the balance not
    arm_next();
}

// ---- requests --------------------------------------------------------------------------------

void PlanarController::accept() {
    auto& in = port.cpu_side;
    while (!in.empty()) {
        if (!accept(in.front())) {
            if (state.stalled_since == never) state.stalled_since = now();
            return;
        }
        if (state.stalled_since != never) {
            stat.stall_time += Time {now() - state.stalled_since};
            state.stalled_since = never;
        }
        in.pop();
    }
}

bool PlanarController::accept(const protocol::MemRequest& r) {
    if (protocol::for_a_cache(r.command)) return true;
    const Placement::Page p = placement_.page_of(r.address);
    if (p.controller != params.index() || p.slot > params.ratio())
        throw ConfigError(path() + ": address " + std::to_string(r.address) +
                          (p.slot > params.ratio()
                               ? " lies beyond the memory of " +
                                     std::to_string(placement_.bytes_of_all()) + " bytes"
                               : " belongs to controller " + std::to_string(p.controller)) +
                          ": the crossbar in front must interleave pages over controllers");
    if (r.bytes == 0 || p.offset / block_bytes != (p.offset + r.bytes - 1) / block_bytes)
        throw ConfigError(path() + ": a request of " + std::to_string(r.bytes) + " bytes at " +
                          std::to_string(r.address) + " does not lie within 128 aligned bytes");
    if (state.free.empty()) return false;
    Group* g = state.groups.find(p.group);
    const auto slot = static_cast<std::uint8_t>(p.slot);
    Swap* const s = g && g->swap != Group::none ? &state.swaps[g->swap] : nullptr;
    const bool moving = s && (slot == s->slot_in || slot == s->slot_out);
    const bool write = r.command != Command::read;

    Request q;
    q.r = r;
    q.accepted = now();
    q.group = p.group;
    q.offset = p.offset;
    q.slot = slot;
    q.live = true;
    std::optional<std::uint64_t> buffered;
    if (moving && !write && s->postponed_writes == 0) buffered = in_buffer(q, *s);
    if (moving && !buffered && state.postponed.size() == params.postponed()) return false;

    if (params.check_contents()) {
        const std::uint64_t block = r.address / block_bytes;
        if (write) state.latest.write(block, ++state.versions);
        q.version = state.latest.read(block);
    }
    const std::uint32_t location = g ? g->location[slot] : slot;
    ++stat.requests;
    if (location == 0) ++stat.dram_hits;
    const std::uint32_t id = state.free.pop();
    state.requests[id] = q;
    if (buffered) {
        ++stat.buffer_reads;
        state.requests[id].place = Place::buffer;
        finish_read(id, *buffered);
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
        state.modules[placement_.module_of(q.group, q.location)].commands.push(id);
        ++state.commands;
    }
}

/// The version in the swap buffer, if the piece is there.
std::optional<std::uint64_t> PlanarController::in_buffer(const Request& q, const Swap& s) const {
    const unsigned piece = q.offset / piece_bytes;
    const bool in = q.slot == s.slot_in;
    if (!((in ? s.xpoint_read : s.dram_read) >> piece & 1)) return {};
    return (in ? s.from_xpoint : s.from_dram)[piece][q.offset / block_bytes % 2];
}

void PlanarController::finish_read(std::uint32_t id, std::uint64_t version) {
    if (params.check_contents() && version != state.requests[id].version) {
        ++stat.content_errors;
        ++state.wrong_reads;
    }
    finish(id);
}

void PlanarController::finish(std::uint32_t id) {
    Request& q = state.requests[id];
    const Time taken {now() - q.accepted};
    if (q.r.command == Command::read)
        stat.read_latency.sample(taken);
    else
        stat.write_latency.sample(taken);
    const Stage stage = q.place == Place::dram     ? Stage::dram
                        : q.place == Place::xpoint ? Stage::channel
                                                   : Stage::queue;
    sim().stamps().mark(q.r.stamps, static_cast<std::size_t>(stage), now());
    if (q.r.needs_response()) port.cpu_side.send(protocol::answer(q.r));
    if (q.blocks_swap != Group::none) --state.swaps[q.blocks_swap].waits_for;
    q.live = false;
    state.free.push(id);
}

// ---- reports ---------------------------------------------------------------------------------

bool PlanarController::pending() const {
    return state.free.size() != params.requests() || state.live_swaps != 0 || !dram_->idle();
}

void PlanarController::waits_on(WaitReport& report) const {
    const std::uint32_t live = params.requests() - state.free.size();
    if (live)
        report.add(path() + ": " + std::to_string(live) + " requests under way, " +
                   std::to_string(state.postponed.size()) + " of them wait for a swap, " +
                   std::to_string(state.ready_demand.size()) + " for the channel");
    for (const Swap& s : state.swaps)
        if (s.live)
            report.add(path() + ": the swap of group " + std::to_string(s.group) +
                       (s.waits_for ? " waits for " + std::to_string(s.waits_for) + " requests"
                                    : " is under way"));
}

std::optional<std::string> PlanarController::imbalance() const {
    if (state.wrong_reads)
        return std::to_string(state.wrong_reads) + " reads returned other data than written last";
    const std::uint64_t bytes = state.demand_bytes + state.migration_bytes;
    const auto exact =
        static_cast<Uint128>(bytes) * ticks_per_second / static_cast<Uint128>(params.rate().raw);
    // Each transfer that does not follow another back to back loses a part of a femtosecond.
    if (state.busy > exact || state.busy + state.transfers < exact)
        return "the channel was busy for " + to_text(static_cast<Int128>(state.busy)) + "fs but " +
               std::to_string(bytes) + " bytes of demand and migration take " +
               to_text(static_cast<Int128>(exact)) + "fs";
    if (!state.postponed.empty() || !state.ready_demand.empty() || !state.ready_migration.empty())
        return "requests are still waiting";
    return {};
}

} // namespace memsim::ohm
