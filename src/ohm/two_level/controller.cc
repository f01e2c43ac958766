#include "ohm/two_level/controller.hh"

#include "core/kernel/registry.hh"
#include "mem/dram/device/command_log.hh"
#include "ohm/channel/modules.hh"
#include "protocol/traffic.hh"

namespace memsim::ohm {

static const Registration<TwoLevelController> two_level_controller {
    "Memory controller of DRAM and XPoint on one channel, two-level mode: DRAM caches XPoint."};

using protocol::Stage;

void TwoLevelController::init() {
    const auto line = static_cast<std::uint64_t>(params.line->raw);
    const auto dram = static_cast<std::uint64_t>(params.dram->raw);
    const auto chunk = static_cast<std::uint64_t>(params.interleave->raw);
    if (line != 128 && line != 256)
        refuse("line",
               Text<Bytes>::show(params.line()) +
                   " is neither 128B nor 256B: a line must contain a request and lie within a line "
                   "of XPoint");
    if (chunk % LineMap::stripe != 0)
        refuse("interleave", Text<Bytes>::show(params.interleave()) +
                                 " is not a multiple of an XPoint line, 256B");
    if (dram % (LineMap::stripe * params.channel.modules()) != 0)
        refuse("dram", Text<Bytes>::show(params.dram()) +
                           " is not a multiple of 256B x modules = " +
                           std::to_string(LineMap::stripe * params.channel.modules()) + "B");
    protocol::agreed_share(port.channel.cpu_side,
                           {params.channel.controllers(), chunk, params.channel.index(),
                            "controllers", "interleave", "index"});
    protocol::check_block(port.channel.cpu_side, DemandPort::block_bytes, "cpu_side");
    check_modules(*this, params.channel, port.channel,
                  {params.dram->raw * params.ratio() / params.channel.modules()},
                  {params.eviction.auto_rw() ? params.eviction.evictions() * params.line->raw : 0});
    if (params.reverse.dram_register() < params.line())
        refuse("dram_register", Text<Bytes>::show(params.reverse.dram_register()) +
                                    " hold no line of " + Text<Bytes>::show(params.line()));
    if (params.reverse.reverse_write() && params.channel.migration_wires() == mem::DramWires::side)
        refuse("migration_channel", "with reverse_write it would carry no transfers: set it to "
                                    "shared");
    make_channel(channel_, *this, params.channel, stat.channel, state.channel, stat.bank.counters(),
                 false, line);
    map_ = {chunk,       params.channel.controllers(), params.channel.index(), line,
            dram / line, params.channel.modules()};
    lines_.emplace(state.lines, map_, sim().contents());
    state.sets.resize(params.channel.requests());
    modules_.emplace(*channel_, state.channel, port.channel.commands, port.channel.transfers);
    demand_.emplace(state.demand, *lines_, map_, *channel_, *modules_, sim_ref(),
                    params.channel.migration_wires(), params.reverse.reverse_write());
    demand_->init(params.channel.requests());
    evictions_.emplace(params.eviction, stat.eviction, state.evictions, map_, *channel_, *modules_,
                       params.channel.migration_wires(), [this](std::uint32_t request) {
                           --(*demand_)[request].victims;
                           end_if_done(request);
                       });
    evictions_->init();
    if (params.reverse.reverse_write())
        reverse_.emplace(params.reverse, stat.reverse, state.reverse, params.channel, *channel_,
                         *modules_, static_cast<std::uint32_t>(line));
}

void TwoLevelController::wake() {
    mem::tell_commands(*this, channel_->device(), [this] { advance_requests(); });
}

void TwoLevelController::advance_requests() {
    mem::DramScheduler& dram = channel_->dram();
    take_answers();
    send_left();
    bool changed = true;
    while (changed) {
        take_dram_done();
        requests_.accept([this](const protocol::MemRequest& r) { return accept(r); });
        changed = evictions_->any() && evict(true);
        if (reverse_) { // requests that a hold stopped precede the next hold
            changed |= issue_requests();
            changed |= reverse_->confirm(demand_->ready_reads(), now());
        } else {
            changed |= demand_->grant_ready(now());
            changed |= issue_requests();
        }
        changed |= demand_->write_lines(now(), [this](std::uint32_t id) {
            (*demand_)[id].settled = true;
            end_if_done(id);
        });
        changed |= feed_modules();
        const std::uint32_t waiting = dram.reads() + dram.writes();
        const Tick action = dram.next_action();
        dram.run(now());
        changed |= dram.reads() + dram.writes() != waiting;
        // Ready lines can be confirmed once the next DRAM action is late enough.
        changed |= reverse_ && !demand_->ready_reads().empty() && dram.next_action() != action;
        changed |= evictions_->any() && evict(false);
        changed |= dram.next_action() <= now() || dram.next_done() <= now();
    }
    arm_next();
}

// ---- requests --------------------------------------------------------------------------------

bool TwoLevelController::accept(const protocol::MemRequest& r) {
    if (r.is_hint()) return ++stat.channel.hints_dropped, true; // a miss reads the line in any case
    if (map_.controller_of(r.address) != map_.controller)
        requests_.refuse(r, "belongs to controller " +
                                std::to_string(map_.controller_of(r.address)) +
                                ": the crossbar in front must interleave `interleave` over "
                                "controllers");
    const std::uint64_t local = map_.local(r.address);
    if (map_.tag_of(local) >= params.ratio())
        requests_.refuse(r, "lies beyond the memory: dram x ratio of all controllers");
    requests_.check_block(r);
    if (demand_->requests().full()) return false;
    const std::uint32_t id = demand_->requests().take();
    LineRequest& q = (*demand_)[id];
    q.r = r;
    q.accepted = now();
    q.local = local / map_.line_bytes * map_.line_bytes;
    q.set = map_.set_of(local);
    q.module = map_.module_of(q.local);
    if (state.sets.enter(q.set, id))
        demand_->read_tag(id);
    else
        ++stat.conflicts;
    return true;
}

/// The line of the DRAM has arrived with its tag.
void TwoLevelController::line_read(std::uint32_t id) {
    LineRequest& q = (*demand_)[id];
    const std::uint64_t tag = map_.tag_of(q.local);
    sim().stamps().mark(q.r.stamps, Stage::dram, now());
    const DramCache::Line* const line = lines_->find(q.set);
    const bool hit = line && line->tag == tag;
    const std::uint64_t local = line ? map_.line_at(q.set, line->tag) : q.local;
    const bool victim = line && line->dirty && !hit;
    Eviction e {id, local, now(), {}};
    if (victim) e.contents = lines_->victim(q.set);
    if (params.eviction.auto_rw()) evictions_->seen_passing(e, q.local, line && line->dirty);
    if (!victim) evictions_->give_place_back();
    ++stat.requests;
    if (hit) {
        ++stat.hits;
        if (!q.is_write()) {
            respond(id, lines_->read(q.set, q.r));
            q.settled = true;
            end_if_done(id);
            return;
        }
        fill_line(id);
        return;
    }
    if (victim) {
        // The place for the victim was reserved before its tag was read.
        ++q.victims;
        evictions_->evict(e, q.module);
    }
    if (q.writes_whole(map_.line_bytes))
        fill_line(id);
    else
        demand_->fetch(id);
}

/// The line has arrived from XPoint.
void TwoLevelController::line_came(std::uint32_t id, Contents::Id line) {
    LineRequest& q = (*demand_)[id];
    q.fetched = true;
    q.line = line;
    if (!q.is_write()) respond(id, lines_->part_of(line, q.r));
    fill_line(id);
}

/// Writes the request's line, including its own data, to the DRAM.
void TwoLevelController::fill_line(std::uint32_t id) {
    const LineRequest& q = (*demand_)[id];
    if (lines_->put(q.set, map_.tag_of(q.local), q.is_write())) {
        ++stat.fills;
        stat.lines.set(now(), lines_->count());
    }
    demand_->write(id);
}

/// Answers the request. Its slot is kept until its line is settled.
void TwoLevelController::respond(std::uint32_t id, Contents::Id contents) {
    LineRequest& q = (*demand_)[id];
    requests_.answer(q.r, q.accepted, q.fetched ? Stage::channel : Stage::dram, contents);
    q.answered = true;
}

/// Starts the next request of the set when the line is settled. The slot is free when the request
/// has been answered, too.
void TwoLevelController::end_if_done(std::uint32_t id) {
    LineRequest& q = (*demand_)[id];
    if (!q.settled || q.victims) return;
    if (!q.released) {
        q.released = true;
        const std::uint32_t next = state.sets.leave(q.set, id);
        if (next != SetQueues::none)
            demand_->read_tag(next);
        else
            lines_->settled(q.set,
                            [&](FunctionalAccess& a) { functional(port.channel.cpu_side, a); });
    }
    if (q.answered) demand_->requests().give_back(id);
}

// ---- devices and the channel -----------------------------------------------------------------

void TwoLevelController::take_answers() {
    for (std::uint32_t m = 0; m < modules_->modules(); ++m) {
        auto& commands = port.channel.commands[m];
        while (!commands.empty()) {
            const protocol::DdrtReady answer = commands.pop();
            if (answer.taken) { // the place of the victim is free again
                evictions_->give_place_back();
                continue;
            }
            demand_->ready(m, answer.id, now());
        }
        auto& transfers = port.channel.transfers[m];
        while (!transfers.empty()) {
            const protocol::DdrtData d = transfers.pop();
            if (reverse_) reverse_->complete(now());
            line_came(d.id, d.contents);
        }
    }
}

/// Sends evictions whose slot has ended to their module.
void TwoLevelController::send_left() {
    modules_->send_left(now(), [this](const protocol::DdrtCommand& c) { evictions_->sent(c.id); });
}

void TwoLevelController::take_dram_done() {
    mem::DramScheduler& dram = channel_->dram();
    while (dram.next_done() <= now()) {
        const mem::DramDone d = dram.pop_done();
        if (d.context & LineDemand::fill_mark) {
            if (reverse_) reverse_->written(now());
            continue;
        }
        if (d.context & LineDemand::write_mark) {
            respond(LineDemand::id_of(d.context));
            end_if_done(LineDemand::id_of(d.context));
        } else
            line_read(d.context);
    }
}

/// Sends read commands, which use no channel time.
bool TwoLevelController::feed_modules() {
    bool changed = false;
    for (std::uint32_t m = 0; m < modules_->modules(); ++m) {
        if (params.eviction.auto_rw()) changed |= evictions_->send_snarfs(m);
        const std::uint32_t sent = demand_->fetch_lines(m);
        stat.xpoint_reads += sent;
        changed |= sent != 0;
    }
    return changed;
}

/// Reads lines and tags. For each of them, a place for the victim is reserved.
bool TwoLevelController::issue_requests() {
    if (reverse_ && reverse_->holds_requests()) return false;
    return demand_->read_tags(
        now(), [this] { return evictions_->has_place(); }, [this] { evictions_->keep_place(); });
}

/// Books evictions, unless the XPoint controller takes victims over.
bool TwoLevelController::evict(bool old_ones) {
    if (params.eviction.auto_rw() || (reverse_ && reverse_->holds_channel())) return false;
    if (!evictions_->book(old_ones, now())) return false;
    send_left();
    return true;
}

/// Sets a timer for the next time at which state can change without an event. Ports and answers
/// wake the component.
void TwoLevelController::arm_next() {
    const mem::DramScheduler& dram = channel_->dram();
    Tick next = std::min(dram.next_action(), dram.next_done());
    const auto consider = [&](Tick t) {
        if (t > now() && t < next) next = t;
    };
    const Tick free = channel_->free_at();
    if (const ReadyReads& ready = demand_->ready_reads(); !ready.empty()) {
        consider(free - channel_->lead());
        if (reverse_) consider(ready.front().since + params.reverse.reverse_patience->raw);
    }
    for (std::uint32_t m = 0; m < modules_->modules(); ++m) consider(modules_->leaves(m));
    evictions_->consider(consider);
    if (next == never)
        cancel(state.next);
    else
        arm(state.next, next);
}

/// Reads bytes that the DRAM does not hold from XPoint.
void TwoLevelController::functional(const PortBase&, FunctionalAccess& access) {
    const std::uint64_t local = map_.local(access.address);
    lines_->functional(local, state.sets.busy(map_.set_of(local)), access);
    if (access.complete()) return;
    FunctionalAccess there = access;
    there.address = map_.module_address(local);
    look_through(port.channel.commands[map_.module_of(local)], there);
    access.data = there.data;
}

// ---- reports ---------------------------------------------------------------------------------

bool TwoLevelController::pending() const {
    return demand_->requests().taken() || !channel_->dram().idle();
}

void TwoLevelController::check_loaded(Loader& l) const {
    const std::size_t requests =
        state.demand.requests.size(); // a fill may continue after its request
    const auto id = [&](std::uint32_t number) {
        l.index("channel", LineDemand::id_of(number), requests);
    };
    channel_->check_loaded(l, id, id);
    demand_->check_loaded(l);
    state.sets.check_loaded(l, map_.sets);
    evictions_->check_loaded(l, requests);
}

void TwoLevelController::waits_on(WaitReport& report) const {
    if (const std::uint32_t requests = demand_->requests().taken())
        report.add(path() + ": " + std::to_string(requests) + " requests outstanding, " +
                   std::to_string(demand_->ready_reads().size()) +
                   " of them wait for the channel, " + std::to_string(evictions_->taken()) +
                   " evictions are outstanding");
}

std::optional<std::string> TwoLevelController::imbalance() const {
    if (!state.sets.empty() || evictions_->any() || !demand_->ready_reads().empty() ||
        (reverse_ && reverse_->holds_requests()))
        return "requests are still outstanding";
    return channel_->imbalance();
}

} // namespace memsim::ohm
