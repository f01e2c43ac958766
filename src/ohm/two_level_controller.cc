#include "ohm/two_level_controller.hh"

#include "core/registry.hh"
#include "ohm/modules.hh"
#include "parts/named.hh"
#include "parts/stall.hh"

namespace memsim::ohm {

static const Registration<TwoLevelController> registered {
    "Memory controller of DRAM and XPoint on one channel, two-level mode: DRAM caches XPoint."};

using protocol::Stage;

void TwoLevelController::init() {
    const auto line = static_cast<std::uint64_t>(params.line->raw);
    const auto dram = static_cast<std::uint64_t>(params.dram->raw);
    const auto chunk = static_cast<std::uint64_t>(params.interleave->raw);
    if (line != 128 && line != 256)
        refuse("line", Text<Bytes>::show(params.line()) +
                           " is neither 128B nor 256B: a request must lie in it, and it in a line "
                           "of XPoint");
    if (chunk % LineMap::stripe != 0)
        refuse("interleave", Text<Bytes>::show(params.interleave()) +
                                 " is not a multiple of an XPoint line, 256B");
    if (dram % (LineMap::stripe * params.channel.modules()) != 0)
        refuse("dram", Text<Bytes>::show(params.dram()) +
                           " is not a multiple of 256B x modules = " +
                           std::to_string(LineMap::stripe * params.channel.modules()) + "B");
    if (params.channel.index() >= params.channel.controllers())
        refuse("index",
               "it must be below controllers, " + std::to_string(params.channel.controllers()));
    check_modules(*this, params.channel, port.channel,
                  {params.dram->raw * params.ratio() / params.channel.modules()},
                  {params.eviction.auto_rw() ? params.eviction.evictions() * params.line->raw : 0});
    if (params.reverse.dram_register() < params.line())
        refuse("dram_register", Text<Bytes>::show(params.reverse.dram_register()) +
                                    " hold no line of " + Text<Bytes>::show(params.line()));
    if (params.reverse.reverse_write() && params.channel.migration_wires() == mem::DramWires::side)
        refuse("migration_channel", "with reverse_write nothing is left that it could carry: take "
                                    "shared");
    try {
        channel_.emplace(params.channel, stat.channel, state.channel);
    } catch (const ConfigError& e) {
        refuse("dram_changes", e.what());
    }
    if (line % channel_->timing().burst != 0 ||
        static_cast<std::uint64_t>(channel_->timing().row.raw) % line != 0)
        refuse("dram_timing", "its burst must divide a line, and that its row");
    channel_->init(path(), sim().seed());
    map_ = {chunk,       params.channel.controllers(), params.channel.index(), line,
            dram / line, params.channel.modules()};
    state.requests.resize(params.channel.requests());
    for (std::uint32_t i = 0; i < params.channel.requests(); ++i) state.free.push(i);
    state.reads.resize(params.channel.modules());
    modules_.emplace(*channel_, state.channel, port.channel.commands, port.channel.transfers);
    evictions_.emplace(params.eviction, stat.eviction, state.evictions, map_, *channel_, *modules_,
                       params.channel.migration_wires(), [this](std::uint32_t request) {
                           --state.requests[request].victims;
                           end_if_done(request);
                       });
    evictions_->init();
    if (params.reverse.reverse_write())
        reverse_.emplace(params.reverse, stat.reverse, state.reverse, params.channel, *channel_,
                         static_cast<std::uint32_t>(line));
}

void TwoLevelController::wake() {
    mem::DramScheduler& dram = channel_->dram();
    take_answers();
    send_left();
    bool changed = true;
    while (changed) {
        take_dram_done();
        accept();
        changed = evictions_->any() && evict(true);
        changed |= reverse_ ? confirm() : grant_ready();
        changed |= feed_dram();
        changed |= feed_modules();
        const std::uint32_t waiting = dram.reads() + dram.writes();
        dram.run(now());
        changed |= dram.reads() + dram.writes() != waiting;
        changed |= evictions_->any() && evict(false);
        changed |= dram.next_action() <= now() || dram.next_done() <= now();
    }
    arm_next();
}

// ---- requests --------------------------------------------------------------------------------

void TwoLevelController::accept() {
    parts::take_in_order(
        port.channel.cpu_side, now(), state.stalled_since,
        [this](const protocol::MemRequest& r) { return accept(r); },
        [this](Time stalled) { stat.channel.stall_time += stalled; });
}

bool TwoLevelController::accept(const protocol::MemRequest& r) {
    if (protocol::for_a_cache(r.command)) return true;
    if (map_.controller_of(r.address) != map_.controller)
        throw ConfigError(path() + ": address " + std::to_string(r.address) +
                          " belongs to controller " +
                          std::to_string(map_.controller_of(r.address)) +
                          ": the crossbar in front must interleave `interleave` over controllers");
    const std::uint64_t local = map_.local(r.address);
    if (map_.tag_of(local) >= params.ratio())
        throw ConfigError(path() + ": address " + std::to_string(r.address) +
                          " lies beyond the memory: dram x ratio of all controllers");
    if (r.bytes == 0 || r.address / block_bytes != (r.address + r.bytes - 1) / block_bytes)
        throw ConfigError(path() + ": a request of " + std::to_string(r.bytes) + " bytes at " +
                          std::to_string(r.address) + " does not lie within 128 aligned bytes");
    if (state.free.empty()) return false;
    const std::uint32_t id = state.free.pop();
    Request& q = state.requests[id];
    q = {};
    q.r = r;
    q.accepted = now();
    q.local = local / map_.line_bytes * map_.line_bytes;
    q.set = map_.set_of(local);
    q.module = map_.module_of(q.local);
    ++stat.requests;
    if (std::uint32_t* const last = state.busy.find(q.set)) {
        ++stat.conflicts;
        parts::named(state.requests, *last).next = id;
        *last = id;
        return true;
    }
    state.busy[q.set] = id;
    begin(id);
    return true;
}

void TwoLevelController::begin(std::uint32_t id) { state.tag_reads.push(id); }

/// The DRAM's line is here, with its tag.
void TwoLevelController::line_read(std::uint32_t id) {
    Request& q = state.requests[id];
    const std::uint64_t tag = map_.tag_of(q.local);
    sim().stamps().mark(q.r.stamps, static_cast<std::size_t>(Stage::dram), now());
    const DramCache::Line* const line = state.cache.find(q.set);
    const bool hit = line && line->tag == tag;
    const std::uint64_t local = line ? map_.line_at(q.set, line->tag) : q.local;
    const bool victim = line && line->dirty && !hit;
    Eviction e {id, local, now(), {}};
    if (victim && sim().contents().enabled()) {
        e.contents = state.dram.take_out(sim().contents(), set_address(q.set) / SectorBytes::size,
                                         line_sectors());
        // XPoint's own line: of one that came here without a fetch, XPoint may hold younger bytes.
        sim().contents()[e.contents].moves = false;
    }
    if (params.eviction.auto_rw()) evictions_->seen_passing(e, q.local, line && line->dirty);
    if (!victim) evictions_->give_place_back();
    if (hit) {
        ++stat.hits;
        if (!is_write(q)) {
            finish(id, read_dram(q));
            q.settled = true;
            end_if_done(id);
            return;
        }
        fill(id);
        return;
    }
    if (victim) {
        // The victim's place has been kept for it since the tags were read.
        ++q.victims;
        evictions_->evict(e, q.module);
    }
    if (is_write(q) && whole_line(q.r))
        fill(id);
    else
        state.reads[q.module].push(id);
}

/// The line is here from XPoint.
void TwoLevelController::line_came(std::uint32_t id, Contents::Id line) {
    Request& q = parts::named(state.requests, id);
    q.fetched = true;
    q.line = line;
    if (!is_write(q)) finish(id, part_of(line, q));
    fill(id);
}

/// The request's line, with what it writes, goes to the DRAM.
void TwoLevelController::fill(std::uint32_t id) {
    Request& q = state.requests[id];
    const std::uint64_t tag = map_.tag_of(q.local);
    if (!state.cache.hit(q.set, tag)) {
        ++stat.fills;
        if (sim().contents().enabled())
            state.dram.forget(set_address(q.set) / SectorBytes::size, line_sectors());
        state.cache.fill(q.set, tag, is_write(q));
        stat.lines.set(now(), state.cache.size());
    } else if (is_write(q))
        state.cache.mark_dirty(q.set);
    state.writes.push(id);
}

/// Answers the request; its place is kept until its line is settled.
void TwoLevelController::finish(std::uint32_t id, Contents::Id contents) {
    Request& q = state.requests[id];
    const Time taken {now() - q.accepted};
    (is_write(q) ? stat.channel.write_latency : stat.channel.read_latency).sample(taken);
    sim().stamps().mark(q.r.stamps,
                        static_cast<std::size_t>(q.fetched ? Stage::channel : Stage::dram), now());
    if (q.r.needs_response()) {
        protocol::MemResponse answer = protocol::answer(q.r);
        answer.contents = contents;
        port.channel.cpu_side.send(answer);
    } else
        sim().contents().release(contents);
    q.answered = true;
}

/// Lets the next request of the set begin when the line is settled; the place is free when the
/// request has been answered, too.
void TwoLevelController::end_if_done(std::uint32_t id) {
    Request& q = state.requests[id];
    if (!q.settled || q.victims) return;
    if (!q.released) {
        q.released = true;
        if (q.next == none) {
            state.busy.erase(q.set);
            state.deferred.arrive(
                q.set, [&](FunctionalAccess& a) { functional(port.channel.cpu_side, a); });
        } else
            begin(q.next);
    }
    if (q.answered) state.free.push(id);
}

// ---- contents --------------------------------------------------------------------------------

/// What a read that hits gets.
Contents::Id TwoLevelController::read_dram(const Request& q) {
    if (!sim().contents().enabled()) return {};
    protocol::MemRequest there = q.r;
    there.address = set_address(q.set) + q.r.address % map_.line_bytes;
    return state.dram.read(sim().contents(), there);
}

/// A read's part of a line that came from XPoint.
Contents::Id TwoLevelController::part_of(Contents::Id line, const Request& q) {
    Contents& contents = sim().contents();
    if (!line) return {};
    const Contents::Id id = contents.create();
    const std::uint64_t first = q.r.address / map_.line_bytes * map_.line_bytes / SectorBytes::size;
    for_each_sector(q.r, [&](std::uint64_t sector, std::uint32_t offset) {
        contents[id].pieces.push_back({offset, contents[line].pieces[sector - first].data});
    });
    return id;
}

/// The scheduler has the line that came, or with `write` what the request writes into its line.
void TwoLevelController::write_dram(Request& q, bool write) {
    const std::uint64_t first = set_address(q.set) / SectorBytes::size;
    state.dram.replace(sim().contents(), first, std::exchange(q.line, {}));
    if (write && q.r.contents)
        state.dram.write(sim().contents(),
                         first + q.r.address % map_.line_bytes / SectorBytes::size,
                         std::exchange(q.r.contents, {}));
}

/// A line in DRAM is younger than XPoint's, or equal to it.
void TwoLevelController::functional(const PortBase&, FunctionalAccess& access) {
    const std::uint64_t local = map_.local(access.address);
    const std::uint64_t set = map_.set_of(local);
    if (state.busy.find(set))
        access.write ? state.deferred.add(set, access) : state.deferred.look(set, access);
    FunctionalAccess there = access;
    if (state.cache.hit(set, map_.tag_of(local))) {
        there.address = set_address(set) + local % map_.line_bytes;
        state.dram.functional(there);
    }
    if (!there.complete()) {
        there.address = map_.module_address(local);
        look_through(port.channel.commands[map_.module_of(local)], there);
    }
    access.data = there.data;
}

// ---- reports ---------------------------------------------------------------------------------

bool TwoLevelController::pending() const {
    return state.free.size() != params.channel.requests() || !channel_->dram().idle();
}

void TwoLevelController::check_loaded(Loader& l) const {
    const std::size_t requests = state.requests.size(), modules = state.reads.size();
    const auto id = [&](std::uint32_t number) { l.index("channel", number, requests); };
    channel_->check_loaded(
        l, [&](std::uint32_t context) { id(id_of(context)); }, id);
    for (const auto* queue : {&state.free, &state.tag_reads, &state.writes})
        l.indices("tag_reads", *queue, requests);
    state.busy.all([&](std::uint64_t, std::uint32_t last) {
        l.index("busy", last, requests);
        return true;
    });
    for (const auto& reads : state.reads) l.indices("reads", reads, requests);
    evictions_->check_loaded(l, requests);
    for (std::uint32_t i = 0; i < state.ready.size(); ++i) {
        l.index("ready", state.ready[i].id, requests);
        l.index("ready.module", state.ready[i].module, modules);
    }
    for (const Request& q : state.requests) {
        if (q.next != none) l.index("requests.next", q.next, requests);
        l.index("requests.module", q.module, modules);
        l.index("requests.set", q.set, map_.sets);
    }
}

void TwoLevelController::waits_on(WaitReport& report) const {
    const std::uint32_t live = params.channel.requests() - state.free.size();
    if (live)
        report.add(path() + ": " + std::to_string(live) + " requests under way, " +
                   std::to_string(state.ready.size()) + " of them wait for the channel, " +
                   std::to_string(evictions_->taken()) + " evictions have a place");
}

std::optional<std::string> TwoLevelController::imbalance() const {
    if (!state.busy.empty() || evictions_->any() || !state.ready.empty() ||
        (reverse_ && reverse_->held()))
        return "requests are still waiting";
    return channel_->imbalance();
}

} // namespace memsim::ohm
