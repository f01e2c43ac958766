#include "mem/cache.hh"

#include "core/registry.hh"
#include "parts/named.hh"

namespace memsim::mem {

using parts::SectorMask;
using parts::TagArray;
using protocol::Command;
using protocol::MemRequest;
using protocol::MemResponse;

static const Registration<Cache> registered {
    "A sectored, non-blocking cache with banks and MSHRs: an L1 or a slice of an L2."};

namespace {
std::uint64_t raw(Bytes b) { return static_cast<std::uint64_t>(b.raw); }
} // namespace

void Cache::init() {
    const std::uint64_t line = raw(params.line()), sector = raw(params.sector());
    const std::uint64_t set_bytes = line * params.ways(), capacity = raw(params.capacity());
    if (!std::has_single_bit(line)) refuse("line", "must be a power of two");
    if (!std::has_single_bit(sector) || sector > line)
        refuse("sector",
               "must be a power of two, at most the line of " + Text<Bytes>::show(params.line()));
    if (capacity < set_bytes || capacity % set_bytes)
        refuse("capacity",
               Text<Bytes>::show(params.capacity()) + " is not a whole number of sets of " +
                   std::to_string(params.ways()) + " lines of " + Text<Bytes>::show(params.line()) +
                   ": give a multiple of " + std::to_string(set_bytes) + "B");
    const std::uint64_t sets = capacity / set_bytes;
    if (params.set_hash() != parts::SetHash::none && !std::has_single_bit(sets))
        refuse("set_hash", "folds bits, so the number of sets must be a power of two, not " +
                               std::to_string(sets));
    if (params.reserved_ways() >= params.ways())
        refuse("reserved_ways", "must leave one of the " + std::to_string(params.ways()) +
                                    " ways for lines that are read");
    if (params.interleave_ways() > 1 && raw(params.interleave_granularity()) % line)
        refuse("interleave_granularity", "must be a multiple of the line, " +
                                             Text<Bytes>::show(params.line()) +
                                             ", for a line to lie in one cache");
    if (params.interleave_index() >= params.interleave_ways())
        refuse("interleave_index",
               "must be below interleave_ways, " + std::to_string(params.interleave_ways()));
    // What a miss or a write that is passed on sends, and its victim.
    if (params.mem_queue() < 3) refuse("mem_queue", "must hold what one request can send: 3");
    if (params.demand_mshrs() >= params.mshrs() && params.hint_ports())
        refuse("demand_mshrs",
               "leaves none of the " + std::to_string(params.mshrs()) + " MSHRs for hints");

    figures_ = {params.write_policy(),
                params.write_allocate(),
                params.fetch_on_write(),
                params.fill_port(),
                params.control_ports() > 0,
                params.hint_ports() > 0,
                params.observers() > 0,
                params.acknowledged_writebacks(),
                static_cast<std::uint8_t>(std::countr_zero(line)),
                static_cast<std::uint8_t>(std::countr_zero(sector)),
                static_cast<std::uint16_t>(params.accesses_per_cycle()),
                params.mshrs(),
                params.mem_queue(),
                params.ways(),
                params.bank_ports(),
                params.read_cycles(),
                params.write_cycles(),
                params.latency->raw,
                0};
    if (params.write_cycles() > params.read_cycles())
        figures_.late = clock_.cycles(params.write_cycles() - params.read_cycles());
    interleave_ = parts::Interleave(raw(params.interleave_granularity()), params.interleave_ways());
    index_ = parts::SetIndex(sets, params.set_hash());
    banks_ = parts::Divider(params.banks());
    state.tags.resize(sets, params.ways(), params.replacement());
    state.mshrs.resize(params.mshrs(), params.targets());
    state.banks.assign(std::size_t {params.banks()} * params.bank_ports(), 0);
    if (sim().contents().enabled())
        contents_.emplace(sim().contents(), state.tags, state.contents, line, sector);
    state.below.reserve(params.mem_queue());
    state.reserved = params.reserved_ways();
    state.hint_done.assign(params.hint_ports(), 0);
    state.passed_on.resize(params.outstanding());
    for (std::uint32_t i = params.outstanding(); i-- > 0;) state.free_passed_on.push_back(i);
}

void Cache::start() {
    if (params.warm_bytes->raw) warm();
}

void Cache::wake() {
    while (!port.mem_side.empty()) fill(port.mem_side.pop());
    while (!state.late.empty() && state.late.front().at <= now())
        answer(state.late.pop().answer, TagArray::none, true);
    if (!state.late.empty()) arm(state.next_late, state.late.front().at);
    while (!state.below.empty() && port.mem_side.can_send()) send_below(state.below.pop());
    if (state.flush.walking) continue_flush();
    if (figures_.managed) serve_control();
    serve_queue();
    if (!figures_.hinted) return;
    const std::uint32_t fetching = state.mshrs.size();
    take_hints();
    // What is being fetched stays where it is: so may the line that a write waits to move.
    if (state.mshrs.size() != fetching) serve_queue();
}

void Cache::serve_queue() {
    auto& in = port.cpu_side;
    while (!in.empty()) {
        if (!state.slots.free(clock_, now(), figures_.accesses)) {
            arm(state.next_cycle, state.slots.next.tick);
            return;
        }
        const CacheStall cause = serve(in.front());
        if (cause != state.stall) note(cause);
        if (cause != served) return;
        state.slots.take();
        in.pop();
    }
}

CacheStall Cache::serve(const MemRequest& r) {
    if (protocol::for_a_cache(r.command)) return manage(r, 0);
    if (held_by_flush(r.application)) return CacheStall::flush;
    const std::uint64_t own_line = own(r.address) >> figures_.line_bits;
    const auto bank = static_cast<std::uint32_t>(banks_.remainder(own_line));
    if (const Tick free = bank_free_at(bank); free > now()) {
        arm(state.next_cycle, free);
        return CacheStall::bank;
    }
    if (state.full_set != TagArray::none) return CacheStall::set; // nothing has come there since
    const Place p = locate(r);
    const bool kept = p.found() && state.tags.kept(p.line);
    const bool stays = p.is_read() || kept || (p.is_write() && state.reserved) ||
                       (write_back() && (!p.is_write() || p.found() || figures_.allocates));
    const CacheStall cause = !stays ? pass_on(p) : p.is_write() ? write(p) : read(p);
    if (cause == CacheStall::set) state.full_set = state.tags.line(p.set, 0);
    return cause;
}

// ---- banks -----------------------------------------------------------------------------------

/// When, as seen from this cycle, whose slots have just been asked for.
Tick Cache::bank_free_at(std::uint32_t bank) const {
    const std::int64_t* const ports = &state.banks[std::size_t {bank} * figures_.ports];
    const std::int64_t free = *std::min_element(ports, ports + figures_.ports);
    if (free < state.slots.next.cycle) return now();
    return clock_.advance(state.slots.next, free - state.slots.next.cycle).tick;
}

/// From this cycle on, or, for a fill, from when the bank is free.
void Cache::occupy(std::uint32_t bank, std::int64_t cycles) {
    std::int64_t* const ports = &state.banks[std::size_t {bank} * figures_.ports];
    std::int64_t& port = *std::min_element(ports, ports + figures_.ports);
    port = std::max(port, state.slots.next.cycle - 1) + cycles;
    stat.bank_busy += static_cast<std::uint64_t>(cycles);
}

// ---- what comes from below -------------------------------------------------------------------

void Cache::fill(const MemResponse& r) {
    if (r.tag >= figures_.mshrs) {
        answered_below(r);
        return;
    }
    auto& mshr = state.mshrs.in_use(r.tag);
    const std::uint32_t line = mshr.line;
    TagArray& tags = state.tags;
    const SectorMask here = sectors(r).any;
    state.fetching -= r.payload();
    mshr.pending &= static_cast<SectorMask>(~here);
    if (contents_) contents_->fill(line, r);
    if (!mshr.dropped) {
        tags.add_valid(line, here);
        if (!write_back() && !tags.kept(line)) tags.clean(line, here);
        if (!figures_.fill_port) {
            state.slots.free(clock_, now(), figures_.accesses); // the cycle that it is
            const std::uint64_t own_line = own(r.address) >> figures_.line_bits;
            occupy(static_cast<std::uint32_t>(banks_.remainder(own_line)), figures_.write_cycles);
        }
    }
    state.mshrs.serve(r.tag, [&](const Target& t) {
        if (t.sectors & mshr.pending) return false;
        if (t.answer.command != Command::read) {
            tags.add_valid(line, t.sectors);
            tags.add_dirty(line, t.sectors);
        }
        if (!t.posted) {
            --state.owed;
            answer(t.answer, line, !t.fetched);
        }
        return true;
    });
    if (mshr.pending) return;
    stat.miss_latency.sample(Time {now() - mshr.since});
    tags.unlock(line);
    if (line - state.full_set < figures_.ways) state.full_set = TagArray::none;
    const bool awaited = mshr.awaited;
    state.mshrs.release(r.tag);
    if (awaited) {
        --state.flush.dropped;
        end_flush();
    }
    stat.mshrs_used.set(now(), state.mshrs.size());
}

/// The answer to what was passed on, or to a write-back of a flush.
void Cache::answered_below(const MemResponse& r) {
    const std::uint32_t slot = r.tag - figures_.mshrs;
    const PassedOn who = parts::named(state.passed_on, slot);
    state.free_passed_on.push_back(slot);
    state.passed_on[slot] = {};
    if (who.evicted) return;
    if (who.flushed) {
        --state.flush.unacked;
        end_flush();
        return;
    }
    MemResponse back = r;
    back.tag = who.tag;
    back.source = who.source;
    --state.owed;
    port.cpu_side.send(back);
}

// ---- what leaves -----------------------------------------------------------------------------

/// Time up to the answer's arrival is this stage's, unless the stages below had the request.
void Cache::answer(MemResponse r, std::uint32_t line, bool mark) {
    if (contents_ && r.command == Command::read) {
        complete(line, r);
        r.contents = contents_->read(line, r);
    }
    if (mark)
        sim().stamps().mark(r.stamps, static_cast<std::size_t>(params.stage()),
                            now() + figures_.latency);
    port.cpu_side.send(r);
}

/// A write is done when the array has it.
void Cache::answer_write(const MemRequest& r) {
    if (!r.needs_response()) return;
    if (figures_.late == 0) return answer(protocol::answer(r), TagArray::none, true);
    state.late.push({now() + figures_.late, protocol::answer(r)});
    if (state.late.size() == 1) arm(state.next_late, state.late.front().at);
}

void Cache::queue_below(const MemRequest& r) {
    if (state.below.empty() && port.mem_side.can_send())
        send_below(r);
    else
        state.below.push(r);
}

void Cache::send_below(const MemRequest& r) {
    sim().stamps().mark(r.stamps, static_cast<std::size_t>(params.stage()),
                        now() + params.miss_latency->raw);
    port.mem_side.send(r);
}

// ---- contents --------------------------------------------------------------------------------

/// Sectors of a line that writes which wait for its fill have given their bytes to.
SectorMask Cache::claimed(std::uint32_t line) const {
    SectorMask sectors = 0;
    if (state.tags.locked(line))
        state.mshrs.for_each_target(state.tags.lock(line), [&](const Target& t) {
            if (t.answer.command != Command::read) sectors |= t.sectors;
        });
    return sectors;
}

/// A write or atomic that ends here leaves its bytes in the line.
void Cache::take_contents(std::uint32_t line, const MemRequest& r, SectorMask kept) {
    if (!contents_) return;
    contents_->write(line, r, kept, claimed(line));
    sim().contents().release(r.contents);
}

/// What is valid from the start has its bytes below.
void Cache::complete(std::uint32_t line, const MemResponse& r) {
    if (params.warm_bytes->raw == 0) return;
    for_each_sector(r, [&](std::uint64_t sector, std::uint32_t) {
        SectorBytes& mine = contents_->at(line, sector);
        if (mine.known == SectorBytes::all) return;
        FunctionalAccess below {sector * SectorBytes::size,
                                static_cast<std::uint16_t>(state.tags.application(line)),
                                false,
                                {}};
        look_through(port.mem_side, below);
        mine.fill(below.data);
    });
}

/// A write-through cache's lines may be older than what is below, and are dropped before the next
/// launch: a read goes by them.
void Cache::functional(const PortBase&, FunctionalAccess& access) {
    const std::uint64_t sector = access.address / SectorBytes::size;
    const std::uint64_t own_line = own(access.address) >> figures_.line_bits;
    const std::uint32_t line =
        state.tags.find(index_(own_line), access.address >> figures_.line_bits);
    if (line != TagArray::none) {
        SectorBytes& mine = contents_->at(line, sector);
        const SectorMask waiting = claimed(line);
        const bool counts = contents_->counts(line, sector, waiting);
        if (counts && access.write)
            mine.store(access.data);
        else if (counts && (write_back() || state.tags.kept(line) || waiting))
            access.data.fill(mine);
    }
    for (std::uint32_t i = state.below.size(); i-- > 0 && !access.write;) {
        const MemRequest& r = state.below[i];
        if (!r.contents) continue;
        for (const Contents::Piece& p : sim().contents()[r.contents].pieces)
            if (r.address / SectorBytes::size + p.sector == sector) access.data.fill(p.data);
    }
    if (!access.complete()) look_through(port.mem_side, access);
}

// ---- reports ---------------------------------------------------------------------------------

/// The first request's obstacle is another than before, or gone.
void Cache::note(CacheStall cause) {
    if (state.stall != CacheStall::none) stat.stall_time += Time {now() - state.stalled_since};
    state.stall = cause;
    state.stalled_since = now();
    static constexpr std::array<Counter Stats::*, 7> of {nullptr,
                                                         &Stats::stalled_by_mshrs,
                                                         &Stats::stalled_by_targets,
                                                         &Stats::stalled_by_mem_side,
                                                         &Stats::stalled_by_set,
                                                         &Stats::stalled_by_bank,
                                                         &Stats::stalled_by_flush};
    if (cause != CacheStall::none) ++(stat.*of[static_cast<std::size_t>(cause)]);
}

void Cache::check_loaded(Loader& l) const {
    const std::uint64_t sets = state.tags.sets();
    std::uint32_t locked = 0;
    for (std::uint64_t s = 0; s < sets; ++s)
        for (std::uint32_t w = 0; w < figures_.ways; ++w) {
            const std::uint32_t line = state.tags.line(s, w);
            if (!state.tags.locked(line)) continue;
            ++locked;
            l.index("tags.lock", state.tags.lock(line), figures_.mshrs);
        }
    l.within("mshrs", [&] {
        l.check(locked == state.mshrs.size(), "are not as many as lines are locked");
        state.mshrs.for_each(
            [&](std::uint32_t mshr, const auto& e) {
                l.check(state.tags.has(e.line) && state.tags.locked(e.line) &&
                            state.tags.lock(e.line) == mshr,
                        "name a line that is not locked for them");
            },
            [](const Target&) {});
    });
    if (state.full_set != TagArray::none)
        l.within("full_set", [&] { l.check(state.tags.has(state.full_set), "is no line"); });
    l.index("reserved", state.reserved, figures_.ways);
    l.index("flush.set", state.flush.set, sets + 1);
    l.index("flush.port", state.flush.port, 1 + port.control.size());
}

void Cache::waits_on(WaitReport& report) const {
    if (state.mshrs.size())
        report.add(path() + " waits for " + std::to_string(state.fetching) + " bytes of " +
                   std::to_string(state.mshrs.size()) + " lines");
    if (state.flush.unacked)
        report.add(path() + " waits for " + std::to_string(state.flush.unacked) +
                   " write-backs of a flush to be answered");
    if (!state.below.empty())
        report.add(path() + " has " + std::to_string(state.below.size()) + " messages for " +
                   port.mem_side.peer()->owner().path() + " that it cannot send");
}

/// Every request that expects an answer had one; every byte fetched came.
std::optional<std::string> Cache::imbalance() const {
    if (state.owed) return std::to_string(state.owed) + " requests were not answered";
    if (state.fetching || state.mshrs.size())
        return std::to_string(state.fetching) + " bytes of " + std::to_string(state.mshrs.size()) +
               " lines were fetched and did not come";
    if (!state.below.empty()) return std::to_string(state.below.size()) + " messages are left";
    if (!state.late.empty()) return std::to_string(state.late.size()) + " answers are left";
    if (state.free_passed_on.size() != state.passed_on.size())
        return "requests that were passed on were not answered";
    return {};
}

} // namespace memsim::mem
