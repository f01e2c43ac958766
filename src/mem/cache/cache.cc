#include "mem/cache/cache.hh"

#include "core/kernel/registry.hh"

namespace memsim::mem {

using cache::Access;
using device_parts::TagArray;
using protocol::Command;
using protocol::MemRequest;
using protocol::MemResponse;

static const Registration<Cache> cache_type {
    "A sectored, non-blocking cache with banks and MSHRs: an L1 or a slice of an L2."};

void Cache::init() {
    const bool victims = port.mem_side.find_interface<const protocol::TakesVictims>();
    if (const auto fault = cache::fault_of(params, victims)) refuse(fault->parameter, fault->why);
    if (params.partition.partitions() == 2 && !protocol::traffic_to(port.cpu_side).sources)
        refuse("partitions", "needs a mem.Crossbar above, which numbers the requesters");
    protocol::check_block(port.cpu_side, params.line_bytes(), "line");
    take_share();
    state.tags.resize(params.sets(), params.geometry.ways(), params.geometry.replacement().text(),
                      path(), sim().seed());
    state.set_hash.make(params.geometry.set_hash, *this, "set_hash");
    state.set_hash->resize(params.sets());
    state.mshrs.resize(params.queues.lines_on_their_way(), params.queues.targets());
    stages_.emplace(
        params,
        device_parts::HashedInterleave(share_.chunk, share_.ways, params.geometry.hash_rounds()),
        port.cpu_side, cache::Stages::NextLevel {port.mem_side, victims}, port.events, sim_ref(),
        stat, state);
    if (sim().contents().enabled())
        stages_->lines.carry(sim().contents(), state.contents,
                             static_cast<std::uint64_t>(params.geometry.sector->raw));
    state.reserved = params.writes.reserved_ways();
    state.hint_done.assign(params.hints.hint_ports(), 0);
    const unsigned reads = params.timing.read_cycles(), writes = params.timing.write_cycles();
    const unsigned late = writes > reads ? writes - reads : 0;
    late_write_ = stages_->slots.clock().cycles(late);
    late_atomic_ = stages_->slots.clock().cycles(late + params.timing.atomic_latency());
}

/// The addresses that this cache serves.
std::optional<protocol::AddressShare> Cache::share() const {
    const cache::GeometryParams& g = params.geometry;
    auto agreed = protocol::agreed_share(
        port.cpu_side,
        {g.interleave_ways(), static_cast<std::uint64_t>(g.interleave_granularity->raw),
         g.interleave_index() ? g.interleave_index() : protocol::StatedShare::no_index,
         "interleave_ways", "interleave_granularity", "interleave_index"});
    if (agreed && agreed->chunk == 0) agreed->chunk = cache::GeometryParams::usual_chunk;
    return agreed;
}

void Cache::take_share() {
    const auto agreed = share();
    if (params.geometry.hash_rounds()) protocol::check_hash(port.cpu_side, "hash_rounds");
    if (params.geometry.interleave_index() && (!agreed || agreed->ways == 1))
        refuse("interleave_index", "this cache has all addresses: leave it at 0");
    if (!agreed) return;
    share_ = *agreed;
    if (share_.ways > 1 && share_.chunk % params.line_bytes())
        refuse("line", params.geometry.line.text() + " do not divide the chunks of " +
                           bytes_text(share_.chunk) +
                           " of its addresses: a line must lie in one cache");
}

void Cache::start() {
    if (stages_->config.warm) warm();
}

void Cache::wake() {
    while (!port.mem_side.empty()) come_back(port.mem_side.pop());
    stages_->answers.send_due();
    stages_->outlet.drain();
    if (state.flush.walking) {
        stages_->commands.walk();
        end_flush();
    }
    if (stages_->config.managed) serve_control();
    serve_queue();
    if (stages_->config.hinted) serve_hints();
    if (const Tick due = stages_->answers.next(); due != never) arm(state.next_late, due);
}

void Cache::serve_hints() {
    const std::uint32_t fetching = state.mshrs.size();
    take_hints();
    // New fetches lock lines in place, so the line that a stalled write waits to move may now be
    // locked.
    if (state.mshrs.size() != fetching) serve_queue();
}

// ---- accesses --------------------------------------------------------------------------------

void Cache::serve_queue() {
    auto& in = port.cpu_side;
    while (!in.empty()) {
        if (!stages_->slots.free(now())) {
            arm(state.next_cycle, stages_->slots.cycle_end());
            return;
        }
        const CacheStall cause = serve(in.front());
        if (cause != state.stall) set_stall(cause);
        if (cause != served) return;
        stages_->slots.take();
        in.pop();
    }
}

CacheStall Cache::serve(const MemRequest& r) {
    cache::Stages& s = *stages_;
    if (protocol::for_a_cache(r.command)) return execute_command(r, 0);
    if (s.commands.holds(r.application)) return CacheStall::flush;
    const cache::Map::Place place = s.map.place(r.address);
    if (const Tick free = s.slots.bank_free(place.bank, now()); free > now()) {
        arm(state.next_cycle, free);
        return CacheStall::bank;
    }
    const bool far = s.partitions.is_far(r.source);
    if (far)
        if (const Tick free = s.partitions.free(now()); free > now()) {
            arm(state.next_cycle, free);
            return CacheStall::link;
        }
    if (state.full_set != TagArray::none)
        return CacheStall::set; // no fill has completed in that set since
    if (!s.map.within_a_line(r) || place.line >= s.partitions.lines() ||
        r.application >= TagArray::most_applications) [[unlikely]]
        refuse_request(r);
    const Access a = s.lines.look_up(r, place);
    if (a.found() && !a.is_read()) s.partitions.written(a.line);
    const bool stays =
        a.is_read() || (a.found() && state.tags.kept(a.line)) || (a.is_write() && state.reserved) ||
        (s.config.write_back() && (!a.is_write() || a.found() || s.config.allocates));
    const CacheStall cause = stays ? serve_here(a) : s.writes.forward(a);
    if (cause == CacheStall::set) state.full_set = state.tags.line(place.set, 0);
    if (cause == served) s.partitions.requested(r, now());
    return cause;
}

CacheStall Cache::serve_here(const Access& a) {
    cache::Stages& s = *stages_;
    if (a.is_write()) {
        const bool in_part = cache::without(cache::without(a.touched, a.whole), a.valid);
        if (s.config.fetches && in_part) return s.misses.miss(a);
        const CacheStall cause = s.writes.stay(a);
        if (cause == served) s.answers.answer_write(a.request, late_write_);
        return cause;
    }
    if (cache::without(a.touched, a.valid)) return s.misses.miss(a);
    if (a.is_read()) {
        state.tags.touch(a.line);
        s.banks.occupy(a.place.bank, s.config.read_cycles);
        s.accounting.count(a);
        if (a.request.needs_response()) s.answers.answer(protocol::answer(a.request), a.line, true);
        return served;
    }
    if (const Tick free = s.changing.free(a, now()); free > now()) {
        arm(state.next_cycle, free);
        return CacheStall::bank;
    }
    const CacheStall cause = s.writes.perform_atomic(a);
    if (cause != served) return cause;
    s.changing.begin(a);
    s.answers.answer_write(a.request, late_atomic_);
    return served;
}

// ---- hints: use the lookup slots that accesses leave free -------------------------------------

void Cache::take_hints() {
    for (std::uint32_t i = 0; i < port.hints.size(); ++i) {
        auto& in = port.hints[i];
        while (!in.empty()) {
            if (!stages_->slots.free(now())) {
                arm(state.next_hint, stages_->slots.cycle_end());
                return;
            }
            const MemRequest& h = in.front();
            if (!h.is_hint()) [[unlikely]]
                refuse("hint_ports",
                       "accept only hints; send reads, writes and atomics to cpu_side");
            std::uint32_t& done = state.hint_done[i];
            const std::uint32_t part = stages_->prefetching.next_part(h, done);
            if (part) {
                if (!take_hint(h, done, part)) return;
                stages_->slots.take();
            }
            done += part;
            if (done < h.bytes) continue;
            done = 0;
            in.pop();
        }
    }
}

/// The part of a hint within one line. Returns false if it must wait for its bank.
bool Cache::take_hint(const MemRequest& h, std::uint32_t done, std::uint32_t bytes) {
    cache::Stages& s = *stages_;
    const MemRequest r = cache::Prefetching::part(h, done, bytes);
    const cache::Map::Place place = s.map.place(r.address);
    if (const Tick free = s.slots.bank_free(place.bank, now()); free > now()) {
        arm(state.next_hint, free);
        return false;
    }
    const std::uint32_t fetching = state.mshrs.size();
    s.prefetching.hint(s.lines.look_up(r, place), s.commands.holds(h.application));
    // The hint may have locked the line that a stalled write waits to move.
    if (state.mshrs.size() != fetching) state.full_set = TagArray::none;
    return true;
}

// ---- commands --------------------------------------------------------------------------------

void Cache::serve_control() {
    for (std::uint32_t i = 0; i < port.control.size(); ++i) {
        auto& in = port.control[i];
        while (!in.empty() && execute_command(in.front(), 1 + i) == served) in.pop();
    }
}

/// Responds at once, except to a flush. `from`: 0 for cpu_side, else 1 + the control port.
CacheStall Cache::execute_command(const MemRequest& r, std::uint32_t from) {
    if (r.command != Command::reserve) stages_->partitions.drop_copies();
    if (r.command == Command::flush) {
        const CacheStall cause = stages_->commands.flush(r, from);
        if (cause == served) end_flush();
        return cause;
    }
    if (r.command == Command::invalidate) {
        if (const CacheStall cause = stages_->commands.invalidate(); cause != served) return cause;
    } else if (r.command == Command::reserve) {
        if (r.bytes >= params.geometry.ways())
            refuse("ways", "a command to reserve " + std::to_string(r.bytes) + " of the " +
                               params.geometry.ways.text() +
                               " ways leaves none for lines that are only read");
        state.reserved = r.bytes;
        state.full_set = TagArray::none;
    } else
        refuse("control_ports", "accept only commands; send reads, writes and atomics to cpu_side");
    if (r.needs_response())
        (from ? port.control[from - 1] : port.cpu_side).send(protocol::answer(r));
    return served;
}

void Cache::end_flush() {
    if (!stages_->commands.finished()) return;
    const std::uint32_t from = state.flush.port;
    (from ? port.control[from - 1] : port.cpu_side).send(protocol::answer(state.flush.request));
}

// ---- answers ---------------------------------------------------------------------------------

void Cache::come_back(const MemResponse& r) {
    cache::Stages& s = *stages_;
    if (s.outlet.is_fetch(r.tag)) {
        const cache::Fills::Done done =
            s.fills.fill(r, [&s](const MemResponse& a, std::uint32_t line, bool m) {
                s.answers.answer(a, line, m);
            });
        if (done.line == TagArray::none) return;
        if (done.line - state.full_set < s.config.ways) state.full_set = TagArray::none;
        if (!done.awaited) return;
        s.commands.dropped_came();
        return end_flush();
    }
    const cache::Forwarded origin = s.outlet.answered(r.tag);
    if (origin.evicted) return;
    if (origin.flushed) {
        s.commands.acknowledged();
        return end_flush();
    }
    MemResponse back = r;
    back.tag = origin.tag;
    back.source = origin.source;
    --state.owed;
    stages_->answers.pass_on(back);
}

// ---- functional accesses and initial contents -------------------------------------------------

void Cache::take_bank(std::uint64_t address) {
    stages_->slots.free(now()); // makes the cycle of now() the current one
    stages_->banks.occupy(stages_->map.bank(address), stages_->config.read_cycles);
}

void Cache::functional(const PortBase&, FunctionalAccess& access) {
    stages_->lines.functional(access);
    stages_->outlet.functional(access);
    const bool unfilled = !access.write && stages_->lines.unfilled(access.address);
    if (!unfilled && !access.complete()) look_through(port.mem_side, access);
    if (!unfilled) return;
    FunctionalAccess below {access.address, access.application, false, {}};
    look_through(port.mem_side, below); // data written here may have arrived late
    access.data.take_younger(below.data);
}

/// Loads the lines of the range in order of address; later lines evict earlier ones.
void Cache::warm() {
    const cache::Map& map = stages_->map;
    const cache::GeometryParams& g = params.geometry;
    const auto base = static_cast<std::uint64_t>(params.warm.warm_base->raw);
    const std::uint64_t end = base + static_cast<std::uint64_t>(params.warm.warm_bytes->raw);
    // Only the end of a long range remains. Four capacities are enough to fill hashed sets, too.
    const std::uint64_t most = 4 * static_cast<std::uint64_t>(g.capacity->raw) * share_.ways;
    const std::uint64_t first = map.line_of(end - base > most ? end - most : base);
    for (std::uint64_t line = first; map.address_of(line) < end; ++line) {
        const std::uint64_t address = map.address_of(line);
        if (map.cache_of(address) != share_.index) continue;
        const std::uint32_t way =
            state.tags.victim(map.place(address).set, state.reserved, g.ways());
        state.tags.replace(way, line, 0);
        state.tags.add_valid(way, map.span(address, static_cast<std::uint32_t>(map.line_bytes())));
    }
}

// ---- reports ---------------------------------------------------------------------------------

/// The cause that stalls the first request has changed or disappeared.
void Cache::set_stall(CacheStall cause) {
    if (state.stall != CacheStall::none) stat.stall_time.end(state.stalled_since, now());
    if (cause != CacheStall::none) stat.stall_time.begin(now());
    state.stall = cause;
    state.stalled_since = now();
    stat.count(cause);
}

void Cache::refuse_request(const MemRequest& r) const {
    if (!stages_->map.within_a_line(r))
        refuse("line", "a request of " + std::to_string(r.bytes) + "B at address " +
                           std::to_string(r.address) + " does not lie within one line of " +
                           params.geometry.line.text() +
                           ": the component above must not request more than a line");
    throw ConfigError(path() + ": address " + std::to_string(r.address) + " of application " +
                      std::to_string(r.application) + " does not fit the tags, which distinguish " +
                      std::to_string(stages_->partitions.lines()) + " lines and " +
                      std::to_string(TagArray::most_applications) + " applications apart");
}

void Cache::check_loaded(Loader& l) const {
    stages_->lines.check_loaded(l);
    stages_->partitions.check_loaded(l);
    stages_->mshr_use.check_loaded(l, state.tags);
    if (state.full_set != TagArray::none)
        l.within("full_set", [&] { l.check(state.tags.has(state.full_set), "is not a line"); });
    l.index("reserved", state.reserved, params.geometry.ways());
    l.index("flush.set", state.flush.set, state.tags.sets() + 1);
    l.index("flush.port", state.flush.port, 1 + port.control.size());
}

void Cache::waits_on(WaitReport& report) const {
    if (state.mshrs.size())
        report.add(path() + " waits for " + std::to_string(state.fetching) + " bytes of " +
                   std::to_string(state.mshrs.size()) + " lines");
    if (state.flush.unacked)
        report.add(path() + " waits for " + std::to_string(state.flush.unacked) +
                   " write-backs of a flush to be acknowledged");
    if (!stages_->outlet.empty())
        report.add(path() + " has " + std::to_string(stages_->outlet.size()) + " messages for " +
                   port.mem_side.neighbour_path() + " that it cannot send");
}

/// Every request that expects a response received one, and every fetched byte arrived.
std::optional<std::string> Cache::imbalance() const {
    if (state.owed) return std::to_string(state.owed) + " requests were not answered";
    if (state.fetching || state.mshrs.size())
        return std::to_string(state.fetching) + " bytes of " + std::to_string(state.mshrs.size()) +
               " lines were fetched and did not arrive";
    if (!stages_->outlet.empty())
        return std::to_string(stages_->outlet.size()) + " messages were not sent";
    if (const std::uint32_t held = state.late.size() + state.partitions.late.size())
        return std::to_string(held) + " responses were not sent";
    if (!stages_->outlet.expects_none()) return "forwarded requests were not answered";
    return {};
}

} // namespace memsim::mem
